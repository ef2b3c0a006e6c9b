package tinyvlm

import "fmt"

// The gated delta net of Qwen3.5: two heads of 32, a causal convolution over
// four tokens.
const (
	deltaHeads  = 2
	deltaState  = 32
	deltaKernel = 4
	deltaInner  = deltaHeads * deltaState
	deltaQKV    = 2*deltaHeads*deltaState + deltaInner
)

// buildQwen35 builds Qwen3.5: a recurrent layer, then one of full attention.
// This architecture reads its vision tokens from the metadata, so that a
// vocabulary of a few hundred tokens does.
func buildQwen35(m *model) {
	s := textShape{hidden: 64, layers: 2, heads: 2, keyHeads: 1}
	rotary := s.head() / 2
	m.text(s)
	m.own("attention.head_count_kv", []uint32{0, uint32(s.keyHeads)}) // 0: recurrent
	m.own("attention.key_length", uint32(s.head()))
	m.own("attention.value_length", uint32(s.head()))
	m.own("full_attention_interval", uint32(2))
	m.own("rope.dimension_count", uint32(rotary))
	m.own("rope.mrope_section", rotarySections(rotary/2))
	m.own("rope.mrope_interleaved", true)
	m.own("ssm.inner_size", uint32(deltaInner))
	m.own("ssm.state_size", uint32(deltaState))
	m.own("ssm.group_count", uint32(deltaHeads))
	m.own("ssm.time_step_rank", uint32(deltaHeads))
	m.own("ssm.conv_kernel", uint32(deltaKernel))
	m.own("ssm.v_head_reordered", true)
	m.own("image_token_id", m.vocabulary.id("<|image_pad|>"))
	m.own("vision_start_token_id", m.vocabulary.id("<|vision_start|>"))
	m.own("vision_end_token_id", m.vocabulary.id("<|vision_end|>"))

	m.tokenizer("qwen35")
	m.embeddings(s.hidden, uint64(len(m.vocabulary.tokens)), f32)
	for i := range s.layers {
		block := fmt.Sprintf("blk.%d.", i)
		m.ones(block+"attn_norm.weight", s.hidden)
		m.ones(block+"post_attention_norm.weight", s.hidden)
		if i%2 == 0 {
			m.deltaNet(block, s)
		} else {
			m.gatedAttention(block, s)
		}
		m.feedForward(block, s)
	}
	m.qwen3Vision(s.hidden, []int32{})
}

func (m *model) deltaNet(block string, s textShape) {
	m.linear(block+"attn_qkv", s.hidden, deltaQKV)
	m.linear(block+"attn_gate", s.hidden, deltaInner)
	m.linear(block+"ssm_beta", s.hidden, deltaHeads)
	m.linear(block+"ssm_alpha", s.hidden, deltaHeads)
	m.normal(block+"ssm_conv1d.weight", f32, 0.5, deltaKernel, deltaQKV)
	m.uniform(block+"ssm_dt", -3, -1, deltaHeads)
	m.uniform(block+"ssm_a", -2, -0.5, deltaHeads)
	m.ones(block+"ssm_norm.weight", deltaState)
	m.mixer(block+"ssm_out", deltaInner, s.hidden)
}

// gatedAttention's query projection yields the query and its output gate.
func (m *model) gatedAttention(block string, s textShape) {
	m.linear(block+"attn_q", s.hidden, 2*s.head()*s.heads)
	m.linear(block+"attn_k", s.hidden, s.head()*s.keyHeads)
	m.linear(block+"attn_v", s.hidden, s.head()*s.keyHeads)
	m.mixer(block+"attn_output", s.head()*s.heads, s.hidden)
	m.ones(block+"attn_q_norm.weight", s.head())
	m.ones(block+"attn_k_norm.weight", s.head())
}
