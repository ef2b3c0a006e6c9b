// Package calibrate fits recalibration maps on the answers of one run, applies
// them to those of another about other images, and says what they mend and
// what honesty would have earned. A map judged by the images that it was
// fitted on would flatter itself, so a shared image is refused.
package calibrate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"candor/harness/claim"
	"candor/harness/run"
	"candor/harness/stored"
	"candor/scoring"
	"candor/scoring/recalibration"
)

// Request says how to calibrate.
type Request struct {
	Maps    []string // names of maps; none means all
	Options scoring.Options
}

// Result is the answers before and after each map.
type Result struct {
	Fit      string            `json:"fit"`
	Apply    string            `json:"apply"`
	AsIf     string            `json:"as_if"`
	FittedOn int               `json:"fitted_on"` // answered tasks
	Before   *scoring.Summary  `json:"before"`
	Maps     []Mapped          `json:"maps"`
	Warnings []scoring.Warning `json:"warnings"`
}

// Mapped is one map and what it does; only the map's name and why there is
// none where the answers determine no map.
type Mapped struct {
	Name      string           `json:"name"`
	Undefined string           `json:"undefined,omitempty"`
	Map       json.RawMessage  `json:"map"` // its parameters
	After     *scoring.Summary `json:"after"`
	Honesty   *scoring.Honesty `json:"honesty"`
}

// Apply fits maps on the answered tasks of fit and applies them to apply, all
// under apply's own rule and payoff. An image in both is an error that matches
// *recalibration.SharedError; so is, if all maps lack it, data that determine
// no map, by recalibration.ErrUndefined. An unknown map is a usage error.
func Apply(ctx context.Context, fit, apply *stored.Answers, req Request) (*Result, error) {
	names := req.Maps
	if len(names) == 0 {
		names = recalibration.Names()
	}
	for _, name := range names {
		if !slices.Contains(recalibration.Names(), name) {
			return nil, &run.UsageError{Err: fmt.Errorf("--map %s: must be one of %q", name, recalibration.Names())}
		}
	}
	if err := recalibration.CheckDisjoint(images(fit.Rows), images(apply.Rows)); err != nil {
		return nil, fmt.Errorf("%s and %s: %w", fit.Name, apply.Name, err)
	}
	confidence, correct := answered(fit.Rows)
	if len(confidence) == 0 {
		return nil, &NothingError{Run: fit.Name}
	}
	pay, err := apply.Payment("", nil)
	if err != nil {
		return nil, err
	}
	out := &Result{
		Fit: fit.Name, Apply: apply.Name, AsIf: stored.AsIfGiven + apply.GivenUnder(),
		Warnings: slices.Concat(warnings(fit, apply), fewAnswers(fit, len(confidence))),
	}
	if out.Before, err = scoring.Summarize(ctx, apply.Rows, pay, req.Options); err != nil {
		return nil, err
	}
	out.FittedOn = len(confidence)
	var undefined error
	for _, name := range names {
		g, err := recalibration.Fit(name, confidence, correct, nil)
		if errors.Is(err, recalibration.ErrUndefined) {
			undefined = err
			out.Maps = append(out.Maps, Mapped{Name: name, Undefined: err.Error()})
			continue
		}
		if err != nil {
			return nil, err
		}
		m, err := judge(ctx, g, apply, pay, req.Options)
		if err != nil {
			return nil, err
		}
		out.Maps = append(out.Maps, m)
	}
	if !slices.ContainsFunc(out.Maps, func(m Mapped) bool { return m.Undefined == "" }) {
		return nil, fmt.Errorf("%s: %w", fit.Name, undefined)
	}
	return out, nil
}

// NothingError is that a run has nothing to fit a map on. It matches
// [recalibration.ErrUndefined].
type NothingError struct{ Run string }

func (e *NothingError) Error() string {
	return e.Run + " has no answered tasks: nothing to fit a map on"
}

// Unwrap makes the error match recalibration.ErrUndefined.
func (e *NothingError) Unwrap() error { return recalibration.ErrUndefined }

// judge applies one map.
func judge(ctx context.Context, g recalibration.Map, apply *stored.Answers, pay scoring.Payment, opt scoring.Options) (Mapped, error) {
	m := Mapped{Name: g.Name()}
	var err error
	if m.Map, err = recalibration.Encode(g); err != nil {
		return m, err
	}
	mapped := slices.Clone(apply.Rows)
	for i := range mapped {
		mapped[i].Sources = nil
		if mapped[i].Outcome == scoring.Answered {
			mapped[i].Confidence = g.Apply(mapped[i].Confidence)
		}
	}
	if m.After, err = scoring.Summarize(ctx, mapped, pay, opt); err != nil {
		return m, fmt.Errorf("%s: %w", g.Name(), err)
	}
	honesty, err := scoring.WhatHonestyEarns(ctx, apply.Rows, []scoring.Payment{pay}, g.Apply, opt)
	if err != nil {
		return m, fmt.Errorf("%s: %w", g.Name(), err)
	}
	m.Honesty = &honesty[0]
	m.Honesty.Map = g.Name()
	return m, nil
}

// images are written alike, whether or not a file names them with an
// extension.
func images(rows []scoring.Row) []string {
	var out []string
	for _, r := range rows {
		if r.Image != "" {
			out = append(out, claim.Stem(r.Image))
		}
	}
	return out
}

func answered(rows []scoring.Row) (confidence []float64, correct []bool) {
	for _, r := range rows {
		if r.Outcome == scoring.Answered {
			confidence, correct = append(confidence, r.Confidence), append(correct, r.Correct)
		}
	}
	return confidence, correct
}

// fewestAnswers is five for each of the 15 bins of a histogram.
const fewestAnswers = 5 * 15

func fewAnswers(fit *stored.Answers, n int) []scoring.Warning {
	if n >= fewestAnswers {
		return nil
	}
	return []scoring.Warning{{Code: "few_fitted", Message: fmt.Sprintf("%d answers of %s: the map is mostly luck", n, fit.Name)}}
}

// warnings tell what may make a map of one run wrong for the other.
func warnings(fit, apply *stored.Answers) []scoring.Warning {
	out := append([]scoring.Warning{}, apply.Circumstances()...)
	add := func(code, format string, args ...any) {
		out = append(out, scoring.Warning{Code: code, Message: fmt.Sprintf(format, args...)})
	}
	for _, a := range []*stored.Answers{fit, apply} {
		bare := 0
		for _, r := range a.Rows {
			if r.Image == "" && r.Outcome != scoring.Errored {
				bare++
			}
		}
		if bare > 0 {
			add(scoring.WarnNoImages, "%d tasks of %s name no image: nobody can tell whether the map has seen them", bare, a.Name)
		}
	}
	out = append(out, stored.Untold(fit, apply)...)
	for _, what := range stored.Differing(fit, apply) {
		if what != "seed" && what != "replicate" {
			add("differs_"+what, "%s differs between the run fitted on and the run applied to: a map may not carry over", what)
		}
	}
	return out
}
