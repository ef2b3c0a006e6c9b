package infer

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// round is one Run under way. Jobs come one group at a time from pull, or back
// from endpoints that failed; each endpoint's feeder takes what it can.
type round[J any] struct {
	Scheduler
	jobs      Jobs[J]
	endpoints []*endpoint
	stopping  context.Context
	over      context.Context // ends with stopping, and when every job is settled
	finish    context.CancelFunc

	mu      sync.Mutex
	changed sync.Cond // whatever a feeder or pull may wait for
	pulled  int       // groups
	ahead   *batch[J] // pulled and not taken
	back    []*batch[J]
	held    map[*endpoint]*batch[J] // what each endpoint has yet to start
	open    int                     // jobs pulled and not settled
	dry     bool                    // there are no more groups
	flying  map[*flight[J]]bool
	longest time.Duration // that an answer took
}

// batch is a group, or what is left of it.
type batch[J any] struct {
	number int
	items  []*item[J]
}

// item is a job with what happened to it.
type item[J any] struct {
	job     J
	of, nth int // its group and its place there
	wait    time.Duration
	failed  []Attempt
	met     map[*endpoint]bool  // the endpoints that it failed at
	refused map[*endpoint]error // those that will not answer it
	agreed  bool                // with those, by the one that answers it
	pause   *backoff.ExponentialBackOff
}

func newRound[J any](stopping context.Context, s Scheduler, jobs Jobs[J]) *round[J] {
	r := &round[J]{Scheduler: s, jobs: jobs, stopping: stopping, flying: map[*flight[J]]bool{}, held: map[*endpoint]*batch[J]{}}
	r.over, r.finish = context.WithCancel(stopping)
	r.Retry.Attempts = max(r.Retry.Attempts, 1)
	r.changed.L = &r.mu
	for _, slot := range s.Slots {
		e := newEndpoint(slot, r.Retry)
		if r.endpoints = append(r.endpoints, e); slot.Resting {
			e.state, e.strikes, e.until = EndpointRests, 1, time.Now().Add(e.pause.NextBackOff())
		}
	}
	return r
}

func (r *round[J]) wake() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.changed.Broadcast()
}

// feed drives one endpoint: it alone acquires the endpoint's semaphore, in the
// order of the jobs, and every job releases it when it is done there.
func (r *round[J]) feed(ctx context.Context, e *endpoint) {
	var running sync.WaitGroup
	defer running.Wait()
	for r.ready(ctx, e) {
		b := r.take(e)
		for r.holds(b) {
			since := time.Now()
			if e.sem.Acquire(r.stopping, 1) != nil {
				return
			}
			it := r.start(e, b)
			if it == nil {
				e.sem.Release(1)
				break
			}
			it.wait += time.Since(since)
			running.Go(func() {
				defer e.sem.Release(1)
				r.serve(ctx, e, it)
			})
		}
	}
}

// start is the next of the batch, to be asked at the endpoint that holds it;
// nil if others took the rest. If the endpoint failed meanwhile the batch is
// left to others.
func (r *round[J]) start(e *endpoint, b *batch[J]) *item[J] {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !e.fit() || r.stopping.Err() != nil || len(b.items) > 0 && b.items[0].refused == nil && r.doubted(e) {
		items := b.items
		b.items = nil
		r.giveBack(items...)
	}
	if len(b.items) == 0 {
		return nil
	}
	it := b.items[0]
	b.items = b.items[1:]
	return it
}

// ready waits until the endpoint is fit. It is false at the end, and when the
// endpoint is out of use.
func (r *round[J]) ready(ctx context.Context, e *endpoint) bool {
	for {
		r.mu.Lock()
		state, until, ended := e.state, e.until, r.ended()
		r.mu.Unlock()
		switch {
		case ended:
			return false
		case state == EndpointBack:
			return true
		case state == EndpointOut:
			r.forsaken(ctx, e)
			return false
		}
		if !r.sleep(time.Until(until)) {
			return false
		}
		r.revived(e, e.revive(r.over))
		r.forsaken(ctx, e)
	}
}

// sleep is false if all ended meanwhile.
func (r *round[J]) sleep(d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-r.over.Done():
	}
	return false
}

