package pyjson

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
)

// Observation is what an agent gets to see of an observation: a JSON string as
// it is, anything else as json.dumps(observation, indent=2) prints it. Nothing
// at all is taken for an empty object, as by the published adapters.
func Observation(raw json.RawMessage) (string, error) {
	if len(raw) == 0 {
		return "{}", nil
	}
	v, err := Parse(string(raw))
	if err != nil {
		return "", fmt.Errorf("an observation is no JSON: %w", err)
	}
	if v.Kind == String {
		return v.Text(), nil
	}
	return v.Indent(), nil
}

// Action is the action that an agent's words stand for: what begins with a
// brace and is JSON stands for itself, anything else for {"action": words},
// trimmed. The object is JSON whatever was said: a number that JSON cannot
// hold, which Python's reader lets pass, becomes null, as OpenEnv's servers
// write it.
func Action(said string) json.RawMessage {
	said = Strip(said)
	if strings.HasPrefix(said, "{") {
		if v, err := Parse(said); err == nil {
			return json.RawMessage(v.finite().Compact())
		}
	}
	words := Value{Kind: String, Runes: []rune(said)}
	return json.RawMessage((Value{Kind: Object, Keys: []Value{actionKey}, Items: []Value{words}}).Compact())
}

var actionKey = Value{Kind: String, Runes: []rune("action")}

// Strip is Python's str.strip(): it takes the four separators of ASCII for
// blanks, which Unicode's White_Space, and so strings.TrimSpace, leaves out.
func Strip(s string) string {
	return strings.TrimFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) || r >= 0x1c && r <= 0x1f
	})
}
