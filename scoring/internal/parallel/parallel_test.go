package parallel

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
)

// Every piece is done once, on any number of them, and each worker's memory is
// its own: a shared one would make the race detector speak.
func TestDo(t *testing.T) {
	for _, count := range []int{0, 1, 2, 1000} {
		times := make([]int, count)
		err := Do(t.Context(), count, func() func(int) {
			mine := 0
			return func(i int) {
				mine++
				times[i] += min(mine, 1)
			}
		})
		if err != nil || slices.ContainsFunc(times, func(n int) bool { return n != 1 }) {
			t.Errorf("%d pieces: done %v times, %v", count, times, err)
		}
	}
}

// A context that ends stops the work and is the error.
func TestDoStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var begun atomic.Int64
	err := Do(ctx, 1_000_000, func() func(int) {
		return func(int) {
			begun.Add(1)
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) || begun.Load() == 1_000_000 {
		t.Errorf("%d pieces begun, %v", begun.Load(), err)
	}
}
