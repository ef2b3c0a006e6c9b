package tinyvlm

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"candor/infer/ollama"

	"github.com/ollama/ollama/fs/ggml"
)

// The files of seed 1. They may change only on purpose: a model's digest is
// part of every run's record.
var golden = map[string]string{
	"qwen35":   "1fca1c563d964697a89129a36741f7e5f21334e3f0aef49056fae3b41861b9e1",
	"qwen3vl":  "84cfd6af4a8515efc4a20f6ca644a9b9e2df7c8702e05dc87e4c77b8cdd06f0f",
	"qwen25vl": "522d9d691510ebb33ebb998c62b5e4350165ba623c475ea161f37ce845c54fce",
}

func write(t *testing.T, cfg Config) ([]byte, Info) {
	t.Helper()
	var b bytes.Buffer
	info, err := Write(&b, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), info
}

func TestWriteIsReproducible(t *testing.T) {
	for _, architecture := range Architectures() {
		t.Run(architecture, func(t *testing.T) {
			b, _ := write(t, Config{Architecture: architecture, Seed: 1})
			if got := fmt.Sprintf("%x", sha256.Sum256(b)); got != golden[architecture] {
				t.Errorf("sha256 %s, want %s", got, golden[architecture])
			}
			other, _ := write(t, Config{Architecture: architecture, Seed: 2})
			if bytes.Equal(b, other) {
				t.Error("seeds 1 and 2 give the same file")
			}
		})
	}
}

// What was written reads back, with a name that says the weights are random.
func TestWriteReadsBack(t *testing.T) {
	for _, architecture := range Architectures() {
		t.Run(architecture, func(t *testing.T) {
			b, info := write(t, Config{Architecture: architecture, Seed: 3})
			p := parse(t, b)
			if got := p.metadata["general.name"]; got != info.Name || !strings.HasPrefix(info.Name, ollama.RandomNamePrefix) {
				t.Errorf("general.name %v, info %q", got, info.Name)
			}
			if got := p.metadata["general.basename"]; got != info.Name {
				t.Errorf("general.basename %v, want the name", got)
			}
			if got := p.metadata["general.architecture"]; got != architecture {
				t.Errorf("general.architecture %v", got)
			}
			var parameters uint64
			for _, tensor := range p.tensors {
				parameters += size(tensor.shape)
			}
			if parameters != info.Parameters || len(p.tensors) != info.Tensors || int64(len(b)) != info.Size {
				t.Errorf("%d parameters in %d tensors, %d bytes; info %+v", parameters, len(p.tensors), len(b), info)
			}
			tokens := p.metadata["tokenizer.ggml.tokens"].([]any)
			types := p.metadata["tokenizer.ggml.token_type"].([]any)
			if len(tokens) != info.Vocabulary || len(types) != len(tokens) {
				t.Errorf("%d tokens, %d types, info %+v", len(tokens), len(types), info)
			}
			if rows := p.tensors["output.weight"].shape[1]; rows != uint64(len(tokens)) {
				t.Errorf("the head has %d rows for %d tokens", rows, len(tokens))
			}
		})
	}
}

// The engine's own reader agrees.
func TestEngineReads(t *testing.T) {
	for _, architecture := range Architectures() {
		b, info := write(t, Config{Architecture: architecture, Seed: 1})
		read, err := ggml.Decode(bytes.NewReader(b), -1)
		if err != nil {
			t.Fatalf("%s: %v", architecture, err)
		}
		if got := read.KV().Architecture(); got != architecture {
			t.Errorf("architecture %s, want %s", got, architecture)
		}
		if got := len(read.Tensors().Items()); got != info.Tensors {
			t.Errorf("%s: %d tensors, want %d", architecture, got, info.Tensors)
		}
	}
}

// The published baseline's family must stay a trifle to upload and load.
func TestQwen35IsSmall(t *testing.T) {
	if _, info := write(t, Config{Architecture: "qwen35", Seed: 1}); info.Size >= 1<<20 {
		t.Errorf("%d bytes", info.Size)
	}
}

func TestUnknownArchitecture(t *testing.T) {
	_, err := Write(&bytes.Buffer{}, Config{Architecture: "qwen2vl"})
	var unknown *ArchitectureError
	if !errors.As(err, &unknown) || unknown.Architecture != "qwen2vl" || !strings.Contains(err.Error(), "qwen35, qwen3vl, qwen25vl") {
		t.Errorf("error %v", err)
	}
}

func TestModelName(t *testing.T) {
	for cfg, want := range map[Config]string{
		{Architecture: "qwen35", Seed: 1}:  "candor-tiny-qwen35",
		{Architecture: "qwen3vl", Seed: 7}: "candor-tiny-qwen3vl-seed7",
	} {
		if got := cfg.ModelName(); got != want {
			t.Errorf("%+v is named %s, want %s", cfg, got, want)
		}
	}
}

// Each byte has its own printable token, each word one token, each merge its
// result; every leaning names a token, else it would do nothing.
func TestVocabulary(t *testing.T) {
	v := newVocabulary()
	runes := map[rune]bool{}
	for b := range 256 {
		runes[byteRune(byte(b))] = true
	}
	if len(runes) != 256 || runes[' '] || runes['\n'] || runes[0] {
		t.Errorf("%d runes for 256 bytes, or some that are not printable", len(runes))
	}
	for _, word := range words {
		if _, ok := v.ids[encodeBytes(word)]; !ok {
			t.Errorf("no token %q", word)
		}
	}
	for _, merge := range v.merges {
		if _, ok := v.ids[strings.Replace(merge, " ", "", 1)]; !ok {
			t.Errorf("merge %q makes no token", merge)
		}
	}
	for text := range lean {
		if _, ok := v.ids[encodeBytes(text)]; !ok {
			t.Errorf("leaning towards %q, which is no token", text)
		}
	}
	if slices.Contains(v.tokens, "") || len(v.tokens)%q8Block != 0 {
		t.Errorf("%d tokens, or an empty one", len(v.tokens))
	}
}
