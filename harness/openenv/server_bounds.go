package openenv

import (
	"context"
	"errors"
	"fmt"
	"net"
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

// A pacer spaces what comes faster than a rate, after a burst. Only one
// goroutine uses it at a time.
type pacer struct {
	rate, burst, left float64
	seen              time.Time
}

func newPacer(rate, burst float64) *pacer {
	return &pacer{rate: rate, burst: max(1, burst), left: max(1, burst)}
}

// take lets n through and tells how long to wait before anything else.
func (p *pacer) take(n float64) time.Duration {
	now := time.Now()
	if !p.seen.IsZero() {
		p.left = min(p.burst, p.left+now.Sub(p.seen).Seconds()*p.rate)
	}
	p.seen = now
	p.left -= n
	return time.Duration(max(0, -p.left/p.rate) * float64(time.Second))
}

// wait lets one through, in time.
func (p *pacer) wait(ctx context.Context) error {
	delay := p.take(1)
	if delay == 0 {
		return nil
	}
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// pacedListener bounds how fast any connection is read: of frames that hold
// nothing a client can send very many, and each must be looked at.
type pacedListener struct {
	net.Listener
	message int64
}

func (l pacedListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &pacedConn{c, newPacer(float64(l.message), 2*float64(l.message))}, nil
}

type pacedConn struct {
	net.Conn
	pace *pacer
}

func (c *pacedConn) Read(p []byte) (int, error) {
	const most = 1 << 20 // so that no wait is long
	n, err := c.Conn.Read(p[:min(len(p), most)])
	time.Sleep(c.pace.take(float64(n)))
	return n, err
}

// CloseWrite is what net/http ends a connection with before it is closed.
func (c *pacedConn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}
