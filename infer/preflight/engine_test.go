package preflight_test

import (
	"testing"
	"time"

	"candor/imageproc"
	"candor/infer"
	"candor/infer/ollama"
	"candor/infer/ollama/ollamatest"
	"candor/infer/ollama/tinyvlm"
	"candor/infer/preflight"
)

// onEngine starts a real server with the tiny model of arch and questions it.
func onEngine(t *testing.T, arch string, change func(*infer.Options), opts ...ollamatest.Option) preflight.Report {
	t.Helper()
	server := ollamatest.Start(t, opts...)
	client, err := ollama.New(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	cfg := tinyvlm.Config{Architecture: arch, Seed: 1}
	if err := tinyvlm.Install(t.Context(), client.API(), cfg.ModelName(), cfg); err != nil {
		t.Fatal(err)
	}
	id, err := client.Identify(t.Context(), cfg.ModelName())
	if err != nil {
		t.Fatal(err)
	}
	o, _ := infer.Profile(infer.DefaultProfile)
	o.NumCtx, o.NumThread, o.NumBatch = 4096, 1, 64
	if change != nil {
		change(&o)
	}
	family, ok := imageproc.FamilyOf(id.Architecture)
	if !ok {
		t.Fatalf("no image family for %s", id.Architecture)
	}
	start := time.Now()
	r, err := preflight.Run(t.Context(), client, id, preflight.Config{
		Model: cfg.ModelName(), Options: o, System: "You judge claims about images.", Schema: []byte(`{}`),
		ImageTokens: family.Tokens, Retry: infer.DefaultRetry(),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s: %.1f s, identity %+v", arch, time.Since(start).Seconds(), id)
	for _, f := range r.Findings {
		t.Logf("%-10s %-8s %-8s %s %v", f.Check, f.Status, f.Severity, f.Detail, f.Measures)
	}
	return r
}

func TestX(t *testing.T) {
	for _, a := range tinyvlm.Architectures() {
		onEngine(t, a, nil)
	}
	onEngine(t, "qwen35", func(o *infer.Options) { o.NumBatch = 0 })
	onEngine(t, "qwen35", func(o *infer.Options) { o.NumBatch = 128 })
	onEngine(t, "qwen25vl", nil, ollamatest.Env("OLLAMA_NUM_PARALLEL=4"))
}
