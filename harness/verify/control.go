package verify

import (
	"fmt"
	"regexp"
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

// control matches Ollama's image placeholder; tokens between bars, the form of
// Qwen's, Llama's and DeepSeek's; and the vision models' tokens of other forms.
var control = regexp.MustCompile(`\[img-\d+\]` +
	`|<\|[^<>|\s]+\|>|<｜[^<>｜\s]+｜>` +
	`|</?(?:think|tool_call|tool_response|s|bos|eos)>|<tts_\w+>` +
	`|<(?:start|end)_of_(?:turn|image)>|<image_soft_token>|\[/?INST\]`)

func findControl(text string) string { return control.FindString(text) }
