package infer_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"candor/infer"
)

// farm is a set of endpoints that serve, each in its own way, the same jobs.
type farm struct {
	t     *testing.T
	start time.Time
	serve map[string]func(job int, at time.Duration) error // "" is done in a millisecond

	mu     sync.Mutex
	where  map[int]string // job → the endpoint that settled it
	order  map[string][]int
	given  map[int]error
	asked  map[string]int
	events []string
	failed map[int]int // attempts behind the job when it was settled
}

// over runs n groups of k jobs over slots, and checks that each job was settled
// exactly once.
func (f *farm) over(s infer.Scheduler, n, k int) {
	f.start, f.where, f.order, f.given = time.Now(), map[int]string{}, map[string][]int{}, map[int]error{}
	f.asked, f.failed = map[string]int{}, map[int]int{}
	s.Told = func(e infer.Event) {
		f.events = append(f.events, fmt.Sprintf("%s %s", e.Endpoint, e.State))
		if (e.Err == nil) != (e.State == infer.EndpointBack) || (e.Rest > 0) != (e.State == infer.EndpointRests) {
			f.t.Errorf("event %+v", e)
		}
	}
	infer.Run(f.t.Context(), s, nil, &numbers{n: n, k: k, ask: f.ask, giveUp: f.giveUp})
	for j := range n * k {
		_, answered := f.where[j]
		if _, given := f.given[j]; answered == given {
			f.t.Errorf("job %d: answered %v, given up %v; want one of the two", j, answered, given)
		}
	}
}

func (f *farm) ask(_ context.Context, job int, turn infer.Turn) error {
	name := turn.Model.Endpoint()
	f.mu.Lock()
	f.asked[name]++
	f.mu.Unlock()
	if serve := f.serve[name]; serve == nil {
		time.Sleep(time.Millisecond)
	} else if err := serve(job, time.Since(f.start)); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if was, twice := f.where[job]; twice {
		f.t.Errorf("job %d was settled at %s and at %s", job, was, name)
	}
	f.where[job], f.failed[job] = name, len(turn.Failed)
	f.order[name] = append(f.order[name], job)
	return nil
}

func (f *farm) giveUp(job int, turn infer.Turn, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err == nil || f.given[job] != nil {
		f.t.Errorf("job %d was given up for %v after %v", job, err, f.given[job])
	}
	f.given[job], f.failed[job] = err, len(turn.Failed)
}

func (f *farm) told(what string) bool { return slices.Contains(f.events, what) }

func failure(c infer.Class, text string) error {
	return &infer.Failure{Class: c, Err: errors.New(text)}
}

// always fails in one way.
func always(err error) func(int, time.Duration) error {
	return func(int, time.Duration) error { time.Sleep(time.Millisecond); return err }
}

func bubble(t *testing.T, test func(*testing.T, *farm)) {
	synctest.Test(t, func(t *testing.T) { test(t, &farm{t: t, serve: map[string]func(int, time.Duration) error{}}) })
}

// A dead endpoint is asked a few times and looked at again ever more seldom;
// the other one does its work, and no job is lost or held up by it.
func TestDeadEndpoint(t *testing.T) {
	bubble(t, func(t *testing.T, f *farm) {
		f.serve["a"] = always(failure(infer.ClassRetry, "connection refused"))
		f.serve["b"] = func(int, time.Duration) error { time.Sleep(100 * time.Millisecond); return nil }
		s := at(map[string]int{"a": 2, "b": 2})
		looks := 0
		s.Slots[0].Revive = func(context.Context) error { looks++; return failure(infer.ClassRetry, "still away") }
		f.over(s, 300, 4)
		if len(f.given) != 0 || f.asked["a"] > 2 {
			t.Errorf("%d jobs given up, %d asked at the dead endpoint; want none, and those in flight when it died", len(f.given), f.asked["a"])
		}
		took := time.Since(f.start)
		if ideal := 300 * 4 / 2 * 100 * time.Millisecond; took > ideal+time.Second {
			t.Errorf("took %v; the other endpoint alone needs %v", took, ideal)
		}
		if looks < 4 || looks > 10 {
			t.Errorf("looked %d times in %v; want pauses that grow to 20 s", looks, took)
		}
	})
}

