package preflight

import (
	"context"
	"fmt"
	"time"

	"candor/infer"
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
	before, err := p.backend.Residency(ctx, p.cfg.Model)
	if err != nil {
		return err
	}
	done := make(chan error, 1)
	failed := make(chan string)
	first := *p
	first.cfg.Retry.Retrying = func(a infer.Attempt, wait time.Duration) {
		if p.cfg.Retry.Retrying != nil {
			p.cfg.Retry.Retrying(a, wait)
		}
		failed <- a.Message
	}
	img := p.draw()
	go func() {
		_, _, err := first.ask(ctx, question{prompt: "Hello.", image: img, tokens: 1})
		done <- err
	}()
	patience := p.cfg.Patience
	if patience == 0 {
		patience = defaultPatience
	}
	tick := time.NewTicker(patience)
	defer tick.Stop()
	last := "" // failure
	for start := time.Now(); ; {
		select {
		case err := <-done:
			return err
		case last = <-failed:
		case <-tick.C:
			if last != "" { // no other client is in the way
				p.notice("no answer for %s: %s", time.Since(start).Round(time.Second), last)
			} else {
				p.unblock(ctx, before, time.Since(start))
			}
		}
	}
}

// unblock says what the server is waiting for, and ends the wait where it can.
// A model that was loaded before we asked, and answers nothing for so long, may
// be held for another client.
func (p *prober) unblock(ctx context.Context, before infer.Residency, waited time.Duration) {
	if !before.Loaded {
		p.notice("still loading %s after %s", p.cfg.Model, waited.Round(time.Second))
		return
	}
	p.notice("no answer for %s, though the server has %s loaded (context %d): perhaps for another client, under other load-time options than this run's (context %d); asking it to let go",
		waited.Round(time.Second), p.cfg.Model, before.ContextLength, p.cfg.Options.NumCtx)
	if r, ok := p.backend.(releaser); ok {
		if err := r.Release(ctx, p.cfg.Model); err != nil && ctx.Err() == nil {
			p.notice("it did not: %v", err)
		}
	}
}

func (p *prober) notice(format string, args ...any) {
	if p.cfg.Notice != nil {
		p.cfg.Notice(fmt.Sprintf(format, args...))
	}
}
