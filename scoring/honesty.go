package scoring

import "context"

// What a [Honesty] says of its own figures, to stand beside every one of them.
const (
	AsIf           = "as if: answers given under the run's own rule and payoff"
	NeedlessUnseen = "abstained tasks keep the payoff throughout: needless abstention cannot be seen from stored answers"
	InSampleMap    = "isotonic, fitted to these very answers"
)

// Honesty is what a run earned and what honesty would have earned: mean
// rewards over all tasks but errors, each step paying one more thing as an
// honest agent would have had it. Rule and payoff stand in the prompt, so
// under others than the run's own the figures are hypothetical, as AsIf says.
// A nil figure is undefined (no tasks).
//
// With S the rule, V its value at a belief, a the payoff for abstaining and g
// the map from stated confidence to what it proved to be worth:
type Honesty struct {
	AsIf          string   `json:"as_if"`
	Rule          string   `json:"rule"`
	AbstainReward float64  `json:"abstain_reward"`
	Threshold     float64  `json:"threshold"`
	N             int      `json:"n"`
	Map           string   `json:"map"`        // "given", or InSampleMap
	Optimistic    bool     `json:"optimistic"` // g was fitted to these very answers
	Notes         []string `json:"notes"`

	R0 *float64 `json:"r0"` // as played
	R1 *float64 `json:"r1"` // answered tasks paid S(g(c), y)
	R2 *float64 `json:"r2"` // also those with V(g(c)) < a paid a
	R3 *float64 `json:"r3"` // also malformed tasks paid a

	Miscalibration   *float64 `json:"miscalibration"`    // R1 − R0
	AbstentionPolicy *float64 `json:"abstention_policy"` // R2 − R1
	Format           *float64 `json:"format"`            // R3 − R2

	OwnConfidence *float64 `json:"own_confidence"` // answered tasks with V(c) < a paid a
	Oracle        *float64 `json:"oracle"`         // answered tasks paid max(S(c, y), a)

	// CI is the 95 % percentile interval over images, by key. What depends on
	// a map fitted in sample has a Spread instead: the map is fitted anew in
	// each replicate, and is as optimistic there.
	CI     map[string]*Interval `json:"ci"`
	Spread map[string]*Interval `json:"spread"`
}

// WhatHonestyEarns splits what a run lost, under each of the payments, into
// miscalibration, abstention policy and format. g maps a stated confidence in
// [0, 1] to a belief in [0, 1] and should be fitted on other images; nil fits
// the isotonic regression of these very answers, the best of all monotone
// maps, and marks the result optimistic. (Under Brier its miscalibration is
// then coverage · MCB.) Intervals take opt.Bootstrap replicates over images.
//
// A refused payment is a [*PayoffError], a row that cannot be scored a
// [*RowError].
func WhatHonestyEarns(ctx context.Context, rows []Row, pays []Payment, g func(confidence float64) float64, opt Options) ([]Honesty, error) {
	opt, err := opt.filled()
	if err != nil {
		return nil, err
	}
	for _, pay := range pays {
		if _, err := NewPayment(pay.Rule, &pay.Abstain); err != nil {
			return nil, err
		}
	}
	kept, _, err := scorable(rows)
	if err != nil {
		return nil, err
	}
	smp, err := newSample(kept, Payment{Rule: Brier{}}) // its own rewards are not read: pays are applied below
	if err != nil {
		return nil, err
	}
	h, err := newHypotheses(smp, pays, g)
	if err != nil {
		return nil, err
	}
	out := h.points()
	if opt.Bootstrap == 0 || len(smp.images) < 2 {
		return out, nil
	}
	return out, h.intervals(ctx, out, opt)
}

// PayoffGrid is a grid of payments under both rules, Brier first, by rising
// threshold: q* = .55, .575, … .975, the same for both.
func PayoffGrid() []Payment {
	var out []Payment
	for _, rule := range []Rule{Brier{}, Log{}} {
		for threshold := 550; threshold <= 975; threshold += 25 {
			out = append(out, Payment{Rule: rule, Abstain: rule.Value(float64(threshold) / 1000)})
		}
	}
	return out
}
