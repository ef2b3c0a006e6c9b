package run_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"candor/harness/run"
	"candor/infer"
	"candor/infer/ollama/faultserver"
	"candor/scoring"
)

// pair is a bench on two servers; the first one is the healthy one.
func pair(t *testing.T, opts ...faultserver.Option) (*bench, *faultserver.Server) {
	t.Helper()
	b := newBench(t, faultserver.Latency(2*time.Millisecond))
	second := faultserver.New(t, append([]faultserver.Option{faultserver.Latency(2 * time.Millisecond)}, opts...)...)
	b.cfg.Hosts = append(b.cfg.Hosts, second.URL)
	return b, second
}

func faults(res run.Result) (codes []string) {
	for _, f := range res.Manifest.EndpointFaults {
		codes = append(codes, f.Code+" "+f.Endpoint)
	}
	return codes
}

// said gathers what a run tells its user.
type said struct {
	run.Silent
	mu      sync.Mutex
	notices []string
}

func (s *said) Notice(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.notices = append(s.notices, text)
}

func (s *said) says(words ...string) bool {
	return slices.ContainsFunc(s.notices, func(n string) bool {
		return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(n, w) })
	})
}

// Whatever one of two servers does, the figures are those of a healthy run: its
// tasks go to the other, none is lost or in error, and it is told by name unless
// it only failed in passing.
func TestOneEndpointFails(t *testing.T) {
	healthy := newBench(t)
	want := figures(t, healthy.run().Summary)
	all := func(f faultserver.Fault) faultserver.Option { return faultserver.On(tasks, f) }
	tests := []struct {
		name string
		opts []faultserver.Option
		code string // of the warning; "" where nothing needs to be said
		most int    // requests that it may get, where it is found out
	}{
		{"slow", []faultserver.Option{faultserver.Latency(50 * time.Millisecond)}, "", 0},
		{"dead from the first task", []faultserver.Option{all(faultserver.CutBefore())}, "endpoint_failed", 0},
		{"busy all the time", []faultserver.Option{all(faultserver.Busy())}, "endpoint_failed", 0},
		{"flapping", []faultserver.Option{faultserver.On(faultserver.Every(2, tasks), faultserver.RunnerStopped())}, "", 0},
		{"cuts every answer", []faultserver.Option{all(faultserver.CutMiddle())}, "endpoint_failed", 0},
		{"another program", []faultserver.Option{all(faultserver.HTML())}, "endpoint_failed", 0},
		{"generates nothing", []faultserver.Option{all(faultserver.Nothing())}, "endpoint_failed", 0},
		{"model removed", []faultserver.Option{all(faultserver.ModelMissing())}, "endpoint_out", 4},
		{"wants a login", []faultserver.Option{all(faultserver.Status(401, "unauthorized"))}, "endpoint_out", 4},
		{"answers nothing", []faultserver.Option{all(faultserver.Constant(""))}, "endpoint_out", 8},
		{"another model", []faultserver.Option{all(faultserver.AnswersAs("other:1b"))}, "endpoint_out", 8},
		{"cannot read images", []faultserver.Option{all(faultserver.Status(500, "failed to process inputs: image: unknown format"))}, "endpoint_out", 8},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b, bad := pair(t, tt.opts...)
			b.cfg.Dataset, b.cfg.Images = healthy.cfg.Dataset, healthy.cfg.Images
			heard := &said{}
			b.deps.Observer, b.deps.Retry = heard, infer.RetryPolicy{Attempts: 7, First: 2 * time.Millisecond, Max: 50 * time.Millisecond}
			res := b.run()
			b.complete(res)
			s := res.Summary
			s.Warnings = slices.DeleteFunc(slices.Clone(s.Warnings), func(w scoring.Warning) bool { return strings.HasPrefix(w.Code, "endpoint_") })
			if got := figures(t, s); got != want {
				t.Errorf("the summary is\n%s\nwithout faults\n%s", got, want)
			}
			if n := len(asked(bad)); tt.most > 0 && n > tt.most {
				t.Errorf("%d requests at the bad server, want at most %d", n, tt.most)
			}
			if tt.code == "" {
				if len(res.Manifest.EndpointFaults) != 0 {
					t.Errorf("faults %+v", res.Manifest.EndpointFaults)
				}
				return
			}
			if !slices.Equal(faults(res), []string{tt.code + " " + bad.URL}) || !slices.Contains(codes(res.Summary), tt.code) || !heard.says(bad.URL) {
				t.Errorf("faults %v, warnings %v, said %q", faults(res), codes(res.Summary), heard.notices)
			}
		})
	}
}

