package tinyvlm

import (
	"fmt"
	"math"

	"candor/infer/ollama"
)

// anchor is the first component of every token's embedding. Being the same for
// all tokens it survives the layers as a constant, so that the first column of
// the output head acts as a bias on the logits (the engine has no such tensor).
const anchor = 6

// logitSpread is about the standard deviation of a logit before leaning.
const logitSpread = 2.5

// model is a file under construction with the helpers that fill it.
type model struct {
	file
	vocabulary   *vocabulary
	architecture string
	name         string
	seed         uint64
	parameters   uint64
}

func newModel(cfg Config, v *vocabulary) *model {
	m := &model{
		file:         file{metadata: map[string]any{}},
		vocabulary:   v,
		architecture: cfg.Architecture,
		name:         fmt.Sprintf("%s %s seed %d", ollama.RandomNamePrefix, cfg.Architecture, cfg.Seed),
		seed:         cfg.Seed,
	}
	m.set("general.architecture", cfg.Architecture)
	m.set("general.name", m.name)
	m.set("general.basename", m.name) // Ollama's show leaves general.name out
	m.set("general.file_type", uint32(0))
	m.set("general.quantization_version", uint32(2))
	return m
}

// set sets a metadata value.
func (m *model) set(key string, value any) { m.metadata[key] = value }

// own sets a metadata value under the architecture's name.
func (m *model) own(key string, value any) { m.set(m.architecture+"."+key, value) }

func (m *model) add(name string, e encoding, values []float32, shape ...uint64) {
	if uint64(len(values)) != size(shape) {
		panic(fmt.Sprintf("tinyvlm: %s has %d values for shape %v", name, len(values), shape))
	}
	m.parameters += uint64(len(values))
	m.tensors = append(m.tensors, tensor{name: name, encoding: e, shape: shape, data: e.encode(values)})
}

func size(shape []uint64) uint64 {
	n := uint64(1)
	for _, d := range shape {
		n *= d
	}
	return n
}

// normal adds a tensor drawn from N(0, deviation²).
func (m *model) normal(name string, e encoding, deviation float64, shape ...uint64) {
	m.add(name, e, m.draw(name, deviation, size(shape)), shape...)
}

func (m *model) draw(name string, deviation float64, n uint64) []float32 {
	s := newSource(m.seed, name)
	values := make([]float32, n)
	for i := range values {
		values[i] = float32(s.normal() * deviation)
	}
	return values
}

// uniform adds a vector drawn from [low, high).
func (m *model) uniform(name string, low, high float64, n uint64) {
	s := newSource(m.seed, name)
	values := make([]float32, n)
	for i := range values {
		// The conversion keeps the product from being fused with the sum.
		values[i] = float32(low + float64((high-low)*s.uniform()))
	}
	m.add(name, f32, values, n)
}

func (m *model) ones(name string, n uint64) {
	values := make([]float32, n)
	for i := range values {
		values[i] = 1
	}
	m.add(name, f32, values, n)
}

// linear adds a matrix from in to out values that keeps their scale.
func (m *model) linear(name string, in, out uint64) {
	m.normal(name+".weight", f32, 1/math.Sqrt(float64(in)), in, out)
}

// mixer is linear for the matrix that ends an attention layer, with a gain:
// tokens then depend more on what came before them, the image included, than
// on their neighbour alone, which keeps answers varied.
func (m *model) mixer(name string, in, out uint64) {
	const gain = 2
	m.normal(name+".weight", f32, gain/math.Sqrt(float64(in)), in, out)
}

// affine is linear with a small bias.
func (m *model) affine(name string, in, out uint64) {
	m.linear(name, in, out)
	m.normal(name+".bias", f32, 0.02, out)
}

func (m *model) layerNorm(name string, n uint64) {
	m.ones(name+".weight", n)
	m.normal(name+".bias", f32, 0.02, n)
}

// embeddings adds token_embd with the given number of rows, at least one for
// each token, and the output head over the vocabulary. Rows that belong to no
// token are zero, but for the last ones: those are the engine's own.
func (m *model) embeddings(hidden, rows uint64, e encoding) {
	const in, out = "token_embd.weight", "output.weight"
	n := uint64(len(m.vocabulary.tokens))
	values := make([]float32, hidden*rows)
	copy(values, m.draw(in, 1, hidden*n))
	if rows > n {
		copy(values[hidden*(rows-engineRows):], m.draw(in+".end", 1, hidden*engineRows))
	}
	for row := range rows {
		if row < n || row >= rows-engineRows {
			values[row*hidden] = anchor
		}
	}
	m.add(in, e, values, hidden, rows)

	values = m.draw(out, logitSpread/math.Sqrt(float64(hidden)), hidden*n)
	// What RMS normalisation leaves of the anchor beside components of variance
	// one: its size over the root of the mean square.
	left := anchor / math.Sqrt(float64(anchor*anchor+hidden-1)/float64(hidden))
	for token := range n {
		row := values[token*hidden : (token+1)*hidden]
		if m.vocabulary.rivals[int32(token)] {
			halve(row)
		}
		row[0] = float32(m.vocabulary.lean[int32(token)] / left)
	}
	m.add(out, f32, values, hidden, n)
	m.ones("output_norm.weight", hidden)
}

func halve(values []float32) {
	for i := range values {
		values[i] /= 2
	}
}

// tokenizer describes the vocabulary; pre names the engine's splitting rule.
func (m *model) tokenizer(pre string) {
	v := m.vocabulary
	m.set("tokenizer.ggml.model", "gpt2")
	m.set("tokenizer.ggml.pre", pre)
	m.set("tokenizer.ggml.tokens", v.tokens)
	m.set("tokenizer.ggml.token_type", v.types)
	m.set("tokenizer.ggml.merges", v.merges)
	m.set("tokenizer.ggml.eos_token_id", v.id("<|im_end|>"))
	m.set("tokenizer.ggml.eos_token_ids", []int32{v.ids["<|im_end|>"], v.ids["<|endoftext|>"]})
	m.set("tokenizer.ggml.padding_token_id", v.id("<|endoftext|>"))
	m.set("tokenizer.ggml.add_bos_token", false)
}
