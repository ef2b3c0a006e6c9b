package openenv

import (
	"encoding/json"
	"fmt"
	"strings"
)

// A problem is one thing wrong with a message, told as pydantic tells it:
// that is what clients of the protocol read.
type problem struct {
	kind    string // pydantic's name of the mistake
	place   []any  // keys and indices that lead to it
	message string
	input   json.RawMessage
	context json.RawMessage // nil where there is none
}

// docs is where pydantic explains a mistake.
const docs = "https://errors.pydantic.dev/2.14/v/"

// json writes the problem, with where it is explained if wanted.
func (p problem) json(explained bool) json.RawMessage {
	place := p.place
	if place == nil {
		place = []any{}
	}
	pairs := []any{"type", p.kind, "loc", place, "msg", p.message, "input", p.input}
	if p.context != nil {
		pairs = append(pairs, "ctx", p.context)
	}
	if explained {
		pairs = append(pairs, "url", docs+p.kind)
	}
	return object(pairs...)
}

// Bounds of what is told of a bad message, so that an answer cannot be much
// longer than what it answers.
const (
	maxProblems  = 100
	maxToldInput = 64 << 10
)

// problems collects what is wrong with a message, in order.
type problems struct{ list []problem }

func (p *problems) add(place []any, input json.RawMessage, kind, message string, context ...any) {
	if len(p.list) == maxProblems {
		return
	}
	told, err := compact(input)
	if err != nil {
		told = json.RawMessage("null")
	}
	if len(told) > maxToldInput {
		told = encode(fmt.Sprintf("(%d bytes)", len(told)))
	}
	one := problem{kind: kind, place: append([]any(nil), place...), message: message, input: told}
	if context != nil {
		one.context = object(context...)
	}
	p.list = append(p.list, one)
}

// asError is the error that is sent for the problems, nil if there are none.
func (p *problems) asError() error {
	if len(p.list) == 0 {
		return nil
	}
	return &Error{Code: CodeValidation, Message: "Invalid message", Data: object(
		"message", "Invalid message", "code", CodeValidation, "errors", p.json(true))}
}

// json writes the problems as a list.
func (p *problems) json(explained bool) json.RawMessage {
	list := make([]json.RawMessage, len(p.list))
	for i, one := range p.list {
		list[i] = one.json(explained)
	}
	return encode(list)
}

// text tells the problems of a model as Python prints them.
func (p *problems) text(model string) string {
	var out strings.Builder
	plural := "s"
	if len(p.list) == 1 {
		plural = ""
	}
	fmt.Fprintf(&out, "%d validation error%s for %s", len(p.list), plural, model)
	for _, one := range p.list {
		place := make([]string, len(one.place))
		for i, step := range one.place {
			place[i] = fmt.Sprint(step)
		}
		value := []rune(pythonRepr(one.input))
		if len(value) > 50 {
			value = append(append(value[:25:25], '.', '.', '.'), value[len(value)-24:]...)
		}
		fmt.Fprintf(&out, "\n%s\n  %s [type=%s, input_value=%s, input_type=%s]\n    For further information visit %s%s",
			strings.Join(place, "."), one.message, one.kind, string(value), pythonType(one.input), docs, one.kind)
	}
	return out.String()
}
