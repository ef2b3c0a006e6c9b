package ollama_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"candor/infer"
	"candor/infer/ollama"
	"candor/infer/ollama/faultserver"

	"github.com/google/go-cmp/cmp"
)

// Everything that a healthy server tells is taken.
func TestIdentify(t *testing.T) {
	s := faultserver.New(t, faultserver.Version("0.17.4"), faultserver.Digest("abc"), faultserver.Models("other", "fake:latest"))
	got, err := client(t, s).Identify(t.Context(), "fake")
	if err != nil {
		t.Fatal(err)
	}
	want := infer.Identity{
		ServerVersion: "0.17.4", Model: "fake", Name: "fake", Digest: "abc", WeightsDigest: got.WeightsDigest, ContentDigest: got.ContentDigest,
		Architecture: "qwen35", ParameterSize: "4.0B", Quantization: "Q4_K_M", Renderer: "qwen3.5", Parser: "qwen3.5",
		Capabilities: []string{"completion", "vision"}, TrainedContext: 262144,
	}
	if diff := cmp.Diff(want, got); diff != "" || len(got.WeightsDigest) != len("sha256:")+64 {
		t.Errorf("identity (-want +got):\n%s, weights %q", diff, got.WeightsDigest)
	}
	if len(s.Requests()) != 0 {
		t.Errorf("%d inference requests; want none", len(s.Requests()))
	}
}

// canned serves fixed texts by path; what is missing is a 404.
func canned(t *testing.T, texts map[string]string) *ollama.Client {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, ok := texts[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Write([]byte(text))
	}))
	t.Cleanup(srv.Close)
	c, err := ollama.New(srv.URL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// Servers differ in what they tell, and where.
func TestIdentifyVariations(t *testing.T) {
	const modelfile = `# FROM other:latest\nFROM \"C:\\models\\blobs\\sha256-aaa\"\nFROM /models/blobs/sha256-bbb\nLICENSE \"\"\"\nParser of the first kind\nrenderer of nothing\nFROM sha256-ccc\n\"\"\"\nrenderer qwen3-vl\nPARSER \"qwen3-vl-instruct\"\n`
	tests := []struct {
		name, show, tags string
		want             infer.Identity
	}{
		{"nothing told", `{}`, `{}`, infer.Identity{}},
		{"modelfile: first weights, quotes, no text of the licence", `{"modelfile":"` + modelfile + `"}`, `{"models":[]}`,
			infer.Identity{WeightsDigest: "sha256:aaa", Renderer: "qwen3-vl", Parser: "qwen3-vl-instruct"}},
		{"modelfile from a name", `{"modelfile":"FROM qwen3.5:4b\n"}`, `{"models":null}`, infer.Identity{}},
		{"fields of their own", `{"renderer":"r","parser":"p"}`, `{}`, infer.Identity{Renderer: "r", Parser: "p"}},
		{"metadata in other types", `{"model_info":{"general.architecture":7,"general.name":null,"x.context_length":"long"}}`, `{}`, infer.Identity{}},
		{"metadata", `{"model_info":{"general.architecture":"x","x.context_length":4096}}`, `{}`, infer.Identity{Architecture: "x", TrainedContext: 4096}},
		{"how images are cut", `{"model_info":{"general.architecture":"x","x.vision.patch_size":16,"x.vision.spatial_merge_size":2,"x.vision.shortest_edge":4096,"x.vision.max_pixels":602112,"y.vision.patch_size":9}}`, `{}`,
			infer.Identity{Architecture: "x", Vision: infer.Vision{PatchSize: 16, MergeSize: 2, ShortestEdge: 4096, MaxPixels: 602112}}},
		{"listed with another case and the tag", `{}`, `{"models":[{"model":"m:7b","digest":"no"},{"model":"M:latest","digest":"yes"}]}`, infer.Identity{Digest: "yes"}},
		{"listed by name alone", `{}`, `{"models":[{"name":"m:latest","digest":"yes"}]}`, infer.Identity{Digest: "yes"}},
		{"listed in full", `{}`, `{"models":[{"model":"registry.ollama.ai/library/m:latest","digest":"yes"}]}`, infer.Identity{Digest: "yes"}},
		{"another namespace", `{}`, `{"models":[{"model":"me/m:latest","digest":"no"}]}`, infer.Identity{}},
	}
	for _, tt := range tests {
		c := canned(t, map[string]string{"/api/version": `{"version":"1"}`, "/api/show": tt.show, "/api/tags": tt.tags})
		tt.want.ServerVersion, tt.want.Model = "1", "m"
		got, err := c.Identify(t.Context(), "m")
		got.ContentDigest = "" // it has a test of its own
		if diff := cmp.Diff(tt.want, got); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", tt.name, err, diff)
		}
	}
}

// What is no server, or has no such model, is fatal at once and says what to
// do.
func TestIdentifyFails(t *testing.T) {
	const version = `{"version":"1"}`
	tests := []struct {
		name  string
		texts map[string]string
		want  string
	}{
		{"nothing here", nil, "no Ollama server at http"},
		{"another service", map[string]string{"/api/version": "{}"}, "no Ollama server at http"},
		{"a page", map[string]string{"/api/version": "<html></html>"}, "no Ollama server at http"},
	}
	for _, tt := range tests {
		_, err := canned(t, tt.texts).Identify(t.Context(), "m")
		if infer.ClassOf(err) != infer.ClassFatal || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), "--host") {
			t.Errorf("%s: %v; want a fatal failure with %q and what to do", tt.name, err, tt.want)
		}
	}
	s := faultserver.New(t)
	if _, err := client(t, s).Identify(t.Context(), "absent:7b"); infer.ClassOf(err) != infer.ClassFatal || !strings.Contains(err.Error(), "ollama pull absent:7b") {
		t.Errorf("absent model: %v; want the pull command", err)
	}
	if _, err := canned(t, map[string]string{"/api/version": version, "/api/show": "{}", "/api/tags": "<html>"}).Identify(t.Context(), "m"); err == nil {
		t.Error("a list that is a page gave no error")
	}
}

