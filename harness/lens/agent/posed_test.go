package agent_test

import (
	"context"
	"strings"
	"testing"

	"candor/harness/lens/agent"
)

// A model is asked as the observation says, if all of the observation is an
// object that says so; the image goes along either way.
func TestObservationsThatSayHowToAsk(t *testing.T) {
	const image = `"image": "data:image/png;base64,iVBORw0KGgo="`
	const posed = `{"instructions": "Judge.", "prompt": "Is there a cat?", ` + image + `}`
	for _, row := range []struct {
		observation, text string
		posed             bool
	}{
		{posed, "Is there a cat?", true},
		{"Current state: " + posed, "Current state: ", false},                                          // a word around it
		{`{"instructions": "Judge.", ` + image + `}`, `{"instructions"`, false},                        // no question
		{`{"instructions": "", "prompt": "Is there a cat?", ` + image + `}`, `{"instructions"`, false}, // nothing in one of them
		{`{"instructions": ["Judge."], "prompt": "A cat?", ` + image + `}`, `{"instructions"`, false},  // no text
	} {
		var asked agent.Question
		act := agent.Of(func(_ context.Context, q agent.Question) (string, string, error) {
			asked = q
			return `Because. {"verdict": "SUPPORTED"}`, "", nil
		}, nil)
		action, reason, err := act(t.Context(), row.observation)
		if err != nil || action != `{"verdict": "SUPPORTED"}` || reason != "Because." {
			t.Errorf("%s: %q, %q, %v", row.observation, action, reason, err)
		}
		if !strings.HasPrefix(asked.Text, row.text) || (asked.System == "Judge.") != row.posed || string(asked.Image) != "\x89PNG\r\n\x1a\n" {
			t.Errorf("%s: asked %+v", row.observation, asked)
		}
	}
}
