package run_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"candor/harness/claim"
	"candor/harness/run"
	"candor/infer"
	"candor/infer/ollama/faultserver"
	"candor/scoring"
)

// Tasks that the server never answers are errors: never scored, out of the
// latencies, and asked again on resume, where the journal of attempts stays.
func TestErrorsApart(t *testing.T) {
	sick := &atomic.Bool{}
	sick.Store(true)
	b := newBench(t)
	healthy := figures(t, b.run().Summary)
	b = b.onServer(t, faultserver.On(func(r *faultserver.Request) bool {
		return sick.Load() && about("boat")(r)
	}, faultserver.Status(500, "boom")))
	b.cfg.Parallel = "1"
	res := b.run()
	s := res.Summary
	if s.Errors != pictures || s.N != pictures*(perImage-1) || s.Complete || !slices.Contains(codes(s), scoring.WarnIncomplete) {
		t.Fatalf("n %d, errors %d, complete %v, warnings %v", s.N, s.Errors, s.Complete, codes(s))
	}
	var latencies []float64
	correct := 0
	for _, tr := range b.traces() {
		if strings.Contains(tr.Claim, "boat") {
			t.Errorf("%s is recorded as %s", tr.TaskID, tr.Outcome)
		}
		latencies = append(latencies, tr.Durations.Total)
		correct += tr.Correct
	}
	slices.Sort(latencies)
	for name, q := range map[string]float64{"p50": .5, "p90": .9, "p99": .99} {
		if want := latencies[int(math.Ceil(q*float64(len(latencies))))-1]; s.Throughput.LatencySeconds[name] != want {
			t.Errorf("%s is %v, of the answered ones %v", name, s.Throughput.LatencySeconds[name], want)
		}
	}
	if want := float64(correct) / float64(s.Answered); *s.Accuracy != want {
		t.Errorf("accuracy %v, of the answered ones %v", *s.Accuracy, want)
	}
	lines := b.errorLines()
	if len(lines) != pictures {
		t.Fatalf("%d errors are recorded", len(lines))
	}
	for _, e := range lines {
		if len(e.Attempts) != quick.Attempts || e.Class != infer.ClassRetry || e.Attempts[0].Status != 500 || e.Endpoint != b.server.URL || e.At.IsZero() {
			t.Errorf("%+v", e)
		}
	}
	sick.Store(false)
	before := len(b.server.Requests())
	res = b.resume()
	b.complete(res)
	if n := len(b.server.Requests()) - before; n != pictures {
		t.Errorf("resuming %d failed tasks took %d requests", pictures, n)
	}
	if got := figures(t, res.Summary); got != healthy {
		t.Errorf("after the errors were mended\n%s\nwithout errors\n%s", got, healthy)
	}
	if len(b.errorLines()) != pictures {
		t.Error("the errors' record is gone")
	}
}

// A server that dies stops the run after a few tasks; the run goes on when the
// server is back.
func TestDeadServer(t *testing.T) {
	for name, fault := range map[string]faultserver.Fault{"no connection": faultserver.CutBefore(), "500": faultserver.RunnerStopped(), "503": faultserver.Busy()} {
		t.Run(name, func(t *testing.T) {
			dead := &atomic.Bool{}
			dead.Store(true)
			b := newBench(t, faultserver.On(faultserver.After(7, func(r *faultserver.Request) bool { return tasks(r) && dead.Load() }), fault))
			b.cfg.Parallel = "1"
			res, err := b.try(t.Context(), false)
			if err == nil || errors.Is(err, run.ErrInterrupted) || res.Manifest.State != run.Failed || !strings.Contains(err.Error(), "no working server") {
				t.Fatalf("state %s, %v", res.Manifest.State, err)
			}
			s := res.Summary
			if s.N != 7 || s.Errors != 3 || s.Complete || !slices.Contains(codes(s), "partial") {
				t.Errorf("n %d, errors %d, warnings %v", s.N, s.Errors, codes(s))
			}
			if n := len(asked(b.server)); n > 7+4*quick.Attempts {
				t.Errorf("%d requests", n)
			}
			dead.Store(false)
			b.complete(b.resume())
		})
	}
}

// A run of which nothing is missing needs no server to be shown again; one that
// lacks something is told that there is none, and stays as it is.
func TestServerGone(t *testing.T) {
	b := newBench(t)
	was := b.run()
	b.cfg.Hosts = []string{"http://127.0.0.1:1"}
	if again := b.resume(); *again.Summary.Accuracy != *was.Summary.Accuracy || again.Manifest.Model.Digest != was.Manifest.Model.Digest {
		t.Errorf("shown again without a server: accuracy %v of %s; want %v of %s",
			*again.Summary.Accuracy, again.Manifest.Model.Digest, *was.Summary.Accuracy, was.Manifest.Model.Digest)
	}
	name := filepath.Join(b.dir, run.TracesFile)
	all, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, all[:bytes.LastIndexByte(all[:len(all)-1], '\n')+1], 0o644); err != nil {
		t.Fatal(err)
	}
	b.fails(true, "no Ollama server")
	if m, err := run.LoadManifest(b.dir); err != nil || m.State != run.Finished {
		t.Errorf("looking for a server changed the run: %v, %v", m.State, err)
	}
}