// An endpoint that dies in the middle of a group leaves the rest of it to one
// other, in order; when it is back it gets work again.
func TestEndpointDiesAndComesBack(t *testing.T) {
	bubble(t, func(t *testing.T, f *farm) {
		f.serve["a"] = func(_ int, at time.Duration) error {
			time.Sleep(10 * time.Millisecond)
			if at > 15*time.Millisecond && at < 3*time.Second {
				return failure(infer.ClassRetry, "cut off")
			}
			return nil
		}
		slow := func(int, time.Duration) error { time.Sleep(10 * time.Millisecond); return nil }
		f.serve["b"], f.serve["c"] = slow, slow
		s := at(map[string]int{"a": 1, "b": 1, "c": 1})
		s.Slots[0].Revive = func(context.Context) error {
			if time.Since(f.start) < 3*time.Second {
				return failure(infer.ClassRetry, "still away")
			}
			return nil
		}
		const k = 6
		f.over(s, 400, k)
		if len(f.given) != 0 || !f.told("a rests") || !f.told("a back") {
			t.Fatalf("%d given up, events %v", len(f.given), f.events)
		}
		if late := f.order["a"][len(f.order["a"])-1]; late < 300*k {
			t.Errorf("the last job at the revived endpoint is %d; want one of the last", late)
		}
		split := 0
		for g := range 400 {
			homes := map[string]bool{}
			for i := range k {
				homes[f.where[g*k+i]] = true
			}
			if len(homes) > 1 {
				split++
			}
			if len(homes) > 2 {
				t.Errorf("group %d went to %v; what is left of a group stays together", g, homes)
			}
		}
		if split > 1 {
			t.Errorf("%d groups were split; want only the one that the death cut", split)
		}
	})
}

// An endpoint that is up and down all the time costs attempts, never jobs.
func TestFlappingEndpoint(t *testing.T) {
	bubble(t, func(t *testing.T, f *farm) {
		n := 0
		f.serve["a"] = func(int, time.Duration) error {
			time.Sleep(5 * time.Millisecond)
			if n++; n%3 != 0 {
				return failure(infer.ClassRetry, "flapping")
			}
			return nil
		}
		f.serve["b"] = func(int, time.Duration) error { time.Sleep(20 * time.Millisecond); return nil }
		f.over(at(map[string]int{"a": 1, "b": 2}), 200, 5)
		if len(f.given) != 0 || f.asked["a"] < 10 {
			t.Errorf("%d given up, %d asked at the flapping endpoint", len(f.given), f.asked["a"])
		}
	})
}

// An endpoint that hangs, from the first job or later, holds up nothing for
// much longer than answers take; one that is merely slow is left alone.
func TestHangingEndpoint(t *testing.T) {
	for _, after := range []int{0, 5} {
		synctest.Test(t, func(t *testing.T) {
			var mu sync.Mutex
			asked, done := 0, map[int]string{}
			start := time.Now()
			infer.Run(t.Context(), at(map[string]int{"a": 2, "b": 2}), nil, &numbers{n: 60, k: 4,
				ask: func(ctx context.Context, job int, turn infer.Turn) error {
					mu.Lock()
					hangs := false
					if turn.Model.Endpoint() == "a" {
						asked++
						hangs = asked > after
					}
					mu.Unlock()
					if hangs {
						<-ctx.Done()
						return ctx.Err()
					}
					time.Sleep(4 * time.Second)
					mu.Lock()
					defer mu.Unlock()
					if was, twice := done[job]; twice {
						t.Errorf("job %d was answered at %s already", job, was)
					}
					done[job] = turn.Model.Endpoint()
					return nil
				},
				giveUp: func(job int, _ infer.Turn, err error) { t.Errorf("job %d: %v", job, err) },
			})
			alone := 60 * 4 / 2 * 4 * time.Second
			if took := time.Since(start); len(done) != 240 || took > alone+3*time.Minute {
				t.Errorf("%d answered in %v; the other endpoint alone needs %v", len(done), took, alone)
			}
		})
	}
	bubble(t, func(t *testing.T, f *farm) { // fifteen times as slow
		f.serve["a"] = func(int, time.Duration) error { time.Sleep(15 * 10 * time.Second); return nil }
		f.serve["b"] = func(int, time.Duration) error { time.Sleep(10 * time.Second); return nil }
		f.over(at(map[string]int{"a": 1, "b": 1}), 40, 4)
		if len(f.events) != 0 || len(f.order["a"]) == 0 {
			t.Errorf("events %v, %d answered by the slow one", f.events, len(f.order["a"]))
		}
	})
}

