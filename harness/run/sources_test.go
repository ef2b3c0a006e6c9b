package run_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"candor/harness/claim"
	"candor/harness/run"
	"candor/infer/ollama/faultserver"
	"candor/scoring"
)

// withSources is a bench of all three sources, the stated one first.
func withSources(t *testing.T, opts ...faultserver.Option) *bench {
	t.Helper()
	b := newBench(t, opts...)
	b.cfg.Confidence = []string{"verbal", "logprob", "consistency:3"}
	return b
}

const drawsEach = 4 // the scored one and three further

// Each row is what was asked for, and what is said of it before any work.
func TestSourcesRefused(t *testing.T) {
	for _, row := range []struct {
		confidence []string
		change     func(*run.Config)
		want       string
	}{
		{nil, nil, "no source"},
		{[]string{"verbal", "verbal"}, nil, "twice"},
		{[]string{"vibes"}, nil, `"vibes" is not one of`},
		{[]string{"Verbal"}, nil, `"Verbal" is not one of`},
		{[]string{"consistency"}, nil, "how many"},
		{[]string{"consistency:0"}, nil, "how many"},
		{[]string{"consistency:-1"}, nil, "how many"},
		{[]string{"consistency:05"}, nil, "how many"},
		{[]string{"consistency:5.0"}, nil, "how many"},
		{[]string{"consistency:1001"}, nil, "how many"},
		{[]string{"consistency:3", "consistency:5"}, nil, "enough"},
		{[]string{"verbal", "consistency:3"}, func(c *run.Config) { c.Temperature = new(0.0) }, "temperature 0"},
		{[]string{"consistency:3"}, func(c *run.Config) { c.TopK = new(1) }, "top_k 1"},
	} {
		cfg := run.DefaultConfig()
		cfg.Model, cfg.Confidence = "m", row.confidence
		if row.change != nil {
			row.change(&cfg)
		}
		err := cfg.Validate()
		if err == nil || !errors.As(err, new(*run.UsageError)) || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%v: %v; want %q", row.confidence, err, row.want)
		}
	}
	cfg := run.DefaultConfig()
	cfg.Model, cfg.Confidence, cfg.Temperature = "m", []string{"logprob", "verbal"}, new(0.0)
	if err := cfg.Validate(); err != nil {
		t.Errorf("log-probabilities at temperature 0: %v", err)
	}
}

// All sources in one pass: one request a draw, its own seed each, alternatives
// for the scored one only; each figure follows from what the draws said.
func TestSources(t *testing.T) {
	b := withSources(t, faultserver.AbstainEvery(5), faultserver.MalformedEvery(7))
	res := b.run()
	b.complete(res)
	own := asked(b.server)
	if len(own) != pictures*perImage*drawsEach {
		t.Fatalf("%d requests", len(own))
	}
	seeds := map[int]bool{}
	for _, r := range own {
		seeds[int(r.Seed())] = true
	}
	if len(seeds) != len(own) {
		t.Errorf("%d seeds for %d requests", len(seeds), len(own))
	}
	listed := 0
	for _, r := range own {
		if r.Logprobs {
			listed++
		}
	}
	if listed != pictures*perImage {
		t.Errorf("alternatives were asked for %d times", listed)
	}
	n := map[string]int{}
	for _, tr := range b.traces() {
		agreed, answered := 0, 0
		for _, v := range tr.Sources.Consistency.Draws {
			if v == "SUPPORTED" || v == "REFUTED" {
				answered++
				if tr.Verdict != nil && v == *tr.Verdict {
					agreed++
				}
			}
		}
		c, ok := tr.Confidences["consistency:3"]
		if want := tr.Answered == 1 && answered > 0; ok != want || ok && c != float64(agreed)/float64(answered) {
			t.Errorf("%s: %v, %v: %+v", tr.TaskID, c, ok, tr.Sources.Consistency)
		}
		if tr.Answered == 1 {
			p := tr.Sources.Logprob
			if p == nil || p.Confidence == nil || tr.Confidences["logprob"] != *p.Confidence || p.Bounded {
				t.Fatalf("%s: %+v", tr.TaskID, p)
			}
			mine, other := p.Supported, p.Refuted
			if *tr.Verdict == "REFUTED" {
				mine, other = other, mine
			}
			if math.Abs(mine/(mine+other)-*p.Confidence) > 1e-9 {
				t.Errorf("%s: %v of %+v", tr.TaskID, *p.Confidence, p.Masses)
			}
			if tr.Confidences["verbal"] != *tr.Confidence {
				t.Errorf("%s: paid %v", tr.TaskID, *tr.Confidence)
			}
		} else if len(tr.Confidences) > 0 {
			t.Errorf("%s: %s with confidences %v", tr.TaskID, tr.Outcome, tr.Confidences)
		}
		for name := range tr.Confidences {
			n[name]++
		}
	}
	s := res.Summary
	for _, name := range b.cfg.Confidence {
		of := s.Sources[name]
		if of.N != n[name] || of.N+of.Missing != s.Answered || of.AUROC == nil {
			t.Errorf("%s: %+v; %d traces have it, of %d answered", name, of, n[name], s.Answered)
		}
	}
	if len(s.Sources) != 3 || *s.Sources["verbal"].Brier != *s.Brier {
		t.Errorf("%+v", s.Sources)
	}
	cost := s.Throughput.Sources
	if c := cost["consistency:3"]; c.Requests != 3*s.N || c.PromptTokens == 0 || c.OutputTokens == 0 || c.Seconds <= 0 || cost["logprob"].Requests != 0 || len(cost) != 3 {
		t.Errorf("%+v", cost)
	}
}

