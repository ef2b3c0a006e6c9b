package selective

import (
	"bytes"
	"encoding/json"

	"candor/harness/openenv"
	"candor/harness/verify"
)

// reply is what the player said, as the parser of a run takes it. Where that
// stands in an action:
//
//	answer     the text of the reply; or a JSON value, whose text it is then
//	action     the same, from clients that wrap what is no JSON so, as
//	           LearnLens does
//	otherwise  the object itself is the reply: {"verdict": …, "confidence": …}
//
// thinking and done_reason, beside answer, are what candor parse takes them
// for.
func reply(action json.RawMessage) verify.Reply {
	var fields map[string]json.RawMessage
	if json.Unmarshal(action, &fields) != nil {
		return verify.Reply{Text: string(action)}
	}
	for _, key := range []string{"answer", "action"} {
		if value, ok := fields[key]; ok {
			return verify.Reply{Text: text(value), Thinking: text(fields["thinking"]), DoneReason: text(fields["done_reason"])}
		}
	}
	return verify.Reply{Text: string(action)}
}

// text is the text that a JSON value is, or its own.
func text(value json.RawMessage) string {
	var s string
	if json.Unmarshal(value, &s) == nil {
		return s
	}
	return string(value)
}

// checkAction lets every object pass: how good an answer is, is the parser's
// to say.
func checkAction(action json.RawMessage) (json.RawMessage, error) {
	if trimmed := bytes.TrimSpace(action); len(trimmed) == 0 || trimmed[0] != '{' {
		return nil, openenv.Invalid(openenv.Fault{
			Type: "dict_type", Loc: []any{}, Msg: "Input should be a valid dictionary", Input: action,
		})
	}
	return action, nil
}
