package tinyvlm

import "fmt"

// Token types of tokenizer.ggml.token_type.
const (
	tokenNormal      int32 = 1
	tokenControl     int32 = 3
	tokenUserDefined int32 = 4
)

// vocabulary is a byte-level BPE vocabulary: all bytes, a few words so that
// answers take few tokens, and Qwen's special tokens.
type vocabulary struct {
	tokens []string
	types  []int32
	merges []string
	ids    map[string]int32
	lean   map[int32]float64
	rivals map[int32]bool
}

// lean is about how much a token's logit is raised over the others'. Random
// weights alone would fill an answer with blanks and its confidence with
// numbers like 51e400; leaning makes most answers legal and keeps them varied.
// Nothing here depends on image or claim.
var lean = map[string]float64{
	`{"`: 5, "verdict": 3, "confidence": 3, `": `: 3, `": "`: 3, `", "`: 3,
	"SUPPORT": 7, "REFUT": 7, "ABST": 5, "ED": 3, "AIN": 3,
	"0.": 8, "}": 1.5, " ": -6, "\n": -6, "\n\n": -4, "\t": -6, "-": -6, "e": -5, "E": -5,
	"1": -1, "2": -1, "3": -1, "4": -1, "5": -1, "6": -1, "7": -1, "8": -1, "9": -1, "0": -2,
}

// verdictStarts are the tokens that decide a verdict. Their logits vary half as
// much with the context as the others', so that none wins always.
var verdictStarts = []string{"SUPPORT", "REFUT", "ABST"}

var words = []string{
	"SUPPORT", "REFUT", "ABST", "ED", "AIN", "verdict", "confidence", "user", "assistant", "system",
	" the", " image", " claim", " is", " a", " of", " in", " and", " on", " to", " not", "Claim", "Image",
	"0.", "\n\n", `": `, `": "`, `{"`, `"}`, `", "`,
}

var (
	controlTokens = []string{
		"<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|vision_start|>",
		"<|vision_end|>", "<|vision_pad|>", "<|image_pad|>", "<|video_pad|>",
	}
	userDefinedTokens = []string{"<think>", "</think>", "<tool_call>", "</tool_call>"}
)

func newVocabulary() *vocabulary {
	v := &vocabulary{ids: map[string]int32{}, lean: map[int32]float64{}, rivals: map[int32]bool{}}
	for b := range 256 {
		v.add(string(byteRune(byte(b))), tokenNormal)
	}
	for _, w := range words {
		v.addWord(w)
	}
	for _, t := range controlTokens {
		v.add(t, tokenControl)
	}
	for _, t := range userDefinedTokens {
		v.add(t, tokenUserDefined)
	}
	// A multiple of 32 keeps every matrix over the vocabulary quantisable. The
	// fillers are of type normal, since the engine searches every prompt for
	// each token of the other types.
	for len(v.tokens)%q8Block != 0 {
		v.add(fmt.Sprintf("<|unused_%d|>", len(v.tokens)), tokenNormal)
	}
	for text, by := range lean {
		v.lean[v.ids[encodeBytes(text)]] = by
	}
	for _, text := range verdictStarts {
		v.rivals[v.ids[text]] = true
	}
	return v
}

func (v *vocabulary) add(token string, kind int32) {
	if _, ok := v.ids[token]; ok {
		return
	}
	v.ids[token] = int32(len(v.tokens))
	v.tokens = append(v.tokens, token)
	v.types = append(v.types, kind)
}

// addWord makes text one token by merging its bytes from the left.
func (v *vocabulary) addWord(text string) {
	runes := []rune(encodeBytes(text))
	for n := 2; n <= len(runes); n++ {
		prefix := string(runes[:n])
		if _, ok := v.ids[prefix]; ok {
			continue
		}
		v.add(prefix, tokenNormal)
		v.merges = append(v.merges, string(runes[:n-1])+" "+string(runes[n-1]))
	}
}

func (v *vocabulary) id(token string) uint32 { return uint32(v.ids[token]) }

// encodeBytes writes text in the alphabet of byte-level BPE.
func encodeBytes(text string) string {
	var runes []rune
	for _, b := range []byte(text) {
		runes = append(runes, byteRune(b))
	}
	return string(runes)
}

// byteRune is the printable rune that stands for a byte, as the engine's
// tokenizer reverses it: control characters and blanks move up by 256, the
// second control block by 162, the soft hyphen to U+0143.
func byteRune(b byte) rune {
	r := rune(b)
	switch {
	case r == 0xad:
		return 0x143
	case r <= 0x20:
		return r + 0x100
	case r >= 0x7f && r <= 0xa0:
		return r + 0xa2
	}
	return r
}
