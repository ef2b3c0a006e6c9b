package openenv

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// smallMessage is what a client may send at once without asking for memory.
const smallMessage = 64 << 10

// A budget bounds the memory that long messages take, all clients together. It
// has one half for those of middling length and one for the longest, so that
// neither wait for the other. Room is taken before a message is read, for as
// much as it may come to, and most of it given back when it has come: so no two
// uploads wait for each other. An upload that comes slowly, or waits itself,
// gives way where another needs its room.
type budget struct {
	mu             sync.Mutex
	middling, long pool
	middle, most   int64 // bytes of a message: middling up to the one, long up to the other
	pace           float64
}

// patience is how long an upload waits for room before others must make it.
const patience = 500 * time.Millisecond

// newBudget is for messages up to a size, which should take no longer than the
// given time.
func newBudget(most int64, within time.Duration) *budget {
	b := &budget{middle: most / 16, most: most, pace: float64(most) / within.Seconds()}
	half := 8 * max(most, smallMessage)
	b.middling = pool{free: half, holders: map[*upload]bool{}}
	b.long = pool{free: half, holders: map[*upload]bool{}}
	return b
}

// A pool is one half of a budget.
type pool struct {
	free    int64
	holders map[*upload]bool
	queue   []*upload // whose claims wait
}

// An upload is a message on its way. Its fields but the first four are under
// the budget's lock.
type upload struct {
	share   chan struct{} // holds a token while its session has a longer message; nil for no session
	giveWay func()        // has its reading fail
	waits   func(bool)    // is told when it is not read, and when it is again
	arrived atomic.Int64  // bytes

	sharing bool
	in      *pool
	held    int64
	come    bool // all of it
	gone    bool // gave way

	claim   int64
	granted chan struct{} // nil when it does not wait
	since   time.Time     // of the last look at it, or of its waiting
	seen    int64         // bytes by then
	slow    bool
}

// enter takes room in a pool and then leaves the one it was in.
func (b *budget) enter(ctx context.Context, u *upload, p *pool, room int64) error {
	b.mu.Lock()
	u.claim, u.granted, u.since, u.slow = room, make(chan struct{}), time.Now(), false
	p.queue = append(p.queue, u)
	granted := u.granted
	b.grant(p)
	b.mu.Unlock()
	tick := time.NewTicker(patience)
	defer tick.Stop()
	for {
		select {
		case <-granted:
			return nil
		case <-tick.C:
			b.makeRoom(p, u)
		case <-ctx.Done():
			b.mu.Lock()
			defer b.mu.Unlock()
			u.granted = nil
			p.queue = slices.DeleteFunc(p.queue, func(other *upload) bool { return other == u })
			b.grant(p)
			return fmt.Errorf("there was no room for a long message: %w", ctx.Err())
		}
	}
}

// grant lets in who waits, in order, while there is room.
func (b *budget) grant(p *pool) {
	for len(p.queue) > 0 && p.queue[0].claim <= p.free {
		u := p.queue[0]
		p.queue = p.queue[1:]
		close(u.granted)
		u.granted = nil
		before := u.in
		b.leave(u)
		p.free -= u.claim
		p.holders[u] = true
		u.in, u.held, u.since, u.seen = p, u.claim, time.Now(), u.arrived.Load()
		if before != nil && before != p {
			b.grant(before)
		}
	}
}

// leave gives back what an upload holds.
func (b *budget) leave(u *upload) {
	if u.in == nil {
		return
	}
	u.in.free += u.held
	delete(u.in.holders, u)
	u.in, u.held = nil, 0
}

// makeRoom has as many uploads give way as claims wait, the slow ones first
// and then those that wait for the other pool. Only who waits longest asks.
func (b *budget) makeRoom(p *pool, asks *upload) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(p.queue) == 0 || p.queue[0] != asks {
		return
	}
	var slow, waiting []*upload
	for u := range p.holders {
		b.look(u)
		switch {
		case u.come || u.gone || u == asks:
		case u.granted != nil && time.Since(u.since) >= patience:
			waiting = append(waiting, u)
		case u.slow:
			slow = append(slow, u)
		}
	}
	for _, list := range [][]*upload{slow, waiting} {
		slices.SortFunc(list, func(a, b *upload) int { return cmp.Compare(b.arrived.Load(), a.arrived.Load()) })
	}
	all := append(slow, waiting...)
	for _, u := range all[:min(len(all), len(p.queue))] {
		u.gone = true
		go u.giveWay()
	}
}

// look sees whether an upload comes too slowly for its time.
func (b *budget) look(u *upload) {
	passed := time.Since(u.since)
	if u.granted != nil || passed < patience {
		return
	}
	arrived := u.arrived.Load()
	u.slow = float64(arrived-u.seen) < b.pace*passed.Seconds()
	u.since, u.seen = time.Now(), arrived
}

// settle keeps of an upload's room what it came to.
func (b *budget) settle(u *upload, size int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	u.come = true
	if u.in != nil && size < u.held {
		u.in.free += u.held - size
		u.held = size
		b.grant(u.in)
	}
}

// release gives all back. It may be called more than once.
func (b *budget) release(u *upload) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if p := u.in; p != nil {
		b.leave(u)
		b.grant(p)
	}
	if u.sharing {
		<-u.share
		u.sharing = false
	}
}

// alone waits until the session has no other message that is more than small.
func (b *budget) alone(ctx context.Context, u *upload) error {
	if u.share == nil {
		return nil
	}
	b.mu.Lock()
	has := u.sharing
	b.mu.Unlock()
	if has {
		return nil
	}
	select {
	case u.share <- struct{}{}:
		b.mu.Lock()
		defer b.mu.Unlock()
		u.sharing = true
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// readAll reads to the end what is at most as long as a message may be.
// Beyond a small one, memory is taken from the budget, and all is given back
// by release, which may be called more than once.
func (b *budget) readAll(ctx context.Context, from io.Reader, u *upload) (all []byte, release func(), err error) {
	release = func() { b.release(u) }
	var text bytes.Buffer
	from = io.TeeReader(from, counted{u})
	for _, stage := range []struct {
		upTo int64
		pool *pool // that has the room for it
	}{{smallMessage, nil}, {b.middle, &b.middling}, {b.most, &b.long}} {
		more := stage.upTo - int64(text.Len())
		if more <= 0 {
			continue
		}
		if stage.pool != nil {
			u.waits(true)
			if err = b.alone(ctx, u); err == nil {
				err = b.enter(ctx, u, stage.pool, 2*stage.upTo) // a buffer that grows is up to twice as large
			}
			u.waits(false)
		}
		var n int64
		if err == nil {
			n, err = io.Copy(&text, io.LimitReader(from, more))
		}
		if err != nil {
			release()
			return nil, release, err
		}
		if n < more {
			b.settle(u, int64(text.Cap()))
			return text.Bytes(), release, nil
		}
	}
	// Whether there is more, which the reader has an error for.
	if _, err = io.Copy(&text, from); err != nil {
		release()
		return nil, release, err
	}
	b.settle(u, int64(text.Cap()))
	return text.Bytes(), release, nil
}

type counted struct{ u *upload }

func (c counted) Write(p []byte) (int, error) {
	c.u.arrived.Add(int64(len(p)))
	return len(p), nil
}
