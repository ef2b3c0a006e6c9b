package local

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode"
)

// ScriptedJudgeName marks in reports that nobody judged who could read.
const ScriptedJudgeName = "scripted, no model: it looks for words"

// ScriptedJudge is a judge for demonstrations that need to come out alike
// everywhere. It knows no language: a reason is relevant as far as it names two
// numbers or words of the observation, coherent if it names one of the action,
// and of uncertainty it says nothing, which counts as 0. So no reasoning is
// worth more than 2/3 to it, and a reason that is false may be.
func ScriptedJudge(_ context.Context, prompt string) (string, error) {
	observation, rest, a := between(prompt, "Agent observation:\n", "\n\nAgent reasoning (chain-of-thought):\n")
	reasoning, rest, b := between(rest, "", "\n\nAgent action taken:\n")
	action, _, c := between(rest, "", "\n\nReward received after this action:\n")
	if !a || !b || !c {
		return "", errors.New("this is not what judges are asked")
	}
	reasons := words(reasoning)
	relevance := min(1, float64(common(reasons, words(observation)))/2)
	coherence := min(1, common(reasons, words(action)))
	return fmt.Sprintf(`{"relevance": %v, "coherence": %d}`, relevance, coherence), nil
}

// between is what stands between two marks, and what follows them.
func between(text, from, to string) (inner, rest string, ok bool) {
	_, text, ok = strings.Cut(text, from)
	if !ok {
		return "", "", false
	}
	return strings.Cut(text, to)
}

// words are the numbers and the words of four letters or more, as shorter ones
// are in every text.
func words(text string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) }) {
		if len(w) >= 4 || unicode.IsNumber(rune(w[0])) {
			out[w] = true
		}
	}
	return out
}

func common(a, b map[string]bool) (n int) {
	for w := range a {
		if b[w] {
			n++
		}
	}
	return n
}
