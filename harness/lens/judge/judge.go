// Package judge scores an agent's reasons: what a judge is asked, and what is
// made of its reply. Both are as the published learnlens-rl packages have them,
// word for word and fault for fault, so that their scores can be compared with
// others'.
//
// Judges are models of the user's own Ollama server, or behind the interfaces of
// OpenAI, Groq and Anthropic, see [Name] and [Open]. The last three were tried
// against recorded shapes only.
package judge

import (
	"context"
	"fmt"
	"strings"

	"candor/harness/lens/play"
	"candor/harness/lens/pyjson"
)

// Judge answers a prompt. Trying again is its own business.
type Judge func(ctx context.Context, prompt string) (reply string, err error)

// What a judge is shown at most, in characters.
const (
	MaxObservation = 2000
	MaxReasoning   = 1000
	MaxAction      = 200
)

const template = `You are evaluating the reasoning quality of an AI agent interacting with a reinforcement learning environment.

Agent observation:
%s

Agent reasoning (chain-of-thought):
%s

Agent action taken:
%s

Reward received after this action:
%s

Score the reasoning quality on THREE dimensions, each from 0.0 to 1.0:

1. Relevance (0-1): Did the agent explicitly reference key state variables?
   0 = ignored observation, 1 = referenced all relevant features.

2. Coherence (0-1): Does reasoning logically justify the chosen action?
   0 = reasoning contradicts action, 1 = reasoning clearly supports action.

3. Uncertainty (0-1): Did agent appropriately acknowledge ambiguity?
   0 = overconfident on ambiguous states, 1 = appropriate calibration.

Respond ONLY with JSON, no preamble:
{"relevance": <float>, "coherence": <float>, "uncertainty": <float>}`

// Prompt is what a judge is asked about one step.
func Prompt(s play.Step) string {
	return fmt.Sprintf(template, first(s.Observation, MaxObservation), first(s.Reasoning, MaxReasoning), first(s.Action, MaxAction), pyjson.Fixed(s.Paid(), 4))
}

// first is the beginning of a text.
func first(text string, characters int) string {
	n := 0
	for i := range text {
		if n == characters {
			return text[:i]
		}
		n++
	}
	return text
}

// Dimensions are what a judge scores, each in [0, 1].
var dimensions = [...]string{"relevance", "coherence", "uncertainty"}

// Score is what a reply says: the mean of the three scores, each clamped to
// [0, 1] and 0 where it is left out. It is false where the reply holds no
// object, or a score that is no number: such a step counts as not judged.
func Score(reply string) (float64, bool) {
	object, ok := find(reply)
	if !ok || object.Kind != pyjson.Object {
		return 0, false
	}
	total := 0.
	for _, name := range dimensions {
		value, there := object.Get(name)
		if !there {
			continue
		}
		score, ok := value.Float64()
		if !ok {
			return 0, false
		}
		total += clamp(score)
	}
	return total / float64(len(dimensions)), true
}

// find reads the reply, without a fence that it begins with, or else what
// stands from its first brace to its last.
func find(reply string) (pyjson.Value, bool) {
	text := pyjson.Strip(reply)
	if text == "" {
		return pyjson.Value{}, false
	}
	if lines := strings.Split(text, "\n"); strings.HasPrefix(text, "```") && len(lines) > 2 {
		text = strings.Join(lines[1:len(lines)-1], "\n")
	}
	if v, err := pyjson.Parse(text); err == nil {
		return v, true
	}
	start, end := strings.Index(text, "{"), strings.LastIndex(text, "}")
	if start < 0 || end < start {
		return pyjson.Value{}, false
	}
	v, err := pyjson.Parse(text[start : end+1])
	return v, err == nil
}

// clamp makes 1 of what is no number, as Python's min does.
func clamp(x float64) float64 {
	if !(x < 1) {
		return 1
	}
	return max(0, x)
}
