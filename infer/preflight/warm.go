package preflight

import (
	"context"
	"fmt"
	"time"
)

// defaultPatience is how long a model may take to load before it is asked why.
const defaultPatience = 20 * time.Second

// releaser is a backend that can ask its server to unload a model once the
// requests in flight at it have ended.
type releaser interface {
	Release(ctx context.Context, model string) error
}

// warm loads the model, so that no check measures its loading.
//
// A server that holds the model under other load-time options reloads it when
// it is idle. If another client's request was in flight when ours came, the
// engines up to v0.24.0 at least wait for that client's keep-alive to run out
// instead, which may take half an hour; asking for the model's release ends
// that wait.
func (p *prober) warm(ctx context.Context) error {
	done := make(chan error, 1)
	go func() {
		_, _, err := p.ask(ctx, question{prompt: "Hello.", image: p.draw(), tokens: 1})
		done <- err
	}()
	patience := p.cfg.Patience
	if patience == 0 {
		patience = defaultPatience
	}
	tick := time.NewTicker(patience)
	defer tick.Stop()
	for start := time.Now(); ; {
		select {
		case err := <-done:
			return err
		case <-tick.C:
			p.unblock(ctx, time.Since(start))
		}
	}
}

// unblock says what the server is waiting for, and ends the wait where it can.
func (p *prober) unblock(ctx context.Context, waited time.Duration) {
	res, err := p.backend.Residency(ctx, p.cfg.Model)
	held := err == nil && res.Loaded && res.ContextLength != 0 && res.ContextLength != p.cfg.Options.NumCtx
	if !held {
		p.notice("still loading %s after %s", p.cfg.Model, waited.Round(time.Second))
		return
	}
	p.notice("the server holds %s with a context of %d tokens for another client, and this run needs %d; asking it to let go",
		p.cfg.Model, res.ContextLength, p.cfg.Options.NumCtx)
	if r, ok := p.backend.(releaser); ok {
		if err := r.Release(ctx, p.cfg.Model); err != nil {
			p.notice("it did not: %v", err)
		}
	}
}

func (p *prober) notice(format string, args ...any) {
	if p.cfg.Notice != nil {
		p.cfg.Notice(fmt.Sprintf(format, args...))
	}
}
