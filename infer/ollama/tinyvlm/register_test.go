package tinyvlm

import (
	"errors"
	"net/http"
	"net/url"
	"testing"

	"candor/infer/ollama/faultserver"

	"github.com/ollama/ollama/api"
)

// Each architecture is registered with its family's own chat format; another
// seed is another model in its place.
func TestInstall(t *testing.T) {
	s := faultserver.New(t)
	base, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	client := api.NewClient(base, http.DefaultClient)
	t.Cleanup(http.DefaultClient.CloseIdleConnections)
	for _, row := range []struct {
		cfg            Config
		renderer       string
		template, made bool
	}{
		{cfg: Config{Architecture: "qwen35", Seed: 1}, renderer: "qwen3.5", made: true},
		{cfg: Config{Architecture: "qwen35", Seed: 1}, renderer: "qwen3.5"}, // is there already
		{cfg: Config{Architecture: "qwen35", Seed: 2}, renderer: "qwen3.5", made: true},
		{cfg: Config{Architecture: "qwen3vl", Seed: 1}, renderer: "qwen3-vl-instruct", made: true},
		{cfg: Config{Architecture: "qwen25vl", Seed: 1}, template: true, made: true},
	} {
		before := len(s.Creations())
		if err := Install(t.Context(), client, "m", row.cfg); err != nil {
			t.Fatalf("%+v: %v", row.cfg, err)
		}
		all := s.Creations()
		if (len(all) > before) != row.made {
			t.Errorf("%+v: %d models created", row.cfg, len(all)-before)
		}
		if m := all[len(all)-1]; m.Renderer != row.renderer || m.Parser != row.renderer || (m.Template != "") != row.template {
			t.Errorf("%+v: created %+v", row.cfg, m)
		}
	}
	var unknown *ArchitectureError
	if err := Register(t.Context(), client, "m", nil, Config{Architecture: "gpt2"}); !errors.As(err, &unknown) {
		t.Errorf("an unknown architecture: %v", err)
	}
}
