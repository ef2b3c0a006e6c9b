package preflight_test

import (
	"fmt"
	"testing"

	"candor/imageproc"
	"candor/infer"
	"candor/infer/ollama"
	"candor/infer/ollama/ollamatest"
	"candor/infer/preflight"
)

// engine is a real server with the tiny model of one architecture.
type engine struct {
	client *ollama.Client
	id     infer.Identity
}

func newEngine(t *testing.T, arch string, opts ...ollamatest.Option) engine {
	t.Helper()
	server := ollamatest.Start(t, opts...)
	e := engine{client: opened(t, server.URL)}
	var err error
	if e.id, err = e.client.Identify(t.Context(), server.Install(arch)); err != nil {
		t.Fatal(err)
	}
	return e
}

// question runs the preflight with this system text and num_batch.
func (e engine) question(t *testing.T, system string, batch int) preflight.Report {
	t.Helper()
	o := options(t)
	o.NumThread, o.NumBatch = 1, batch
	family, ok := imageproc.FamilyOf(e.id.Architecture)
	if !ok {
		t.Fatalf("no image family for %s", e.id.Architecture)
	}
	r, err := preflight.Run(t.Context(), e.client, e.id, preflight.Config{
		Model: e.id.Model, Options: o, System: system, Schema: []byte(`{}`),
		ImageTokens: family.Tokens, Retry: infer.DefaultRetry(),
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.Findings {
		t.Logf("%-10s %-8s %-8s %s", f.Check, f.Status, f.Severity, f.Detail)
	}
	return r
}

// unlike lists the findings that are not as given; checks that compare answers
// and no clock.
func unlike(r preflight.Report, want map[string]preflight.Status) (bad []string) {
	for check, status := range want {
		bad = append(bad, differs(r, check, status)...)
	}
	return bad
}

const instructions = "You judge claims about images."

// steady is what v0.24.0 does whatever the architecture.
func steady() map[string]preflight.Status {
	return map[string]preflight.Status{
		preflight.CheckGrammar: preflight.Yes, preflight.CheckImage: preflight.Yes, preflight.CheckSeed: preflight.Yes,
		preflight.CheckPenalties: preflight.No, preflight.CheckResidency: preflight.No, preflight.CheckContext: preflight.Yes,
	}
}

func check(t *testing.T, r preflight.Report, want map[string]preflight.Status) {
	t.Helper()
	for _, complaint := range unlike(r, want) {
		t.Error(complaint)
	}
	f, _ := r.Find(preflight.CheckImage)
	if got, predicted := f.Measures["image_tokens"], f.Measures["image_tokens_predicted"]; got < predicted || got > predicted+2 {
		t.Errorf("an image costs %v tokens, %v were predicted", got, predicted)
	}
	expect(t, r, preflight.CheckPenalties, want[preflight.CheckPenalties], map[preflight.Status]preflight.Severity{preflight.No: preflight.Serious, preflight.Yes: preflight.Fine}[want[preflight.CheckPenalties]])
	// Where a kept prefix ends, a batch ends: sums in another order differ a little.
	if f, _ := r.Find(preflight.CheckParallel); f.Measures["changed"] != 0 || f.Measures["logprob_difference"] > 0.01 {
		t.Errorf("one slot, yet parallel requests change answers: %s, by %v", f.Detail, f.Measures["logprob_difference"])
	}
}

// Qwen3.5's image is kept only when nothing stands before it and a batch ends
// with it.
func TestEngineQwen35(t *testing.T) {
	e := newEngine(t, "qwen35")
	best(t, func() []string {
		r := e.question(t, "", 64)
		check(t, r, steady())
		return differs(r, preflight.CheckPrefix, preflight.Yes)
	})
	best(t, func() []string {
		r := e.question(t, instructions, 0)
		check(t, r, steady())
		if f, _ := r.Find(preflight.CheckPrefix); f.Status == preflight.Yes {
			return []string{"the prefix is kept behind a system text: " + f.Detail}
		}
		return nil
	})
}

// Qwen3-VL keeps the image whatever stands before it.
func TestEngineQwen3VL(t *testing.T) {
	e := newEngine(t, "qwen3vl")
	best(t, func() []string {
		r := e.question(t, instructions, 0)
		check(t, r, steady())
		return differs(r, preflight.CheckPrefix, preflight.Yes)
	})
}

// Qwen2.5-VL's slots share state: with several of them, answers change.
func TestEngineQwen25VLParallel(t *testing.T) {
	e := newEngine(t, "qwen25vl", ollamatest.Env("OLLAMA_NUM_PARALLEL=4"))
	best(t, func() []string { // it takes two requests in one batch
		r := e.question(t, instructions, 0)
		f, _ := r.Find(preflight.CheckParallel)
		if f.Status != preflight.No || f.Severity != preflight.Serious || f.Measures["changed"] == 0 || r.Parallel != 1 {
			return []string{fmt.Sprintf("%d in flight, %s: %s", r.Parallel, f.Severity, f.Detail)}
		}
		return nil
	})
}

// The older engine honours penalties, so that the check is seen to say yes.
func TestOldEngine(t *testing.T) {
	e := newEngine(t, "qwen35", ollamatest.Old())
	if e.id.ServerVersion != "0.17.7" {
		t.Errorf("version %s", e.id.ServerVersion)
	}
	want := steady()
	want[preflight.CheckPenalties] = preflight.Yes
	check(t, e.question(t, "", 64), want)
}
