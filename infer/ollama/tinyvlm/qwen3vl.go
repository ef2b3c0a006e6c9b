package tinyvlm

// engineRows are the embeddings that the engine refers to by number: 151652 to
// 151655, of which it uses three.
const engineRows = 4

// qwenImageRows is one more than 151655, the image token of Qwen2.5-VL and
// Qwen3-VL: the engine writes that number, and 151652 and 151653, into the
// prompt whatever the metadata say, so that the embedding must have the rows.
// Head and token list stay small.
const qwenImageRows = 151656

// buildQwen3VL builds Qwen3-VL; block 0 of its tower is also fed to the text
// layers.
func buildQwen3VL(m *model) {
	s := textShape{hidden: 32, layers: 2, heads: 2, keyHeads: 1}
	m.text(s)
	m.own("attention.head_count_kv", uint32(s.keyHeads))
	m.own("attention.key_length", uint32(s.head()))
	m.own("attention.value_length", uint32(s.head()))
	m.own("mrope_sections", rotarySections(s.head()/2))

	m.tokenizer("qwen2")
	m.embeddings(s.hidden, qwenImageRows, q8_0)
	m.denseBlocks(s, false)
	m.qwen3Vision(s.hidden, []int32{0})
}
