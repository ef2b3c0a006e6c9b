package load

import (
	"context"
	"math"
	"math/rand/v2"
	"sync"
	"time"
)

// mostInFlight bounds the memory of an open loop at a server that falls behind.
// What waits here is late from the time at which it should have been sent.
const mostInFlight = 1024

// open sends requests at the times of a schedule. Those due in its window are
// measured, however late their answers come.
func (l Load) open(ctx context.Context, giveUp context.CancelFunc, rec *record) window {
	times, from, to := l.schedule()
	patience := time.AfterFunc(to+l.Duration, giveUp)
	defer patience.Stop()
	places := make(chan struct{}, mostInFlight)
	var calls sync.WaitGroup
	for i, at := range times {
		sleepUntil(ctx, rec.start.Add(at))
		select {
		case places <- struct{}{}:
		case <-ctx.Done():
			rec.call(ctx, i, at, nil) // never sent
			continue
		}
		calls.Go(func() {
			rec.call(ctx, i, at, nil)
			<-places
		})
	}
	sleepUntil(ctx, rec.start.Add(to))
	calls.Wait()
	return window{from: from, to: to, shares: true, measured: func(c call) bool {
		return c.intended > from || c.intended == from && l.Arrivals == Constant
	}}
}

// schedule is when requests are due, and the window. That has as many distances
// between arrivals as requests, lest it show more or fewer a second than come:
// at equal distances it opens when the first one that is measured is due, and
// closes when the one after the last would be; of independent arrivals it opens
// with the last of the warm-up and closes with the last one that is measured.
func (l Load) schedule() (times []time.Duration, from, to time.Duration) {
	next := l.arrivals()
	at, last := next(), time.Duration(0)
	for len(times) < l.WarmUp && at < l.Duration {
		times, last = append(times, at), at
		at = next()
	}
	switch {
	case l.Arrivals == Constant:
		from = at
	case len(times) < l.WarmUp:
		from = l.Duration
	default:
		from = last
	}
	to = from + l.Duration
	for range l.Requests {
		if at >= to {
			return times, from, to
		}
		times, last = append(times, at), at
		at = next()
	}
	if l.Arrivals == Constant {
		last = at
	}
	return times, from, min(last, to)
}

// arrivals returns what yields one due time after another.
func (l Load) arrivals() func() time.Duration {
	n, at := 0, 0.0
	rng := rand.New(rand.NewPCG(l.Seed, 0x6172726976616c73))
	return func() time.Duration {
		if l.Arrivals == Constant {
			at = float64(n) / l.Rate
			n++
		} else {
			at += rng.ExpFloat64() / l.Rate
		}
		return time.Duration(math.Min(at*float64(time.Second), math.MaxInt64/4))
	}
}

func sleepUntil(ctx context.Context, t time.Time) {
	d := time.Until(t)
	if d <= 0 {
		return
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
