package scoring

import (
	"errors"
	"fmt"
)

// Payment is what a task earns: a rule for answers and a flat reward for
// abstaining. Make one with [NewPayment], which refuses payoffs that no honest
// agent would ever take or ever refuse.
type Payment struct {
	Rule    Rule
	Abstain float64 // reward of ABSTAIN, in (Rule.Floor(), 1)
}

// PayoffError is a reward for abstaining outside the open interval in which
// abstaining is sometimes, and only sometimes, the better choice.
type PayoffError struct {
	Rule    string
	Abstain float64
	Floor   float64 // the interval is (Floor, 1)
}

func (e *PayoffError) Error() string {
	return fmt.Sprintf("abstain reward %v refused under the %s rule: it must lie in the open interval (%v, 1)",
		e.Abstain, e.Rule, e.Floor)
}

// NewPayment checks the payoff and returns the payment; a nil payoff means the
// rule's default. A payoff at or below the rule's floor, at or above 1, or NaN
// is a [*PayoffError].
func NewPayment(rule Rule, abstain *float64) (Payment, error) {
	if rule == nil {
		return Payment{}, errors.New("payment: no scoring rule given")
	}
	if l, ok := rule.(Log); ok {
		if err := l.check(); err != nil {
			return Payment{}, err
		}
	}
	payoff := rule.DefaultPayoff()
	if abstain != nil {
		payoff = *abstain
	}
	if floor := rule.Floor(); !(payoff > floor && payoff < 1) {
		return Payment{}, &PayoffError{Rule: rule.Name(), Abstain: payoff, Floor: floor}
	}
	return Payment{Rule: rule, Abstain: payoff}, nil
}

// Threshold is q*, the belief in (½, 1) at which answering honestly is worth
// exactly the payoff: between 1 − q* and q* abstaining pays better. Brier's is
// (1 + √(4a − 3))/2; another rule's is found by bisection to the last bit
// that its Value can tell apart.
func (p Payment) Threshold() float64 {
	if closed, ok := p.Rule.(interface{ threshold(float64) float64 }); ok {
		return closed.threshold(p.Abstain)
	}
	low, high := 0.5, 1.0
	for {
		mid := low + (high-low)/2
		if mid <= low || mid >= high {
			return high
		}
		if p.Rule.Value(mid) < p.Abstain {
			low = mid
		} else {
			high = mid
		}
	}
}

// Reward is what one task earns: the rule's score when answered, the payoff
// when abstained, 0 when malformed. An errored task is never scored; it too
// gets 0, and must be left out of any mean.
func (p Payment) Reward(o Outcome, confidence float64, correct bool) float64 {
	switch o {
	case Answered:
		return p.Rule.Score(confidence, correct)
	case Abstained:
		return p.Abstain
	}
	return 0
}
