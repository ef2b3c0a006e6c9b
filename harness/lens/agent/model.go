package agent

import (
	"context"
	"encoding/json"
	"strings"

	"candor/harness/lens/play"
	"candor/harness/lens/pyjson"
)

// Question is what a model is asked.
type Question struct {
	System, Text string
	Image        []byte // nil for none
}

// Asker is a model: it answers with a text, and with what it thought before if
// its server tells that apart.
type Asker func(ctx context.Context, q Question) (text, thinking string, err error)

// Of makes an agent of a model. It is told what actions look like by their JSON
// Schema, which may be nil, and that reasons may come before. An image that the
// observation holds as a data URI is given to it as an image; of several, the
// first.
//
// An observation that is an object with the texts "instructions" and "prompt"
// tells itself how a model is to be asked, as system message and as question,
// and so it is; with any word around the object it does not.
func Of(ask Asker, actionSchema json.RawMessage) play.Agent {
	system := instructions(actionSchema)
	return func(ctx context.Context, observation string) (string, string, error) {
		text, image := play.WithoutImages(observation)
		q := Question{System: system, Text: text, Image: image}
		if posed, ok := posed(text); ok {
			q.System, q.Text = posed.Instructions, posed.Prompt
		}
		said, thinking, err := ask(ctx, q)
		if err != nil {
			return "", "", err
		}
		action, reasoning := Read(said)
		return action, join(thinking, reasoning), nil
	}
}

type question struct{ Instructions, Prompt string }

// posed is how an observation wants a model to be asked.
func posed(observation string) (q question, ok bool) {
	if !strings.HasPrefix(observation, "{") {
		return q, false
	}
	err := json.Unmarshal([]byte(observation), &q)
	return q, err == nil && q.Instructions != "" && q.Prompt != ""
}

func instructions(schema json.RawMessage) string {
	text := "You act in an environment. Each message shows you what you observe. " +
		"Say in a sentence or two why you act as you do, and end with your action: one JSON object and nothing behind it."
	if len(schema) == 0 {
		return text + ` If you know no better form, write {"action": "what you do"}.`
	}
	return text + " Actions have this JSON Schema: " + string(schema)
}

// Read parts what a model said into its action and its reasons: a block of
// thinking before all else is reasons; of what is left, the last object of JSON
// is the action, with or without a fence round it, and what stands before it is
// reasons. Without an object all of it is the action.
func Read(said string) (action, reasoning string) {
	thinking, rest, found := strings.Cut(said, "</think>")
	if !found {
		thinking, rest = "", said
	}
	thinking = strings.TrimPrefix(strings.TrimSpace(thinking), "<think>")
	before, object := lastObject(rest)
	if object == "" {
		return strings.TrimSpace(rest), strings.TrimSpace(thinking)
	}
	return object, join(thinking, before)
}

// lastObject finds the last object that ends a text, but for a fence, and what
// stands before.
func lastObject(text string) (before, object string) {
	trimmed := strings.TrimSpace(text)
	trimmed = strings.TrimSpace(strings.TrimSuffix(trimmed, "```"))
	if !strings.HasSuffix(trimmed, "}") {
		return "", ""
	}
	for tries, at := 0, 0; tries < maxBraces; tries++ {
		next := strings.Index(trimmed[at:], "{")
		if next < 0 {
			break
		}
		at += next
		if v, err := pyjson.Parse(trimmed[at:]); err == nil && v.Kind == pyjson.Object {
			before = strings.TrimSpace(trimmed[:at])
			before = strings.TrimSuffix(strings.TrimSuffix(before, "```json"), "```")
			return strings.TrimSpace(before), trimmed[at:]
		}
		at++
	}
	return "", ""
}

// maxBraces bounds the work on a text of nothing but braces.
const maxBraces = 100

func join(parts ...string) string {
	var kept []string
	for _, p := range parts {
		if p = strings.TrimSpace(p); p != "" {
			kept = append(kept, p)
		}
	}
	return strings.Join(kept, "\n")
}
