// Package micro is candor-micro, the model that Candor asks when it is told of
// no other: a Qwen3.5 vision model of a few million parameters that the
// project trained itself, from scratch, on scenes that its own generator draws
// (scripts/micro). It sees: vision tower, recurrent and attention layers, chat
// format and answer grammar are those of the architecture, served by an
// unmodified Ollama. It knows nothing but drawn scenes and the claims that are
// made about them. So it shows what Candor measures, on a real engine and with
// no download, and guards the way of an image to the model against faults; it
// is no result about real vision-language models.
//
// The weights are part of the program. Install gives them to a server.
package micro

import (
	"bytes"
	"context"
	_ "embed" // the weights
	"fmt"
	"io"
	"strings"

	"candor/infer"
	"candor/infer/ollama"

	"github.com/ollama/ollama/api"
	"github.com/ollama/ollama/format"
	"github.com/ollama/ollama/fs/ggml"
	"github.com/ollama/ollama/types/model"
)

// Name is what servers call the model.
const Name = "candor-micro"

// chatFormat is the renderer and the parser of the published Qwen3.5.
const chatFormat = "qwen3.5"

//go:embed candor-micro.gguf
var gguf []byte

// Is reports whether name is the model's, as servers understand names: what is
// left out (registry, namespace, tag) means the default, and case does not
// matter.
func Is(name string) bool { return model.ParseName(name).EqualFold(model.ParseName(Name)) }

// Open reads the GGUF file.
func Open() io.ReadSeeker { return bytes.NewReader(gguf) }

// Digest is the file's: "sha256:" and hex digits.
func Digest() string { return weights().Digest() }

// Install makes a server have the model, and says what it did; see
// [ollama.Register].
func Install(ctx context.Context, client *api.Client) (ollama.Registration, error) {
	return ollama.Register(ctx, client, Name, weights())
}

// Look tells how what a server has under the model's name differs from it, and
// changes nothing; see [ollama.Look].
func Look(ctx context.Context, client *api.Client) (ollama.Found, error) {
	return ollama.Look(ctx, client, Name, weights())
}

func weights() ollama.Weights {
	return ollama.Weights{File: Name + ".gguf", GGUF: gguf, Renderer: chatFormat, Parser: chatFormat}
}

// Info is what the file says of itself.
type Info struct {
	Name         string // its own, in full
	Architecture string // as engines call it
	Parameters   uint64
	Quantization string // of most tensors
	Context      int    // tokens that it was made for
	Vision       infer.Vision
	Size         int // bytes
}

// ReadInfo reads the header of the file.
func ReadInfo() (Info, error) {
	file, err := ggml.Decode(Open(), 0)
	if err != nil {
		return Info{}, fmt.Errorf("the embedded %s: %w", Name, err)
	}
	kv := file.KV()
	vision := func(key string) int { return int(kv.Uint("vision." + key)) }
	return Info{
		Name: kv.String("general.basename"), Architecture: kv.Architecture(), Parameters: kv.ParameterCount(),
		Quantization: kv.FileType().String(), Context: int(kv.ContextLength()), Size: len(gguf),
		Vision: infer.Vision{
			PatchSize: vision("patch_size"), MergeSize: vision("spatial_merge_size"),
			ShortestEdge: vision("shortest_edge"), MaxPixels: vision("max_pixels"),
		},
	}, nil
}

// Identity is what a server would say of the model, without one.
func Identity() (infer.Identity, error) {
	info, err := ReadInfo()
	return infer.Identity{
		Model: Name, Name: info.Name, WeightsDigest: Digest(), Architecture: info.Architecture,
		ParameterSize: format.HumanNumber(info.Parameters), Quantization: info.Quantization,
		Renderer: chatFormat, Parser: chatFormat, TrainedContext: info.Context, Vision: info.Vision,
		RandomWeights: strings.HasPrefix(info.Name, ollama.RandomNamePrefix), Embedded: true,
	}, err
}
