package tinyvlm

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/ollama/ollama/api"
)

// fakeServer keeps one model the way Ollama reports it, and counts what is
// asked of it.
type fakeServer struct {
	t          *testing.T
	modelfile  string
	uploads    int
	creations  int
	showStatus int // instead of an answer to /api/show, if not 0
}

func (f *fakeServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch path := r.URL.Path; {
	case path == "/api/show" && f.showStatus != 0:
		http.Error(w, `{"error":"broken"}`, f.showStatus)
	case path == "/api/show" && f.modelfile == "":
		http.Error(w, `{"error":"model not found"}`, http.StatusNotFound)
	case path == "/api/show":
		json.NewEncoder(w).Encode(api.ShowResponse{Modelfile: f.modelfile})
	case strings.HasPrefix(path, "/api/blobs/"):
		f.uploads++
		io.Copy(io.Discard, r.Body)
		w.WriteHeader(http.StatusCreated)
	case path == "/api/create":
		f.creations++
		var request api.CreateRequest
		if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
			f.t.Error(err)
		}
		for _, digest := range request.Files {
			f.modelfile = fmt.Sprintf("# made by a test\nFROM /blobs/%s\nRENDERER %s\nPARSER %s\n",
				strings.ReplaceAll(digest, ":", "-"), request.Renderer, request.Parser)
		}
		fmt.Fprintln(w, `{"status":"success"}`)
	default:
		f.t.Errorf("unexpected request for %s", path)
	}
}

func newFakeServer(t *testing.T) (*fakeServer, *api.Client) {
	f := &fakeServer{t: t}
	s := httptest.NewServer(f)
	t.Cleanup(s.Close)
	base, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	return f, api.NewClient(base, s.Client())
}

// A model is uploaded once; another seed or another chat format under the same
// name replaces it.
func TestRegisterOnlyWhatIsMissing(t *testing.T) {
	f, client := newFakeServer(t)
	cfg := Config{Architecture: "qwen35", Seed: 1}
	steps := []struct {
		name      string
		before    func()
		seed      uint64
		creations int
	}{
		{name: "nothing there", seed: 1, creations: 1},
		{name: "all there", seed: 1, creations: 1},
		{name: "other weights", seed: 2, creations: 2},
		{name: "other renderer", seed: 2, creations: 3, before: func() {
			f.modelfile = strings.Replace(f.modelfile, "RENDERER qwen3.5", "RENDERER qwen3-coder", 1)
		}},
		{name: "no parser", seed: 2, creations: 4, before: func() {
			f.modelfile = strings.Replace(f.modelfile, "PARSER qwen3.5\n", "", 1)
		}},
	}
	for _, step := range steps {
		if step.before != nil {
			step.before()
		}
		cfg.Seed = step.seed
		if err := Install(context.Background(), client, "m", cfg); err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		if f.creations != step.creations || f.uploads != step.creations {
			t.Fatalf("%s: %d uploads, %d creations, want %d", step.name, f.uploads, f.creations, step.creations)
		}
	}
}

// A server that cannot be asked is an error, not a model that is missing.
func TestRegisterReportsServerErrors(t *testing.T) {
	f, client := newFakeServer(t)
	f.showStatus = http.StatusInternalServerError
	err := Install(context.Background(), client, "m", Config{Architecture: "qwen35"})
	if err == nil || !strings.Contains(err.Error(), "model m") || f.uploads != 0 {
		t.Errorf("error %v after %d uploads", err, f.uploads)
	}
	if err := Register(context.Background(), client, "m", nil, Config{Architecture: "gpt2"}); err == nil {
		t.Error("an unknown architecture was registered")
	}
}