// A server that dies after it has answered is told by name; one that is back by
// the end is not.
func TestEndpointDiesLate(t *testing.T) {
	for _, back := range []bool{false, true} {
		t.Run(fmt.Sprintf("back %v", back), func(t *testing.T) {
			b, other := pair(t)
			b.server.Set(faultserver.Latency(30 * time.Millisecond))
			b.deps.Retry = infer.RetryPolicy{Attempts: 50, First: 5 * time.Millisecond, Max: 10 * time.Millisecond}
			// Once the other is back, the first one answers no more until it has.
			var waits atomic.Bool
			gate := make(chan struct{})
			open := sync.OnceFunc(func() { close(gate) })
			t.Cleanup(open)
			b.server.Set(faultserver.On(tasks, faultserver.Change(func(*faultserver.Request, *faultserver.Reply) {
				if waits.Load() {
					<-gate
				}
			})))
			count := 0
			var mu sync.Mutex
			b.deps.Observer = &hook{recorded: func(tr run.Trace) {
				mu.Lock()
				defer mu.Unlock()
				switch count++; {
				case count == 6:
					other.Set(faultserver.Down(true))
				case count == 12 && back:
					waits.Store(true)
					other.Set(faultserver.Down(false))
				case count > 12 && tr.Endpoint == other.URL:
					open()
				}
			}}
			res := b.run()
			b.complete(res)
			want := []string{"endpoint_failed " + other.URL}
			if back {
				want = nil
			}
			if !slices.Equal(faults(res), want) || slices.Contains(codes(res.Summary), "endpoint_failed") == back {
				t.Errorf("faults %+v; want %v", res.Manifest.EndpointFaults, want)
			}
		})
	}
}

// A server that loses the images is found out where the preflight has counted
// the text's tokens.
func TestEndpointDropsImages(t *testing.T) {
	b, bad := pair(t, faultserver.On(tasks, faultserver.DropImage()))
	b.cfg.Preflight = true
	res := b.run()
	b.complete(res)
	if n := len(asked(bad)); n > 8 || !slices.Equal(faults(res), []string{"endpoint_out " + bad.URL}) {
		t.Errorf("%d requests at the bad server, faults %+v", n, res.Manifest.EndpointFaults)
	}
	if w := res.Summary.Warnings; !slices.ContainsFunc(w, func(w scoring.Warning) bool { return strings.Contains(w.Message, "without the image") }) {
		t.Errorf("warnings %+v", w)
	}
}

// A host that does not answer at the start takes part when it does; one that
// never does is told by name. None at all is an error, as for one.
func TestHostAwayAtStart(t *testing.T) {
	b, away := pair(t, faultserver.Down(true))
	b.server.Set(faultserver.Latency(40 * time.Millisecond))
	b.deps.Retry = infer.RetryPolicy{Attempts: 50, First: 5 * time.Millisecond, Max: 20 * time.Millisecond}
	heard := &said{}
	b.deps.Observer = heard
	time.AfterFunc(100*time.Millisecond, func() { away.Set(faultserver.Down(false)) })
	res := b.run()
	b.complete(res)
	if len(asked(away)) == 0 || len(faults(res)) != 0 || !heard.says(away.URL, "until it answers") {
		t.Errorf("%d asked at the host that came, faults %v, said %q", len(asked(away)), faults(res), heard.notices)
	}

	b, away = pair(t, faultserver.Down(true))
	b.cfg.Preflight = true
	res = b.run()
	b.complete(res)
	if !slices.Equal(faults(res), []string{"endpoint_absent " + away.URL}) || !slices.Contains(codes(res.Summary), "endpoint_absent") {
		t.Errorf("faults %v, warnings %v", faults(res), codes(res.Summary))
	}

	b, _ = pair(t, faultserver.Down(true))
	b.server.Set(faultserver.Down(true))
	b.fails(false, "no Ollama server at "+b.server.URL)
}

