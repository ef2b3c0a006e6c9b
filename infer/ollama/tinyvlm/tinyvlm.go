// Package tinyvlm makes very small vision-language models of the Qwen
// architectures that Ollama's engine runs, with random weights, and registers
// them at a server. They know nothing: a figure measured on one means nothing.
// What they are for is to walk the whole street for real on any machine and
// without a download: image decoding, vision tower, chat template, grammar,
// sampling, log probabilities and prompt cache are the engine's own.
//
// A model is a GGUF file fixed by its [Config], byte for byte, on every
// platform: all its floating-point values come from single, correctly rounded
// operations on integers.
package tinyvlm

import (
	"fmt"
	"io"
	"strings"
)

// Config says which model to make.
type Config struct {
	// Architecture is the engine's name: qwen35 (Qwen3.5), qwen3vl or qwen25vl.
	Architecture string
	// Seed draws the weights.
	Seed uint64
}

// ModelName is the name the project's scripts and tests register cfg under:
// candor-tiny-qwen35 for seed 1, candor-tiny-qwen35-seed7 for another.
func (cfg Config) ModelName() string {
	name := "candor-tiny-" + cfg.Architecture
	if cfg.Seed != 1 {
		name += fmt.Sprintf("-seed%d", cfg.Seed)
	}
	return name
}

// Info describes a file that was written.
type Info struct {
	Name       string // general.name
	Size       int64  // bytes
	Parameters uint64
	Tensors    int
	Vocabulary int // tokens that can be sampled
}

// ArchitectureError reports an architecture that this package cannot make.
type ArchitectureError struct{ Architecture string }

func (e *ArchitectureError) Error() string {
	return fmt.Sprintf("tinyvlm: unknown architecture %q: have %s", e.Architecture, strings.Join(Architectures(), ", "))
}

// Architectures lists what can be made, the published baseline's family first.
func Architectures() []string {
	names := make([]string, len(families))
	for i, f := range families {
		names[i] = f.architecture
	}
	return names
}

// Write writes the model of cfg to w as a GGUF file.
func Write(w io.Writer, cfg Config) (Info, error) {
	family, err := familyOf(cfg.Architecture)
	if err != nil {
		return Info{}, err
	}
	m := newModel(cfg, newVocabulary())
	family.build(m)
	m.set("general.parameter_count", m.parameters)
	size, err := m.file.writeTo(w)
	if err != nil {
		return Info{}, fmt.Errorf("tinyvlm: writing %s: %w", cfg.Architecture, err)
	}
	return Info{
		Name:       m.name,
		Size:       size,
		Parameters: m.parameters,
		Tensors:    len(m.file.tensors),
		Vocabulary: len(m.vocabulary.tokens),
	}, nil
}

// family is one architecture: how to build it, and the chat format that the
// published models of the family carry.
type family struct {
	architecture string
	build        func(*model)
	renderer     string
	parser       string
	template     string
}

var families = []family{
	{architecture: "qwen35", build: buildQwen35, renderer: "qwen3.5", parser: "qwen3.5"},
	{architecture: "qwen3vl", build: buildQwen3VL, renderer: "qwen3-vl-instruct", parser: "qwen3-vl-instruct"},
	{architecture: "qwen25vl", build: buildQwen25VL, template: chatML},
}

// chatML is Qwen's chat format as an Ollama template.
const chatML = `{{- if .System -}}
<|im_start|>system
{{ .System }}<|im_end|>
{{ end -}}
{{- range .Messages -}}
{{- if ne .Role "system" -}}
<|im_start|>{{ .Role }}
{{ .Content }}<|im_end|>
{{ end -}}
{{- end -}}
<|im_start|>assistant
`

func familyOf(architecture string) (family, error) {
	for _, f := range families {
		if f.architecture == architecture {
			return f, nil
		}
	}
	return family{}, &ArchitectureError{architecture}
}
