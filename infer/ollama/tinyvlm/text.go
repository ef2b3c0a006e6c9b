package tinyvlm

import "fmt"

// textShape is the shape of a language model; every architecture has two
// layers and one key-value head.
type textShape struct {
	hidden, layers, heads, keyHeads uint64
}

func (s textShape) head() uint64        { return s.hidden / s.heads }
func (s textShape) feedForward() uint64 { return 2 * s.hidden }

// text sets the metadata that all architectures name alike.
func (m *model) text(s textShape) {
	m.own("context_length", uint32(32768))
	m.own("embedding_length", uint32(s.hidden))
	m.own("block_count", uint32(s.layers))
	m.own("feed_forward_length", uint32(s.feedForward()))
	m.own("attention.head_count", uint32(s.heads))
	m.own("attention.layer_norm_rms_epsilon", float32(1e-6))
	m.own("rope.freq_base", float32(10000))
}

func (m *model) feedForward(block string, s textShape) {
	m.linear(block+"ffn_gate", s.hidden, s.feedForward())
	m.linear(block+"ffn_up", s.hidden, s.feedForward())
	m.linear(block+"ffn_down", s.feedForward(), s.hidden)
}

// denseBlocks adds plain attention blocks, with biases on query, key and value
// (Qwen2.5) or norms on query and key (Qwen3).
func (m *model) denseBlocks(s textShape, biased bool) {
	project := m.linear
	if biased {
		project = m.affine
	}
	for i := range s.layers {
		block := fmt.Sprintf("blk.%d.", i)
		m.ones(block+"attn_norm.weight", s.hidden)
		m.ones(block+"ffn_norm.weight", s.hidden)
		project(block+"attn_q", s.hidden, s.head()*s.heads)
		project(block+"attn_k", s.hidden, s.head()*s.keyHeads)
		project(block+"attn_v", s.hidden, s.head()*s.keyHeads)
		m.mixer(block+"attn_output", s.head()*s.heads, s.hidden)
		if !biased {
			m.ones(block+"attn_q_norm.weight", s.head())
			m.ones(block+"attn_k_norm.weight", s.head())
		}
		m.feedForward(block, s)
	}
}

// rotarySections divides n rotary pairs among time, height and width.
func rotarySections(n uint64) []int32 {
	side := int32(n / 3)
	return []int32{int32(n) - 2*side, side, side}
}
