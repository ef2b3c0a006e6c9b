package lens

import (
	"strconv"
	"strings"

	"candor/harness/lens/compat"
	"candor/harness/lens/pyjson"
)

// Rendering is one way to show a state.
type Rendering struct {
	Name, Text string
}

// irrelevant has no bearing on anything.
const irrelevant = "The clock on the wall shows ten past ten."

// Renderings are the ways in which the observation of a step is shown to see
// whether the agent acts alike: as it is; in the four published paraphrases; and
// where it is JSON on one line, with its keys in reverse, and with numbers that
// have a fraction respelled (0.5 as 5e-1; integers stay as they are, since to
// many readers 5.0 is no integer). The last has an irrelevant addition. Those
// that would repeat another are left out.
func Renderings(observation string, step int) []Rendering {
	var out []Rendering
	seen := map[string]bool{}
	add := func(name, text string) {
		if !seen[text] {
			seen[text] = true
			out = append(out, Rendering{name, text})
		}
	}
	names := []string{"as it is", "current state", "you observe", "env state", "step"}
	for i, text := range compat.Paraphrases(observation, step) {
		add(names[i], text)
	}
	v, err := pyjson.Parse(observation)
	if err != nil || v.Kind != pyjson.Object && v.Kind != pyjson.Array {
		add("addition", observation+"\n\n"+irrelevant)
		return out
	}
	add("one line", v.Compact())
	add("keys reversed", reversed(v).Indent())
	add("numbers respelled", respelled(v).Indent())
	if v.Kind == pyjson.Object {
		add("addition", with(v, "note", irrelevant).Indent())
	} else {
		add("addition", observation+"\n\n"+irrelevant)
	}
	return out
}

// reversed has the keys of all objects the other way round.
func reversed(v pyjson.Value) pyjson.Value {
	items := make([]pyjson.Value, len(v.Items))
	keys := make([]pyjson.Value, len(v.Keys))
	for i, item := range v.Items {
		at := i
		if v.Kind == pyjson.Object {
			at = len(items) - 1 - i
			keys[at] = v.Keys[i]
		}
		items[at] = reversed(item)
	}
	v.Items, v.Keys = items, keys
	return v
}

// respelled writes floats with an exponent. It gives them as integers of those
// digits, which are written as they stand.
func respelled(v pyjson.Value) pyjson.Value {
	if v.Kind == pyjson.Float && v.Number == v.Number && v.Number-v.Number == 0 {
		return pyjson.Value{Kind: pyjson.Int, Digits: strings.Replace(strconv.FormatFloat(v.Number, 'e', -1, 64), "e+00", "e0", 1)}
	}
	items := make([]pyjson.Value, len(v.Items))
	for i, item := range v.Items {
		items[i] = respelled(item)
	}
	v.Items = items
	return v
}

// with has one more key, of a name that is free, at the end.
func with(v pyjson.Value, key, text string) pyjson.Value {
	for {
		if _, taken := v.Get(key); !taken {
			break
		}
		key += "_"
	}
	v.Keys = append(v.Keys[:len(v.Keys):len(v.Keys)], pyjson.Value{Kind: pyjson.String, Runes: []rune(key)})
	v.Items = append(v.Items[:len(v.Items):len(v.Items)], pyjson.Value{Kind: pyjson.String, Runes: []rune(text)})
	return v
}

// same is a text that actions share exactly if they mean the same.
func same(action []byte) string {
	v, err := pyjson.Parse(string(action))
	if err != nil {
		return string(action)
	}
	return v.Canonical()
}
