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
	out, err := ofLevels(ctx, r.Levels, opt, float64(r.N))
	if err != nil {
		return nil, err
	}
	risk := out.risk
	risk.Sure, risk.Payoff = sure(r), fmt.Sprintf("its own confidence, at the threshold %.4g,", r.Threshold)
	all := []figure.Figure{out.reliability.Figure(), risk.Figure()}
	byRule := map[string][]scoring.Honesty{}
	var rules []string
	for _, h := range r.Curves {
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
		all = append(all, f.Figure())
	}
	return all, nil
}

// pair is what is drawn of any confidences.
type pair struct {
	reliability figure.Reliability
	risk        figure.RiskCoverage
}

// ofLevels draws answers by their levels, which are not empty, of so many tasks.
func ofLevels(ctx context.Context, levels []scoring.Level, opt scoring.Options, tasks float64) (pair, error) {
	c, y, w := expand(levels)
	band, err := scoring.ConsistencyBand(ctx, c, w, scoring.BandOptions{Seed: opt.Seed})
	if err != nil {
		return pair{}, err
	}
	n, right := 0, 0
	for _, l := range levels {
		n, right = n+l.N, right+l.Correct
	}
	return pair{
		figure.Reliability{Curve: scoring.ReliabilityCurve(c, y, w), Band: band, Bins: scoring.Bins(c, y, w, opt.Bins)},
		figure.RiskCoverage{
			Answered: float64(n) / tasks, Error: 1 - float64(right)/float64(n),
			Model: scoring.RiskCoverageCurve(c, y, w, curvePoints), Best: scoring.BestRiskCoverageCurve(c, y, w, curvePoints),
		},
	}, nil
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
