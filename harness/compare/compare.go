// Package compare sets stored answers of the same tasks side by side: whether
// they differ, by how much and how surely, and what else differs between the
// runs than what was meant to. Two runs on different server versions, weights
// or prompts differ in more than their names say, so all of that is told.
package compare

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"candor/harness/run"
	"candor/harness/stored"
	"candor/scoring"
)

// Request says how to compare.
type Request struct {
	Rule     string   // "": the base's own
	Abstain  *float64 // nil: the base's own or, under another rule, that rule's default
	Intended []string // circumstances that were meant to differ: no warning
	Options  scoring.Options
}

// Result is a comparison and what else differs between the runs.
type Result struct {
	scoring.Comparison
	AsIf          []string       `json:"as_if"` // of each run whose rewards are hypothetical; empty: of none
	Circumstances []Circumstance `json:"circumstances"`
}

// Circumstance is one thing under which two runs were made differently.
type Circumstance struct {
	Run      string `json:"run"`  // beside the base
	What     string `json:"what"` // key of the manifest's hash, or a sampling option's name
	Base     string `json:"base"`
	Other    string `json:"other"`
	Intended bool   `json:"intended"`
}

// Answers compares the others against base. Different tasks, labels, images or
// claims are refused by an error that matches *scoring.PairError.
func Answers(ctx context.Context, base *stored.Answers, others []*stored.Answers, req Request) (*Result, error) {
	pay, err := base.Payment(req.Rule, req.Abstain)
	if err != nil {
		return nil, err
	}
	all := append([]*stored.Answers{base}, others...)
	out := &Result{Circumstances: []Circumstance{}}
	for _, a := range others {
		out.circumstances(base, a, req.Intended)
	}
	if err := checkIntended(req.Intended, out.Circumstances, base); err != nil {
		return nil, err
	}
	contenders := make([]scoring.Contender, len(all))
	for i, a := range all {
		contenders[i] = scoring.Contender{Name: a.Name, Rows: a.Rows}
		if err := sameInputs(base, a); err != nil {
			return nil, err
		}
	}
	c, err := scoring.Compare(ctx, contenders[0], contenders[1:], pay, req.Options)
	if err != nil {
		return nil, hint(err, all)
	}
	differ := out.Warnings
	out.Comparison = *c
	out.Warnings = slices.Concat(c.Warnings, differ, stored.Untold(all...), inherited(all))
	out.AsIf = asIf(all, pay)
	return out, nil
}

// asIf marks the runs that were given under another payment; if all were given
// under the same, once for all.
func asIf(all []*stored.Answers, pay scoring.Payment) []string {
	out := []string{}
	same := true
	for _, a := range all {
		mark := a.AsIf(pay)
		same = same && mark != "" && mark == all[0].AsIf(pay)
		if line := a.Name + ": " + mark; mark != "" && !slices.Contains(out, line) {
			out = append(out, line)
		}
	}
	if same {
		return []string{all[0].AsIf(pay)}
	}
	return out
}

// sameInputs refuses two runs that put another claim or another picture under
// the same task's name.
func sameInputs(a, b *stored.Answers) error {
	if a.Run == nil || b.Run == nil {
		return nil
	}
	known := make(map[string]run.Trace, len(a.Run.Traces))
	for _, t := range a.Run.Traces {
		known[t.TaskID] = t
	}
	for _, t := range b.Run.Traces {
		was, ok := known[t.TaskID]
		switch {
		case !ok:
		case was.ClaimKey != t.ClaimKey:
			return &scoring.PairError{Task: t.TaskID, Reason: fmt.Sprintf("claims %q in %s but %q in %s; only runs of the same tasks can be compared", was.Claim, a.Name, t.Claim, b.Name)}
		case was.Image.SourceSHA256 != t.Image.SourceSHA256:
			return &scoring.PairError{Task: t.TaskID, Reason: fmt.Sprintf("shows another picture in %s than in %s, both called %s; only runs of the same tasks can be compared", b.Name, a.Name, t.ImageSource)}
		}
	}
	return nil
}

// hint says what mends runs whose tasks differ because one is not finished.
func hint(err error, all []*stored.Answers) error {
	if !errors.As(err, new(*scoring.PairError)) {
		return err
	}
	for _, a := range all {
		if a.Run != nil && a.Run.Missing() > 0 {
			err = fmt.Errorf("%w; %s is PARTIAL and lacks %d tasks: candor eval --resume %s", err, a.Name, a.Run.Missing(), a.Name)
		}
	}
	return err
}

// inherited are the warnings that the runs bring along, each run's under its
// name and those that all share once.
func inherited(all []*stored.Answers) []scoring.Warning {
	var out []scoring.Warning
	shared := func(w scoring.Warning) bool {
		return !slices.ContainsFunc(all, func(a *stored.Answers) bool { return !slices.Contains(a.Circumstances(), w) })
	}
	for i, a := range all {
		for _, w := range a.Circumstances() {
			switch {
			case !shared(w):
				w.Message = a.Name + ": " + w.Message
			case i > 0:
				continue
			}
			out = append(out, w)
		}
	}
	return out
}

// circumstances lists what differs between two runs, and warns of what was
// not meant to.
func (r *Result) circumstances(base, other *stored.Answers, intended []string) {
	if base.Run == nil || other.Run == nil {
		return // stored.Untold warns of it
	}
	was, is := base.Conditions(), other.Conditions()
	for _, what := range stored.Differing(base, other) {
		c := Circumstance{Run: other.Name, What: what, Base: was[what], Other: is[what], Intended: meant(intended, what)}
		r.Circumstances = append(r.Circumstances, c)
		if !c.Intended {
			r.warn("differs_"+c.What, "%s differs: %s in %s, %s in %s (--intended %s if that is what you compare)", c.What, shown(c.Base), base.Name, shown(c.Other), other.Name, c.What)
		}
	}
}

func (r *Result) warn(code, format string, args ...any) {
	r.Warnings = append(r.Warnings, scoring.Warning{Code: code, Message: fmt.Sprintf(format, args...)})
}

// meant takes the names of flags too, which have hyphens.
func meant(intended []string, what string) bool {
	return slices.ContainsFunc(intended, func(s string) bool { return strings.ReplaceAll(s, "-", "_") == what })
}

// checkIntended refuses a word that names no circumstance: a misspelt one
// would silence nothing and seem to.
func checkIntended(intended []string, found []Circumstance, base *stored.Answers) error {
	if base.Run == nil {
		return nil
	}
	known := base.Conditions()
	for _, c := range found {
		known[c.What] = ""
	}
	for _, what := range intended {
		if _, ok := known[strings.ReplaceAll(what, "-", "_")]; !ok {
			return &run.UsageError{Err: fmt.Errorf("--intended %s: no such circumstance; there are %s", what, strings.Join(slices.Sorted(maps.Keys(known)), ", "))}
		}
	}
	return nil
}

// shown is a value for a message: digests cut, nothing for absent.
func shown(value string) string {
	const digest = 64
	switch {
	case value == "":
		return "none"
	case len(value) == digest:
		return value[:12]
	}
	return value
}
