package verify

import "candor/scoring"

// Indicators is one trace in figures. All but the reward are those of the
// published selective-verification environment, by name and meaning: each is 0
// or 1, or is 0 unless the trace was answered, so that sums over traces divide
// into rates and means.
type Indicators struct {
	Answered      int     `json:"answered"`
	Abstained     int     `json:"abstained"`
	Malformed     int     `json:"malformed"`
	Correct       int     `json:"correct"`        // answered, and the verdict is the label
	ConfidenceSum float64 `json:"confidence_sum"` // the confidence
	BrierSum      float64 `json:"brier_sum"`      // (confidence − correct)²
	NeededRepair  int     `json:"needed_repair"`
	Reward        float64 `json:"reward"`
}

// Grade pays an answer to a claim whose label is SUPPORTED or REFUTED.
func Grade(a Answer, label string, pay scoring.Payment) Indicators {
	var g Indicators
	if a.NeededRepair {
		g.NeededRepair = 1
	}
	confidence, correct := 0.0, false
	switch a.Outcome {
	case scoring.Abstained:
		g.Abstained = 1
	case scoring.Malformed:
		g.Malformed = 1
	case scoring.Answered:
		confidence, correct = *a.Confidence, string(a.Verdict) == label
		g.Answered = 1
		g.ConfidenceSum = confidence
		miss := confidence
		if correct {
			g.Correct = 1
			miss = confidence - 1
		}
		g.BrierSum = miss * miss
	}
	g.Reward = pay.Reward(a.Outcome, confidence, correct)
	return g
}
