package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"candor/harness/lens"
	"candor/harness/lens/compat"
	"candor/harness/lens/local"
	"candor/harness/lens/pyjson"
	"candor/scoring/lqs"
)

// Shown is what the demonstration says of one agent.
type Shown struct {
	Environment string         `json:"environment"`
	Agent       string         `json:"agent"`
	Report      *lens.Report   `json:"report"`
	Old         *compat.Report `json:"learnlens_0_1_3"`
	New         *compat.Report `json:"learnlens_0_2_1"`
}

// Demo sets agents side by side, each measured in three ways: as here, and as
// both published releases. Without environments they are those of the published
// demonstration, and nobody judges; else those of every kind in each of the
// environments, and a scripted judge that is marked as such.
func Demo(ctx context.Context, environments []string, episodes int, now func() time.Time) (out []Shown, err error) {
	o := lens.Options{Episodes: episodes, Now: now}
	if len(environments) == 0 {
		return demonstrate(ctx, nil, "number-sort", local.Published(), o)
	}
	o.Judge, o.JudgeName = local.ScriptedJudge, local.ScriptedJudgeName
	for _, name := range environments {
		name = strings.TrimPrefix(name, "local:")
		agents := local.Demonstration(name)
		if len(agents) == 0 {
			return nil, usagef("there is no demonstration in %q; there is one in local:number-sort and in local:cooling", name)
		}
		if out, err = demonstrate(ctx, out, name, agents, o); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func demonstrate(ctx context.Context, out []Shown, environment string, agents []string, o lens.Options) ([]Shown, error) {
	for _, name := range agents {
		s, err := demonstration(ctx, environment, name, o)
		if err != nil {
			return nil, usage(err)
		}
		out = append(out, s)
	}
	return out, nil
}

func demonstration(ctx context.Context, environment, name string, o lens.Options) (_ Shown, err error) {
	s := Shown{Environment: "local:" + environment, Agent: name}
	o.AgentName = "local:" + name
	e, err := local.Find(ctx, environment)
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	agent := func() lens.Agent { // a new one each time, as some draw
		act, failed := local.Agent(name)
		err = errors.Join(err, failed)
		return act
	}
	here, old, latest := agent(), agent(), agent()
	if err != nil {
		return s, err
	}
	if s.Report, err = e.Lens().Evaluate(ctx, here, o); err != nil {
		return s, err
	}
	if s.Old, err = e.Lens().EvaluateAs(ctx, lqs.Release013, old, o); err != nil {
		return s, err
	}
	s.New, err = e.Lens().EvaluateAs(ctx, lqs.Release021, latest, o)
	return s, err
}

// PrintDemo sets the agents side by side.
func PrintDemo(w io.Writer, shown []Shown) error {
	var b strings.Builder
	judged := ""
	for _, s := range shown {
		judged = cmp.Or(judged, s.Report.Judge)
	}
	reasoning := func(text string) string {
		if judged == "" {
			return ""
		}
		return fmt.Sprintf(" %6s", text)
	}
	fmt.Fprintf(&b, "%-28s %6s  %6s %6s %6s %6s%s  %6s  %12s\n", "Agent", "Reward", "K", "G", "C", "H", reasoning("R"), "LQS", "0.1.3  0.2.1")
	for _, s := range shown {
		r := s.Report
		fmt.Fprintf(&b, "%-28s %6s  %6s %6s %6s %6s%s  %6s  %5s  %5s\n", s.Agent, figure(r.MeanReward), figure(r.Competence), figure(r.Generalization), figure(r.Consistency), figure(r.HackIndex),
			reasoning(figure(r.Reasoning)), figure(r.LQS), pyjson.Fixed(s.Old.LQS, 2), pyjson.Fixed(s.New.LQS, 2))
	}
	b.WriteString("\n")
	for _, s := range shown {
		fmt.Fprintf(&b, "%s: %s\n", s.Agent, s.Report.Verdict)
	}
	b.WriteString("\nThe last two columns are what the published packages of those versions say.\n")
	if judged != "" {
		fmt.Fprintf(&b, "The judge of all three is %s.\n", judged)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func figure(v *float64) string {
	if v == nil {
		return "—"
	}
	return pyjson.Fixed(*v, 2)
}
