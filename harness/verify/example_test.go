package verify_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"candor/harness/verify"
	"candor/scoring"
)

func ExampleParse() {
	for _, text := range []string{
		`{"verdict": "SUPPORTED", "confidence": 0.9}`,
		"<think>Is it a dog?</think>```json\n{“verdict”: “refuted.”, “confidence”: “95 %”}\n```",
		`{"verdict": "ABSTAIN"}`,
		`{"verdict": "SUPPORTED", "confidence": 95}`,
		`I am 95% sure that the claim is SUPPORTED.`,
	} {
		switch a := verify.Parse(verify.Reply{Text: text}); a.Outcome {
		case scoring.Answered:
			fmt.Println(a.Outcome, a.Verdict, *a.Confidence, "repaired:", a.NeededRepair)
		case scoring.Abstained:
			fmt.Println(a.Outcome)
		default:
			fmt.Println(a.Outcome, a.Reason)
		}
	}
	// Output:
	// answered SUPPORTED 0.9 repaired: false
	// answered REFUTED 0.95 repaired: true
	// abstained
	// malformed out_of_range
	// malformed no_object
}

func ExampleGrade() {
	pay, err := scoring.NewPayment(scoring.Brier{}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	a := verify.Parse(verify.Reply{Text: `{"verdict": "SUPPORTED", "confidence": 0.9}`})
	fmt.Printf("right %.2f, wrong %.2f\n",
		verify.Grade(a, "SUPPORTED", pay).Reward, verify.Grade(a, "REFUTED", pay).Reward)
	// Output:
	// right 0.99, wrong 0.19
}

func ExampleParseStream() {
	replies := strings.NewReader(`{"text": "{\"verdict\": \"REFUTED\", \"confidence\": \".7\"}"}
{"text": "", "thinking": "{\"verdict\": \"REFUTED\", \"confidence\": 0.7}"}`)
	out := json.NewEncoder(os.Stdout)
	err := verify.ParseStream(replies, "replies.jsonl", func(r verify.Result) error { return out.Encode(r) })
	fmt.Println(err)
	// Output:
	// {"verdict":"REFUTED","confidence":0.7,"outcome":"answered","needed_repair":1,"reason":""}
	// {"verdict":null,"confidence":null,"outcome":"malformed","needed_repair":0,"reason":"only_in_thinking"}
	// <nil>
}