// The first source is what is paid and scored, and the verdicts are the same
// whichever that is.
func TestSourcePaid(t *testing.T) {
	base := withSources(t)
	base.run()
	verdict := map[string]string{}
	for _, tr := range base.traces() {
		verdict[tr.TaskID] = *tr.Verdict
	}
	for _, order := range [][]string{{"logprob", "verbal"}, {"consistency:3", "verbal", "logprob"}} {
		b := base.again()
		b.cfg.Confidence = order
		res := b.run()
		for _, tr := range b.traces() {
			if *tr.Verdict != verdict[tr.TaskID] || *tr.Confidence != tr.Confidences[order[0]] || tr.ConfidenceSum != *tr.Confidence {
				t.Errorf("%v: %s: %v, %v", order, tr.TaskID, *tr.Confidence, tr.Confidences)
			}
			miss := *tr.Confidence - float64(tr.Correct)
			if math.Abs(tr.Reward-(1-miss*miss)) > 1e-9 {
				t.Errorf("%v: %s is paid %v", order, tr.TaskID, tr.Reward)
			}
		}
		if s := res.Summary; *s.Sources[order[0]].Brier != *s.Brier || len(s.Sources) != len(order) {
			t.Errorf("%v: %+v", order, s.Sources)
		}
		b.resume() // nothing is missing, and its lines are believed
	}
}

// An answer that the paid source has no confidence for is malformed: none is
// made up.
func TestSourcePaidMissing(t *testing.T) {
	unlisted := faultserver.Change(func(_ *faultserver.Request, rep *faultserver.Reply) {
		for _, tok := range rep.Logprobs {
			tok["top_logprobs"] = []map[string]any{{"token": "other", "logprob": -.1}}
		}
	})
	b := newBench(t, faultserver.On(about("dog"), unlisted))
	b.cfg.Confidence = []string{"logprob", "verbal"}
	res := b.run()
	for _, tr := range b.traces() {
		missing := strings.Contains(tr.Claim, "dog")
		if missing != (tr.Reason == "missing_confidence") || missing != (tr.Outcome == scoring.Malformed) {
			t.Errorf("%s %q: %s %s", tr.TaskID, tr.Claim, tr.Outcome, tr.Reason)
		}
		if missing && (tr.Sources.Logprob.Missing != "verdict_unlisted" || tr.Reward != 0) {
			t.Errorf("%s: %+v, reward %v", tr.TaskID, tr.Sources.Logprob, tr.Reward)
		}
	}
	if res.Summary.Malformed != pictures {
		t.Errorf("%d malformed", res.Summary.Malformed)
	}
	c := b.again() // beside the stated one it is only missing
	c.cfg.Confidence = []string{"verbal", "logprob"}
	if s := c.run().Summary; s.Malformed != 0 || s.Sources["logprob"].Missing != pictures || s.Sources["logprob"].N != s.Answered-pictures {
		t.Errorf("%+v", s.Sources)
	}
}