// forsaken gives up the jobs that no endpoint is going to answer: all of them
// when none is in use any more, one at each vain look at the last that might
// have come back.
func (r *round[J]) forsaken(ctx context.Context, e *endpoint) {
	for {
		it, all := r.orphan(e)
		if it == nil {
			return
		}
		r.giveUp(ctx, e, it, e.cause)
		if !all {
			return
		}
	}
}

func (r *round[J]) giveUp(ctx context.Context, e *endpoint, it *item[J], err error) {
	r.jobs.GiveUp(ctx, it.job, r.turn(e, it), err)
	r.mu.Lock()
	defer r.mu.Unlock()
	for f := range it.refused {
		f.doubt--
	}
	r.settled()
}

// orphan is a job that nobody will take, nil if there is none. It waits for one
// where no endpoint is in use at all.
func (r *round[J]) orphan(e *endpoint) (it *item[J], all bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for r.hopeless() && !r.ended() {
		all = e.out() && r.alone(e)
		if len(r.back) == 0 && r.ahead != nil {
			r.back, r.ahead = append(r.back, r.ahead), nil
			r.changed.Broadcast()
		}
		if len(r.back) > 0 {
			b := r.back[0]
			if len(b.items) == 0 {
				r.back = r.back[1:]
				continue
			}
			it, b.items = b.items[0], b.items[1:]
			if len(b.items) == 0 {
				r.back = r.back[1:]
			}
			return it, all
		}
		if !all {
			return nil, false
		}
		r.changed.Wait()
	}
	return nil, false
}

func (r *round[J]) turn(e *endpoint, it *item[J]) Turn {
	r.mu.Lock()
	defer r.mu.Unlock()
	return Turn{Model: e.Model, Wait: it.wait, Failed: it.failed, Others: r.others(e, it), Agree: func() { it.agreed = true }}
}

// serve tries a job at the endpoint until it is settled, or better off
// elsewhere, or nothing more is to be asked.
func (r *round[J]) serve(ctx context.Context, e *endpoint, it *item[J]) {
	for {
		err := r.ask(ctx, e, it)
		if err == nil {
			r.worked(e, it)
			return
		}
		if ctx.Err() != nil || r.stopping.Err() != nil && ClassOf(err) == ClassRetry {
			return
		}
		moved, final := r.judge(e, it, err)
		if final != nil {
			r.giveUp(ctx, e, it, final)
		}
		if moved || final != nil || !r.again(e, it, err) {
			return
		}
	}
}

// judge decides what a failure means for the endpoint and for the job, which
// has moved to others, or is given up for a final reason, or is to be tried
// again here.
func (r *round[J]) judge(e *endpoint, it *item[J], err error) (moved bool, final error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if it.met == nil {
		it.met = map[*endpoint]bool{}
	}
	it.met[e] = true
	others := r.others(e, it)
	switch ClassOf(err) {
	case ClassRetry:
		switch spent := len(it.failed) >= r.Retry.Attempts; {
		case spent && !r.untried(it):
			return false, fmt.Errorf("gave up after %d attempts: %w", len(it.failed), err)
		case !others:
			return false, nil
		}
		r.rest(e, err)
	case ClassTask:
		if !others {
			return false, err
		}
		if it.refused == nil {
			it.refused = map[*endpoint]error{}
		}
		if it.refused[e] == nil {
			e.doubt++
		}
		it.refused[e] = err
	default:
		if r.alone(e) {
			return false, err
		}
		r.takeOut(e, err)
	}
	r.giveBack(it)
	return true, nil
}

// again pauses before the job is tried again where it failed, and tells
// whether it is to be: not if another endpoint came back meanwhile.
func (r *round[J]) again(e *endpoint, it *item[J], cause error) bool {
	if it.pause == nil {
		it.pause = r.Retry.pauses()
	}
	d := it.pause.NextBackOff()
	if r.Retry.Retrying != nil && len(it.failed) > 0 {
		r.Retry.Retrying(it.failed[len(it.failed)-1], d)
	}
	if !r.sleep(d) {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.others(e, it) {
		return true
	}
	r.rest(e, cause)
	r.giveBack(it)
	return false
}
