package run_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"candor/harness/claim"
	"candor/harness/run"
	"candor/infer/ollama/faultserver"
	"candor/scoring"
)

// Killed while writing a line, wherever the line was torn, a run goes on
// without loss or duplicate to the totals of an unbroken one.
func TestTornLine(t *testing.T) {
	b := newBench(t)
	b.cfg.Parallel, b.cfg.Bootstrap, b.cfg.NumTasks = "1", 0, 3
	want := figures(t, b.run().Summary)
	name := filepath.Join(b.dir, run.TracesFile)
	whole := read(t, name)
	last := bytes.LastIndexByte(whole[:len(whole)-1], '\n') + 1
	for cut := last; cut <= len(whole); cut++ { // TestJournalTorn has every byte between
		if inside := cut - last; inside > 3 && cut < len(whole)-3 && inside%61 != 0 {
			continue
		}
		write(t, name, whole[:cut])
		before := len(b.server.Requests())
		res := b.resume()
		if got := read(t, name); bytes.Count(got, []byte("\n")) != 3 || !bytes.HasPrefix(got, whole[:last]) {
			t.Fatalf("cut at %d of %d: the journal is\n%s", cut-last, len(whole)-last, got[last:])
		}
		asked := 1
		if cut >= len(whole)-1 { // the line is whole, with or without its end
			asked = 0
		}
		if n := len(b.server.Requests()) - before; n != asked {
			t.Fatalf("cut at %d: %d requests", cut-last, n)
		}
		if got := figures(t, res.Summary); got != want {
			t.Fatalf("cut at %d: the summary is\n%s\nunbroken\n%s", cut-last, got, want)
		}
	}
}

// A tail of other rubbish, as file systems leave it, is no answer either.
func TestTornOtherwise(t *testing.T) {
	b := newBench(t)
	b.cfg.Bootstrap = 0
	b.run()
	name := filepath.Join(b.dir, run.TracesFile)
	whole := read(t, name)
	for _, tail := range []string{"\x00\x00\x00\x00", "{", `{"task_id": "adversarial/1"`, "\xff\xfe", "nul", "{}}\n"} {
		write(t, name, append(slices.Clone(whole), tail...))
		b.complete(b.resume())
	}
}

// A journal that somebody changed is refused, naming the line: nothing is
// guessed from it and nothing is lost.
func TestDamagedJournal(t *testing.T) {
	b := newBench(t)
	b.run()
	name := filepath.Join(b.dir, run.TracesFile)
	whole := read(t, name)
	lines := bytes.SplitAfter(whole, []byte("\n"))
	for what, tt := range map[string]struct {
		data []byte
		want string
	}{
		"torn inside":  {slices.Concat(lines[0], lines[1][:40], []byte("\n"), bytes.Join(lines[2:], nil)), ":2: not a trace"},
		"glued":        {slices.Concat(lines[0][:40], bytes.Join(lines[1:], nil)), ":1: not a trace"},
		"line twice":   {slices.Concat(whole, lines[3]), ":25: task"},
		"foreign task": {slices.Concat(lines[0], bytes.Replace(lines[1], []byte(`"task_id":"adversarial/`), []byte(`"task_id":"random/`), 1)), ":2: task"},
		"blank line":   {slices.Concat(lines[0], []byte("\n"), bytes.Join(lines[1:], nil)), ":2: not a trace"},
	} {
		write(t, name, tt.data)
		before := len(b.server.Requests())
		b.fails(true, tt.want)
		if len(b.server.Requests()) != before {
			t.Errorf("%s: it asked", what)
		}
		if !bytes.Equal(read(t, name), tt.data) {
			t.Errorf("%s: the file was changed", what)
		}
	}
}

// Given up at random moments, again and again, a run ends as an unbroken one
// does, and what was recorded is never asked again.
func TestCancelledAtRandom(t *testing.T) {
	b := newBench(t, faultserver.AbstainEvery(5), faultserver.MalformedEvery(9))
	b.cfg.Bootstrap = 20
	want := figures(t, b.run().Summary)
	seeds := seedsOf(t, b)
	random := rand.New(rand.NewPCG(1, 2))
	for round := range 8 {
		b := b.onServer(t, faultserver.AbstainEvery(5), faultserver.MalformedEvery(9), faultserver.Latency(300*time.Microsecond))
		b.cfg.Parallel = fmt.Sprint(1 + round%4)
		recorded := map[int64]int{} // seed → requests when its trace was on disk
		for kills := 0; ; kills++ {
			for _, tr := range journalOf(b, kills > 0) {
				p := seeds[tr.TaskID]
				if _, ok := recorded[p]; !ok {
					recorded[p] = requestsFor(b, p)
				}
			}
			ctx, cancel := context.WithTimeout(t.Context(), killTime(random))
			b.deps.Observer = &hook{recorded: killAfter(random, cancel)}
			res, err := b.try(ctx, kills > 0 && hasRun(b))
			cancel()
			if err == nil {
				b.complete(res)
				if got := figures(t, res.Summary); got != want {
					t.Errorf("after %d kills\n%s\nunbroken\n%s", kills, got, want)
				}
				break
			}
			if !errors.Is(err, run.ErrInterrupted) {
				t.Fatalf("after %d kills: %v", kills, err)
			}
			if kills > 300 {
				t.Fatal("it never ends")
			}
		}
		for seed, n := range recorded {
			if got := requestsFor(b, seed); got != n {
				t.Errorf("a recorded task was asked again: %d requests, then %d", n, got)
			}
		}
		if lines := b.errorLines(); len(lines) != 0 {
			t.Errorf("giving up counts as an error: %+v", lines)
		}
	}
}

