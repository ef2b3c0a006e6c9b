package run_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"candor/harness/run"
	"candor/infer/ollama/faultserver"
)

const (
	sharing  = pictures * 6 // tasks of a sharing bench
	distinct = pictures * 5 // what they ask
)

// sharingBench has two splits over the same images: of three claims about each
// in a split two are in both, one of them spelt otherwise there. A claim that
// both have in the same words is labelled otherwise in the second.
func sharingBench(t *testing.T, opts ...faultserver.Option) *bench {
	t.Helper()
	b := newBench(t, opts...)
	_, images := writeData(t)
	var files []string
	for s, split := range []string{"random", "popular"} {
		var rows strings.Builder
		for i := range pictures {
			for k, question := range [][]string{
				{"Is there a dog in the image?", "Is there an owl in the image?", "Is there a chair in the image?"},
				{"Is there a dog in the image?", "Is there an owl in the imange?", "Is there a boat in the image?"},
			}[s] {
				fmt.Fprintf(&rows, `{"question_id": %d, "image": "picture%02d.png", "text": %q, "label": %q}`+"\n", 10*i+k, i, question, []string{"yes", "no"}[(i+k+s)%2])
			}
		}
		file := filepath.Join(t.TempDir(), "coco_pope_"+split+".json")
		write(t, file, []byte(rows.String()))
		files = append(files, file)
	}
	b.cfg.Dataset, b.cfg.Images, b.cfg.Split, b.cfg.Profile = strings.Join(files, ","), images, "all", "greedy"
	b.cfg.Bootstrap = 0
	return b
}

// sums are the figures of a run whose tasks may share answers.
func (b *bench) shared(res run.Result) string {
	b.t.Helper()
	seen := map[string]int{}
	for _, tr := range b.traces() {
		seen[tr.TaskID]++
	}
	if len(seen) != sharing || res.Summary.N != sharing || !res.Summary.Complete {
		b.t.Errorf("%d tasks recorded, n %d, complete %v", len(seen), res.Summary.N, res.Summary.Complete)
	}
	return figures(b.t, res.Summary)
}

// Under greedy decoding equal tasks are asked once; each is recorded, paid by
// its own label, and marked. What is spelt otherwise is another task.
func TestEqualTasks(t *testing.T) {
	b := sharingBench(t, faultserver.AbstainEvery(7), faultserver.MalformedEvery(9))
	res := b.run()
	b.shared(res)
	if n := len(asked(b.server)); n != distinct {
		t.Errorf("%d requests for %d distinct tasks", n, distinct)
	}
	of, cached := map[string]run.Trace{}, 0
	for _, tr := range b.traces() {
		of[tr.TaskID] = tr
		if !tr.Cached {
			if tr.SameAs != "" || tr.Attempts == 0 || tr.PromptTokens == 0 {
				t.Errorf("asked, but %+v", tr)
			}
			continue
		}
		cached++
		from, known := of[tr.SameAs] // it stands before
		if !known || from.Cached || from.ImageSource != tr.ImageSource || from.Claim != tr.Claim || from.Text != tr.Text || from.Split == tr.Split {
			t.Errorf("%s as %s: %+v", tr.TaskID, tr.SameAs, from)
		}
		if tr.Attempts != 0 || tr.PromptTokens != 0 || tr.OutputTokens != 0 || tr.Durations != (run.TraceDurations{}) || tr.Outcome != from.Outcome || tr.Answered != from.Answered {
			t.Errorf("taken over, but %+v", tr)
		}
		if from.Label == tr.Label || tr.Answered == 1 && from.Correct == tr.Correct {
			t.Errorf("%s is labelled %s and correct %d, %s is %s and %d", tr.TaskID, tr.Label, tr.Correct, from.TaskID, from.Label, from.Correct)
		}
	}
	if th := res.Summary.Throughput; cached != sharing-distinct || th.Cached != cached || res.Manifest.Sessions[0].Tasks != distinct {
		t.Errorf("%d taken over; %+v, %+v", cached, th, res.Manifest.Sessions)
	}
	p, err := run.DryRun(t.Context(), b.cfg, b.deps)
	if err != nil || p.Requests() != distinct {
		t.Errorf("planned %d requests, %v", p.Requests(), err)
	}
}

// Under sampling every task is a draw of its own.
func TestEqualTasksSampled(t *testing.T) {
	b := sharingBench(t)
	b.cfg.Temperature = new(.1)
	res := b.run()
	b.shared(res)
	if n := len(asked(b.server)); n != sharing || res.Summary.Throughput.Cached != 0 {
		t.Errorf("%d requests for %d tasks, %d taken over", n, sharing, res.Summary.Throughput.Cached)
	}
	for _, tr := range b.traces() {
		if tr.Cached || tr.SameAs != "" {
			t.Errorf("%+v", tr)
		}
	}
}