// A server that wants a login is there; one behind a page that refuses is told
// by its status.
func TestIdentifyRefused(t *testing.T) {
	for code, want := range map[int]string{
		401: "wants authorisation", 403: "answered 403: Forbidden, with a web page", 502: "answered 502: Bad Gateway, with a web page",
	} {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(code)
			io.WriteString(w, page)
		}))
		defer srv.Close()
		c, err := ollama.New(srv.URL)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		_, err = c.Identify(t.Context(), "m")
		if infer.ClassOf(err) != infer.ClassFatal || !strings.Contains(err.Error(), want) || strings.ContainsAny(err.Error(), "<\n") {
			t.Errorf("%d: %v", code, err)
		}
		if none := errors.Is(err, infer.ErrNoServer); none == (code == 401) || none != strings.Contains(err.Error(), "no Ollama server") {
			t.Errorf("%d: no server: %v, %v", code, none, err)
		}
	}
}

// Before any task, even a bad request is nobody's task's fault.
func TestIdentifyNeverTask(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/version" {
			w.Write([]byte(`{"version":"1"}`))
			return
		}
		http.Error(w, `{"error":"model is odd"}`, http.StatusBadRequest)
	}))
	defer srv.Close()
	c, err := ollama.New(srv.URL)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Identify(t.Context(), "m"); infer.ClassOf(err) != infer.ClassFatal || !strings.Contains(err.Error(), "model is odd") {
		t.Errorf("error = %v; want a fatal failure with the server's words", err)
	}
}

// The caller's end of a question is the context's error, and a server that
// hangs is given up.
func TestIdentifyEnds(t *testing.T) {
	release := make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-release:
		case <-r.Context().Done():
		}
	}))
	defer srv.Close()
	defer close(release)
	c, err := ollama.New(srv.URL, ollama.Timeout(20*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, identify := c.Identify(ctx, "m")
	_, residency := c.Residency(ctx, "m")
	_, render := c.Render(ctx, question(t))
	for _, err := range []error{identify, residency, render} {
		if err != context.Canceled { //nolint:errorlint // the very error is promised
			t.Errorf("cancelled: %v; want the context's error", err)
		}
	}
	_, identify = c.Identify(t.Context(), "m")
	_, residency = c.Residency(t.Context(), "m")
	_, render = c.Render(t.Context(), question(t))
	for _, err := range []error{identify, residency, render} {
		var f *infer.Failure
		if !errors.As(err, &f) {
			t.Errorf("hung: %v; want a failure", err)
		}
	}
}

// Where a model lives is told as it is, none of it in GPU memory or a
// part only included.
func TestResidency(t *testing.T) {
	s := faultserver.New(t)
	c := client(t, s)
	if got, err := c.Residency(t.Context(), "fake"); err != nil || got != (infer.Residency{}) {
		t.Errorf("before any request: %+v, %v; want not loaded", got, err)
	}
	if _, err := c.Ask(t.Context(), question(t)); err != nil {
		t.Fatal(err)
	}
	for _, vram := range []int64{0, 600, 1000} {
		s.Set(faultserver.Residency(1000, vram))
		want := infer.Residency{Loaded: true, Size: 1000, SizeVRAM: vram, ContextLength: 4096}
		for _, name := range []string{"fake", "fake:latest", "FAKE"} {
			if got, err := c.Residency(t.Context(), name); err != nil || got != want {
				t.Errorf("%s with %d: %+v, %v; want %+v", name, vram, got, err, want)
			}
		}
	}
	if got, err := c.Residency(t.Context(), "fake:7b"); err != nil || got.Loaded {
		t.Errorf("another tag: %+v, %v; want not loaded", got, err)
	}
}

// A server that changes in the middle of a run tells so when asked again.
func TestIdentifyAgain(t *testing.T) {
	s := faultserver.New(t)
	c := client(t, s)
	before, err := c.Identify(t.Context(), "fake")
	if err != nil {
		t.Fatal(err)
	}
	s.Set(faultserver.Version("0.31.1"), faultserver.Digest("new"), faultserver.Capabilities("completion"))
	after, err := c.Identify(t.Context(), "fake")
	if err != nil {
		t.Fatal(err)
	}
	if before.ServerVersion == after.ServerVersion || after.Digest != "new" || len(after.Capabilities) != 1 {
		t.Errorf("before %+v, after %+v", before, after)
	}
}

// The rendered prompt has the image before the claim, and costs no inference.
func TestRender(t *testing.T) {
	got, err := client(t, faultserver.New(t)).Render(t.Context(), question(t))
	if err != nil || !strings.Contains(got, "[img-0]There is a cat") {
		t.Errorf("rendered %q, %v", got, err)
	}
	for name, f := range map[string]faultserver.Fault{"empty": faultserver.Empty(), "html": faultserver.HTML(), "an answer": faultserver.Change(func(_ *faultserver.Request, r *faultserver.Reply) { r.Rendered = "" })} {
		if got, err := client(t, faultserver.New(t, faultserver.On(faultserver.Always, f))).Render(t.Context(), question(t)); err == nil {
			t.Errorf("%s: rendered %q; want an error", name, got)
		}
	}
}
