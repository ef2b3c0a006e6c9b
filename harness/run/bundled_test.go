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
	differs := func(ctx context.Context, b infer.Backend) ([]string, error) {
		found, err := micro.Look(ctx, b.(*ollama.Client).API())
		return found.Differs, err
	}
	return &run.Bundled{Identity: id, Is: micro.Is, Differs: differs, Register: func(ctx context.Context, b infer.Backend) (string, error) {
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
	if said := strings.Join(heard.said, "\n"); !strings.HasSuffix(said, "candor-micro replaced at "+b.server.URL+", in the place of another one; not the same were: the weights (sha256:"+strings.Repeat("ab", 6)+"…)") {
		t.Errorf("said %q", said)
	}
	if !slices.Contains(codes(res.Summary), "drawn_scenes_only") {
		t.Errorf("nothing is said of other data: %v", codes(res.Summary))
	}
	again := b.again()
	again.cfg.Model, again.deps.Observer = "library/Candor-Micro:latest", nil
	again.complete(again.run())
	if n := len(b.server.Creations()); n != 1 {
		t.Errorf("registered %d times", n)
	}
}

// The weights may be the same and the model another one all the same: dry run
// and run say in what, and do the same.
func TestBundledSameWeights(t *testing.T) {
	ours := faultserver.Creation{Model: micro.Name, Weights: micro.Digest(), Renderer: "qwen3.5", Parser: "qwen3.5"}
	odd, talks, coder := ours, ours, ours
	odd.Parameters, talks.System, coder.Renderer = "temperature 2", "Say yes.", "qwen3-coder"
	for want, has := range map[string]faultserver.Creation{"the parameters": odd, "the system text": talks, "the renderer": coder} {
		b := withMicro(t, faultserver.Has(has))
		heard := &notices{}
		b.deps.Observer = heard
		p, err := run.DryRun(t.Context(), b.cfg, b.deps)
		if err != nil || len(p.Lacking) != 1 || !slices.Equal(p.Lacking[0].Differs, []string{want}) {
			t.Errorf("%s: a dry run finds %+v, %v", want, p.Lacking, err)
		}
		b.complete(b.run())
		if said := strings.Join(heard.said, "\n"); !strings.Contains(said, "not the same were: "+want) || len(b.server.Creations()) != 1 {
			t.Errorf("%s: said %q, created %v", want, said, b.server.Creations())
		}
	}
}

// Servers that do not fit together are left as they were, whichever of them
// has the model.
func TestBundledHostsDiffer(t *testing.T) {
	for name, row := range map[string]struct{ first, second []faultserver.Option }{
		"none has it":       {nil, nil},
		"the first another": {[]faultserver.Option{faultserver.Has(older)}, nil},
		"both another":      {[]faultserver.Option{faultserver.Has(older)}, []faultserver.Option{faultserver.Has(older)}},
	} {
		b := withMicro(t, row.first...)
		second := faultserver.New(t, append(row.second, faultserver.Version("0.17.7"))...)
		b.cfg.Hosts = append(b.cfg.Hosts, second.URL)
		b.fails(false, second.URL+" runs version 0.17.7", "one model and one version")
		if n := len(b.server.Creations()) + len(second.Creations()); n != 0 {
			t.Errorf("%s: registered %d times", name, n)
		}
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
		var at []string
		for _, l := range p.Lacking {
			at = append(at, l.Endpoint)
		}
		if !slices.Equal(at, lacking) || !p.Model.Embedded || p.ImageTokens == 0 {
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
