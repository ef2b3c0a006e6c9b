package verify

import (
	"math"
	"testing"

	"candor/scoring"
)

func TestGrade(t *testing.T) {
	brier, log := payment(t, scoring.Brier{}), payment(t, scoring.Log{})
	for _, c := range []struct {
		name  string
		reply Reply
		label string
		pay   scoring.Payment
		want  Indicators
	}{
		{"right", answer("0.9"), "SUPPORTED", brier,
			Indicators{Answered: 1, Correct: 1, ConfidenceSum: .9, BrierSum: .01, Reward: .99}},
		{"wrong", answer("0.9"), "REFUTED", brier,
			Indicators{Answered: 1, ConfidenceSum: .9, BrierSum: .81, Reward: .19}},
		{"repaired", answer(`"90%"`), "SUPPORTED", brier,
			Indicators{Answered: 1, Correct: 1, ConfidenceSum: .9, BrierSum: .01, NeededRepair: 1, Reward: .99}},
		{"abstained", text(`{"verdict":"ABSTAIN","confidence":0.4}`), "SUPPORTED", brier,
			Indicators{Abstained: 1, Reward: .8}},
		{"malformed", text("SUPPORTED"), "SUPPORTED", brier, Indicators{Malformed: 1}},
		{"malformed needs no repair", text("```" + `{"verdict":"SUPPORTED","confidence":95}` + "```"), "SUPPORTED", brier,
			Indicators{Malformed: 1}},
		{"log, sure and right", answer("1"), "SUPPORTED", log,
			Indicators{Answered: 1, Correct: 1, ConfidenceSum: 1, Reward: 1}},
		{"log, sure and wrong", answer("1"), "REFUTED", log,
			Indicators{Answered: 1, ConfidenceSum: 1, BrierSum: 1}},
	} {
		got := Grade(Parse(c.reply), c.label, c.pay)
		if math.Abs(got.BrierSum-c.want.BrierSum) > 1e-12 || math.Abs(got.Reward-c.want.Reward) > 1e-12 {
			t.Errorf("%s: brier %v, reward %v, want %v, %v", c.name, got.BrierSum, got.Reward, c.want.BrierSum, c.want.Reward)
		}
		got.BrierSum, got.Reward = c.want.BrierSum, c.want.Reward
		if got != c.want {
			t.Errorf("%s: got %+v, want %+v", c.name, got, c.want)
		}
	}
}

// TestGradeError: a task in error is not the model's doing and shows nothing.
func TestGradeError(t *testing.T) {
	if g := Grade(Answer{Outcome: scoring.Errored}, "SUPPORTED", payment(t, scoring.Brier{})); g != (Indicators{}) {
		t.Errorf("got %+v", g)
	}
}
