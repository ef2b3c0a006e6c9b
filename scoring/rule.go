package scoring

import (
	"fmt"
	"math"
)

// Rule pays an answered task for its stated confidence.
type Rule interface {
	// Name is the word the command line and the manifests use.
	Name() string
	// Score is the reward, in [0, 1], of stating confidence in [0, 1] for a
	// verdict that proved correct or not.
	Score(confidence float64, correct bool) float64
	// Value is the expected score of stating one's belief, in [0, 1], honestly.
	Value(belief float64) float64
	// Floor is the least Value, reached at belief ½. A payoff for abstaining
	// at or below it would never be worth taking.
	Floor() float64
	// DefaultPayoff is the reward for abstaining when none is chosen.
	DefaultPayoff() float64
}

// ParseRule finds a rule by its name, "brier" or "log".
func ParseRule(name string) (Rule, error) {
	switch name {
	case "brier":
		return Brier{}, nil
	case "log":
		return Log{}, nil
	}
	return nil, fmt.Errorf("scoring rule %q: must be brier or log", name)
}

// Brier is the quadratic rule 1 − (p − y)² (Brier 1950), strictly proper on
// the whole of [0, 1].
type Brier struct{}

// Name is "brier".
func (Brier) Name() string { return "brier" }

// Score is 1 − (p − y)².
func (Brier) Score(confidence float64, correct bool) float64 {
	miss := confidence
	if correct {
		miss = 1 - confidence
	}
	return 1 - miss*miss
}

// Value is 1 − q(1 − q).
func (Brier) Value(belief float64) float64 { return 1 - belief*(1-belief) }

// Floor is ¾.
func (Brier) Floor() float64 { return 0.75 }

// DefaultPayoff is .80, at which abstaining pays below a belief of .7236.
func (Brier) DefaultPayoff() float64 { return 0.8 }

// threshold solves 1 − q(1 − q) = a for q ≥ ½.
func (Brier) threshold(payoff float64) float64 { return (1 + math.Sqrt(4*payoff-3)) / 2 }

// Log is the logarithmic rule 1 − ln(clip(p_y, ε, 1)) / ln ε (Good 1952, cut
// off so that the worst answer earns 0), where p_y is the confidence if
// correct and its complement if not.
//
// The cut costs some propriety: the rule is proper only for beliefs in
// [e·ε, 1 − e·ε]. Beyond, stating 0 or 1 pays more than the truth, because the
// penalty for being wrong no longer grows.
type Log struct {
	Epsilon float64 // the cut-off ε, in (0, 1/2e); zero means 1e-4
}

// CutOff is the ε in effect: Epsilon or, where that is zero, 1e-4.
func (l Log) CutOff() float64 {
	if l.Epsilon == 0 {
		return 1e-4
	}
	return l.Epsilon
}

// Name is "log".
func (Log) Name() string { return "log" }

// Score is 1 − ln(clip(p_y, ε, 1)) / ln ε: exactly 1 at best and 0 at worst.
func (l Log) Score(confidence float64, correct bool) float64 {
	p := confidence
	if !correct {
		p = 1 - confidence
	}
	eps := l.CutOff()
	return 1 - math.Log(min(max(p, eps), 1))/math.Log(eps)
}

// Value is 1 − H(q)/(−ln ε) for q in [ε, 1 − ε], with H the entropy in nats;
// outside it is the same expectation under the cut-off.
func (l Log) Value(belief float64) float64 {
	return belief*l.Score(belief, true) + (1-belief)*l.Score(belief, false)
}

// Floor is 1 − ln 2/(−ln ε), .92474 at the default ε.
func (l Log) Floor() float64 { return l.Value(0.5) }

// DefaultPayoff is the payoff that has the threshold of Brier's default, so
// that runs under either rule ask for the same care.
func (l Log) DefaultPayoff() float64 {
	brier := Brier{}
	return l.Value(brier.threshold(brier.DefaultPayoff()))
}

// proper reports whether the rule is proper at a belief.
func (l Log) proper(belief float64) bool {
	edge := math.E * l.CutOff()
	return belief >= edge && belief <= 1-edge
}

// check refuses a cut-off that would leave no belief where the rule is proper.
func (l Log) check() error {
	if eps := l.CutOff(); !(eps > 0 && eps < 1/(2*math.E)) {
		return fmt.Errorf("log rule: epsilon %v must lie in the open interval (0, %.4f)", eps, 1/(2*math.E))
	}
	return nil
}