// Endpoints of different speeds finish together: the fast one takes more.
func TestEndpointSpeeds(t *testing.T) {
	bubble(t, func(t *testing.T, f *farm) {
		for name, d := range map[string]time.Duration{"a": 10 * time.Millisecond, "b": 50 * time.Millisecond} {
			f.serve[name] = func(int, time.Duration) error { time.Sleep(d); return nil }
		}
		f.over(at(map[string]int{"a": 1, "b": 1}), 300, 2)
		ideal := 600 * 50 * time.Millisecond / 6 // a serves five while b serves one
		if took := time.Since(f.start); took > ideal+2*50*time.Millisecond {
			t.Errorf("took %v; want %v and at most a group more", took, ideal)
		}
	})
}

// At the end a slow endpoint keeps only what it has started: the fast one has
// done all else by then, and answers the rest of the group that it took.
func TestSlowEndpointIsRelieved(t *testing.T) {
	bubble(t, func(t *testing.T, f *farm) {
		for name, d := range map[string]time.Duration{"a": 20 * time.Millisecond, "b": 3 * time.Second} {
			f.serve[name] = func(int, time.Duration) error { time.Sleep(d); return nil }
		}
		f.over(at(map[string]int{"a": 1, "b": 1}), 50, 10)
		alone := 500 * 20 * time.Millisecond
		if took := time.Since(f.start); took > alone+3*time.Second {
			t.Errorf("took %v; the fast one alone takes %v, and one answer of the slow one 3 s", took, alone)
		}
		if len(f.order["b"]) == 0 {
			t.Error("the slow one answered nothing")
		}
	})
}

// A slow endpoint that has nothing left to do leaves a fast one alone with what
// that will have answered sooner.
func TestFastEndpointIsLeftAlone(t *testing.T) {
	bubble(t, func(t *testing.T, f *farm) {
		f.serve["a"] = func(int, time.Duration) error { time.Sleep(20 * time.Millisecond); return nil }
		f.serve["b"] = func(int, time.Duration) error { time.Sleep(time.Second); return nil }
		f.over(at(map[string]int{"a": 1, "b": 1}), 2, 1)
		f.order = map[string][]int{}
		f.over(at(map[string]int{"a": 1, "b": 1}), 2, 30) // a begins its thirty, b its own; a is done first
		if took := time.Since(f.start); took > 60*20*time.Millisecond+time.Second {
			t.Errorf("took %v", took)
		}
		if n := len(f.order["b"]); n > 2 {
			t.Errorf("the slow one answered %d", n)
		}
	})
}

// An endpoint that refuses what others answer is found out and named; a job
// that all refuse is given up, and nobody is blamed.
func TestEndpointThatRefuses(t *testing.T) {
	bubble(t, func(t *testing.T, f *farm) {
		f.serve["a"] = always(failure(infer.ClassTask, "answered without the image"))
		f.over(at(map[string]int{"a": 1, "b": 1, "c": 1}), 50, 2)
		if len(f.given) != 0 || !f.told("a out of use") || f.asked["a"] > 10 {
			t.Errorf("%d given up, %d asked at the liar, events %v", len(f.given), f.asked["a"], f.events)
		}
	})
	bubble(t, func(t *testing.T, f *farm) {
		bad := func(job int, _ time.Duration) error {
			time.Sleep(time.Millisecond)
			if job%10 == 0 {
				return failure(infer.ClassTask, "bad image")
			}
			return nil
		}
		f.serve["a"], f.serve["b"] = bad, bad
		f.over(at(map[string]int{"a": 1, "b": 1}), 50, 4)
		if len(f.given) != 20 || len(f.events) != 0 {
			t.Errorf("%d given up, events %v; want the 20 bad jobs and nothing else", len(f.given), f.events)
		}
	})
}

// One that nothing but a person can mend is out of use at once; when it was the
// last, or all are, the jobs are given up with its reason.
func TestEndpointOut(t *testing.T) {
	gone := failure(infer.ClassFatal, "model not found")
	tests := map[string]struct {
		fatal  []string
		given  int
		events []string
	}{
		"one of two": {[]string{"a"}, 0, []string{"a out of use"}},
		// The last one in use is not taken out: its failure is the jobs'.
		"both": {[]string{"a", "b"}, 20, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, f *farm) {
				for _, n := range tt.fatal {
					f.serve[n] = always(gone)
				}
				f.over(at(map[string]int{"a": 1, "b": 1}), 10, 2)
				if len(f.given) != tt.given || tt.events != nil && !slices.Equal(f.events, tt.events) {
					t.Errorf("%d given up, events %v", len(f.given), f.events)
				}
				for _, err := range f.given {
					if !errors.Is(err, gone) {
						t.Errorf("given up for %v", err)
					}
				}
			})
		})
	}
}

