package micro_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"candor/infer/ollama"
	"candor/infer/ollama/faultserver"
	"candor/infer/ollama/micro"

	"github.com/ollama/ollama/types/model"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The file is small, of the published baseline's architecture, and whole.
func TestInfo(t *testing.T) {
	info, err := micro.ReadInfo()
	if err != nil {
		t.Fatal(err)
	}
	if info.Architecture != "qwen35" || info.Parameters < 100_000 || info.Parameters > 8_000_000 || info.Context < 1024 {
		t.Errorf("%+v", info)
	}
	if info.Size > 8<<20 {
		t.Errorf("%d bytes: more than 8 MiB", info.Size)
	}
	data, err := io.ReadAll(micro.Open())
	if err != nil || len(data) != info.Size {
		t.Errorf("%d bytes read of %d: %v", len(data), info.Size, err)
	}
	if digest := fmt.Sprintf("sha256:%x", sha256.Sum256(data)); digest != micro.Digest() {
		t.Errorf("digest %s, of the bytes %s", micro.Digest(), digest)
	}
}

// The model card is of these very weights.
func TestCard(t *testing.T) {
	card, err := os.ReadFile("../../../scripts/micro/CARD.md")
	if err != nil {
		t.Fatal(err)
	}
	want := strings.TrimPrefix(micro.Digest(), "sha256:")
	if !bytes.Contains(card, []byte(want)) {
		t.Errorf("the model card does not name the weights, %s", want)
	}
}

// Names are as servers take them.
func TestIs(t *testing.T) {
	for name, want := range map[string]bool{
		"library/candor-micro": true, "library/candor-micro:latest": true, model.DefaultName().Host + "/library/Candor-micro:latest": true,
		"library/candor-micro:2": false, "elsewhere.example/library/candor-micro": false, "library/": false,
		"candor-micro": true, "candor-micro:latest": true, "Candor-Micro": true,
		"candor-micro:2": false, "somebody/candor-micro": false, "candor-tiny-qwen35": false, "": false,
	} {
		if micro.Is(name) != want {
			t.Errorf("%q: %v", name, !want)
		}
	}
}

// A server gets the model once, in the chat format of its family; what another
// Candor left under the name is replaced.
func TestInstall(t *testing.T) {
	older := faultserver.Creation{Model: micro.Name, Weights: "sha256:" + strings.Repeat("ab", 32), Renderer: "qwen3.5", Parser: "qwen3.5"}
	s := faultserver.New(t, faultserver.Has(older))
	c, err := ollama.New(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	for _, want := range []ollama.Registration{ollama.Replaced, ollama.Present} {
		if got, err := micro.Install(t.Context(), c.API()); err != nil || got != want {
			t.Errorf("%s, %v; want %s", got, err, want)
		}
	}
	want := faultserver.Creation{Model: micro.Name, Weights: micro.Digest(), Renderer: "qwen3.5", Parser: "qwen3.5"}
	if made := s.Creations(); len(made) != 1 || made[0] != want {
		t.Errorf("created %+v", made)
	}
}