// Killed after any line, between a task and its equal too, a run goes on
// without asking anything again that has an answer.
func TestEqualTasksKilled(t *testing.T) {
	b := sharingBench(t, faultserver.AbstainEvery(7))
	b.cfg.Parallel = "1"
	want := b.shared(b.run())
	name := filepath.Join(b.dir, run.TracesFile)
	lines := bytes.SplitAfter(bytes.TrimSuffix(read(t, name), []byte("\n")), []byte("\n"))
	traces := b.traces()
	whole := answers(t, traces)
	for kept := range lines {
		write(t, name, bytes.Join(lines[:kept], nil))
		left := distinct
		for _, tr := range traces[:kept] {
			if !tr.Cached {
				left--
			}
		}
		before := len(asked(b.server))
		if got := b.shared(b.resume()); got != want {
			t.Fatalf("after %d lines\n%s\nunbroken\n%s", kept, got, want)
		}
		if n := len(asked(b.server)) - before; n != left {
			t.Errorf("after %d lines %d requests; %d tasks have no answer", kept, n, left)
		}
		if got := answers(t, b.traces()); got != whole {
			t.Errorf("after %d lines\n%s\nunbroken\n%s", kept, got, whole)
		}
	}
}

// Given up at random moments, again and again, it ends as an unbroken one does.
func TestEqualTasksCancelled(t *testing.T) {
	b := sharingBench(t, faultserver.AbstainEvery(7))
	want := b.shared(b.run())
	random := rand.New(rand.NewPCG(3, 4))
	for round := range 4 {
		b := b.onServer(t, faultserver.AbstainEvery(7), faultserver.Latency(300*time.Microsecond))
		b.cfg.Parallel = fmt.Sprint(1 + round)
		for kills := 0; ; kills++ {
			ctx, cancel := context.WithTimeout(t.Context(), killTime(random))
			b.deps.Observer = &hook{recorded: killAfter(random, cancel)}
			res, err := b.try(ctx, kills > 0 && hasRun(b))
			cancel()
			if err == nil {
				if got := b.shared(res); got != want {
					t.Errorf("after %d kills\n%s\nunbroken\n%s", kills, got, want)
				}
				break
			}
			if !errors.Is(err, run.ErrInterrupted) {
				t.Fatal(err)
			}
		}
	}
}

// A task that gets no answer gives none to its equal: both are in error, and
// asked once more, together, on resume.
func TestEqualTasksInError(t *testing.T) {
	b := sharingBench(t)
	b.server.Set(faultserver.On(about("dog"), faultserver.Status(500, "failed to process inputs: image: unknown format")))
	b.cfg.Parallel = "1"
	res, err := b.try(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	if res.Summary.Errors != 2*pictures || res.Summary.N != sharing-2*pictures {
		t.Errorf("%d errors, n %d", res.Summary.Errors, res.Summary.N)
	}
	named := 0
	for _, e := range b.errorLines() {
		if strings.HasPrefix(e.Error, "as ") && strings.Contains(e.Error, ", which asks the same: ") {
			named++
		}
	}
	if named != pictures {
		t.Errorf("%d errors name the task that was asked", named)
	}
	healthy := b.onServer(t)
	healthy.dir = b.dir
	healthy.shared(healthy.resume())
	if n := len(asked(healthy.server)); n != pictures {
		t.Errorf("%d requests on resume; want %d", n, pictures)
	}
}

// Each row is a change to a line that was taken over, or to one that was not,
// that cannot be.
func TestEqualTasksDamaged(t *testing.T) {
	b := sharingBench(t)
	b.run()
	name := filepath.Join(b.dir, run.TracesFile)
	whole := read(t, name)
	lines := bytes.SplitAfter(whole, []byte("\n"))
	at := slices.IndexFunc(lines, func(l []byte) bool { return bytes.Contains(l, []byte(`"same_as"`)) })
	asked := slices.IndexFunc(lines, func(l []byte) bool { return bytes.Contains(l, []byte(`"cached":false`)) })
	tr := b.traces()[at]
	other := ""
	for _, o := range b.traces() {
		if o.ImageSource != tr.ImageSource {
			other = o.TaskID
		}
	}
	for what, change := range map[string]struct {
		line     int
		old, new string
		want     string
	}{
		"of another image":  {at, tr.SameAs, other, "which does not ask the same"},
		"of itself":         {at, `"same_as":"` + tr.SameAs, `"same_as":"` + tr.TaskID, "which does not ask the same"},
		"of nobody":         {at, `,"same_as":"` + tr.SameAs + `"`, "", "cached is true, but same_as"},
		"asked, but marked": {asked, `"cached":false`, `"cached":false,"same_as":"` + other + `"`, "cached is false, but same_as"},
	} {
		changed := slices.Clone(lines)
		changed[change.line] = bytes.Replace(lines[change.line], []byte(change.old), []byte(change.new), 1)
		write(t, name, bytes.Join(changed, nil))
		err := b.fails(true, change.want)
		if t.Failed() {
			t.Fatalf("%s: %v", what, err)
		}
	}
	write(t, name, whole)
	b.cfg.Temperature = new(.5)
	b.fails(true, "options: temperature was 0, is 0.5")
}