// A server that comes back as another version, or with another model under the
// name, gets nothing more: its answers would not belong to the run.
func TestHostComesBackChanged(t *testing.T) {
	for name, change := range map[string]faultserver.Option{
		"version": faultserver.Version("0.17.7"), "digest": faultserver.Digest(strings.Repeat("2", 64)), "model gone": faultserver.Models("other:1b"),
		"blind now": faultserver.Capabilities("completion"),
	} {
		t.Run(name, func(t *testing.T) {
			b, other := pair(t)
			b.server.Set(faultserver.Latency(30 * time.Millisecond))
			b.deps.Retry = infer.RetryPolicy{Attempts: 50, First: 5 * time.Millisecond, Max: 10 * time.Millisecond}
			var once sync.Once
			other.Set(faultserver.On(faultserver.After(2, tasks), func() faultserver.Fault {
				cut := faultserver.RunnerStopped()
				return cut
			}()))
			b.deps.Observer = &onFirst{do: func() { once.Do(func() { other.Set(change) }) }}
			res := b.run()
			b.complete(res)
			if !slices.Equal(faults(res), []string{"endpoint_out " + other.URL}) {
				t.Errorf("faults %+v", res.Manifest.EndpointFaults)
			}
		})
	}
}

// onFirst does something when an answer is recorded.
type onFirst struct {
	run.Silent
	do func()
}

func (o *onFirst) Recorded(run.Trace) { o.do() }

// Hosts may be a list, and those of the environment too.
func TestHostList(t *testing.T) {
	for _, env := range []bool{false, true} {
		b, second := pair(t)
		list := strings.Join(b.cfg.Hosts, ",")
		if b.cfg.Hosts = []string{list}; env {
			b.cfg.Hosts = nil
			b.deps.DefaultHosts = func() []string { return strings.Split(list, ",") }
		}
		res := b.run()
		b.complete(res)
		if !slices.Equal(res.Manifest.Endpoints, []string{b.server.URL, second.URL}) {
			t.Errorf("endpoints %v", res.Manifest.Endpoints)
		}
	}
}

// A model that was made at each server has another manifest at each; the user
// may say that it is one.
func TestSameContentOtherManifest(t *testing.T) {
	b, _ := pair(t, faultserver.Digest(strings.Repeat("2", 64)))
	b.fails(false, "--accept-server-change")
	b.cfg.AcceptServer = true
	res := b.run()
	b.complete(res)
	if len(res.Manifest.ServerChanges) != 0 {
		t.Errorf("changes %+v: none of the two changed", res.Manifest.ServerChanges)
	}
}

// Each server has the limit that was found for it.
func TestLimitOfEach(t *testing.T) {
	atBest(t, func() string {
		// Long beside what the client needs on a busy machine; of this check only.
		asked := func(r *faultserver.Request) bool { n, _ := r.Option("num_predict"); return n == 12 }
		served := faultserver.On(asked, faultserver.Delay(150*time.Millisecond))
		b, serial := pair(t, faultserver.Serialise(), served)
		b.server.Set(faultserver.Slots(4), served)
		b.cfg.Preflight, b.cfg.Parallel = true, run.AutoParallel
		res := b.run()
		b.complete(res)
		limits := res.Manifest.Limits
		if limits[serial.URL] != 2 || limits[b.server.URL] < 4 || limits[b.server.URL] > 6 || res.Manifest.Parallel != 2 {
			return fmt.Sprintf("limits %v, %d in all", limits, res.Manifest.Parallel)
		}
		return ""
	})
}

// A run on two servers of which one is dead can be stopped at any moment.
func TestCancelWithDeadEndpoint(t *testing.T) {
	for _, after := range []time.Duration{0, 5 * time.Millisecond, 20 * time.Millisecond} {
		b, _ := pair(t, faultserver.On(tasks, faultserver.Hang()))
		b.server.Set(faultserver.Latency(20 * time.Millisecond))
		ctx, cancel := context.WithTimeout(t.Context(), after)
		_, err := b.try(ctx, false)
		cancel()
		if !errors.Is(err, run.ErrInterrupted) || len(b.errorLines()) != 0 {
			t.Errorf("after %v: %v, %d errors recorded", after, err, len(b.errorLines()))
		}
	}
}
