package verify

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"

	"candor/scoring"
)

// invalid says what is wrong with an answer that no reply may give, or "".
func invalid(a Answer) string {
	switch a.Outcome {
	case scoring.Answered:
		if a.Verdict != Supported && a.Verdict != Refuted {
			return fmt.Sprintf("answered with verdict %q", a.Verdict)
		}
		if a.Confidence == nil || !(*a.Confidence >= 0 && *a.Confidence <= 1) || math.Signbit(*a.Confidence) {
			return "answered without a confidence in [0, 1]"
		}
	case scoring.Abstained:
		if a.Verdict != Abstain || a.Confidence != nil {
			return "abstained with another verdict, or a confidence"
		}
	case scoring.Malformed:
		if a.Verdict != "" || a.Confidence != nil || a.NeededRepair {
			return "malformed with a verdict, confidence or repair"
		}
		if !slices.Contains(Reasons(), a.Reason) {
			return fmt.Sprintf("malformed for unknown reason %q", a.Reason)
		}
		return ""
	default:
		return fmt.Sprintf("outcome %q", a.Outcome)
	}
	if a.Reason != "" {
		return fmt.Sprintf("accepted, with reason %q", a.Reason)
	}
	return ""
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		good, other, good + other, "```json\n" + good + "\n```", "<think>" + other + "</think>" + good,
		`{“verdict”：“supported.”，"confidence"："95 %",}`, `{"verdict":"ABSTAIN","confidence":NaN}`,
		`{"verdict":"SUPPORTED","confidence":.9,"x":{"a":[1,{"b":null}]}}`, `{"verdict":"\ud83d\ude00`,
		`{"a":"{\"verdict\"","b":{‘c’:1}, oops} </think>` + good, "\xff\x00{\"", string(Schema()),
	} {
		f.Add(seed, "", "stop")
	}
	f.Add("", good, "stop")
	f.Add(good, "", "length")
	f.Fuzz(func(t *testing.T, text, thinking, doneReason string) {
		r := Reply{Text: text, Thinking: thinking, DoneReason: doneReason}
		a := Parse(r)
		if err := invalid(a); err != "" {
			t.Error(err)
		}
		if again := Parse(r); !reflect.DeepEqual(a, again) {
			t.Errorf("two readings of one reply: %+v, %+v", a, again)
		}
		// JSON white space around a reply changes nothing.
		r.Text = " \n" + text + "\t"
		if padded := Parse(r); len(r.Text) <= MaxText && !reflect.DeepEqual(a, padded) {
			t.Errorf("white space around changes %+v to %+v", a, padded)
		}
	})
}
