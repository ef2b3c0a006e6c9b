package scoring

import (
	"math"
	"testing"
)

const cells = 10_000 // reports are tried at multiples of 1e-4

// bestReport is the reported confidence with the highest expected reward at a
// belief, on the grid.
func bestReport(rule Rule, belief float64) (report, expected float64) {
	expected = math.Inf(-1)
	for i := range cells + 1 {
		p := float64(i) / cells
		if e := belief*rule.Score(p, true) + (1-belief)*rule.Score(p, false); e > expected {
			report, expected = p, e
		}
	}
	return report, expected
}

// Honesty pays: the best report is the belief, wherever the rule is proper.
func TestProper(t *testing.T) {
	for _, rule := range []Rule{Brier{}, Log{}, Log{Epsilon: 1e-3}} {
		for i := 0; i <= cells; i += 25 {
			belief := float64(i) / cells
			if l, ok := rule.(Log); ok && !l.proper(belief) {
				continue
			}
			report, expected := bestReport(rule, belief)
			if math.Abs(report-belief) > 1e-9 {
				t.Errorf("%s: belief %v is best reported as %v", rule.Name(), belief, report)
			}
			if math.Abs(expected-rule.Value(belief)) > 1e-12 {
				t.Errorf("%s: Value(%v) = %v, but the honest report expects %v", rule.Name(), belief, rule.Value(belief), expected)
			}
		}
	}
}

// The edges of the log rule's proper range are e·ε and 1 − e·ε: inside them
// the belief beats 0 and 1, outside 0 or 1 pays more.
func TestLogProperRange(t *testing.T) {
	rule := Log{}
	edge := math.E * 1e-4
	for _, row := range []struct {
		belief  float64
		extreme float64 // the tempting report
		honest  bool
	}{
		{edge * 1.05, 0, true},         // just inside below
		{edge * 0.95, 0, false},        // just outside below
		{1 - edge*1.05, 1, true},       // just inside above
		{1 - edge*0.95, 1, false},      // just outside above
		{1 - 1.5e-4, 1, false},         // far outside
		{0.5, 1, true}, {0.5, 0, true}, // the middle
	} {
		tempting := row.belief*rule.Score(row.extreme, true) + (1-row.belief)*rule.Score(row.extreme, false)
		if got := rule.Value(row.belief) > tempting; got != row.honest {
			t.Errorf("belief %v: honest value %v against %v for reporting %v", row.belief, rule.Value(row.belief), tempting, row.extreme)
		}
		if rule.proper(row.belief) != row.honest {
			t.Errorf("proper(%v) = %v", row.belief, !row.honest)
		}
	}
}

// The ends of both rules are exact and finite.
func TestScoreAtTheEnds(t *testing.T) {
	for _, row := range []struct {
		rule       Rule
		confidence float64
		correct    bool
		want       float64
	}{
		{Log{}, 1, false, 0}, {Log{}, 0, true, 0}, // the cut-off earns exactly nothing
		{Log{}, 1, true, 1}, {Log{}, 0, false, 1}, // certainty that holds earns all
		{Log{Epsilon: 1e-300}, 1, false, 0}, // whatever the cut-off
		{Log{}, 5e-5, true, 0},              // below the cut-off is the cut-off
		{Brier{}, 1, false, 0}, {Brier{}, 0, true, 0},
		{Brier{}, 1, true, 1}, {Brier{}, 0, false, 1},
		{Brier{}, 0.5, true, 0.75}, {Brier{}, 0.5, false, 0.75},
	} {
		if got := row.rule.Score(row.confidence, row.correct); got != row.want {
			t.Errorf("%v: Score(%v, %v) = %v, want %v", row.rule, row.confidence, row.correct, got, row.want)
		}
	}
}

// The floor is the least value, at ½; the log rule's value is the entropy form.
func TestValue(t *testing.T) {
	for _, rule := range []Rule{Brier{}, Log{}} {
		for i := range cells + 1 {
			if q := float64(i) / cells; rule.Value(q) < rule.Floor()-1e-15 {
				t.Fatalf("%s: Value(%v) = %v below the floor %v", rule.Name(), q, rule.Value(q), rule.Floor())
			}
		}
	}
	if got, want := (Log{}).Floor(), 1-math.Ln2/math.Log(1e4); math.Abs(got-want) > 1e-15 {
		t.Errorf("log floor %v, want %v", got, want)
	}
	q := 0.9
	want := 1 - (-q*math.Log(q)-(1-q)*math.Log(1-q))/math.Log(1e4)
	if got := (Log{}).Value(q); math.Abs(got-want) > 1e-14 {
		t.Errorf("log Value(%v) = %v, want %v", q, got, want)
	}
}

func TestParseRule(t *testing.T) {
	for _, name := range []string{"brier", "log"} {
		if rule, err := ParseRule(name); err != nil || rule.Name() != name {
			t.Errorf("ParseRule(%q) = %v, %v", name, rule, err)
		}
	}
	for _, name := range []string{"", "Brier", "spherical"} {
		if _, err := ParseRule(name); err == nil {
			t.Errorf("ParseRule(%q) gave no error", name)
		}
	}
}
