package openenv

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
)

// Bounds of what is told of a bad message, so that an answer cannot be much
// longer than what it answers.
const (
	maxProblems  = 100
	maxToldInput = 64 << 10
)

// problems collects the faults of a message, in order.
type problems struct{ list []Fault }

func (p *problems) add(place []any, input json.RawMessage, kind, message string, context ...any) {
	if len(p.list) == maxProblems {
		return
	}
	one := Fault{Type: kind, Loc: append([]any{}, place...), Msg: message, Input: toldInput(input)}
	if context != nil {
		one.Ctx = object(context...)
	}
	p.list = append(p.list, one)
}

// toldInput is what is told of a part of a message: itself, or how long it is.
func toldInput(input json.RawMessage) json.RawMessage {
	if len(input) > maxToldInput {
		return encode(fmt.Sprintf("(%d bytes)", len(input)))
	}
	return Respell(input)
}

// asError is the error that is sent for the problems, nil if there are none.
func (p *problems) asError() error {
	if len(p.list) == 0 {
		return nil
	}
	return Invalid(p.list...)
}

// bare writes the faults as HTTP's answers have those of bodies: without where
// they are explained.
func (p *problems) bare() json.RawMessage {
	list := make([]json.RawMessage, len(p.list))
	for i, one := range p.list {
		pairs := []any{"type", one.Type, "loc", one.Loc, "msg", one.Msg, "input", one.Input}
		if one.Ctx != nil {
			pairs = append(pairs, "ctx", one.Ctx)
		}
		list[i] = object(pairs...)
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
		place := make([]string, len(one.Loc))
		for i, step := range one.Loc {
			place[i] = fmt.Sprint(step)
		}
		value := []rune(pythonRepr(one.Input, math.MaxInt))
		if len(value) > 50 {
			value = append(append(value[:25:25], '.', '.', '.'), value[len(value)-24:]...)
		}
		fmt.Fprintf(&out, "\n%s\n  %s [type=%s, input_value=%s, input_type=%s]\n    For further information visit %s%s",
			strings.Join(place, "."), one.Msg, one.Type, string(value), pythonType(one.Input), faultURL, one.Type)
	}
	return out.String()
}
