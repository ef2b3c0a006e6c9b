// Package parallel spreads numbered pieces of work over the cores.
package parallel

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// Do runs do(0) … do(count−1) on every core. Each worker makes its own do, and
// with it its own scratch memory; what do(i) computes must depend on i alone,
// so that the number of cores cannot show in a result. Once the context ends
// no further piece is begun; the error is the context's.
func Do(ctx context.Context, count int, worker func() func(i int)) error {
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), count) {
		workers.Go(func() {
			do := worker()
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= count {
					return
				}
				do(i)
			}
		})
	}
	workers.Wait()
	return ctx.Err()
}
