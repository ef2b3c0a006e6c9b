package openenv_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"candor/harness/openenv"
)

// noting keeps the last action that got through.
type noting struct{ got json.RawMessage }

func (n *noting) Reset(context.Context, openenv.ResetOptions) (openenv.Result, error) {
	return openenv.Result{}, nil
}

func (n *noting) Step(_ context.Context, action json.RawMessage) (openenv.Result, error) {
	n.got = action
	return openenv.Result{}, nil
}

func (n *noting) State(context.Context) (json.RawMessage, error) { return json.RawMessage("{}"), nil }
func (n *noting) Close() error                                   { return nil }

// Without a server, too, actions are converted and refused by the schema.
func TestLocalChecksActions(t *testing.T) {
	env := &noting{}
	spec, err := openenv.Local(openenv.Spec{
		Name: "noting",
		Schemas: openenv.Schemas{
			Action:      json.RawMessage(`{"title":"NotingAction","type":"object","properties":{"n":{"type":"integer"}},"required":["n"],"additionalProperties":false}`),
			Observation: json.RawMessage(`{"type":"object"}`), State: json.RawMessage(`{"type":"object"}`),
		},
		New: func(context.Context) (openenv.Environment, error) { return env, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	session, err := spec.New(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct{ action, got string }{
		{`{"n":3}`, `{"n":3}`},
		{`{"n":"3"}`, `{"n":3}`}, // as Python's servers convert it
		{`{"m":3}`, ""},
		{`{"action":"hello"}`, ""},
	} {
		env.got = nil
		_, err := session.Step(t.Context(), json.RawMessage(row.action))
		var refused *openenv.Error
		if string(env.got) != row.got || (row.got == "") != (errors.As(err, &refused) && refused.Code == openenv.CodeValidation) {
			t.Errorf("%s got through as %q, %v", row.action, env.got, err)
		}
	}
}
