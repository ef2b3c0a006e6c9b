package run_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"candor/infer"
	"candor/infer/ollama/faultserver"
	"candor/scoring"
)

// looping leaves the reply as engines do that stop a model.
func looping() faultserver.Fault {
	return faultserver.Change(func(_ *faultserver.Request, rep *faultserver.Reply) {
		rep.Text, rep.Done = `{"verdict":"SUPPORTED","confidence":0.`+strings.Repeat("9", 30), false
	})
}

// A server all of whose replies come without their end is not scored: the run
// stops, records nothing of it, and goes on where the server is mended. With a
// preflight it does not even begin.
func TestEveryReplyUnended(t *testing.T) {
	for name, fault := range map[string]faultserver.Fault{"done false": faultserver.NotDone(), "no end": faultserver.NoEnd()} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, faultserver.On(tasks, fault))
			err := b.fails(false, "without its end", "8th time in a row", "proxy")
			if !errors.Is(err, infer.ErrUnended) || len(b.traces()) != 0 || len(b.errorLines()) != 0 {
				t.Errorf("%v; %d traces, %d errors", err, len(b.traces()), len(b.errorLines()))
			}
			mended := b.onTo(t)
			mended.complete(mended.resume())
		})
	}
	b := newBench(t, faultserver.On(faultserver.Always, faultserver.NotDone()))
	b.cfg.Preflight = true
	if err := b.fails(false, "preflight", "without its end"); !errors.Is(err, infer.ErrUnended) || len(asked(b.server)) != 0 {
		t.Errorf("%v after %d tasks", err, len(asked(b.server)))
	}
}

// A server whose replies lose their end in the middle of a run stops it; what
// was answered before is recorded, and what came without its end is not.
func TestRepliesUnendedInTheMiddle(t *testing.T) {
	b := newBench(t, faultserver.On(faultserver.After(10, tasks), faultserver.NotDone()))
	b.cfg.Parallel = "1"
	b.fails(false, "8th time in a row")
	if n := len(b.traces()); n != 10 {
		t.Errorf("%d traces, want the 10 before", n)
	}
	b.complete(b.onTo(t).resume())
}

// onTo is the same run on a healthy server.
func (b *bench) onTo(t *testing.T) *bench {
	c := b.onServer(t)
	c.dir = b.dir
	return c
}

// The engine's own stop, visible in the text, is the model's fault however
// often it comes; so are fewer tasks than are no accident, and those between
// healthy ones.
func TestUnendedOfTheModel(t *testing.T) {
	tests := []struct {
		name      string
		when      faultserver.Match
		fault     faultserver.Fault
		tasks     int
		malformed int
		warned    bool
	}{
		{"every reply loops", tasks, looping(), 24, 24, false},
		{"a few tasks in all", tasks, faultserver.NotDone(), 4, 4, true},
		{"one kind of task", about("dog"), faultserver.NotDone(), 24, 6, true},
		{"one task", faultserver.Nth(about("dog"), 0, 1), faultserver.NotDone(), 24, 1, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t, faultserver.On(tt.when, tt.fault))
			b.cfg.NumTasks, b.cfg.Parallel = tt.tasks, "1"
			res := b.run()
			if s := res.Summary; s.N != tt.tasks || s.Malformed != tt.malformed || !s.Complete {
				t.Errorf("n %d, malformed %d, complete %v", s.N, s.Malformed, s.Complete)
			}
			for _, tr := range b.traces() {
				if tr.Outcome == scoring.Malformed && (tr.Reason != "repeated" || tr.Attempts != 2) {
					t.Errorf("%s: %s after %d attempts", tr.TaskID, tr.Reason, tr.Attempts)
				}
			}
			if got := slices.Contains(codes(res.Summary), "endpoint_unended"); got != tt.warned {
				t.Errorf("warnings %v", codes(res.Summary))
			}
		})
	}
}

// One of two servers cuts the ends off: the tasks are asked at the other, the
// figures are those of a healthy run, and it is put aside by name.
func TestUnendedAtOneEndpoint(t *testing.T) {
	healthy := newBench(t)
	want := figures(t, healthy.run().Summary)
	b, bad := pair(t, faultserver.On(faultserver.After(3, tasks), faultserver.NotDone()))
	b.cfg.Dataset, b.cfg.Images = healthy.cfg.Dataset, healthy.cfg.Images
	res := b.run()
	b.complete(res)
	s := res.Summary
	s.Warnings = slices.DeleteFunc(slices.Clone(s.Warnings), func(w scoring.Warning) bool { return w.Code == "endpoint_out" })
	if got := figures(t, s); got != want {
		t.Errorf("the summary is\n%s\nwithout faults\n%s", got, want)
	}
	if !slices.Equal(faults(res), []string{"endpoint_out " + bad.URL}) || len(asked(bad)) > 3+8 {
		t.Errorf("faults %+v after %d tasks", res.Manifest.EndpointFaults, len(asked(bad)))
	}
}

// What two servers agree about is the model's, and neither is to blame.
func TestUnendedAtBoth(t *testing.T) {
	b, other := pair(t, faultserver.On(about("dog"), faultserver.NotDone()))
	b.server.Set(faultserver.On(about("dog"), faultserver.NotDone()))
	res := b.run()
	b.complete(res)
	if res.Summary.Malformed != pictures {
		t.Errorf("%d malformed, want the %d of one claim", res.Summary.Malformed, pictures)
	}
	for _, code := range faults(res) {
		if !strings.HasPrefix(code, "endpoint_unended") {
			t.Errorf("fault %s at %s and %s", code, b.server.URL, other.URL)
		}
	}
	for _, tr := range b.traces() {
		if tr.Reason == "repeated" && tr.Attempts != 2 {
			t.Errorf("%s took %d attempts, want one at each", tr.TaskID, tr.Attempts)
		}
	}
}

// Both cut everything: nothing is scored.
func TestUnendedEverywhere(t *testing.T) {
	b, _ := pair(t, faultserver.On(tasks, faultserver.NotDone()))
	b.server.Set(faultserver.On(tasks, faultserver.NotDone()))
	b.fails(false, "without its end")
	if n := len(b.traces()); n != 0 {
		t.Errorf("%d traces", n)
	}
}