// An image that brings the engine down costs its own claims and no others: the
// run reaches its end, though its tasks stand side by side.
func TestImageThatKills(t *testing.T) {
	b := newBench(t)
	b.cfg.Parallel = "1"
	p, err := run.NewPlan(t.Context(), b.cfg, claim.Loader{})
	if err != nil {
		t.Fatal(err)
	}
	killer := p.Tasks[perImage*2].ImageSource
	bad := map[int64]bool{}
	for _, task := range p.Tasks {
		if task.ImageSource == killer {
			bad[int64(task.Seed)] = true
		}
	}
	b.server.Set(faultserver.On(func(r *faultserver.Request) bool { return bad[r.Seed()] }, faultserver.RunnerStopped()))
	res := b.run()
	if s := res.Summary; s.Errors != perImage || s.N != (pictures-1)*perImage || s.Complete {
		t.Errorf("n %d, errors %d, complete %v", s.N, s.Errors, s.Complete)
	}
}

// Tasks in error are known as such to a run that is taken up again and stopped
// before it asks them.
func TestErrorsOutliveInterruption(t *testing.T) {
	b := newBench(t, faultserver.On(about("boat"), faultserver.Status(500, "boom")))
	b.cfg.Parallel = "1"
	b.run()
	stop := make(chan struct{})
	close(stop)
	b.deps.Stop = stop
	res, err := b.try(t.Context(), true)
	if !errors.Is(err, run.ErrInterrupted) {
		t.Fatal(err)
	}
	b.deps.Stop = watchStarted(b, func() {}) // interrupted after it has begun
	if res, err = b.try(t.Context(), true); !errors.Is(err, run.ErrInterrupted) {
		t.Fatal(err)
	}
	if s := res.Summary; s.Errors != pictures || s.N != pictures*(perImage-1) || s.Complete || slices.Contains(codes(s), "partial") {
		t.Errorf("n %d, errors %d, complete %v, warnings %v", s.N, s.Errors, s.Complete, codes(s))
	}
}

// watchStarted gives a stop channel that closes when asking begins.
func watchStarted(b *bench, then func()) <-chan struct{} {
	stop := make(chan struct{})
	b.deps.Observer = &hook{started: func() { then(); close(stop) }}
	return stop
}

// hook calls what is set.
type hook struct {
	run.Silent
	started  func()
	recorded func(run.Trace)
	failed   func(run.TaskError)
}

func (h *hook) Started(int, int) {
	if h.started != nil {
		h.started()
	}
}

func (h *hook) Recorded(t run.Trace) {
	if h.recorded != nil {
		h.recorded(t)
	}
}

func (h *hook) Failed(e run.TaskError) {
	if h.failed != nil {
		h.failed(e)
	}
}

// A line of errors.jsonl torn by a crash does not run into the next one.
func TestTornErrorLine(t *testing.T) {
	b := newBench(t, faultserver.On(about("boat"), faultserver.Status(500, "boom")))
	b.cfg.Parallel = "1"
	b.run()
	name := filepath.Join(b.dir, run.ErrorsFile)
	whole := read(t, name)
	for _, cut := range []int{1, 40, 200} {
		if err := os.WriteFile(name, whole[:len(whole)-cut], 0o644); err != nil {
			t.Fatal(err)
		}
		res := b.must(true)
		if res.Summary.Errors != pictures {
			t.Errorf("%d errors", res.Summary.Errors)
		}
		if n := len(b.errorLines()); n < pictures {
			t.Errorf("cut by %d: %d whole lines", cut, n)
		}
	}
	write(t, name, []byte("nonsense\n"))
	b.fails(true, fmt.Sprintf("%s:1", name))
}

// Latency is the server's own account of answered requests, throughput that of
// the sessions.
func TestThroughput(t *testing.T) {
	b := newBench(t, faultserver.Latency(2*time.Millisecond))
	th := b.run().Summary.Throughput
	if th.LatencySeconds["p50"] < .002 || th.Seconds <= 0 || th.TasksPerSecond == nil || *th.TasksPerSecond <= 0 || th.DistinctImages != pictures || th.PromptTokens == 0 {
		t.Errorf("%+v", th)
	}
}
