package dossier

import (
	"context"
	"fmt"

	"candor/harness/report/figure"
	"candor/harness/rescore"
	"candor/harness/stored"
	"candor/scoring"
)

// curvePoints is as many as a drawn curve can show.
const curvePoints = 400

// figures are those of one summary: none where nothing was answered.
func figures(ctx context.Context, a *stored.Answers, r *rescore.Result, opt scoring.Options) ([]figure.Figure, error) {
	if r.Answered == 0 {
		return nil, nil
	}
	c, y, w := expand(r.Levels)
	band, err := scoring.ConsistencyBand(ctx, c, w, scoring.BandOptions{Seed: opt.Seed})
	if err != nil {
		return nil, err
	}
	out := []figure.Figure{
		figure.Reliability{Curve: scoring.ReliabilityCurve(c, y, w), Band: band, Bins: scoring.Bins(c, y, w, opt.Bins)}.Figure(),
		figure.RiskCoverage{
			Answered: float64(r.Answered) / float64(r.N), Error: 1 - *r.Accuracy,
			Model: scoring.RiskCoverageCurve(c, y, w, curvePoints), Best: scoring.BestRiskCoverageCurve(c, y, w, curvePoints),
			Sure: sure(r), Payoff: fmt.Sprintf("its own confidence, at the threshold %.4g,", r.Threshold),
		}.Figure(),
	}
	curves, err := scoring.WhatHonestyEarns(ctx, a.Rows, scoring.PayoffGrid(), nil, scoring.Options{Seed: opt.Seed})
	if err != nil {
		return nil, err
	}
	byRule := map[string][]scoring.Honesty{}
	var rules []string
	for _, h := range curves {
		if byRule[h.Rule] == nil {
			rules = append(rules, h.Rule)
		}
		byRule[h.Rule] = append(byRule[h.Rule], h)
	}
	for _, rule := range rules {
		f := figure.Payoff{Rule: rule, AsIf: "As if: answers given under " + a.GivenUnder(), Curve: byRule[rule]}
		if rule == r.Rule {
			f.Own = &r.Threshold
		}
		out = append(out, f.Figure())
	}
	return out, nil
}

// expand makes of each level its right and its wrong answers, weighed.
func expand(levels []scoring.Level) (confidence []float64, correct []bool, weights []int) {
	for _, l := range levels {
		confidence = append(confidence, l.Confidence, l.Confidence)
		correct = append(correct, true, false)
		weights = append(weights, l.Correct, l.N-l.Correct)
	}
	return confidence, correct, weights
}

// sure is where the answers end whose confidence is at or above the threshold;
// nil if there is none.
func sure(r *rescore.Result) *scoring.RiskPoint {
	n, right := 0, 0
	for _, l := range r.Levels {
		if l.Confidence >= r.Threshold {
			n, right = n+l.N, right+l.Correct
		}
	}
	if n == 0 {
		return nil
	}
	return &scoring.RiskPoint{Coverage: float64(n) / float64(r.Answered), Risk: float64(n-right) / float64(n)}
}
