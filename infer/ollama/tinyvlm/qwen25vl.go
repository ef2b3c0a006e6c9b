package tinyvlm

import "fmt"

// maxPixels bounds the largest image that the engine prepares for when it
// loads a Qwen2.5-VL model: its default of 2 097 152 costs up to seven seconds
// and 1.8 GB at every load, this one second.
const maxPixels = 602112 // 768 · 784

// buildQwen25VL builds Qwen2.5-VL, whose tower sees through windows except in
// its last block.
func buildQwen25VL(m *model) {
	s := textShape{hidden: 32, layers: 2, heads: 2, keyHeads: 1}
	m.text(s)
	m.own("attention.head_count_kv", uint32(s.keyHeads))
	m.own("rope.dimension_count", uint32(s.head()))
	m.own("rope.mrope_section", rotarySections(s.head()/2))

	m.tokenizer("qwen2")
	m.embeddings(s.hidden, qwenImageRows, q8_0)
	m.denseBlocks(s, true)
	m.windowedVision(s.hidden)
}

func (m *model) windowedVision(hidden uint64) {
	const patch = 14
	m.vision(patch)
	m.own("vision.window_size", uint32(112))
	m.own("vision.max_pixels", uint32(maxPixels))
	m.own("vision.fullatt_block_indexes", []int32{visionBlocks - 1})
	for i := range frames {
		// One kernel for each frame; the engine's convolution wants half precision.
		m.normal(fmt.Sprintf("v.patch_embd_%d.weight", i), f16, patchDeviation(patch), patch, patch, channels, visionHidden)
	}
	for i := range visionBlocks {
		block := fmt.Sprintf("v.blk.%d.", i)
		m.ones(block+"ln1.weight", visionHidden)
		m.ones(block+"ln2.weight", visionHidden)
		m.visionAttention(block)
		m.affine(block+"ffn_gate", visionHidden, visionWide)
		m.affine(block+"ffn_up", visionHidden, visionWide)
		m.affine(block+"ffn_down", visionWide, visionHidden)
	}
	m.ones("v.merger.ln_q.weight", visionHidden)
	m.affine("v.merger.mlp.0", merged, merged)
	m.affine("v.merger.mlp.2", merged, hidden)
}
