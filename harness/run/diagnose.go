package run

import (
	"context"
	"slices"

	"candor/harness/verify"
	"candor/infer"
	"candor/infer/preflight"
)

// Diagnose questions a server as a run of cfg would, of several the first one
// that answers, and reports what it finds. It needs no data.
func Diagnose(ctx context.Context, cfg Config, deps Dependencies) (preflight.Report, error) {
	deps = deps.withDefaults()
	if err := cfg.Validate(); err != nil {
		return preflight.Report{}, err
	}
	p := &Plan{Config: cfg}
	var err error
	if p.Payment, err = cfg.Payment(); err != nil {
		return preflight.Report{}, err
	}
	if p.Options, err = cfg.Options(); err != nil {
		return preflight.Report{}, err
	}
	if p.Prompt, err = cfg.prompt(); err != nil {
		return preflight.Report{}, err
	}
	if p.system, _, err = p.Prompt.Render(p.Payment, "There is a dog in the image."); err != nil {
		return preflight.Report{}, usage(err)
	}
	s, err := connect(ctx, cfg, deps, true)
	if err != nil {
		return preflight.Report{}, err
	}
	p.fit(s.identity)
	b := s.backends[slices.IndexFunc(s.backends, func(b infer.Backend) bool { return s.absent(b) == nil })]
	return preflight.Run(ctx, b, s.identity, p.preflightConfig(deps, s.identity))
}

// preflightConfig is what the run will ask for, in the preflight's words.
func (p *Plan) preflightConfig(deps Dependencies, id infer.Identity) preflight.Config {
	cfg := preflight.Config{
		Model: p.Config.Model, Options: p.Options, Schema: p.schema(), Retry: deps.Retry,
		System: p.system, Width: p.typicalWidth, Height: p.typicalHeight, Notice: deps.Observer.Notice,
	}
	cfg.Logprobs = p.alternatives(0)
	if f, ok := family(id); ok {
		cfg.ImageTokens = f.Tokens
	}
	if len(p.Tasks) > 0 {
		cfg.Prompt = p.Tasks[0].User
	}
	return cfg
}

func (p *Plan) schema() []byte {
	if p.Config.Format == FormatNone {
		return nil
	}
	return verify.Schema()
}
