package agent_test

import (
	"strings"
	"testing"

	"candor/harness/lens/agent"
	"candor/harness/lens/pyjson"
)

// Nothing that a model says is lost: it is in the action or in the reasons. And
// where there are reasons outside of thinking, the action is an object.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{`{"a":1}`, "Because {x}\n```json\n{\"a\":{}}\n```", "<think>{</think>{}", "}{", "go"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, said string) {
		action, reasoning := agent.Read(said)
		if !strings.Contains(said, action) {
			t.Fatalf("%q was not said in %q", action, said)
		}
		if reasoning != "" && !strings.Contains(said, "</think>") {
			if v, err := pyjson.Parse(action); err != nil || v.Kind != pyjson.Object {
				t.Fatalf("%q is %q because of %q", said, action, reasoning)
			}
		}
	})
}
