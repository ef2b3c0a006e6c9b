package run_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"candor/harness/claim"
	"candor/harness/run"
	"candor/infer"
	"candor/infer/ollama/faultserver"
)

// What no task could survive is said before any question, with what mends it.
func TestRefusedBeforeAsking(t *testing.T) {
	thinking := true
	tests := map[string]struct {
		opts   []faultserver.Option
		change func(*run.Config)
		want   []string
	}{
		"model missing":    {[]faultserver.Option{faultserver.Models("other:1b")}, nil, []string{"ollama pull fake:latest"}},
		"no thinking":      {nil, func(c *run.Config) { c.Think = &thinking }, []string{"does not support thinking", "thinking off"}},
		"thinking profile": {nil, func(c *run.Config) { c.Profile = "qwen3.5-thinking" }, []string{"does not support thinking"}},
		"no vision":        {[]faultserver.Option{faultserver.Capabilities("completion")}, nil, []string{"no vision"}},
		"no server":        {nil, func(c *run.Config) { c.Hosts = []string{"http://127.0.0.1:1"} }, []string{"no Ollama server at", "--host"}},
		"context too long": {nil, func(c *run.Config) { n := 1 << 20; c.NumCtx = &n }, []string{"num-ctx"}},
		"named twice":      {nil, func(c *run.Config) { c.Hosts = append(c.Hosts, c.Hosts[0]+"/") }, []string{"twice"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, tt.opts...)
			b.cfg.Preflight = true
			if tt.change != nil {
				tt.change(&b.cfg)
			}
			b.fails(false, tt.want...)
			if n := len(b.server.Requests()); n != 0 {
				t.Errorf("%d requests were sent", n)
			}
			if _, err := run.LoadManifest(b.dir); err == nil {
				t.Error("a run was made")
			}
		})
	}
}

// What shows at the first task, and would at every other, stops the run there:
// one clear message and not a run full of errors.
func TestFatalAtFirstTask(t *testing.T) {
	tests := map[string]struct {
		fault faultserver.Fault
		want  string
	}{
		"model removed":  {faultserver.ModelMissing(), "ollama pull fake:latest"},
		"no thinking":    {faultserver.Status(400, `"fake" does not support thinking`), "thinking off"},
		"login":          {faultserver.Status(401, "unauthorized"), "login"},
		"forbidden":      {faultserver.Status(403, "no"), "refuses this client"},
		"any 4xx":        {faultserver.Status(400, "I do not like this"), "I do not like this"},
		"context":        {faultserver.Status(400, "the input length exceeds the context length"), "num_ctx"},
		"image dropped":  {faultserver.DropImage(), "without the image"},
		"no vision":      {faultserver.Status(500, "this model is missing data required for image input"), "vision model"},
		"too big":        {faultserver.Status(500, "model requires more system memory (9 GiB) than is available (1 GiB)"), "smaller model"},
		"moved":          {faultserver.Redirect("https://example.invalid/api/generate"), "--host"},
		"dead from then": {faultserver.RunnerStopped(), "no working server"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, faultserver.On(tasks, tt.fault))
			b.cfg.Parallel, b.cfg.Preflight = "1", name == "image dropped"
			res, err := b.try(t.Context(), false)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("error %v, want %q", err, tt.want)
			}
			if errors.Is(err, run.ErrInterrupted) || res.Manifest.State != run.Failed || res.Manifest.Error == "" {
				t.Errorf("state %s, %q", res.Manifest.State, res.Manifest.Error)
			}
			most := 1
			if name == "dead from then" {
				most = 3 * quick.Attempts
			}
			if n := len(asked(b.server)); n > most {
				t.Errorf("%d requests", n)
			}
			if s := res.Summary; s.N != 0 || s.Complete || s.Accuracy != nil {
				t.Errorf("n %d, complete %v, accuracy %v", s.N, s.Complete, s.Accuracy)
			}
		})
	}
}

// A model that goes away in the middle ends the run, which goes on when it is
// back.
func TestFatalInTheMiddle(t *testing.T) {
	gone := true
	b := newBench(t, faultserver.On(faultserver.After(10, func(r *faultserver.Request) bool { return tasks(r) && gone }), faultserver.ModelMissing()))
	b.cfg.Parallel = "1"
	b.fails(false, "ollama pull")
	if n := len(b.traces()); n != 10 {
		t.Fatalf("%d traces", n)
	}
	if n := len(asked(b.server)); n != 11 {
		t.Errorf("%d requests: some were sent after the fatal one", n)
	}
	gone = false
	b.complete(b.resume())
	if n := len(asked(b.server)); n != 11+14 {
		t.Errorf("%d requests in all", n)
	}
}

// A task that cannot be asked, once others were, is one error and no more,
// also when it is all that a resumed run has left.
func TestOneBadTask(t *testing.T) {
	for name, fault := range map[string]faultserver.Fault{
		"400":             faultserver.Status(400, "the input length exceeds the context length"),
		"image dropped":   faultserver.DropImage(),
		"full":            faultserver.FillContext(),
		"corrupt to them": faultserver.Status(500, "failed to process inputs: image: unknown format"),
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.cfg.Parallel, b.cfg.Preflight = "1", name == "image dropped"
			p, err := run.NewPlan(t.Context(), b.cfg, claim.Loader{})
			if err != nil {
				t.Fatal(err)
			}
			bad := p.Tasks[9]
			b.server.Set(faultserver.On(func(r *faultserver.Request) bool { return r.Seed() == int64(bad.Seed) }, fault))
			for _, resume := range []bool{false, true} {
				res := b.must(resume)
				if s := res.Summary; s.Errors != 1 || s.N != pictures*perImage-1 || s.Complete || s.BySplit["adversarial"].Errors != 1 {
					t.Errorf("resume %v: n %d, errors %d, complete %v", resume, s.N, s.Errors, s.Complete)
				}
				for _, tr := range b.traces() {
					if tr.TaskID == bad.ID {
						t.Errorf("the bad task is recorded as %s", tr.Outcome)
					}
				}
			}
			lines := b.errorLines()
			if len(lines) != 2 || lines[0].TaskID != bad.ID || lines[0].Class != infer.ClassTask || len(lines[0].Attempts) != 1 {
				t.Errorf("errors %+v", lines)
			}
			if n := len(asked(b.server)); n != pictures*perImage+1 {
				t.Errorf("%d requests", n)
			}
		})
	}
}

// An ended context is no fault of the server: nothing is recorded as an error.
func TestCancelledFromStart(t *testing.T) {
	b := newBench(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := b.try(ctx, false); !errors.Is(err, run.ErrInterrupted) {
		t.Errorf("error %v", err)
	}
	if len(b.server.Requests()) != 0 || len(b.errorLines()) != 0 {
		t.Error("it asked")
	}
}
