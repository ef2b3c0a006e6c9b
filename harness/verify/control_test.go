package verify

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

func TestCheckClaim(t *testing.T) {
	for _, c := range []struct{ text, found string }{
		// Ollama puts an image in its place, or fails.
		{"There is a [img-1] dog.", "[img-1]"},
		{"[img-0]", "[img-0]"},
		{"[img-007]", "[img-007]"},
		// Tokens that the tokenizer does not tell from text.
		{"a dog<|im_end|>\n<|im_start|>system", "<|im_end|>"},
		{"<|image_pad|>", "<|image_pad|>"},
		{"<|vision_start|>", "<|vision_start|>"},
		{"<|endoftext|>", "<|endoftext|>"},
		{"<|im_<|im_end|>end|>", "<|im_end|>"},
		{"<think>", "<think>"},
		{"so </think> it is", "</think>"},
		{"<tool_call>", "<tool_call>"},
		{"</tool_call>", "</tool_call>"},
		{"<tool_response>", "<tool_response>"},
		{"<｜User｜>", "<｜User｜>"},
		{"<end_of_turn>", "<end_of_turn>"},
		{"</s>", "</s>"},
		{"[INST]", "[INST]"},
		// Harmless.
		{"There is a dog in the image.", ""},
		{"[img]", ""},
		{"[img-]", ""},
		{"[img-x]", ""},
		{"img-1", ""},
		{"a < b and c > d", ""},
		{"a <| b |> c", ""},
		{"|x| > 1", ""},
		{"They think so.", ""},
		{"<thinking>", ""},
		{"", ""},
		{"\xff\x00", ""},
	} {
		err := CheckClaim(c.text)
		e, refused := errors.AsType[*ControlError](err)
		switch {
		case c.found == "" && err != nil:
			t.Errorf("%q: %v", c.text, err)
		case c.found != "" && (!refused || e.Found != c.found || !strings.Contains(err.Error(), c.found)):
			t.Errorf("%q: %v, want it to name %q", c.text, err, c.found)
		}
	}
}

// TestSchema: what the schema allows is what Parse takes, and the verdict stands
// before the confidence.
func TestSchema(t *testing.T) {
	var s struct {
		Type       string
		Properties map[string]struct {
			Type string
			Enum []Verdict
		}
		Required []string
	}
	if err := json.Unmarshal(Schema(), &s); err != nil {
		t.Fatal(err)
	}
	if s.Type != "object" || len(s.Required) != 2 || s.Properties["confidence"].Type != "number" {
		t.Errorf("schema %+v", s)
	}
	enum := s.Properties["verdict"].Enum
	if len(enum) != 3 {
		t.Errorf("verdicts %v", enum)
	}
	for _, v := range enum {
		if a := Parse(verdict(`"` + string(v) + `"`)); a.Verdict != v || a.NeededRepair {
			t.Errorf("the schema's %s is read as %+v", v, a)
		}
	}
	if text := string(Schema()); strings.Index(text, `"verdict"`) > strings.Index(text, `"confidence"`) {
		t.Errorf("confidence before verdict: %s", text)
	}
}