// A server that tells no log-probabilities is found out before the tasks are
// asked: by the preflight after two requests, without one by the first answer.
func TestNoLogprobs(t *testing.T) {
	for _, preflight := range []bool{true, false} {
		b := newBench(t, faultserver.NoLogprobs())
		b.cfg.Confidence, b.cfg.Preflight, b.cfg.Parallel = []string{"verbal", "logprob"}, preflight, "1"
		b.fails(false, "log-probabilities", "leave logprob out")
		if n, all := len(b.traces()), len(b.server.Requests()); n != 0 || all > 4 {
			t.Errorf("preflight %v: %d recorded, %d requests", preflight, n, all)
		}
		b = b.again()
		b.cfg.Confidence = []string{"verbal", "consistency:2"} // needs none
		b.run()
	}
}

// The preflight of a run that needs log-probabilities looks at them first.
func TestLogprobsPreflighted(t *testing.T) {
	b := newBench(t)
	b.cfg.Confidence, b.cfg.Preflight, b.cfg.NumTasks = []string{"verbal", "logprob"}, true, 2
	m := b.run().Manifest
	if f := m.Preflight.Findings; f[0].Check != "logprobs" || f[0].Status != "yes" || f[0].Measures["alternatives"] != 20 || len(f) != 9 {
		t.Errorf("%d findings, the first %+v", len(f), f[0])
	}
}

// Killed at any moment, here by a stop after so many requests, the run goes on
// with the draws that are missing: each is asked once, and the end is as if it
// had never stopped.
func TestDrawsResume(t *testing.T) {
	opts := []faultserver.Option{faultserver.AbstainEvery(6), faultserver.MalformedEvery(8)}
	whole := withSources(t, opts...)
	want := whole.run()
	for _, at := range []int{1, 5, 18, 33} {
		var n atomic.Int32
		b := withSources(t, opts...)
		b.cfg.Dataset, b.cfg.Images = whole.cfg.Dataset, whole.cfg.Images
		stop := make(chan struct{})
		b.server.Set(faultserver.On(func(r *faultserver.Request) bool {
			if tasks(r) && n.Add(1) == int32(at) {
				close(stop)
			}
			return false
		}, nil))
		b.deps.Stop = stop
		if _, err := b.try(t.Context(), false); !errors.Is(err, run.ErrInterrupted) {
			t.Fatalf("stopped at %d: %v", at, err)
		}
		tear(t, filepath.Join(b.dir, run.DrawsFile))
		b.deps.Stop = nil
		res := b.resume()
		b.complete(res)
		seen := map[int]int{}
		for _, r := range asked(b.server) {
			seen[int(r.Seed())]++
		}
		for seed, times := range seen {
			if times != 1 {
				t.Errorf("stopped at %d: seed %d was asked %d times", at, seed, times)
			}
		}
		if len(seen) != pictures*perImage*drawsEach {
			t.Errorf("stopped at %d: %d draws", at, len(seen))
		}
		if x, y := answers(t, whole.traces()), answers(t, b.traces()); x != y {
			t.Errorf("stopped at %d:\n%s\nunbroken:\n%s", at, y, x)
		}
		if x, y := figures(t, want.Summary), figures(t, res.Summary); x != y {
			t.Errorf("stopped at %d:\n%s\nunbroken:\n%s", at, y, x)
		}
	}
}

// tear leaves half a line behind, as a kill within a write does.
func tear(t *testing.T, name string) {
	t.Helper()
	write(t, name, append(read(t, name), `{"task_id":"adversarial/1","dra`...))
}

// All draws on disk and no trace, as a kill between the two leaves it: nothing
// is asked, the trace is made of them.
func TestDrawsWithoutTrace(t *testing.T) {
	b := withSources(t)
	b.run()
	want, before := answers(t, b.traces()), len(asked(b.server))
	traces := read(t, filepath.Join(b.dir, run.TracesFile))
	write(t, filepath.Join(b.dir, run.TracesFile), traces[:bytes.IndexByte(traces, '\n')+1])
	b.complete(b.resume())
	if got := answers(t, b.traces()); got != want {
		t.Errorf("%s\nbefore:\n%s", got, want)
	}
	if n := len(asked(b.server)); n != before {
		t.Errorf("%d more requests", n-before)
	}
}

// A draw that took two attempts cost two requests.
func TestDrawsRetried(t *testing.T) {
	b := withSources(t, faultserver.On(faultserver.FirstOfEach(1, tasks), faultserver.Busy()))
	res := b.run()
	asked := 0
	for _, tr := range b.traces() {
		if n := tr.Sources.Consistency.Cost.Requests; n != 6 {
			t.Errorf("%s: %d requests for three further draws that each failed once", tr.TaskID, n)
		}
		asked += 6
	}
	if n := res.Summary.Throughput.Sources["consistency:3"].Requests; n != asked || asked == 0 {
		t.Errorf("%d requests in all; want %d", n, asked)
	}
}