// killTime is a moment of the first milliseconds, or one that never comes.
func killTime(random *rand.Rand) time.Duration {
	if random.IntN(3) == 0 {
		return time.Duration(random.IntN(20_000)) * time.Microsecond
	}
	return time.Minute
}

// killAfter ends a run within the millisecond after one of its next traces.
func killAfter(random *rand.Rand, cancel func()) func(run.Trace) {
	left, delay := &atomic.Int32{}, time.Duration(random.IntN(1000))*time.Microsecond
	left.Store(1 + random.Int32N(6))
	return func(run.Trace) {
		if left.Add(-1) == 0 {
			time.AfterFunc(delay, cancel)
		}
	}
}

func hasRun(b *bench) bool { _, err := run.LoadManifest(b.dir); return err == nil }

func journalOf(b *bench, any bool) []run.Trace {
	if !any {
		return nil
	}
	traces, _ := run.ReadTraces(b.dir) // none before the directory is there
	return traces
}

func seedsOf(t *testing.T, b *bench) map[string]int64 {
	t.Helper()
	p, err := run.NewPlan(t.Context(), b.cfg, claim.Loader{})
	if err != nil {
		t.Fatal(err)
	}
	seeds := map[string]int64{}
	for _, task := range p.Tasks {
		seeds[task.ID] = int64(task.Seed)
	}
	return seeds
}

func requestsFor(b *bench, seed int64) int {
	n := 0
	for _, r := range asked(b.server) {
		if r.Seed() == seed {
			n++
		}
	}
	return n
}

// Stopped in good order, a run records what is in flight, asks nothing more,
// and says that its figures are over a part.
func TestStop(t *testing.T) {
	for _, parallel := range []string{"1", "3"} {
		b := newBench(t, faultserver.Latency(time.Millisecond))
		b.cfg.Parallel = parallel
		stop := make(chan struct{})
		var n, sent atomic.Int32
		b.deps.Stop = stop
		b.deps.Observer = &hook{recorded: func(run.Trace) {
			if n.Add(1) == 6 {
				close(stop) // first: what another task may still send was under way
				sent.Store(int32(len(asked(b.server))))
			}
		}}
		res, err := b.try(t.Context(), false)
		if !errors.Is(err, run.ErrInterrupted) || res.Manifest.State != run.Interrupted {
			t.Fatalf("state %s, %v", res.Manifest.State, err)
		}
		requests, traces := len(asked(b.server)), len(b.traces())
		if requests != traces {
			t.Errorf("%d requests, %d traces: an answer in flight was lost", requests, traces)
		}
		if most := int(sent.Load()) + 2; requests > most {
			t.Errorf("%d requests, %d when it was stopped", requests, sent.Load())
		}
		s := res.Summary
		if s.N != traces || s.Complete || s.Errors != 0 || !slices.ContainsFunc(s.Warnings, func(w scoring.Warning) bool {
			return w.Code == "partial" && bytes.Contains([]byte(w.Message), fmt.Appendf(nil, "PARTIAL: %d of %d", traces, pictures*perImage))
		}) {
			t.Errorf("n %d, complete %v, %v", s.N, s.Complete, s.Warnings)
		}
		b.deps.Stop, b.deps.Observer = nil, nil
		res = b.resume()
		b.complete(res)
		if len(asked(b.server)) != pictures*perImage {
			t.Errorf("%d requests in all", len(asked(b.server)))
		}
		if slices.Contains(codes(res.Summary), "partial") || len(res.Manifest.Sessions) != 2 {
			t.Errorf("warnings %v, %d sessions", codes(res.Summary), len(res.Manifest.Sessions))
		}
	}
}

// Stopped during the preflight, a run has asked no task and can be taken up.
func TestStopInPreflight(t *testing.T) {
	stop := make(chan struct{})
	b := newBench(t)
	b.server.Set(faultserver.On(faultserver.Nth(nil, 4), faultserver.Change(func(*faultserver.Request, *faultserver.Reply) { close(stop) })))
	b.cfg.Preflight, b.deps.Stop = true, stop
	res, err := b.try(t.Context(), false)
	if !errors.Is(err, run.ErrInterrupted) || res.Manifest.State != run.Interrupted || len(asked(b.server)) != 0 {
		t.Fatalf("state %s, %v, %d tasks asked", res.Manifest.State, err, len(asked(b.server)))
	}
	b.deps.Stop = nil
	b.complete(b.resume())
}

// A run of which nothing is missing is summed up again and asks nothing, and
// its record of the server that answered stays.
func TestResumeFinished(t *testing.T) {
	b := newBench(t)
	first := b.run()
	removed := filepath.Join(b.dir, run.SummaryFile)
	if err := removeAll(b.dir, run.SummaryFile); err != nil {
		t.Fatal(err)
	}
	b.server.Set(faultserver.Version("0.99.0"))
	b.cfg.AcceptServer = true
	second := b.resume()
	if figures(t, first.Summary) != figures(t, second.Summary) {
		t.Error("another summary")
	}
	if second.Manifest.Model.ServerVersion != "0.24.0" || len(second.Manifest.ServerChanges) != 0 {
		t.Errorf("a server that was not asked is in the manifest: %+v", second.Manifest.ServerChanges)
	}
	read(t, removed)
	if len(asked(b.server)) != pictures*perImage {
		t.Error("it asked")
	}
}
