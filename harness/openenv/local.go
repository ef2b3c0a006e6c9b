package openenv

import (
	"context"
	"encoding/json"
)

// Local is spec for playing it without a server: its sessions refuse the
// actions that a server would refuse, in the same words, and convert the
// others in the same way.
func Local(spec Spec) (Spec, error) {
	check, err := newActions(spec)
	if err != nil {
		return Spec{}, err
	}
	begin := spec.New
	spec.New = func(ctx context.Context) (Environment, error) {
		env, err := begin(ctx)
		if err != nil {
			return nil, err
		}
		return checked{env, check}, nil
	}
	return spec, nil
}

type checked struct {
	Environment
	actions actions
}

func (c checked) Step(ctx context.Context, action json.RawMessage) (Result, error) {
	action, err := c.actions(action)
	if err != nil {
		return Result{}, err
	}
	return c.Environment.Step(ctx, action)
}
