package pyjson_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"candor/harness/lens/pyjson"
)

// What is shown of an observation is ASCII and, unless it holds a number that
// JSON cannot, means what the observation meant; showing it once more changes
// nothing.
func FuzzObservation(f *testing.F) {
	for _, seed := range []string{`{"a":[1,-0.0,1e5,"é\ud83d\ude00"],"b":{},"c":[]}`, `"text"`, `[1e999]`, ` { "a" : null } `, `{"a":1,"a":2}`, `["\ud800"]`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		v, err := pyjson.Parse(raw)
		if err != nil {
			if json.Valid([]byte(raw)) && !strings.Contains(err.Error(), "too") {
				t.Fatalf("%q is JSON, but %v", raw, err)
			}
			return
		}
		for _, shown := range []string{v.Indent(), v.Compact()} {
			for _, c := range []byte(shown) {
				if c >= utf8.RuneSelf {
					t.Fatalf("%q is shown as %q", raw, shown)
				}
			}
			again, err := pyjson.Parse(shown)
			if err != nil || again.Indent() != v.Indent() || again.Canonical() != v.Canonical() {
				t.Fatalf("%q is shown as %q, and that is shown otherwise (%v)", raw, shown, err)
			}
		}
		if shown := v.Indent(); json.Valid([]byte(raw)) && !json.Valid([]byte(shown)) && !strings.Contains(shown, "Infinity") {
			t.Fatalf("%q is shown as what is no JSON: %q", raw, shown)
		}
	})
}

// An action is a JSON object whatever was said.
func FuzzAction(f *testing.F) {
	for _, seed := range []string{"", "go", `{"a":NaN}`, `{"a":1e999}`, "{", "\x00\xff", `{"a":"\ud800"}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, said string) {
		action := pyjson.Action(said)
		var object map[string]json.RawMessage
		if err := json.Unmarshal(action, &object); err != nil || object == nil {
			t.Fatalf("%q is the action %s: %v", said, action, err)
		}
	})
}
