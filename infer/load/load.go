// Package load puts a load of a known kind on a server and measures what comes
// back: answers a second, latency, the share of time in which the server had
// enough to do.
//
// A closed loop keeps a number of requests in flight: whoever has an answer
// asks the next question. It finds what a server can do, and cannot find what
// users would wait for, since a server that stalls is not asked meanwhile. An
// open loop asks at times fixed beforehand, whatever the server does, and
// counts the latency of a request from the time at which it should have been
// sent: nothing that waits is left out.
//
// What is measured begins after a warm-up and ends before the load does.
package load

import (
	"context"
	"fmt"
	"math"
	"time"
)

// Answer is what became of one request.
type Answer struct {
	Err error // it failed
	// Useful tells an answer that can be used from one that only arrived.
	Useful bool
	// FirstToken is the time from sending to the first token, 0 if not known.
	FirstToken                 time.Duration
	PromptTokens, OutputTokens int
}

// Ask puts request number i to a server, from several goroutines at once.
type Ask func(ctx context.Context, i int) Answer

// Arrivals is how the requests of an open loop are spread over time.
type Arrivals string

const (
	Poisson  Arrivals = "poisson"  // independent of each other, as many users' are
	Constant Arrivals = "constant" // at equal distances
)

// Bounds of a load: above them a figure is a slip.
const (
	MaxConcurrency = 4096
	MaxRequests    = 1_000_000
	MaxRate        = 1e5 // requests a second
	MaxDuration    = 24 * time.Hour
)

// Load is a load. Exactly one of Concurrency and Rate is above 0.
type Load struct {
	Concurrency int      // requests in flight in a closed loop
	Rate        float64  // requests a second in an open loop
	Arrivals    Arrivals // of an open loop
	Seed        uint64   // of Poisson arrivals
	// WarmUp is how many requests come before those that are measured. A closed
	// loop makes it, and Requests, a multiple of its concurrency, so that
	// answers that end together are counted together.
	WarmUp   int
	Requests int           // most that are measured
	Duration time.Duration // longest time of warming up, of measuring, and of waiting for what is in flight then
	Slots    int           // requests that keep the server busy
	// InTime is how long an answer may take to be of use; 0 is any time.
	InTime time.Duration
}

// Validate refuses a load that is none, or without bounds.
func (l Load) Validate() error {
	switch {
	case (l.Concurrency > 0) == (l.Rate > 0):
		return fmt.Errorf("a load has a concurrency or a rate: %d and %v", l.Concurrency, l.Rate)
	case l.Concurrency < 0 || l.Concurrency > MaxConcurrency:
		return fmt.Errorf("the concurrency must be 1 to %d: %d", MaxConcurrency, l.Concurrency)
	case math.IsNaN(l.Rate) || l.Rate < 0 || l.Rate > MaxRate:
		return fmt.Errorf("the rate must be above 0 and at most %v requests a second: %v", float64(MaxRate), l.Rate)
	case l.Rate > 0 && l.Arrivals != Poisson && l.Arrivals != Constant:
		return fmt.Errorf("arrivals are %s or %s: %q", Poisson, Constant, l.Arrivals)
	case l.Requests < 1 || l.Requests > MaxRequests || l.WarmUp < 0 || l.WarmUp > MaxRequests:
		return fmt.Errorf("1 to %d requests are measured after 0 to %d: %d after %d", MaxRequests, MaxRequests, l.Requests, l.WarmUp)
	case l.Duration <= 0 || l.Duration > MaxDuration:
		return fmt.Errorf("the duration must be above 0 and at most %v: %v", MaxDuration, l.Duration)
	case l.Rate > 0 && l.Rate*l.Duration.Seconds() < 1:
		return fmt.Errorf("at %v requests a second none may be due within %v; a longer duration, of %v or more, has one", l.Rate, l.Duration, oneDue(l.Rate))
	case l.Slots < 1:
		return fmt.Errorf("a server has at least one slot: %d", l.Slots)
	case l.InTime < 0:
		return fmt.Errorf("no answer comes within %v", l.InTime)
	}
	return nil
}

// oneDue is the time from one request to the next, rounded up to seconds.
func oneDue(rate float64) time.Duration {
	return time.Duration(math.Ceil(1/rate)) * time.Second
}

// Run puts the load on the server behind ask and returns what was measured,
// when no request is in flight any more. Requests that have no answer a
// Duration after the end are given up and counted as unfinished. It ends with
// an error only if l is no load or ctx ends.
func (l Load) Run(ctx context.Context, ask Ask) (Result, error) {
	if err := l.Validate(); err != nil {
		return Result{}, err
	}
	calls, cancel := context.WithCancel(ctx)
	defer cancel()
	rec := &record{start: time.Now(), ask: ask}
	var w window
	if l.Concurrency > 0 {
		w = l.closed(calls, cancel, rec)
	} else {
		w = l.open(calls, cancel, rec)
	}
	if ctx.Err() != nil {
		return Result{}, ctx.Err()
	}
	return l.measure(rec.calls, w), nil
}
