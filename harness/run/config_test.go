package run_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"candor/harness/run"
	"candor/infer"
	"candor/scoring"
)

// Figures beyond what can be computed or loaded are refused as a slip before
// anything is asked, naming the flag's bound.
func TestConfigBounds(t *testing.T) {
	for _, n := range []int{infer.MaxNumPredict + 1, math.MaxInt32, math.MaxInt} {
		for name, change := range map[string]func(*run.Config){
			"bootstrap is":   func(c *run.Config) { c.Bootstrap = n },
			"bins is":        func(c *run.Config) { c.Bins = n },
			"num_predict is": func(c *run.Config) { c.NumPredict = &n },
		} {
			b := newBench(t)
			change(&b.cfg)
			err := b.fails(false, name, "between")
			if !errors.As(err, new(*run.UsageError)) || len(b.server.Requests()) != 0 {
				t.Errorf("%s %d: %v is no usage error, or something was asked", name, n, err)
			}
		}
	}
}

// The very bounds are taken, and the context that is fitted to the longest
// answer holds it, also on a server that tells no context length.
func TestConfigAtBounds(t *testing.T) {
	b := newBench(t)
	most := infer.MaxNumPredict
	b.cfg.NumPredict, b.cfg.Bootstrap = &most, scoring.MaxBootstrap
	b.deps.Connect = func(host string) (infer.Backend, error) {
		m, err := b.opened.connect(host)
		return identified{m, func(id *infer.Identity) { id.TrainedContext = 0 }}, err
	}
	p, err := run.DryRun(t.Context(), b.cfg, b.deps)
	if err != nil {
		t.Fatal(err)
	}
	if p.Options.NumCtx <= most || p.Options.NumCtx > 2*most {
		t.Errorf("num_ctx %d for num_predict %d", p.Options.NumCtx, most)
	}
	b.deps.Connect = b.opened.connect // the stand-in tells its context
	if _, err := run.DryRun(t.Context(), b.cfg, b.deps); err == nil || !strings.Contains(err.Error(), "lower --num-predict") {
		t.Errorf("beyond the model's context: %v", err)
	}
}
