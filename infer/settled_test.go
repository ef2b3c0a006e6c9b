package infer_test

import (
	"context"
	"maps"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"candor/infer"
)

// A job that brings down whatever it meets costs its own attempts and short
// rests, no other job.
func TestPoison(t *testing.T) {
	bubble(t, func(t *testing.T, f *farm) {
		crash := func(job int, _ time.Duration) error {
			time.Sleep(20 * time.Millisecond)
			if job == 17 {
				return failure(infer.ClassRetry, "runner stopped")
			}
			return nil
		}
		f.serve["a"], f.serve["b"] = crash, crash
		f.over(at(map[string]int{"a": 2, "b": 2}), 100, 4)
		if len(f.given) != 1 || f.given[17] == nil || !strings.Contains(f.given[17].Error(), "gave up after 7 attempts") {
			t.Errorf("given up: %v", f.given)
		}
	})
}

// However bad the endpoints, a job that came back is asked before new ones:
// none waits for the end of the run.
func TestNoStarvation(t *testing.T) {
	bubble(t, func(t *testing.T, f *farm) {
		first := true
		for name, other := range map[string]string{"a": "b", "b": "a"} {
			f.serve[name] = func(job int, _ time.Duration) error {
				time.Sleep(10 * time.Millisecond)
				f.mu.Lock()
				defer f.mu.Unlock()
				switch {
				case job != 0:
				case first:
					first = false
					return failure(infer.ClassRetry, "cut off")
				case len(f.order[name]) > 4:
					t.Errorf("the job that came back from %s waited for %d others", other, len(f.order[name]))
				}
				return nil
			}
		}
		f.over(at(map[string]int{"a": 1, "b": 1}), 500, 2)
		if f.failed[0] != 1 {
			t.Errorf("job 0 was answered after %d failures; want one", f.failed[0])
		}
	})
}

// Stopping ends rests and pauses at once.
func TestStopWhileResting(t *testing.T) {
	for _, limits := range []map[string]int{{"a": 1}, {"a": 1, "b": 1}} {
		bubble(t, func(t *testing.T, f *farm) {
			stop := make(chan struct{})
			time.AfterFunc(90*time.Second, func() { close(stop) })
			s := at(limits)
			s.Retry = infer.RetryPolicy{Attempts: 1000, First: time.Hour, Max: time.Hour}
			given := 0
			start := time.Now()
			infer.Run(t.Context(), s, stop, &numbers{n: 10, k: 1,
				ask:    func(context.Context, int, infer.Turn) error { return failure(infer.ClassRetry, "away") },
				giveUp: func(int, infer.Turn, error) { given++ },
			})
			if took := time.Since(start); took != 90*time.Second || given != 0 {
				t.Errorf("%v: ended after %v, %d given up; want 90 s and none", slices.Collect(maps.Keys(limits)), took, given)
			}
		})
	}
}

// Fifty thousand jobs take no more memory or goroutines than fifty.
func TestManyJobsFlatMemory(t *testing.T) {
	measure := func(groups int) (heap uint64, goroutines int) {
		f := &numbers{n: groups, k: 5}
		half := false
		f.ask = func(_ context.Context, job int, turn infer.Turn) error {
			if job == groups*5-10 && !half { // near the end
				half = true
				var m runtime.MemStats
				runtime.GC()
				runtime.ReadMemStats(&m)
				heap, goroutines = m.HeapAlloc, runtime.NumGoroutine()
			}
			if turn.Model.Endpoint() == "a" && job%13 == 0 && len(turn.Failed) == 0 {
				return failure(infer.ClassTask, "refused here")
			}
			return nil
		}
		s := at(map[string]int{"a": 1, "b": 1})
		infer.Run(t.Context(), s, nil, f)
		return heap, goroutines
	}
	few, _ := measure(10)
	many, goroutines := measure(10_000)
	if grown := int64(many) - int64(few); grown > 1<<20 || goroutines > 20 {
		t.Errorf("50 000 jobs hold %d bytes more than 50, and %d goroutines", grown, goroutines)
	}
}
