// Package rescore looks at stored answers under another rule, payoff or label
// set, without asking anything again. Rule and payoff stand in the prompt, so
// a model that had been told others might have answered otherwise: every
// result says under which the answers were given.
package rescore

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"candor/harness/claim"
	"candor/harness/run"
	"candor/harness/stored"
	"candor/scoring"
)

// Request says what to make of stored answers.
type Request struct {
	Rule    string            // "": the run's own
	Abstain *float64          // nil: the run's own or, under another rule, that rule's default
	Labels  map[string]string // further label sets: name → data set as claim.Load reads it
	Grid    bool              // also a grid of payoffs under both rules
	Options scoring.Options
}

// Result is the answers under the payment asked for. Its summary has the keys
// of a run's.
type Result struct {
	Run  string `json:"run"`
	AsIf string `json:"as_if"`
	// Hypothetical is whether the payment is another than the answers were
	// given under.
	Hypothetical bool `json:"-"`
	scoring.Summary
	Honesty scoring.Honesty   `json:"honesty"`
	Curves  []scoring.Honesty `json:"payoff_curves"` // empty unless asked for
}

// Rescore computes the summary of the answers, by each label set too, and what
// honesty would have earned them. A refused payoff or rule is a usage error.
func Rescore(ctx context.Context, a *stored.Answers, req Request) (*Result, error) {
	pay, err := a.Payment(req.Rule, req.Abstain)
	if err != nil {
		return nil, err
	}
	sum, err := scoring.Summarize(ctx, a.Rows, pay, req.Options)
	if err != nil {
		return nil, err
	}
	out := &Result{Run: a.Name, AsIf: stored.AsIfGiven + a.GivenUnder(), Hypothetical: a.AsIf(pay) != "", Summary: *sum, Curves: []scoring.Honesty{}}
	a.Inherit(&out.Summary)
	if err := out.labels(ctx, a, pay, req); err != nil {
		return nil, err
	}
	pays := []scoring.Payment{pay}
	if req.Grid {
		pays = append(pays, scoring.PayoffGrid()...)
	}
	honesty, err := scoring.WhatHonestyEarns(ctx, a.Rows, pays, nil, req.Options)
	if err != nil {
		return nil, err
	}
	out.Honesty, out.Curves = honesty[0], append(out.Curves, honesty[1:]...)
	return out, nil
}

// labels adds a summary under each further label set.
func (r *Result) labels(ctx context.Context, a *stored.Answers, pay scoring.Payment, req Request) error {
	for name, data := range req.Labels {
		set, err := claim.Load(data, "")
		if err != nil {
			return &run.UsageError{Err: fmt.Errorf("--labels %s: %w", name, err)}
		}
		rows, changed, err := relabel(a.Rows, set)
		if err != nil {
			return fmt.Errorf("labels %s: %w", name, err)
		}
		sum, err := scoring.Summarize(ctx, rows, pay, req.Options)
		if err != nil {
			return fmt.Errorf("labels %s: %w", name, err)
		}
		sum.Warnings = slices.Insert(sum.Warnings, 0, scoring.Warning{Code: "label_set", Message: fmt.Sprintf(
			"labels %s: %d of %d tasks have one, %d of them another than the run's", name, len(rows), len(a.Rows), changed)})
		r.ByLabels[name] = sum
	}
	return nil
}

// relabel marks the rows anew by a set's labels and leaves out those that have
// none there. Labels join on split and question_id, and must be of the same
// image.
func relabel(rows []scoring.Row, set *claim.Set) (out []scoring.Row, changed int, err error) {
	claims := make(map[string]claim.Claim, len(set.Claims))
	for _, c := range set.Claims {
		claims[c.ID] = c
	}
	for _, r := range rows {
		c, ok := claims[r.ID]
		if !ok && r.Split != "" {
			c, ok = claims[r.Split+"/"+r.ID]
		}
		if !ok {
			continue
		}
		if r.Image != "" && claim.Stem(r.Image) != c.ImageSource {
			return nil, 0, fmt.Errorf("task %s is about image %s, but claim %s about %s: the label set is of another data set", r.ID, r.Image, c.ID, c.ImageSource)
		}
		if r.Label != "" && r.Label != string(c.Label) {
			changed++
		}
		r.Label = string(c.Label)
		r.Correct = r.Outcome == scoring.Answered && r.Supported == (c.Label == claim.Supported)
		out = append(out, r)
	}
	if len(out) == 0 && len(rows) > 0 {
		return nil, 0, noneJoins(rows, set)
	}
	return out, changed, nil
}

// noneJoins says why no label joins, and what mends it: most often the split,
// which a file without the key tells by its name alone.
func noneJoins(rows []scoring.Row, set *claim.Set) error {
	ran, told := map[string]bool{}, map[string]bool{}
	for _, r := range rows {
		ran[r.Split] = true
	}
	common := false
	for _, c := range set.Claims {
		told[c.Split] = true
		common = common || ran[c.Split]
	}
	cure := "no question_id of a split in common is the same"
	switch {
	case ran[""]:
		cure = "give the answers a \"split\" key"
	case !common:
		cure = "give the file's rows a \"split\" key, or name the file after its split"
	}
	return fmt.Errorf("none of the %d tasks has a label there: labels join on split and question_id; the run has %s, the file %s: %s",
		len(rows), splits(ran), splits(told), cure)
}

// splits names them, at most five.
func splits(found map[string]bool) string {
	const most = 5
	var names []string
	for _, name := range slices.Sorted(maps.Keys(found)) {
		if name == "" {
			name = "none"
		}
		names = append(names, name)
	}
	if rest := len(names) - most; rest > 0 {
		names = append(names[:most], fmt.Sprintf("%d more", rest))
	}
	return "split " + strings.Join(names, ", ")
}
