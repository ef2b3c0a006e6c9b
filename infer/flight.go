package infer

import (
	"context"
	"fmt"
	"time"
)

// A job is given back by an endpoint that hangs: after patience times the
// longest that any answer took, and not before leastPatience, which a model may
// need to load. Without another endpoint that could take it nothing is given
// back: the backend's own time limit holds.
const (
	patience      = 20
	leastPatience = time.Minute
	lookEvery     = 5 * time.Second
)

// flight is a job that is being asked at an endpoint.
type flight[J any] struct {
	at    *endpoint
	of    *item[J]
	since time.Time
	end   context.CancelCauseFunc
}

// ask puts the job's question at the endpoint, for as long as there is patience
// with it.
func (r *round[J]) ask(ctx context.Context, e *endpoint, it *item[J]) error {
	call, end := context.WithCancelCause(ctx)
	defer end(nil)
	f := &flight[J]{at: e, of: it, since: time.Now(), end: end}
	turn := r.turn(e, it)
	r.mu.Lock()
	r.flying[f] = true
	r.mu.Unlock()
	failed, err := r.jobs.Ask(call, it.job, turn)
	took := time.Since(f.since)
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.flying, f)
	if err == nil {
		e.took, r.longest = took, max(r.longest, took)
	} else if hung, ok := context.Cause(call).(*Failure); ok && ctx.Err() == nil {
		err = hung
		failed = append(failed[:max(0, len(failed)-1)], attemptOf(err, took))
	}
	it.failed = append(it.failed, failed...)
	return err
}

// watch ends what hangs.
func (r *round[J]) watch() {
	for len(r.endpoints) > 1 && r.sleep(lookEvery) {
		r.endHanging()
	}
}

func (r *round[J]) endHanging() {
	r.mu.Lock()
	defer r.mu.Unlock()
	limit := max(leastPatience, patience*r.longest)
	for f := range r.flying {
		if waited := time.Since(f.since); r.longest > 0 && waited > limit && r.others(f.at, f.of) {
			f.end(&Failure{Class: ClassRetry, Err: fmt.Errorf("no answer for %v, where none took more than %v", waited.Round(time.Second), r.longest.Round(time.Millisecond))})
		}
	}
}
