package openenv

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"
)

func defaultParallel() int { return max(16, 4*runtime.GOMAXPROCS(0)) }

// slots bound how many calls of environments run at a time. Who waits is
// served in order, so that a session that asks much delays another by one call
// at most. No more than queue may wait.
type slots struct {
	free    *semaphore.Weighted
	waiting *atomic.Int64
	queue   int64
}

func newSlots(n, queue int) slots {
	return slots{semaphore.NewWeighted(int64(n)), new(atomic.Int64), int64(queue)}
}

var errBusy = errors.New("too many requests wait already")

func (s slots) take(ctx context.Context) error {
	if s.free.TryAcquire(1) {
		return nil
	}
	defer s.waiting.Add(-1)
	if s.waiting.Add(1) > s.queue {
		return errBusy
	}
	if err := s.free.Acquire(ctx, 1); err != nil {
		return fmt.Errorf("no time was left: %w", err)
	}
	return nil
}

func (s slots) give() { s.free.Release(1) }

// smallMessage is what a client may send at once without asking for memory.
const smallMessage = 64 << 10

// A budget bounds the memory that long messages take, all clients together.
type budget struct {
	free *semaphore.Weighted
	size int64
}

func newBudget(size int64) budget {
	size = max(size, smallMessage)
	return budget{semaphore.NewWeighted(size), size}
}

// readAll reads to the end. Beyond a small message, memory is taken from the
// budget as the text arrives, and all is given back by release, which may be
// called more than once.
func (s *Server) readAll(ctx context.Context, from io.Reader) (all []byte, release func(), err error) {
	var taken int64
	release = func() { s.memory.free.Release(taken); taken = 0 }
	var text bytes.Buffer
	for room := int64(smallMessage); ; room = int64(text.Len()) {
		n, err := io.Copy(&text, io.LimitReader(from, room))
		if err != nil {
			release()
			return nil, release, err
		}
		if n < room {
			return text.Bytes(), release, nil
		}
		more := min(2*room, s.memory.size-taken)
		if err := s.memory.free.Acquire(ctx, more); err != nil {
			release()
			return nil, release, err
		}
		taken += more
	}
}

// A pacer spaces what comes faster than a rate, after a second's worth at
// once. Only one goroutine uses it.
type pacer struct {
	rate float64 // a second
	left float64
	seen time.Time
}

func newPacer(rate float64) *pacer { return &pacer{rate: rate, left: rate} }

// wait lets one through, in time.
func (p *pacer) wait(ctx context.Context) error {
	now := time.Now()
	if !p.seen.IsZero() {
		p.left = min(max(1, p.rate), p.left+now.Sub(p.seen).Seconds()*p.rate)
	}
	p.seen = now
	p.left--
	if p.left >= 0 {
		return nil
	}
	timer := time.NewTimer(time.Duration(-p.left / p.rate * float64(time.Second)))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
