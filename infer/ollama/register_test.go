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
	coder, unparsed := made(ours), made(ours)
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
