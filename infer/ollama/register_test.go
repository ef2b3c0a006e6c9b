package ollama_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"candor/infer"
	"candor/infer/ollama"
	"candor/infer/ollama/faultserver"
)

// weights are no GGUF, which a stand-in does not mind.
func weights(text string) ollama.Weights {
	return ollama.Weights{File: "m.gguf", GGUF: []byte(text), Renderer: "qwen3.5", Parser: "qwen3.5"}
}

func made(w ollama.Weights) faultserver.Creation {
	return faultserver.Creation{Model: "m", Weights: w.Digest(), Renderer: w.Renderer, Parser: w.Parser, Template: w.Template}
}

// Each row is what a server has under the name, and what registering does.
func TestRegister(t *testing.T) {
	ours := weights("ours")
	template := ours
	template.Template = "{{ .Prompt }}!"
	coder, unparsed, odd, talks := made(ours), made(ours), made(ours), made(ours)
	odd.Parameters, talks.System = "temperature 2", "Say yes."
	coder.Renderer, unparsed.Parser = "qwen3-coder", ""
	for _, row := range []struct {
		name string
		has  []faultserver.Option
		give ollama.Weights
		want ollama.Registration
	}{
		{"nothing there", nil, ours, ollama.Registered},
		{"the very model", []faultserver.Option{faultserver.Has(made(ours))}, ours, ollama.Present},
		{"other weights", []faultserver.Option{faultserver.Has(made(weights("older")))}, ours, ollama.Replaced},
		{"another renderer", []faultserver.Option{faultserver.Has(coder)}, ours, ollama.Replaced},
		{"no parser", []faultserver.Option{faultserver.Has(unparsed)}, ours, ollama.Replaced},
		{"parameters", []faultserver.Option{faultserver.Has(odd)}, ours, ollama.Replaced},
		{"a system text", []faultserver.Option{faultserver.Has(talks)}, ours, ollama.Replaced},
		{"another template", []faultserver.Option{faultserver.Has(made(ours))}, template, ollama.Replaced},
	} {
		s := faultserver.New(t, row.has...)
		c := client(t, s)
		got, err := ollama.Register(t.Context(), c.API(), "m", row.give)
		if err != nil || got != row.want {
			t.Errorf("%s: %s, %v; want %s", row.name, got, err, row.want)
		}
		if created := s.Creations(); (len(created) == 0) != (row.want == ollama.Present) || len(created) > 1 {
			t.Errorf("%s: created %v", row.name, created)
		}
		if got, err := ollama.Register(t.Context(), c.API(), "M:latest", row.give); err != nil || got != ollama.Present {
			t.Errorf("%s, once more: %s, %v", row.name, got, err)
		}
		id, err := c.Identify(t.Context(), "m")
		if err != nil || id.WeightsDigest != row.give.Digest() || id.Renderer != "qwen3.5" || id.Parser != "qwen3.5" {
			t.Errorf("%s: the server then has %+v, %v", row.name, id, err)
		}
	}
}

// page is what a proxy answers in the server's place.
const page = "<html>\r\n<head><title>413 Request Entity Too Large</title></head>\r\n<body><center>nginx</center></body>\r\n</html>"

// Looking changes nothing, and tells what is not as it should be.
func TestLook(t *testing.T) {
	ours := weights("ours")
	odd := made(ours)
	odd.Parameters, odd.System, odd.Renderer = "temperature 2", "Say yes.", "qwen3-coder"
	for _, row := range []struct {
		has  []faultserver.Option
		want ollama.Found
	}{
		{nil, ollama.Found{Missing: true}},
		{[]faultserver.Option{faultserver.Has(made(ours))}, ollama.Found{}},
		{[]faultserver.Option{faultserver.Has(odd)}, ollama.Found{Differs: []string{"the renderer", "the parameters", "the system text"}}},
	} {
		s := faultserver.New(t, row.has...)
		got, err := ollama.Look(t.Context(), client(t, s).API(), "m", ours)
		if err != nil || got.Missing != row.want.Missing || !slices.Equal(got.Differs, row.want.Differs) || len(s.Creations()) != 0 {
			t.Errorf("%+v, %v; want %+v", got, err, row.want)
		}
	}
}

