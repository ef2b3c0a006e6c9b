package verify

import (
	"fmt"
	"regexp"
	"strings"
)

// ControlError is a claim that contains what a server or a model would take for
// a command rather than for text.
type ControlError struct {
	Found string // as it stands in the claim
}

func (e *ControlError) Error() string {
	return fmt.Sprintf("claim contains %q, which the server takes for a control token: remove it", e.Found)
}

// CheckClaim refuses, with a [*ControlError], a claim that could steer the model
// behind the prompt's back: an image placeholder [img-N], which Ollama replaces
// by an image, or a special token of the models' vocabularies, which it does not
// tell from text.
func CheckClaim(text string) error {
	if found := findControl(text); found != "" {
		return &ControlError{Found: found}
	}
	return nil
}

// control matches what the vision models' vocabularies and their servers hold
// for a command. Tokens are exact: "[img]" is text, "[IMG]" is Mistral's.
var control = regexp.MustCompile(strings.Join([]string{
	`\[img-\d+\]`,           // Ollama's image placeholder
	`<__(?:media|image)__>`, // llama.cpp's
	// Between bars: Qwen, Llama, Phi, GLM; with one bar, Gemma 4; with wide ones, DeepSeek.
	`<\|[^<>|\s]+\|?>`, `<[^<>|\s]+\|>`, `<｜[^<>｜\s]+｜>`,
	// Reasoning and tools: Qwen, GLM, Gemma.
	`</?(?:think|tool_call|tool_response|arg_key|arg_value)>`, `<tts_\w+>`, `<escape>`,
	// Gemma, Idefics: <start_of_turn>, <end_of_image>, <start_function_call>.
	`<(?:start|end)_[a-z_]+>`,
	// What sentences and vocabularies begin, end and are filled up with.
	`</?s>`, `<(?:bos|eos|pad|unk|mask|cls|sep|sop|eop)>`, `<(?:BOS|EOS|PAD|UNK|MASK|CLS|SEP|EOP)(?:_TOKEN)?>`,
	`\[(?:BOS|EOS|EOT|PAD|UNK|CLS|SEP|[gs]?MASK)\]`,
	`[<\[]unused_?\d+[>\]]`, `<(?:SPECIAL|extra_id|reserved(?:_token)?)_\d+>`,
	// Images: LLaVA, Gemma, InternVL, MiniCPM, SmolVLM, PaliGemma.
	`</?(?:image|img|video|audio|slice|ref|box|quad)>`, `<(?:image|video|audio|im|IMG)_\w+>`,
	`<fake_token_around_image>`, `<global-img>`, `<row_\d+_col_\d+>`, `<(?:loc|seg)\d+>`,
	// Mistral, and Llama 2's system prompt.
	`\[/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_RESULTS|MODEL_SETTINGS|THINK)\]`,
	`\[(?:IMG|IMG_BREAK|IMG_END|AUDIO|BEGIN_AUDIO|TRANSCRIBE|TOOL_CALLS|TOOL_CONTENT|CALL_ID|ARGS|PREFIX|MIDDLE|SUFFIX)\]`,
	`<</?SYS>>`,
}, "|"))

func findControl(text string) string { return control.FindString(text) }