// An endpoint that comes back as another than it was gets nothing more; if it
// was the last hope, everything is given up with that reason.
func TestRevivedAsAnother(t *testing.T) {
	for _, last := range []bool{false, true} {
		bubble(t, func(t *testing.T, f *farm) {
			f.serve["a"] = always(failure(infer.ClassRetry, "cut off"))
			if last {
				f.serve["b"] = always(failure(infer.ClassFatal, "model not found"))
			} else {
				f.serve["b"] = func(int, time.Duration) error { time.Sleep(50 * time.Millisecond); return nil }
			}
			s := at(map[string]int{"a": 1, "b": 1})
			s.Slots[0].Revive = func(context.Context) error { return failure(infer.ClassFatal, "another digest") }
			f.over(s, 40, 3)
			if last != (len(f.given) == 120) || !f.told("a out of use") && !last {
				t.Errorf("last %v: %d given up, events %v", last, len(f.given), f.events)
			}
		})
	}
}

// Where every endpoint is dead, jobs are given up after the policy's attempts,
// and Run ends.
func TestAllDead(t *testing.T) {
	bubble(t, func(t *testing.T, f *farm) {
		dead := always(failure(infer.ClassRetry, "connection refused"))
		f.serve["a"], f.serve["b"] = dead, dead
		s := at(map[string]int{"a": 1, "b": 1})
		away := func(context.Context) error { return failure(infer.ClassRetry, "away") }
		s.Slots[0].Revive, s.Slots[1].Revive = away, away
		f.over(s, 4, 2)
		if len(f.given) != 8 {
			t.Errorf("%d given up; want all 8", len(f.given))
		}
		for j, err := range f.given {
			if infer.ClassOf(err) != infer.ClassRetry || f.failed[j] > s.Retry.Attempts+1 {
				t.Errorf("job %d: %v after %d attempts", j, err, f.failed[j])
			}
		}
	})
	bubble(t, func(t *testing.T, f *farm) { // none ever was there
		s := at(map[string]int{"a": 1, "b": 1})
		for i := range s.Slots {
			s.Slots[i].Resting = true
			s.Slots[i].Revive = func(context.Context) error { return failure(infer.ClassRetry, "away") }
		}
		f.over(s, 4, 2)
		if len(f.given) != 8 || len(f.asked) != 0 {
			t.Errorf("%d given up, asked %v", len(f.given), f.asked)
		}
	})
}

// Endpoints that all refuse the same jobs do not wait for each other: each job
// is given up, or settled by one that agrees with the others. Then none of them
// is to blame.
func TestAllRefuse(t *testing.T) {
	for _, agree := range []bool{false, true} {
		t.Run(fmt.Sprintf("agree %v", agree), func(t *testing.T) {
			bubble(t, func(t *testing.T, f *farm) {
				s := at(map[string]int{"a": 2, "b": 2, "c": 1})
				refused := map[int]int{}
				settled, given := 0, 0
				s.Told = func(e infer.Event) { t.Errorf("event %+v", e) }
				infer.Run(t.Context(), s, nil, &numbers{n: 40, k: 3,
					ask: func(_ context.Context, job int, turn infer.Turn) error {
						time.Sleep(time.Millisecond)
						f.mu.Lock()
						defer f.mu.Unlock()
						if refused[job]++; turn.Others || !agree {
							return failure(infer.ClassTask, "no")
						}
						turn.Agree()
						settled++
						return nil
					},
					giveUp: func(int, infer.Turn, error) { f.mu.Lock(); given++; f.mu.Unlock() },
				})
				if want := 40 * 3; agree && settled != want || !agree && given != want {
					t.Errorf("%d settled, %d given up; want all %d", settled, given, want)
				}
				for job, n := range refused {
					if n != 3 {
						t.Errorf("job %d was asked %d times, want once at each", job, n)
					}
				}
			})
		})
	}
}
