package load

import (
	"context"
	"sync"
	"time"
)

// call is one request; times are since the start of the load.
type call struct {
	intended, sent, done time.Duration
	finished             bool // it was answered or failed, not given up by us
	answer               Answer
}

// window is the time that is measured, and which calls are.
type window struct {
	from, to time.Duration
	measured func(call) bool
	shares   bool // its edges fall into the service of requests
}

func (w window) holds(t time.Duration) bool { return t > w.from && t <= w.to }

// record keeps every call of a load.
type record struct {
	start time.Time
	ask   Ask

	mu    sync.Mutex
	next  int
	calls []call
}

func (r *record) now() time.Duration { return time.Since(r.start) }

// number is the next request's.
func (r *record) number() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.next++
	return r.next - 1
}

// call asks once and notes it, with what done is told of the time under the
// same lock. A request that ctx ended is not finished.
func (r *record) call(ctx context.Context, i int, intended time.Duration, done func(time.Duration)) {
	c := call{intended: intended, sent: r.now()}
	if ctx.Err() == nil {
		c.answer = r.ask(ctx, i)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	c.done = r.now()
	c.finished = ctx.Err() == nil
	r.calls = append(r.calls, c)
	if c.finished && done != nil {
		done(c.done)
	}
}
