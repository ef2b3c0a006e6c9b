package run_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"candor/harness/run"
	"candor/infer/ollama/faultserver"
)

// half is a run stopped in the middle.
func half(t *testing.T) *bench {
	t.Helper()
	b := newBench(t)
	b.cfg.Parallel = "1"
	stop, n := make(chan struct{}), 0
	b.deps.Stop = stop
	b.deps.Observer = &hook{recorded: func(run.Trace) {
		if n++; n == 9 {
			close(stop)
		}
	}}
	if _, err := b.try(t.Context(), false); err == nil {
		t.Fatal("it was not stopped")
	}
	b.deps.Stop, b.deps.Observer = nil, nil
	return b
}

func edit(t *testing.T, name, old, new string) {
	t.Helper()
	text := string(read(t, name))
	if !strings.Contains(text, old) {
		t.Fatalf("%s has no %q", name, old)
	}
	write(t, name, []byte(strings.Replace(text, old, new, 1)))
}

// Whatever the answers depend on may not change within a run; the refusal
// names it, and asks nothing.
func TestChangedConfiguration(t *testing.T) {
	payoff, temperature, predict := .85, 0.1, 200
	tests := map[string]struct {
		change func(t *testing.T, b *bench)
		key    string
	}{
		"seed":        {func(_ *testing.T, b *bench) { b.cfg.Seed = 1 }, "seed: was 0, is 1"},
		"replicate":   {func(_ *testing.T, b *bench) { b.cfg.Replicate = 1 }, "replicate: was 0, is 1"},
		"rule":        {func(_ *testing.T, b *bench) { b.cfg.Rule = "log" }, "rule: was brier, is log"},
		"payoff":      {func(_ *testing.T, b *bench) { b.cfg.Abstain = &payoff }, "abstain_reward: was 0.8, is 0.85"},
		"prompt":      {changePrompt, "prompt: was"},
		"format":      {func(_ *testing.T, b *bench) { b.cfg.Format = "none" }, "format: was schema, is none"},
		"temperature": {func(_ *testing.T, b *bench) { b.cfg.Temperature = &temperature }, "options: temperature was 0.7, is 0.1\n"},
		"num_predict": {func(_ *testing.T, b *bench) { b.cfg.NumPredict = &predict }, "options: num_predict was 512, is 200\n"},
		"num_thread":  {func(_ *testing.T, b *bench) { b.cfg.NumThread = 3 }, "options: num_thread was 0, is 3\n"},
		"profile":     {func(_ *testing.T, b *bench) { b.cfg.Profile = "greedy" }, "temperature was 0.7, is 0; "},
		"policy":      {func(_ *testing.T, b *bench) { b.cfg.ImagePolicy = "server" }, "image_policy: was reference, is server"},
		"num-tasks":   {func(_ *testing.T, b *bench) { b.cfg.NumTasks = 12 }, "num-tasks"},
		"partition": {func(t *testing.T, b *bench) {
			b.cfg.Partition, b.cfg.EvalIDs = "eval", filepath.Join(t.TempDir(), "ids")
			write(t, b.cfg.EvalIDs, []byte("picture01\npicture02\n"))
		}, "partition"},
		"split": {func(t *testing.T, b *bench) {
			other := filepath.Join(filepath.Dir(b.cfg.Dataset), "coco_pope_random.json")
			write(t, other, read(t, b.cfg.Dataset))
			b.cfg.Dataset += "," + other
			b.cfg.Split = "random"
		}, "split"},
		"a label": {func(t *testing.T, b *bench) { edit(t, b.cfg.Dataset, `"label": "yes"`, `"label": "no"`) }, "labels"},
		"a claim": {func(t *testing.T, b *bench) { edit(t, b.cfg.Dataset, "a dog", "a cat") }, "claims"},
		"an image's bytes": {func(t *testing.T, b *bench) {
			write(t, filepath.Join(b.cfg.Images, "picture03.png"), picture(t, 288, 256, 77))
		}, "images"},
		"digest":         {func(_ *testing.T, b *bench) { b.server.Set(faultserver.Digest(strings.Repeat("0", 64))) }, "model_digest: was"},
		"server version": {func(_ *testing.T, b *bench) { b.server.Set(faultserver.Version("0.30.0")) }, "server_version: was 0.24.0, is 0.30.0 (--accept-server-change"},
		"model": {func(_ *testing.T, b *bench) {
			b.server.Set(faultserver.Models(faultserver.Model, "other:1b"))
			b.cfg.Model = "other:1b"
		}, "model: was fake:latest, is other:1b"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			b := half(t)
			manifest, before := read(t, filepath.Join(b.dir, run.ManifestFile)), len(b.server.Requests())
			tt.change(t, b)
			b.fails(true, tt.key)
			if len(b.server.Requests()) != before {
				t.Error("it asked")
			}
			if string(read(t, filepath.Join(b.dir, run.ManifestFile))) != string(manifest) {
				t.Error("the refusal changed the manifest")
			}
		})
	}
}

