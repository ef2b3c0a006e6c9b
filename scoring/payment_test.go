package scoring

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
)

func ExamplePayment_Threshold() {
	pay, err := NewPayment(Brier{}, nil) // abstaining pays the default, .80
	if err != nil {
		panic(err)
	}
	fmt.Printf("%.7f\n", pay.Threshold())
	fmt.Printf("%.4f %.4f\n", pay.Rule.Value(0.72), pay.Rule.Value(0.73))
	// Output:
	// 0.7236068
	// 0.7984 0.8029
}

// A payoff outside the open interval is refused, in words
// that give the interval.
func TestPayoffRefused(t *testing.T) {
	logFloor := fmt.Sprint(Log{}.Floor())
	for _, row := range []struct {
		rule   Rule
		payoff float64
		want   string
	}{
		{Brier{}, 0.75, "(0.75, 1)"},            // the floor itself
		{Brier{}, 0.74, "(0.75, 1)"},            // below
		{Brier{}, 1, "(0.75, 1)"},               // never worth answering
		{Brier{}, 1.5, "(0.75, 1)"},             // above
		{Brier{}, 0, "(0.75, 1)"},               // zero is a payoff, not "unset"
		{Brier{}, -0.8, "(0.75, 1)"},            // negative
		{Brier{}, math.NaN(), "NaN"},            // no number
		{Brier{}, math.Inf(1), "(0.75, 1)"},     // infinite
		{Brier{}, math.Inf(-1), "(0.75, 1)"},    //
		{Log{}, 0.92, "(" + logFloor + ", 1)"},  // fine for Brier, not for log
		{Log{}, 0.8, "(0.92474"},                // Brier's default under log
		{Log{}, Log{}.Floor(), "(0.92474"},      // the floor itself
		{Log{}, 1, "(0.92474"},                  //
		{Log{Epsilon: 1e-8}, 0.95, "(0.962371"}, // the floor follows epsilon
	} {
		_, err := NewPayment(row.rule, &row.payoff)
		var refused *PayoffError
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%v, payoff %v: %v; want a PayoffError with %q", row.rule, row.payoff, err, row.want)
		}
		if _, err := Summarize(t.Context(), nil, Payment{row.rule, row.payoff}, Options{}); !errors.As(err, &refused) {
			t.Errorf("Summarize accepted payoff %v: %v", row.payoff, err)
		}
	}
}

func TestPayoffAccepted(t *testing.T) {
	for _, row := range []struct {
		rule   Rule
		payoff float64
	}{
		{Brier{}, math.Nextafter(0.75, 1)}, // the interval is open, but no more
		{Brier{}, math.Nextafter(1, 0)},
		{Log{}, math.Nextafter(Log{}.Floor(), 1)},
		{Log{}, math.Nextafter(1, 0)},
	} {
		pay, err := NewPayment(row.rule, &row.payoff)
		if q := pay.Threshold(); err != nil || !(q >= 0.5 && q <= 1) {
			t.Errorf("%v, payoff %v: threshold %v, %v", row.rule, row.payoff, q, err)
		}
	}
}

func TestRuleRefused(t *testing.T) {
	if _, err := NewPayment(nil, nil); err == nil {
		t.Error("no rule was accepted")
	}
	for _, eps := range []float64{-1e-4, 1, 0.2, math.NaN(), math.Inf(1)} {
		if _, err := NewPayment(Log{Epsilon: eps}, nil); err == nil {
			t.Errorf("log rule with epsilon %v was accepted", eps)
		}
	}
}

// Thresholds, the default payoffs, and that the value crosses the payoff
// exactly there.
func TestThreshold(t *testing.T) {
	pay := brier(t)
	logPay, err := NewPayment(Log{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if pay.Abstain != 0.8 || math.Abs(logPay.Abstain-0.9359943) > 5e-8 {
		t.Errorf("default payoffs %v, %v", pay.Abstain, logPay.Abstain)
	}
	for _, q := range []float64{pay.Threshold(), logPay.Threshold()} {
		if math.Abs(q-0.7236067977499790) > 1e-12 {
			t.Errorf("threshold %.15f", q)
		}
	}
	for _, a := range []float64{0.93, 0.95, 0.97, 0.99, 0.9999} {
		p := Payment{Log{}, a}
		q := p.Threshold()
		if v := p.Rule.Value(q); math.Abs(v-a) > 1e-13 {
			t.Errorf("log payoff %v: value at the threshold %v is %v", a, q, v)
		}
		if p.Rule.Value(q-1e-6) >= a || p.Rule.Value(q+1e-6) <= a {
			t.Errorf("log payoff %v: %v is no crossing", a, q)
		}
		if b := (Payment{Brier{}, a}); math.Abs(b.Rule.Value(b.Threshold())-a) > 1e-13 {
			t.Errorf("Brier payoff %v: value at the threshold is %v", a, b.Rule.Value(b.Threshold()))
		}
	}
	if pay.Rule.Value(0.72) >= 0.8 || pay.Rule.Value(0.73) <= 0.8 {
		t.Error("at .72 abstaining must pay more, at .73 answering")
	}
}

func TestReward(t *testing.T) {
	pay := brier(t)
	for _, row := range []struct {
		outcome Outcome
		want    float64
	}{
		{Answered, pay.Rule.Score(0.9, true)}, // the rule
		{Abstained, 0.8},                      // the payoff, whatever the confidence
		{Malformed, 0},                        // nothing
		{Errored, 0},                          // never scored
		{"", 0},                               // no outcome earns nothing
	} {
		if got := pay.Reward(row.outcome, 0.9, true); got != row.want {
			t.Errorf("%q earns %v, want %v", row.outcome, got, row.want)
		}
	}
}
