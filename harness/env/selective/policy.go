package selective

import "encoding/json"

// A Policy answers an observation, given as text, with the text of an action.
type Policy struct {
	Name string
	Act  func(observation string) string
}

// Policies are those that never look at the image: what they earn is earned
// without doing the task. An honest agent that knew nothing would abstain,
// which earns the payoff; an agent that is worth anything earns more.
func Policies() []Policy {
	constant := func(name, answer string) Policy {
		action, _ := json.Marshal(map[string]string{"answer": answer}) // texts always can be
		return Policy{name, func(string) string { return string(action) }}
	}
	return []Policy{
		constant("abstain", `{"verdict": "ABSTAIN"}`),
		constant("hedge", `{"verdict": "SUPPORTED", "confidence": 0.5}`),
		constant("supported", `{"verdict": "SUPPORTED", "confidence": 1}`),
		constant("refuted", `{"verdict": "REFUTED", "confidence": 1}`),
		constant("empty", ""),
	}
}

// Right checks an answer by the label alone, whatever it was paid: 1 for a
// verdict that is right, 0 for one that is wrong and for what could not be
// read. Of an abstention it says nothing. The metadata is that of a step.
func Right(metadata json.RawMessage) (share float64, known bool) {
	var r struct{ Answered, Malformed, Correct *int }
	if json.Unmarshal(metadata, &r) != nil || r.Answered == nil || r.Malformed == nil || r.Correct == nil {
		return 0, false
	}
	if *r.Answered == 0 && *r.Malformed == 0 {
		return 0, false
	}
	return float64(*r.Correct), true
}
