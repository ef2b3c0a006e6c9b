package run_test

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"candor/harness/run"
	"candor/infer"
	"candor/infer/ollama"
	"candor/infer/ollama/faultserver"
	"candor/infer/ollama/micro"
	"candor/infer/ollama/ollamatest"
)

// bundled is candor-micro, as the command brings it along.
func bundled(t *testing.T) *run.Bundled {
	t.Helper()
	id, err := micro.Identity()
	if err != nil {
		t.Fatal(err)
	}
	return &run.Bundled{Identity: id, Register: func(ctx context.Context, b infer.Backend) (string, error) {
		did, err := micro.Install(ctx, b.(*ollama.Client).API())
		if did == ollama.Present {
			did = ""
		}
		return string(did), err
	}}
}

// withMicro is a bench whose model comes with the program.
func withMicro(t *testing.T, opts ...faultserver.Option) *bench {
	t.Helper()
	b := newBench(t, opts...)
	b.cfg.Model, b.deps.Bundled = micro.Name, bundled(t)
	return b
}

var older = faultserver.Creation{Model: micro.Name, Weights: "sha256:" + strings.Repeat("ab", 32), Renderer: "qwen3.5", Parser: "qwen3.5"}

// notices keeps what an observer is told.
type notices struct {
	run.Silent
	said []string
}

func (n *notices) Notice(text string) { n.said = append(n.said, text) }

// A run registers the model that comes with the program where it is not, tells
// so, and records that the figures are of it; the second run finds it there.
func TestBundled(t *testing.T) {
	b := withMicro(t, faultserver.Has(older))
	heard := &notices{}
	b.deps.Observer = heard
	res := b.run()
	b.complete(res)
	if m := res.Manifest.Model; !m.Embedded || m.WeightsDigest != micro.Digest() || res.Manifest.Hashed["model_digest"] != micro.Digest() {
		t.Errorf("model %+v, hashed %v", m, res.Manifest.Hashed)
	}
	want := run.ModelInfo{Name: micro.Name, Digest: res.Manifest.Model.Digest, WeightsDigest: micro.Digest(), Embedded: true}
	if res.Summary.Model != want {
		t.Errorf("summary's model %+v", res.Summary.Model)
	}
	if said := strings.Join(heard.said, "\n"); !strings.Contains(said, "candor-micro replaced at "+b.server.URL) || !strings.Contains(said, "abab") {
		t.Errorf("said %q", said)
	}
	if !slices.Contains(codes(res.Summary), "drawn_scenes_only") {
		t.Errorf("nothing is said of other data: %v", codes(res.Summary))
	}
	again := b.again()
	again.cfg.Model, again.deps.Observer = "candor-micro:latest", nil
	again.complete(again.run())
	if n := len(b.server.Creations()); n != 1 {
		t.Errorf("registered %d times", n)
	}
}

// Every host is given the model; the manifests of two servers may differ.
func TestBundledOnSeveralHosts(t *testing.T) {
	b := withMicro(t)
	second := faultserver.New(t, faultserver.Digest(strings.Repeat("2", 64)))
	b.cfg.Hosts = append(b.cfg.Hosts, second.URL)
	res := b.run()
	b.complete(res)
	if len(b.server.Creations()) != 1 || len(second.Creations()) != 1 || len(res.Manifest.ServerChanges) != 0 {
		t.Errorf("%v, %v; %v", b.server.Creations(), second.Creations(), res.Manifest.ServerChanges)
	}
}

// Another model is none of its business, and a server that takes no models ends
// the run before it has begun.
func TestBundledElsewhere(t *testing.T) {
	b := withMicro(t, faultserver.RefuseModels(403, "forbidden"))
	err := b.fails(false, b.server.URL, "registering candor-micro", "forbidden", "--model")
	if _, statErr := os.Stat(b.dir); !errors.Is(statErr, os.ErrNotExist) || len(b.server.Requests()) != 0 {
		t.Errorf("after %v there is a run, or a task was asked", err)
	}
	b.cfg.Model = faultserver.Model
	if res := b.run(); res.Manifest.Model.Embedded || res.Summary.Model.Embedded || len(b.server.Creations()) != 0 {
		t.Errorf("%+v", res.Manifest.Model)
	}
}

// A dry run changes no server: it tells where the model would be registered,
// and plans for it even without a server.
func TestBundledDryRun(t *testing.T) {
	b := withMicro(t)
	second := faultserver.New(t, faultserver.Has(older))
	third := faultserver.New(t)
	b.cfg.Hosts = []string{b.server.URL, second.URL}
	plan := func(lacking ...string) *run.Plan {
		t.Helper()
		p, err := run.DryRun(t.Context(), b.cfg, b.deps)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(p.Lacking, lacking) || !p.Model.Embedded || p.ImageTokens == 0 {
			t.Errorf("lacking %v, want %v; %+v", p.Lacking, lacking, p.Model)
		}
		return p
	}
	plan(b.server.URL, second.URL)
	if len(b.server.Creations())+len(second.Creations()) != 0 {
		t.Error("it registered the model")
	}
	if did, err := b.deps.Bundled.Register(t.Context(), connected(t, b, third.URL)); err != nil || did != "registered" {
		t.Fatal(did, err)
	}
	b.cfg.Hosts = []string{third.URL, b.server.URL}
	plan(b.server.URL)
	b.cfg.Hosts = []string{b.server.URL, third.URL}
	plan(b.server.URL)
	b.cfg.Hosts = []string{"http://127.0.0.1:1"}
	if p := plan(); len(p.Warnings) == 0 || p.Warnings[0].Code != "no_server" {
		t.Errorf("%v", p.Warnings)
	}
}

func connected(t *testing.T, b *bench, url string) infer.Backend {
	t.Helper()
	backend, err := b.deps.Connect(url)
	if err != nil {
		t.Fatal(err)
	}
	return backend
}

// A run that lacks nothing is shown again without touching a server that has
// no such model.
func TestBundledShownAgain(t *testing.T) {
	b := withMicro(t)
	b.run()
	bare := faultserver.New(t)
	b.cfg.Hosts = []string{bare.URL}
	if res := b.resume(); !res.Summary.Model.Embedded || len(bare.Creations()) != 0 {
		t.Errorf("%+v, created %v", res.Summary.Model, bare.Creations())
	}
}

// Two real servers with stores of their own serve one run.
func TestEngineBundled(t *testing.T) {
	b, _ := onEngine(t, "qwen35")
	second := ollamatest.Start(t)
	b.cfg.Model, b.deps.Bundled = micro.Name, bundled(t)
	b.cfg.Hosts = append(b.cfg.Hosts, second.URL)
	res := b.run()
	b.counted(res, 20)
	if m := res.Manifest; !m.Model.Embedded || len(m.ServerChanges) != 0 || slices.Contains(codes(res.Summary), "drawn_scenes_only") {
		t.Errorf("%+v, changes %v, %v", m.Model, m.ServerChanges, codes(res.Summary))
	}
}
