// Package rescore looks at stored answers under another rule, payoff or label
// set, without asking anything again. Rule and payoff stand in the prompt, so
// a model that had been told others might have answered otherwise: every
// result says under which the answers were given.
package rescore

import (
	"context"

	"candor/harness/claim"
	"candor/harness/relabel"
	"candor/harness/run"
	"candor/harness/stored"
	"candor/scoring"
)

// Request says what to make of stored answers.
type Request struct {
	Rule    string   // "": the run's own
	Abstain *float64 // nil: the run's own or, under another rule, that rule's default
	Labels  []string // further label sets, as relabel.Load takes them
	Grid    bool     // also a grid of payoffs under both rules
	// Summary is of these very answers under this payment and these options, with
	// all that they bring along; nil: it is computed.
	Summary *scoring.Summary
	Options scoring.Options
	// Own is the label sets that come with the answers' data, for who has loaded
	// those already; nil: the answers' own LabelSets.
	Own func() ([]claim.LabelSet, error)
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
	out := &Result{Run: a.Name, AsIf: stored.AsIfGiven + a.GivenUnder(), Hypothetical: a.AsIf(pay) != "", Curves: []scoring.Honesty{}}
	if err := out.summarize(ctx, a, pay, req); err != nil {
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

func (r *Result) summarize(ctx context.Context, a *stored.Answers, pay scoring.Payment, req Request) error {
	if req.Summary != nil {
		r.Summary = *req.Summary
		return nil
	}
	sum, err := scoring.Summarize(ctx, a.Rows, pay, req.Options)
	if err != nil {
		return err
	}
	r.Summary = *sum
	a.Inherit(&r.Summary)
	return r.labels(ctx, a, pay, req)
}

// labels adds a summary under each further label set, those that come with the
// run's data among them.
func (r *Result) labels(ctx context.Context, a *stored.Answers, pay scoring.Payment, req Request) error {
	find := req.Own
	if find == nil {
		find = a.LabelSets
	}
	own, err := find()
	if err != nil {
		return err
	}
	sets, err := relabel.Load(req.Labels, own)
	if err != nil {
		return &run.UsageError{Err: err}
	}
	if err := relabel.Check(a.Rows, a.Texts(), sets[len(own):]); err != nil {
		return err
	}
	r.ByLabels, err = relabel.Summaries(ctx, a.Rows, sets, pay, req.Options)
	return err
}
