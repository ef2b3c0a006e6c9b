package infer_test

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"candor/infer"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type named struct {
	infer.Backend
	name string
}

// groupsOf yields n groups of k jobs, numbered 0 … n·k−1.
func groupsOf(n, k int) func() ([]int, bool) {
	g := 0
	return func() ([]int, bool) {
		if g == n {
			return nil, false
		}
		jobs := make([]int, k)
		for i := range jobs {
			jobs[i] = g*k + i
		}
		g++
		return jobs, true
	}
}

// One endpoint with one slot asks every job once, in order.
func TestRunKeepsOrder(t *testing.T) {
	var got []int
	s := infer.Scheduler{Slots: []infer.Slot{{Model: named{name: "a"}, Limit: 1}}}
	infer.Run(t.Context(), s, nil, groupsOf(5, 3), func(_ context.Context, _ infer.Backend, j int, _ time.Duration) { got = append(got, j) })
	want := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14}
	if !slices.Equal(got, want) {
		t.Errorf("order = %v; want %v", got, want)
	}
}

// However many jobs there are, no endpoint has more in flight than its limit,
// both reach it, and a group stays at one endpoint.
func TestRunBoundsEachEndpoint(t *testing.T) {
	limits := map[string]int32{"a": 2, "b": 3}
	now, most := map[string]*atomic.Int32{"a": {}, "b": {}}, map[string]*atomic.Int32{"a": {}, "b": {}}
	var mu sync.Mutex
	home := map[int]string{} // group → endpoint
	var s infer.Scheduler
	for _, n := range []string{"a", "b"} {
		s.Slots = append(s.Slots, infer.Slot{Model: named{name: n}, Limit: int(limits[n])})
	}
	var count atomic.Int32
	infer.Run(t.Context(), s, nil, groupsOf(40, 4), func(_ context.Context, m infer.Backend, j int, _ time.Duration) {
		n := m.(named).name
		c := now[n].Add(1)
		for {
			old := most[n].Load()
			if c <= old || most[n].CompareAndSwap(old, c) {
				break
			}
		}
		time.Sleep(time.Millisecond)
		now[n].Add(-1)
		count.Add(1)
		mu.Lock()
		defer mu.Unlock()
		if h, ok := home[j/4]; ok && h != n {
			t.Errorf("group %d went to %s and %s", j/4, h, n)
		}
		home[j/4] = n
	})
	if count.Load() != 160 {
		t.Errorf("%d jobs ran; want 160", count.Load())
	}
	for n, want := range limits {
		if got := most[n].Load(); got != want {
			t.Errorf("endpoint %s had at most %d in flight; want its limit %d", n, got, want)
		}
	}
}

// Closing stop lets what is in flight finish with a live context and starts
// nothing more; cancelling ctx reaches the jobs.
func TestRunStops(t *testing.T) {
	s := infer.Scheduler{Slots: []infer.Slot{{Model: named{name: "a"}, Limit: 2}}}
	stop := make(chan struct{})
	var once sync.Once
	var ran, cancelled atomic.Int32
	infer.Run(t.Context(), s, stop, groupsOf(100, 1), func(ctx context.Context, _ infer.Backend, _ int, _ time.Duration) {
		once.Do(func() { close(stop) })
		time.Sleep(5 * time.Millisecond)
		if ctx.Err() != nil {
			cancelled.Add(1)
		}
		ran.Add(1)
	})
	if n := ran.Load(); n < 1 || n > 3 {
		t.Errorf("%d jobs ran after stop; want those in flight, 1 to 3", n)
	}
	if cancelled.Load() != 0 {
		t.Errorf("stop cancelled %d jobs in flight", cancelled.Load())
	}

	ctx, cancel := context.WithCancel(t.Context())
	infer.Run(ctx, s, nil, groupsOf(100, 1), func(ctx context.Context, _ infer.Backend, _ int, _ time.Duration) {
		cancel()
		<-ctx.Done()
	})
}
