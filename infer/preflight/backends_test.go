package preflight_test

import (
	"context"

	"candor/infer"
)

// shortContext is a server that gives less context than it is asked for.
type shortContext struct{ infer.Backend }

func (s shortContext) Residency(ctx context.Context, model string) (infer.Residency, error) {
	r, err := s.Backend.Residency(ctx, model)
	r.ContextLength = 2048
	return r, err
}

// deafTo is a server that ignores the presence penalty alone.
type deafTo struct{ infer.Backend }

func (d deafTo) Ask(ctx context.Context, req infer.Request) (infer.Response, error) {
	req.Options.PresencePenalty = 0
	return d.Backend.Ask(ctx, req)
}