func changePrompt(t *testing.T, b *bench) {
	b.cfg.Prompt = filepath.Join(t.TempDir(), "prompt.tmpl")
	write(t, b.cfg.Prompt, []byte(otherPrompt))
}

// otherPrompt is a template of a user's own.
const otherPrompt = `{{define "system"}}Answer with verdict and confidence.{{end}}{{define "user"}}Claim: {{.Claim}}{{end}}`

// What the answers do not depend on may change: hosts, parallelism, where the
// files lie, how the figures are computed.
func TestUnhashed(t *testing.T) {
	for name, change := range map[string]func(t *testing.T, b *bench){
		"parallel": func(_ *testing.T, b *bench) { b.cfg.Parallel = "3" },
		"host": func(t *testing.T, b *bench) {
			b.cfg.Hosts = []string{faultserver.New(t).URL}
		},
		"more hosts": func(t *testing.T, b *bench) { b.cfg.Hosts = append(b.cfg.Hosts, faultserver.New(t).URL) },
		"paths": func(t *testing.T, b *bench) {
			root := filepath.Join(t.TempDir(), "elsewhere")
			if err := os.Rename(filepath.Dir(b.cfg.Dataset), root); err != nil {
				t.Fatal(err)
			}
			b.cfg.Dataset, b.cfg.Images = filepath.Join(root, filepath.Base(b.cfg.Dataset)), filepath.Join(root, "images")
		},
		"bootstrap": func(_ *testing.T, b *bench) { b.cfg.Bootstrap = 50 },
		"preflight": func(_ *testing.T, b *bench) { b.cfg.Preflight = true },
		"run moved": func(t *testing.T, b *bench) {
			to := filepath.Join(t.TempDir(), "moved")
			if err := os.Rename(b.dir, to); err != nil {
				t.Fatal(err)
			}
			b.dir = to
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := half(t)
			change(t, b)
			b.complete(b.resume())
		})
	}
}

// Another server is taken when the user says so; the report says so too, and
// the new one is questioned anew.
func TestAcceptServerChange(t *testing.T) {
	b := half(t)
	b.server.Set(faultserver.Version("0.30.0"), faultserver.Digest(strings.Repeat("1", 64)))
	b.cfg.AcceptServer, b.cfg.Preflight = true, true
	res := b.resume()
	b.complete(res)
	if len(res.Manifest.ServerChanges) != 2 || res.Manifest.Preflight == nil {
		t.Errorf("%+v", res.Manifest.ServerChanges)
	}
	if n := strings.Count(strings.Join(codes(res.Summary), " "), "server_changed"); n != 2 {
		t.Errorf("warnings %v", codes(res.Summary))
	}
	b.cfg.Seed = 5 // but nothing else
	b.fails(true, "seed: was")
}

// A second writer is kept out while the first is at work.
func TestTwoWriters(t *testing.T) {
	b := newBench(t)
	b.deps.Observer = &hook{started: func() {
		second := *b
		second.deps.Observer = nil
		second.fails(true, "another candor is writing to "+b.dir)
		second.fails(false, "holds a run already")
	}}
	b.complete(b.run())
}
