package openenv

import (
	"context"
	"encoding/json"
)

// answer replies to one message of a session on /ws, or says what is wrong
// with it. Nothing and no error is the answer to close. The message is given as
// JSON and as it came, with NaN and the like.
func (s *Server) answer(ctx context.Context, one *session, input json.RawMessage, asSent []byte) (json.RawMessage, error) {
	envelope, err := members(input)
	if err != nil {
		return nil, err
	}
	kind := lookup(envelope, "type")
	if kindOf(kind) != kindString {
		return nil, s.unknownType(typeShown(kind, input, asSent))
	}
	name := pythonStr(kind)
	data := lookup(envelope, "data")
	form := map[string]*schema{"reset": s.forms.reset, "step": s.forms.step, "state": s.forms.state, "close": s.forms.state, "mcp": s.forms.step}[name]
	if form == nil {
		return nil, s.unknownType(name)
	}
	var p problems
	form.check(&p, input, nil)
	if err := p.asError(); err != nil {
		s.options.Meter.Refused(CodeValidation)
		return nil, err
	}
	switch name {
	case "reset":
		return s.reset(ctx, one, data)
	case "step":
		return s.step(ctx, one, data)
	case "state":
		return s.state(ctx, one)
	case "mcp":
		return messageOf("mcp", s.remoteCall(ctx, data, one)), nil
	}
	return nil, nil
}

// typeShown is a type that is no string as Python shows it.
func typeShown(kind, input json.RawMessage, asSent []byte) string {
	switch {
	case kind == nil:
		return ""
	case kindOf(kind) == kindNumber && len(input) != len(asSent): // there are NaN and the like
		words := withoutNaN(asSent, func(word string) string {
			return map[string]string{"NaN": `"nan"`, "Infinity": `"inf"`, "-Infinity": `"-inf"`}[word]
		})
		kind = lookup(mustMembers(words), "type")
	}
	return pythonStr(kind)
}

func (s *Server) unknownType(name string) error {
	s.options.Meter.Refused(CodeUnknownType)
	return &Error{Code: CodeUnknownType, Message: "Unknown message type: " + name}
}

func (s *Server) reset(ctx context.Context, one *session, data json.RawMessage) (json.RawMessage, error) {
	if data == nil {
		data = json.RawMessage("{}")
	}
	var p problems
	if !s.spec.AnySeed {
		data = s.forms.options.check(&p, data, nil)
	}
	if err := p.asError(); err != nil {
		s.options.Meter.Refused(CodeValidation)
		return nil, err
	}
	options := resetOptions(data)
	return s.play(ctx, one, "reset", func(ctx context.Context, env Environment) (json.RawMessage, error) {
		return observation(env.Reset(ctx, options))
	})
}

func (s *Server) step(ctx context.Context, one *session, data json.RawMessage) (json.RawMessage, error) {
	return s.play(ctx, one, "step", func(ctx context.Context, env Environment) (json.RawMessage, error) {
		action, err := s.actions(data)
		if err != nil {
			return nil, err
		}
		return observation(env.Step(ctx, action))
	})
}

func (s *Server) state(ctx context.Context, one *session) (json.RawMessage, error) {
	return s.play(ctx, one, "state", func(ctx context.Context, env Environment) (json.RawMessage, error) {
		state, err := stated(env.State(ctx))
		return messageOf("state", state), err
	})
}

// observation is the message that a reset or a step leads to.
func observation(result Result, err error) (json.RawMessage, error) {
	if err != nil {
		return nil, err
	}
	data, err := observed(result, false)
	return messageOf("observation", data), err
}
