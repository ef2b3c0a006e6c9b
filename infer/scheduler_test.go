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

// named is an endpoint of which the tests need no more than its name.
type named struct {
	infer.Backend
	name string
}

func (n named) Endpoint() string { return n.name }

// numbers are n groups of k jobs, numbered 0 … n·k−1, with what is done to
// them.
type numbers struct {
	n, k   int
	next   int // group
	ask    func(ctx context.Context, job int, t infer.Turn) error
	giveUp func(job int, t infer.Turn, err error)
}

func (g *numbers) Next() ([]int, bool) {
	if g.next == g.n {
		return nil, false
	}
	jobs := make([]int, g.k)
	for i := range jobs {
		jobs[i] = g.next*g.k + i
	}
	g.next++
	return jobs, true
}

func (g *numbers) Ask(ctx context.Context, job int, t infer.Turn) ([]infer.Attempt, error) {
	if err := g.ask(ctx, job, t); err != nil {
		return []infer.Attempt{{Class: infer.ClassOf(err), Message: err.Error()}}, err
	}
	return nil, nil
}

func (g *numbers) GiveUp(_ context.Context, job int, t infer.Turn, err error) {
	if g.giveUp != nil {
		g.giveUp(job, t, err)
	}
}

// at are slots of these limits, by name.
func at(limits map[string]int) (s infer.Scheduler) {
	for _, name := range slices.Sorted(maps.Keys(limits)) {
		s.Slots = append(s.Slots, infer.Slot{Model: named{name: name}, Limit: limits[name]})
	}
	s.Retry = infer.DefaultRetry()
	return s
}

// One endpoint with one slot asks every job once, in order.
func TestRunKeepsOrder(t *testing.T) {
	var got []int
	infer.Run(t.Context(), at(map[string]int{"a": 1}), nil, &numbers{n: 5, k: 3, ask: func(_ context.Context, j int, _ infer.Turn) error {
		got = append(got, j)
		return nil
	}})
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
	ran := 0
	infer.Run(t.Context(), at(limits), nil, &numbers{n: 40, k: 4, ask: func(_ context.Context, j int, turn infer.Turn) error {
		n := turn.Model.Endpoint()
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
		return nil
	}})
	if ran != 160 {
		t.Errorf("%d jobs ran; want 160", ran)
	}
	if !maps.Equal(most, limits) {
		t.Errorf("at most in flight: %v; want the limits, %v", most, limits)
	}
}

// The wait of a job is its time at the endpoint's own semaphore.
func TestRunWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var waits []time.Duration
		infer.Run(t.Context(), at(map[string]int{"a": 1}), nil, &numbers{n: 1, k: 3, ask: func(_ context.Context, _ int, turn infer.Turn) error {
			waits = append(waits, turn.Wait)
			time.Sleep(time.Second)
			return nil
		}})
		if want := []time.Duration{0, time.Second, time.Second}; !slices.Equal(waits, want) {
			t.Errorf("waits = %v; want %v", waits, want)
		}
	})
}

// Closing stop lets what is in flight finish with a live context and starts
// nothing more.
func TestRunStops(t *testing.T) { synctest.Test(t, testRunStops) }

func testRunStops(t *testing.T) {
	stop := make(chan struct{})
	var once sync.Once
	var ran, cancelled atomic.Int32
	infer.Run(t.Context(), at(map[string]int{"a": 2}), stop, &numbers{n: 100, k: 1, ask: func(ctx context.Context, _ int, _ infer.Turn) error {
		once.Do(func() { close(stop) })
		time.Sleep(time.Millisecond)
		if ctx.Err() != nil {
			cancelled.Add(1)
		}
		ran.Add(1)
		return nil
	}})
	if n := ran.Load(); n < 1 || n > 2 {
		t.Errorf("%d jobs ran after stop; want those in flight, 1 or 2", n)
	}
	if cancelled.Load() != 0 {
		t.Errorf("stop cancelled %d jobs in flight", cancelled.Load())
	}
}

// Cancelling ctx reaches the jobs in flight, starts nothing more and gives
// nothing up: what was not answered is asked another time.
func TestRunCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var ran, given atomic.Int32
	infer.Run(ctx, at(map[string]int{"a": 2, "b": 2}), nil, &numbers{n: 100, k: 1,
		ask: func(ctx context.Context, _ int, _ infer.Turn) error {
			ran.Add(1)
			cancel()
			<-ctx.Done()
			return ctx.Err()
		},
		giveUp: func(int, infer.Turn, error) { given.Add(1) },
	})
	if n := ran.Load(); n < 1 || n > 4 || given.Load() != 0 {
		t.Errorf("%d jobs ran, %d were given up; want those in flight when the first one cancelled, and none", n, given.Load())
	}
}

// No jobs at all, and empty groups, end at once.
func TestRunNothing(t *testing.T) {
	for _, g := range []*numbers{{}, {n: 3}} {
		infer.Run(t.Context(), at(map[string]int{"a": 1, "b": 1}), nil, g)
	}
}
