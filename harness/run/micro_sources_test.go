package run_test

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"candor/harness/run"
	"candor/infer"
	"candor/infer/ollama/micro"
)

// All sources on a real engine with a model that sees: every answered task has
// each, a verdict's tokens are found whatever the answer looks like, and the
// answers are those of a run without sources. Which source ranks best is a
// finding, not asserted here: the figures are logged.
func TestMicroSources(t *testing.T) {
	m := newMicro(t)
	b, c := microBench(t, m, "verbal,logprob,consistency:3"), microBench(t, m, "verbal")
	res := b.run()
	b.counted(res, fewTasks)
	c.run()
	plain := verdicts(c.traces())
	for _, tr := range b.traces() {
		if v := verdicts([]run.Trace{tr})[tr.TaskID]; v != plain[tr.TaskID] {
			t.Errorf("%s: %s, but %s without sources", tr.TaskID, v, plain[tr.TaskID])
		}
		if tr.Answered == 0 {
			continue
		}
		p := tr.Sources.Logprob
		if p == nil || p.Confidence == nil || p.Missing != "" {
			t.Errorf("%s: %+v of %q", tr.TaskID, p, tr.Text)
			continue
		}
		mine, other := p.Supported, p.Refuted
		if *tr.Verdict == "REFUTED" {
			mine, other = other, mine
		}
		if total := mine + other + p.Abstain; math.Abs(mine/(mine+other)-*p.Confidence) > 1e-6 || total > 1+1e-4 {
			t.Errorf("%s: confidence %v of %+v", tr.TaskID, *p.Confidence, p.Masses)
		}
		if n := len(tr.Sources.Consistency.Draws); n != 3 || tr.Sources.Consistency.Cost.Requests != 3 || tr.Sources.Consistency.Cost.Seconds <= 0 {
			t.Errorf("%s: %+v", tr.TaskID, tr.Sources.Consistency)
		}
	}
	for name, s := range res.Summary.Sources {
		if s.N+s.Missing != res.Summary.Answered || s.Brier == nil {
			t.Errorf("%s: %+v", name, s)
			continue
		}
		auroc := math.NaN()
		if s.AUROC != nil {
			auroc = *s.AUROC
		}
		t.Logf("%s: n %d, missing %d, Brier %.4f, ECE %.4f, AUROC %.4f", name, s.N, s.Missing, *s.Brier, *s.ECE, auroc)
	}
}

// microBench is a small run of candor-micro under its usual sampling.
func microBench(t *testing.T, m *microRuns, confidence string) *bench {
	t.Helper()
	b := &bench{t: t, cfg: run.DefaultConfig(), opened: &clients{}, dir: filepath.Join(t.TempDir(), "run")}
	t.Cleanup(b.opened.close)
	b.cfg.Model, b.cfg.Hosts = micro.Name, []string{m.server.URL}
	b.cfg.Split, b.cfg.NumTasks, b.cfg.Bootstrap, b.cfg.NumThread = "all", fewTasks, 0, 1
	b.cfg.Preflight, b.cfg.Parallel, b.cfg.Confidence = false, "2", strings.Split(confidence, ",")
	b.deps = run.Dependencies{Connect: b.opened.connect, Bundled: m.bundled, Retry: infer.DefaultRetry(), Version: "test"}
	return b
}