// A draw that nobody answers is its task's error, once; on resume only that
// draw is asked.
func TestDrawInError(t *testing.T) {
	b := withSources(t)
	bad := int(claim.SamplingSeed(0, 0, 2, "adversarial", "21"))
	b.server.Set(faultserver.On(func(r *faultserver.Request) bool { return int(r.Seed()) == bad }, faultserver.Status(400, "no")))
	res := b.must(false)
	if s := res.Summary; s.Errors != 1 || s.N != pictures*perImage-1 {
		t.Fatalf("errors %d, n %d", s.Errors, s.N)
	}
	if e := b.errorLines(); len(e) != 1 || e[0].TaskID != "adversarial/21" || !strings.Contains(e[0].Error, "draw 2: ") {
		t.Errorf("%+v", e)
	}
	before := len(asked(b.server))
	b.cfg.Hosts = []string{faultserver.New(t).URL}
	b.complete(b.resume())
	if before != pictures*perImage*drawsEach {
		t.Errorf("%d requests before", before)
	}
}

// Each row is a draw that somebody changed; the run is not resumed on it.
func TestDrawsDamaged(t *testing.T) {
	for name, row := range map[string]struct{ from, to, want string }{
		"another verdict":  {`"verdict":"SUPPORTED"`, `"verdict":"REFUTED"`, "not those of its text"},
		"another seed":     {`"seed":`, `"seed":-`, "seed is"},
		"a draw too many":  {`"draw":3`, `"draw":4`, "not one of 0 to 3"},
		"the same twice":   {`"draw":3`, `"draw":2`, ""},
		"a task of no run": {`"task_id":"adversarial/0"`, `"task_id":"adversarial/99"`, "not of this run"},
		"no line":          {`{"task_id":"adversarial/0","draw":1`, `{"task_id":"adversarial/0","draw":x`, "not a draw"},
	} {
		b := withSources(t)
		b.cfg.Parallel = "1"
		b.run()
		file := filepath.Join(b.dir, run.DrawsFile)
		text := string(read(t, file))
		if !strings.Contains(text, row.from) {
			t.Fatalf("%s: no %q", name, row.from)
		}
		write(t, file, []byte(strings.Replace(text, row.from, row.to, 1)))
		b.fails(true, run.DrawsFile+":", row.want)
	}
}

// Under greedy decoding equal tasks share an answer, its tokens included.
func TestLogprobsShared(t *testing.T) {
	b := newBench(t)
	b.cfg.Confidence, b.cfg.Temperature = []string{"verbal", "logprob"}, new(0.0)
	text := string(read(t, b.cfg.Dataset))
	var twice strings.Builder
	for line := range strings.Lines(text) {
		var row map[string]any
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err)
		}
		twice.WriteString(line)
		row["question_id"] = row["question_id"].(float64) + 1000
		more, _ := json.Marshal(row)
		twice.Write(append(more, '\n'))
	}
	write(t, b.cfg.Dataset, []byte(twice.String()))
	s := b.run().Summary
	if s.Throughput.Cached != pictures*perImage || s.Sources["logprob"].N != s.Answered || s.Answered != 2*pictures*perImage {
		t.Errorf("cached %d, %+v", s.Throughput.Cached, s.Sources)
	}
	for _, tr := range b.traces() {
		if tr.Sources.Logprob.Confidence == nil || *tr.Sources.Logprob.Confidence != tr.Confidences["logprob"] {
			t.Errorf("%s: %+v", tr.TaskID, tr.Sources)
		}
	}
}

// A run's sources are part of what it is: resumed with others it is refused.
func TestSourcesChanged(t *testing.T) {
	b := withSources(t)
	b.run()
	b.cfg.Confidence = []string{"verbal", "logprob", "consistency:4"}
	b.fails(true, "confidence: was verbal,logprob,consistency:3, is verbal,logprob,consistency:4")
}

// A dry run tells what the draws cost.
func TestDrawsPlanned(t *testing.T) {
	b := withSources(t)
	p, err := run.DryRun(t.Context(), b.cfg, b.deps)
	if err != nil || p.Requests() != pictures*perImage*drawsEach {
		t.Errorf("%v, %v", p.Requests(), err)
	}
}