// A server that goes away meanwhile is to be started again.
func TestRegisterServerGone(t *testing.T) {
	s := faultserver.New(t)
	c := client(t, s)
	s.Set(faultserver.Down(true))
	_, err := ollama.Register(t.Context(), c.API(), "m", weights("ours"))
	var f *infer.Failure
	if !errors.As(err, &f) || !strings.Contains(f.Hint, "start it again") {
		t.Errorf("%v", err)
	}
}

// Many at once end with the model, and none with an error.
func TestRegisterAtOnce(t *testing.T) {
	s := faultserver.New(t, faultserver.Has(made(weights("older"))))
	c, w := client(t, s), weights("ours")
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			if _, err := ollama.Register(t.Context(), c.API(), "m", w); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if id, err := c.Identify(t.Context(), "m"); err != nil || id.WeightsDigest != w.Digest() {
		t.Errorf("%+v, %v", id, err)
	}
}

// Each row is a server that does not take the model, and what its user is told.
func TestRegisterRefused(t *testing.T) {
	for _, row := range []struct {
		name string
		opt  faultserver.Option
		says []string
	}{
		{"no rights", faultserver.RefuseModels(http.StatusForbidden, "forbidden"), []string{"registering m: uploading", "forbidden", "--model"}},
		{"a login is wanted", faultserver.RefuseModels(http.StatusUnauthorized, "unauthorized"), []string{"--model"}},
		{"no such API", faultserver.RefuseModels(http.StatusNotFound, "404 page not found"), []string{"--model"}},
		{"not by this way", faultserver.RefuseModels(http.StatusMethodNotAllowed, "method not allowed"), []string{"--model"}},
		{"a store to read only", faultserver.RefuseModels(500, "open /models/blobs/sha256-1: read-only file system"), []string{"read-only", "OLLAMA_MODELS"}},
		{"another's store", faultserver.RefuseModels(500, "mkdir /models: permission denied"), []string{"OLLAMA_MODELS"}},
		{"a small proxy", faultserver.RefuseModels(413, page), []string{"413: Request Entity Too Large", "a proxy before the server"}},
		{"a full disk", faultserver.RefuseModels(500, "write /models/blobs/sha256-1: no space left on device"), []string{"full"}},
		{"a server of old", faultserver.RefuseModels(400, "path or Modelfile are required"), []string{"too old", "v0.17.4"}},
		{"one that knows no renderers", faultserver.ForgetFormat(), []string{"the renderer, the parser", "too old"}},
	} {
		c := client(t, faultserver.New(t, row.opt))
		_, err := ollama.Register(t.Context(), c.API(), "m", weights("ours"))
		var f *infer.Failure
		if !errors.As(err, &f) || f.Class != infer.ClassFatal {
			t.Errorf("%s: %v is no fatal failure", row.name, err)
			continue
		}
		if strings.ContainsAny(err.Error(), "<\n") {
			t.Errorf("%s: a page in %q", row.name, err)
		}
		for _, want := range row.says {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %q does not say %q", row.name, err, want)
			}
		}
	}
}

// A server that fails for a moment is asked again; one that keeps failing is no
// server without the model; and nobody waits for longer than the caller does.
func TestRegisterServerFails(t *testing.T) {
	s := faultserver.New(t, faultserver.Has(made(weights("ours"))))
	c := client(t, s)
	for _, row := range []struct {
		fails int
		ok    bool
	}{{0, true}, {2, true}, {1 << 20, false}} {
		s.Set(faultserver.FailShow(row.fails))
		got, err := ollama.Register(t.Context(), c.API(), "m", weights("ours"))
		if (err == nil && got == ollama.Present) != row.ok || !row.ok && !strings.Contains(err.Error(), "unexpected EOF") {
			t.Errorf("after %d failures: %s, %v", row.fails, got, err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := ollama.Register(ctx, c.API(), "m", weights("ours")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("after the caller's end: %v", err)
	}
	if created := s.Creations(); !slices.Equal(created, nil) {
		t.Errorf("created %v", created)
	}
}
