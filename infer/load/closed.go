package load

import (
	"context"
	"math"
	"sync"
	"time"
)

// closed keeps Concurrency requests in flight. The window opens with the last
// answer of the warm-up and closes with the last one that is measured; the load
// goes on until it closes, and what is in flight then is no part of it.
//
// When the time is up it closes with the next full number of answers, so that
// neither answers that end together nor a stall are cut in two; if those do not
// come for as long again, it closes then, and what is in flight is unfinished.
func (l Load) closed(ctx context.Context, giveUp context.CancelFunc, rec *record) window {
	warm := upTo(l.WarmUp, l.Concurrency)
	gate := newGate(warm, warm+upTo(l.Requests, l.Concurrency), l.Concurrency, l.Duration)
	defer gate.end()
	var workers sync.WaitGroup
	for range l.Concurrency {
		workers.Go(func() {
			for !gate.closed() && ctx.Err() == nil {
				rec.call(ctx, rec.number(), rec.now(), gate.answered)
			}
		})
	}
	finished := make(chan struct{})
	go func() { workers.Wait(); close(finished) }()
	select {
	case <-gate.shut:
	case <-ctx.Done():
	}
	from, to := gate.window(rec.now())
	if gate.stalled() {
		giveUp()
	}
	patience := time.AfterFunc(l.Duration, giveUp)
	<-finished
	patience.Stop()
	return window{from: from, to: to, measured: func(c call) bool {
		return !c.finished || c.done > from && c.done <= to
	}}
}

// upTo is n rounded up to a multiple of step.
func upTo(n, step int) int { return (n + step - 1) / step * step }

// gate counts answers and says when the window opens and closes.
type gate struct {
	warm, all int
	step      int // answers are measured in multiples of it
	longest   time.Duration
	shut      chan struct{} // closed with the window

	mu       sync.Mutex
	count    int
	from, to time.Duration
	over     bool
	late     bool // the time is up
	stuck    bool // and what was in flight then did not come
	timer    *time.Timer
}

func newGate(warm, all, step int, longest time.Duration) *gate {
	g := &gate{warm: warm, all: all, step: step, longest: longest, shut: make(chan struct{}), from: math.MaxInt64}
	g.mu.Lock()
	defer g.mu.Unlock()
	if warm == 0 {
		g.from = 0
	}
	g.timer = time.AfterFunc(longest, g.expire)
	return g
}

// answered is told of every answer, in the order of their times.
func (g *gate) answered(at time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.over {
		return
	}
	g.count++
	if g.count == g.warm {
		g.from = at
		g.timer.Reset(g.longest)
	}
	if g.count == g.all {
		g.to = at
		g.shutLocked()
	}
}

// expire is the end of the time: of warming up, of measuring, or of waiting.
func (g *gate) expire() {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case g.over:
	case g.count < g.warm || g.late:
		g.stuck = true
		g.shutLocked()
	default:
		g.late = true
		g.all = min(g.all, g.warm+upTo(g.count-g.warm+1, g.step))
		g.timer.Reset(g.longest)
	}
}

func (g *gate) shutLocked() {
	g.over = true
	close(g.shut)
}

func (g *gate) closed() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.over
}

func (g *gate) end() { g.timer.Stop() }

// stalled tells whether the window closed without the answers it waited for.
func (g *gate) stalled() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.stuck
}

// window is when it opened and closed; now if answers stayed away, and of no length
// if the warm-up never ended.
func (g *gate) window(now time.Duration) (from, to time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.to == 0 {
		g.to = now
	}
	return min(g.from, g.to), g.to
}
