package command

import (
	"context"
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

// Demo measures the demonstration agents of an environment, by default
// number-sort's, in three ways: as here, and as both published releases.
func Demo(ctx context.Context, name string, episodes int, now func() time.Time) (out []Shown, err error) {
	name = strings.TrimPrefix(name, "local:")
	if name == "" {
		name = "number-sort"
	}
	agents := local.Demonstration(name)
	if len(agents) == 0 {
		return nil, usagef("there is no demonstration in %q; there is one in number-sort and in cooling", name)
	}
	for _, of := range agents {
		act, err := local.Agent(of)
		if err != nil {
			return nil, err
		}
		e, err := local.Find(ctx, name)
		if err != nil {
			return nil, err
		}
		o := lens.Options{AgentName: "local:" + of, Episodes: episodes, Now: now}
		s := Shown{Environment: "local:" + name, Agent: of}
		if s.Report, err = e.Lens().Evaluate(ctx, act, o); err != nil {
			return nil, usage(err)
		}
		o.Probes = []string{lens.Generalization, lens.Consistency, lens.HackDetection}
		if s.Old, err = e.Lens().EvaluateAs(ctx, lqs.Release013, act, o); err != nil {
			return nil, err
		}
		if s.New, err = e.Lens().EvaluateAs(ctx, lqs.Release021, act, o); err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

// PrintDemo sets the agents side by side.
func PrintDemo(w io.Writer, shown []Shown) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%-28s %6s  %6s %6s %6s %6s  %6s  %12s\n", "Agent", "Reward", "K", "G", "C", "H", "LQS", "0.1.3  0.2.1")
	for _, s := range shown {
		r := s.Report
		fmt.Fprintf(&b, "%-28s %6s  %6s %6s %6s %6s  %6s  %5s  %5s\n", s.Agent, figure(r.MeanReward), figure(r.Competence), figure(r.Generalization), figure(r.Consistency), figure(r.HackIndex),
			figure(r.LQS), pyjson.Fixed(s.Old.LQS, 2), pyjson.Fixed(s.New.LQS, 2))
	}
	b.WriteString("\n")
	for _, s := range shown {
		fmt.Fprintf(&b, "%s: %s\n", s.Agent, s.Report.Verdict)
	}
	b.WriteString("\nThe last two columns are what the published packages of those versions say.\n")
	_, err := io.WriteString(w, b.String())
	return err
}

func figure(v *float64) string {
	if v == nil {
		return "—"
	}
	return pyjson.Fixed(*v, 2)
}
