package run_test

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"candor/harness/run"
	"candor/infer"
	"candor/infer/ollama/faultserver"
)

// preflights matches what the preflight asks: no verdict.
var preflights = faultserver.Not(tasks)

// One of two servers that fails under its preflight neither ends the run nor
// holds it up: what a person must mend is put aside, what may pass is waited
// for no longer than the other takes.
func TestPreflightOfOneFails(t *testing.T) {
	tests := []struct {
		name  string
		fault faultserver.Fault
		code  string
		says  string
	}{
		{"model missing", faultserver.ModelMissing(), "endpoint_out", "ollama pull"},
		{"login", faultserver.Status(401, "unauthorized"), "endpoint_out", "wants a login"},
		{"bad request", faultserver.Status(400, "what is this"), "endpoint_out", "what is this"},
		// The pause after the first failure is a minute: the run is done before.
		{"cuts every reply", faultserver.CutMiddle(), "endpoint_absent", "cut off"},
		{"busy", faultserver.Busy(), "endpoint_absent", "busy"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b, bad := pair(t, faultserver.On(preflights, tt.fault))
			b.cfg.Hosts[0], b.cfg.Hosts[1] = b.cfg.Hosts[1], b.cfg.Hosts[0] // the bad one is the first to be questioned
			b.cfg.Preflight = true
			heard := &said{}
			b.deps.Observer, b.deps.Retry = heard, infer.RetryPolicy{Attempts: 7, First: time.Minute, Max: time.Minute}
			res := b.run()
			b.complete(res)
			if !slices.Equal(faults(res), []string{tt.code + " " + bad.URL}) || !slices.Contains(codes(res.Summary), tt.code) || !heard.says(bad.URL, tt.says) {
				t.Errorf("faults %+v, warnings %v, said %q", res.Manifest.EndpointFaults, codes(res.Summary), heard.notices)
			}
			if len(asked(bad)) != 0 || !slices.Equal(res.Manifest.Questioned, []string{b.server.URL}) {
				t.Errorf("%d tasks asked at the server that failed; questioned %v", len(asked(bad)), res.Manifest.Questioned)
			}
		})
	}
}

// Where all fail, the error is the one that tells what to do, with the others.
func TestPreflightOfAllFails(t *testing.T) {
	b, missing := pair(t, faultserver.On(preflights, faultserver.ModelMissing()))
	b.server.Set(faultserver.On(preflights, faultserver.Busy()))
	b.cfg.Preflight = true
	err := b.fails(false, missing.URL, "ollama pull", b.server.URL, "busy")
	var f *infer.Failure
	if !errors.As(err, &f) || f.Class != infer.ClassFatal {
		t.Errorf("error %v", err)
	}
	if len(asked(b.server))+len(asked(missing)) != 0 {
		t.Error("tasks were asked")
	}
}

// gated is a pair whose healthy server answers a few tasks and no more until
// open is called, so that the other one has all the time that it needs; that
// one is busy when its preflight begins.
func gated(t *testing.T, opts func(open func()) []faultserver.Option) (b *bench, late *faultserver.Server, open func()) {
	t.Helper()
	gate := make(chan struct{})
	open = sync.OnceFunc(func() { close(gate) })
	t.Cleanup(open)
	b, late = pair(t, append([]faultserver.Option{faultserver.On(faultserver.First(3, preflights), faultserver.Busy())}, opts(open)...)...)
	b.server.Set(faultserver.On(faultserver.After(4, tasks), faultserver.Change(func(*faultserver.Request, *faultserver.Reply) { <-gate })))
	b.cfg.Preflight = true
	b.deps.Retry = infer.RetryPolicy{Attempts: 2, First: 2 * time.Millisecond, Max: 5 * time.Millisecond}
	return b, late, open
}

// A server whose preflight fails at first is questioned again while the others
// work, and takes part when it has passed.
func TestPreflightLater(t *testing.T) {
	b, late, _ := gated(t, func(open func()) []faultserver.Option {
		return []faultserver.Option{faultserver.On(tasks, faultserver.Change(func(*faultserver.Request, *faultserver.Reply) { open() }))}
	})
	b.cfg.Parallel = "1"
	res := b.run()
	b.complete(res)
	if len(asked(late)) == 0 || len(faults(res)) != 0 || !slices.Contains(res.Manifest.Questioned, late.URL) {
		t.Errorf("%d tasks asked at the late server, faults %+v, questioned %v", len(asked(late)), res.Manifest.EndpointFaults, res.Manifest.Questioned)
	}
}

// A server that comes late and changes its answers under several requests is
// put aside like one that was there.
func TestPreflightLaterRefuses(t *testing.T) {
	b, late, open := gated(t, func(func()) []faultserver.Option {
		return []faultserver.Option{
			faultserver.On(func(r *faultserver.Request) bool { return r.InFlight > 1 && r.Logprobs },
				faultserver.Change(func(_ *faultserver.Request, rep *faultserver.Reply) { rep.Text += " mixed" })),
			faultserver.Latency(20 * time.Millisecond),
		}
	})
	b.cfg.Parallel = "2"
	b.deps.Observer = opener{words: late.URL + ": gets no more tasks", open: open}
	res := b.run()
	b.complete(res)
	if len(asked(late)) != 0 || !slices.Equal(faults(res), []string{"endpoint_out " + late.URL}) {
		t.Errorf("%d tasks asked at the late server, faults %+v", len(asked(late)), res.Manifest.EndpointFaults)
	}
}

// opener opens when it hears certain words.
type opener struct {
	run.Silent
	words string
	open  func()
}

func (o opener) Notice(text string) {
	if strings.HasPrefix(text, o.words) {
		o.open()
	}
}
