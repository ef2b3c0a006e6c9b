package run_test

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"candor/harness/run"
	"candor/infer"
	"candor/infer/ollama/ollamatest"
)

// onEngine is a run of the demo set on a real server.
func onEngine(t *testing.T, arch string, opts ...ollamatest.Option) (*bench, *ollamatest.Server) {
	t.Helper()
	s := ollamatest.Start(t, opts...)
	b := &bench{t: t, cfg: run.DefaultConfig(), opened: &clients{}, dir: filepath.Join(t.TempDir(), "run")}
	b.cfg.Model, b.cfg.Hosts = s.Install(arch), []string{s.URL}
	b.cfg.NumTasks, b.cfg.Bootstrap, b.cfg.NumThread = 20, 100, 1
	b.cfg.Preflight, b.cfg.Parallel = false, "2"
	b.deps = run.Dependencies{Connect: b.opened.connect, Retry: infer.DefaultRetry(), Version: "test"}
	t.Cleanup(b.opened.close)
	return b, s
}

// counted expects n tasks recorded once each and an honest, complete summary.
func (b *bench) counted(res run.Result, n int) {
	b.t.Helper()
	seen := map[string]bool{}
	for _, tr := range b.traces() {
		if seen[tr.TaskID] {
			b.t.Errorf("task %s twice", tr.TaskID)
		}
		seen[tr.TaskID] = true
		if tr.SameAs != "" {
			continue // its question was another task's
		}
		if tr.PromptTokens < tr.Image.Tokens || tr.Image.Tokens == 0 || tr.Durations.Total <= 0 {
			b.t.Errorf("%s: %d prompt tokens, image %+v, %+v", tr.TaskID, tr.PromptTokens, tr.Image, tr.Durations)
		}
	}
	if s := res.Summary; len(seen) != n || s.N != n || !s.Complete || s.Errors != 0 {
		b.t.Errorf("%d tasks, n %d, complete %v, errors %d", len(seen), s.N, s.Complete, s.Errors)
	}
}

// A whole evaluation on a real engine: every task answered under the grammar,
// and the same answers the second time, whatever the parallelism. The image-
// first prompt makes Qwen3.5's engine keep the image.
func TestEngineRun(t *testing.T) {
	for arch, prompt := range map[string]string{"qwen35": "image-first", "qwen3vl": ""} {
		t.Run(arch, func(t *testing.T) {
			b, _ := onEngine(t, arch)
			b.cfg.Prompt, b.cfg.Preflight = prompt, arch == "qwen35"
			res := b.run()
			b.counted(res, 20)
			s := res.Summary
			for _, tr := range b.traces() {
				// Grammars do not bound numbers: out_of_range is the model's own.
				if tr.Malformed == 1 && tr.Reason != "out_of_range" && tr.Reason != "not_finite" {
					t.Errorf("%s under the grammar: %s %q", tr.TaskID, tr.Reason, tr.Text)
				}
			}
			if !slices.Contains(codes(s), "random_weights") || !res.Manifest.Model.RandomWeights {
				t.Errorf("random weights are not told: %v", codes(s))
			}
			if batch := res.Manifest.Options.NumBatch; (batch == 64) != (arch == "qwen35") {
				t.Errorf("num_batch %d", batch)
			}
			c := b.again()
			c.cfg.Parallel, c.cfg.Preflight, c.cfg.NumTasks = "1", false, 8 // a part of the 20
			c.run()
			part := slices.DeleteFunc(b.traces(), func(tr run.Trace) bool {
				return !slices.ContainsFunc(c.traces(), func(o run.Trace) bool { return o.TaskID == tr.TaskID })
			})
			if x, y := answers(t, part), answers(t, c.traces()); x != y {
				t.Errorf("the second time\n%s\nthe first\n%s", y, x)
			}
		})
	}
}

// A runner killed in the middle of a run costs retries and nothing else.
func TestEngineRunnerKilledInRun(t *testing.T) {
	b, s := onEngine(t, "qwen3vl")
	b.cfg.NumTasks = 12
	want := b.run()
	c := b.again()
	var n, killed atomic.Int32
	c.deps.Observer = &hook{recorded: func(run.Trace) {
		if n.Add(1)%5 == 0 {
			killed.Add(int32(s.KillRunners()))
		}
	}}
	res := c.run()
	c.counted(res, 12)
	if killed.Load() == 0 {
		t.Fatal("no runner was killed")
	}
	if x, y := figures(t, want.Summary), figures(t, res.Summary); x != y {
		t.Errorf("%d runners killed:\n%s\nnone:\n%s", killed.Load(), y, x)
	}
	for _, e := range c.errorLines() {
		t.Errorf("an error: %+v", e)
	}
}

// A server killed in the middle stops the run; on another one it goes on to
// the figures of an unbroken run.
func TestEngineServerKilled(t *testing.T) {
	store := ollamatest.Env("OLLAMA_MODELS=" + t.TempDir())
	b, s := onEngine(t, "qwen3vl", store)
	b.deps.Retry, b.cfg.NumTasks = quick, 12
	var n atomic.Int32
	b.deps.Observer = &hook{recorded: func(run.Trace) {
		if n.Add(1) == 5 {
			s.Kill()
		}
	}}
	res, err := b.try(t.Context(), false)
	if err == nil || errors.Is(err, run.ErrInterrupted) || res.Manifest.State != run.Failed {
		t.Fatalf("state %s, %v", res.Manifest.State, err)
	}
	if m := res.Summary; m.N < 5 || m.N > 7 || m.Errors == 0 || m.Errors > 6 || m.Complete {
		t.Errorf("n %d, errors %d", m.N, m.Errors)
	}
	s.Stop()
	second := ollamatest.Start(t, store)
	b.cfg.Hosts, b.deps.Observer, b.deps.Retry = []string{second.URL}, nil, infer.DefaultRetry()
	b.counted(b.resume(), 12)
}

// What a real engine refuses is refused by us before it is asked: a missing
// model, a claim with an image's marker; and an image that it would panic at
// is scaled up until it answers.
func TestEngineRefusals(t *testing.T) {
	b, s := onEngine(t, "qwen3vl")
	b.cfg.Dataset, b.cfg.Images = writeData(t)
	b.cfg.Partition, b.cfg.NumTasks = "all", 2
	missing := *b
	missing.cfg.Model = "nobody:1b"
	missing.fails(false, "ollama pull nobody:1b")
	marked := *b
	marked.cfg.NumTasks = 0
	edit(t, b.cfg.Dataset, "a dog", "a [img-1] dog")
	marked.fails(false, "[img-1]")
	edit(t, b.cfg.Dataset, "a [img-1] dog", "a dog")
	if i := strings.Index(s.Log(), `"/api/generate"`); i >= 0 {
		t.Errorf("the server was asked: %.300s", s.Log()[max(0, i-100):])
	}
	for i := range pictures {
		write(t, filepath.Join(b.cfg.Images, []string{"picture00.png", "picture01.png", "picture02.png", "picture03.png", "picture04.png", "picture05.png"}[i]), picture(t, 8, 8+i, i))
	}
	for _, policy := range []string{"reference", "server"} {
		b.cfg.ImagePolicy, b.dir = policy, filepath.Join(t.TempDir(), policy)
		b.counted(b.run(), 2)
	}
}
