package tinyvlm

import (
	"fmt"
	"math"
)

// The vision towers: two blocks of 32 values, two heads. As in the real models
// four neighbouring patches are merged into one token, and a still image is
// taken as two equal frames.
const (
	visionHidden = 32
	visionBlocks = 2
	visionHeads  = 2
	visionWide   = 2 * visionHidden // inside the feed-forward part
	channels     = 3
	merge        = 2
	frames       = 2
	merged       = merge * merge * visionHidden
)

// vision sets the metadata that both towers name alike.
func (m *model) vision(patch uint64) {
	m.own("vision.block_count", uint32(visionBlocks))
	m.own("vision.embedding_length", uint32(visionHidden))
	m.own("vision.attention.head_count", uint32(visionHeads))
	m.own("vision.num_channels", uint32(channels))
	m.own("vision.patch_size", uint32(patch))
	m.own("vision.spatial_merge_size", uint32(merge))
	m.own("vision.temporal_patch_size", uint32(frames))
	m.own("vision.attention.layer_norm_epsilon", float32(1e-6))
	m.own("vision.rope.freq_base", float32(10000))
}

// qwen3Vision adds the tower of Qwen3-VL, which Qwen3.5 shares. Each index in
// deepstack is a block whose output also reaches the language model.
func (m *model) qwen3Vision(hidden uint64, deepstack []int32) {
	const patch, side = 16, 8
	m.vision(patch)
	m.own("vision.num_positional_embeddings", uint32(side*side))
	m.own("vision.shortest_edge", uint32(65536))
	m.own("vision.longest_edge", uint32(16777216))
	m.own("vision.image_mean", []float32{0.5, 0.5, 0.5})
	m.own("vision.image_std", []float32{0.5, 0.5, 0.5})
	m.own("vision.deepstack_visual_indexes", deepstack)

	m.normal("v.patch_embed.weight", f16, patchDeviation(patch), patch, patch, frames, channels*visionHidden)
	m.normal("v.patch_embed.bias", f32, 0.02, visionHidden)
	m.normal("v.pos_embed.weight", f32, 0.1, visionHidden, side*side)
	for i := range visionBlocks {
		block := fmt.Sprintf("v.blk.%d.", i)
		m.layerNorm(block+"norm1", visionHidden)
		m.layerNorm(block+"norm2", visionHidden)
		m.visionAttention(block)
		m.affine(block+"mlp.linear_fc1", visionHidden, visionWide)
		m.affine(block+"mlp.linear_fc2", visionWide, visionHidden)
	}
	m.merger("v.merger.", visionHidden, hidden)
	for i := range deepstack {
		m.merger(fmt.Sprintf("v.deepstack_merger.%d.", i), merged, hidden)
	}
}

func (m *model) merger(prefix string, normed, hidden uint64) {
	m.layerNorm(prefix+"norm", normed)
	m.affine(prefix+"linear_fc1", merged, merged)
	m.affine(prefix+"linear_fc2", merged, hidden)
}

func (m *model) visionAttention(block string) {
	for _, part := range []string{"attn_q", "attn_k", "attn_v", "attn_out"} {
		m.affine(block+part, visionHidden, visionHidden)
	}
}

// patchDeviation keeps the scale of a patch's values through its embedding.
func patchDeviation(patch uint64) float64 {
	return 1 / math.Sqrt(float64(frames*channels*patch*patch))
}
