package infer_test

import (
	"context"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
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
func TestRunBoundsEachEndpoint(t *testing.T) { synctest.Test(t, testRunBoundsEachEndpoint) }

func testRunBoundsEachEndpoint(t *testing.T) {
	limits := map[string]int{"a": 2, "b": 3}
	now, most := map[string]int{}, map[string]int{}
	home := map[int]string{} // group → endpoint
	var mu sync.Mutex
	var s infer.Scheduler
	for _, n := range []string{"a", "b"} {
		s.Slots = append(s.Slots, infer.Slot{Model: named{name: n}, Limit: limits[n]})
	}
	ran := 0
	infer.Run(t.Context(), s, nil, groupsOf(40, 4), func(_ context.Context, m infer.Backend, j int, _ time.Duration) {
		n := m.(named).name
		mu.Lock()
		now[n]++
		most[n] = max(most[n], now[n])
		if h, ok := home[j/4]; ok && h != n {
			t.Errorf("group %d went to %s and %s", j/4, h, n)
		}
		home[j/4] = n
		mu.Unlock()
		time.Sleep(time.Millisecond)
		mu.Lock()
		defer mu.Unlock()
		now[n]--
		ran++
	})
	if ran != 160 {
		t.Errorf("%d jobs ran; want 160", ran)
	}
	if !maps.Equal(most, limits) {
		t.Errorf("at most in flight: %v; want the limits, %v", most, limits)
	}
}

// Closing stop lets what is in flight finish with a live context and starts
// nothing more.
func TestRunStops(t *testing.T) { synctest.Test(t, testRunStops) }

func testRunStops(t *testing.T) {
	s := infer.Scheduler{Slots: []infer.Slot{{Model: named{name: "a"}, Limit: 2}}}
	stop := make(chan struct{})
	var once sync.Once
	var ran, cancelled atomic.Int32
	infer.Run(t.Context(), s, stop, groupsOf(100, 1), func(ctx context.Context, _ infer.Backend, _ int, _ time.Duration) {
		once.Do(func() { close(stop) })
		time.Sleep(time.Millisecond)
		if ctx.Err() != nil {
			cancelled.Add(1)
		}
		ran.Add(1)
	})
	if n := ran.Load(); n < 1 || n > 2 {
		t.Errorf("%d jobs ran after stop; want those in flight, 1 or 2", n)
	}
	if cancelled.Load() != 0 {
		t.Errorf("stop cancelled %d jobs in flight", cancelled.Load())
	}
}

// Cancelling ctx reaches the jobs in flight and starts nothing more.
func TestRunCancelled(t *testing.T) {
	s := infer.Scheduler{Slots: []infer.Slot{{Model: named{name: "a"}, Limit: 2}}}
	ctx, cancel := context.WithCancel(t.Context())
	var ran atomic.Int32
	infer.Run(ctx, s, nil, groupsOf(100, 1), func(ctx context.Context, _ infer.Backend, _ int, _ time.Duration) {
		ran.Add(1)
		cancel()
		<-ctx.Done()
	})
	if n := ran.Load(); n < 1 || n > 2 {
		t.Errorf("%d jobs ran; want those in flight when the first one cancelled, 1 or 2", n)
	}
}
