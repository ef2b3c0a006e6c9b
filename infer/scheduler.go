package infer

import (
	"context"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"
)

// Slot is one endpoint with the number of requests that may be in flight at
// it, the one waiting at the server included.
type Slot struct {
	Model Backend
	Limit int
}

// Scheduler spreads groups of jobs over endpoints. A group is what must stay
// together, the claims of one image: it goes to one endpoint, its jobs start
// there one after another in order, and the next group follows at once, so
// that the server's prompt cache keeps the image and the server always has a
// request waiting while fewer than Limit are in flight.
//
// The zero value is not usable; a Scheduler needs at least one slot.
type Scheduler struct {
	Slots []Slot
}

// Do asks one job's question at an endpoint. wait is how long the job stood
// at the endpoint's semaphore.
type Do[J any] func(ctx context.Context, m Backend, job J, wait time.Duration)

// Run calls do for every job of every group that next yields, until next
// reports false, stop is closed or ctx ends, and returns when the last call
// has returned. next is called from one goroutine at a time, and may block
// while it prepares a group. A closed stop lets the jobs in flight finish and
// starts no other; a cancelled ctx reaches the jobs through their own context.
//
// do is called concurrently, for at most the sum of the limits at once, with
// the time that its job waited for the endpoint's semaphore.
func Run[J any](ctx context.Context, s Scheduler, stop <-chan struct{}, next func() ([]J, bool), do Do[J]) {
	var mu sync.Mutex
	pull := func() ([]J, bool) {
		mu.Lock()
		defer mu.Unlock()
		if stopped(ctx, stop) {
			return nil, false
		}
		return next()
	}
	var feeders sync.WaitGroup
	for _, slot := range s.Slots {
		feeders.Go(func() { feed(ctx, slot, stop, pull, do) })
	}
	feeders.Wait()
}

// feed drives one endpoint: it alone acquires the endpoint's semaphore, in
// the order of the jobs, and every job releases it when it is done.
func feed[J any](ctx context.Context, slot Slot, stop <-chan struct{}, pull func() ([]J, bool), do Do[J]) {
	sem := semaphore.NewWeighted(int64(slot.Limit))
	var jobs sync.WaitGroup
	defer jobs.Wait()
	stopping, cancel := UntilStopped(ctx, stop)
	defer cancel()
	for {
		group, ok := pull()
		if !ok {
			return
		}
		for _, job := range group {
			ready := time.Now()
			if sem.Acquire(stopping, 1) != nil || stopped(ctx, stop) {
				return
			}
			wait := time.Since(ready)
			jobs.Go(func() {
				defer sem.Release(1)
				do(ctx, slot.Model, job, wait)
			})
		}
	}
}

// UntilStopped is a context that ends with ctx or when stop is closed, for work
// that there is no use in finishing.
func UntilStopped(ctx context.Context, stop <-chan struct{}) (context.Context, context.CancelFunc) {
	stopping, cancel := context.WithCancel(ctx)
	go func() {
		select {
		case <-stop:
			cancel()
		case <-stopping.Done():
		}
	}()
	return stopping, cancel
}

func stopped(ctx context.Context, stop <-chan struct{}) bool {
	select {
	case <-stop:
		return true
	case <-ctx.Done():
		return true
	default:
		return false
	}
}
