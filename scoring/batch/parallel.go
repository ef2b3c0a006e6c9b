package batch

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// workers is how many goroutines there is work for.
func workers() int { return runtime.GOMAXPROCS(0) }

// each does 0 … count−1 on so many goroutines, telling each call which one it
// is on; what do(_, i) computes must depend on i alone.
func each(ctx context.Context, goroutines, count int, do func(goroutine, i int)) error {
	var next atomic.Int64
	var running sync.WaitGroup
	for g := range min(goroutines, count) {
		running.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= count {
					return
				}
				do(g, i)
			}
		})
	}
	running.Wait()
	return ctx.Err()
}
