package verify

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"candor/scoring"
)

// TestStrictAgreesWithEncodingJSON: on random objects, and on random damage to
// them, an answer accepted without repair is one that encoding/json reads the
// same, and the other way round.
func TestStrictAgreesWithEncodingJSON(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	answered, refused := 0, 0
	for range 20_000 {
		text := randomObject(rng)
		if rng.IntN(2) == 0 {
			text = damage(rng, text)
		}
		a := Parse(Reply{Text: text})
		v, c, ok := standard(text)
		strict := a.Outcome == scoring.Answered && !a.NeededRepair
		if strict != ok {
			t.Fatalf("%q: accepted as it stands is %v, encoding/json says %v (%+v)", text, strict, ok, a)
		}
		if !ok {
			refused++
			continue
		}
		answered++
		if a.Verdict != v || *a.Confidence != c {
			t.Fatalf("%q: read %s %v, encoding/json %s %v", text, a.Verdict, *a.Confidence, v, c)
		}
	}
	if answered < 5000 || refused < 5000 {
		t.Errorf("a lopsided test: %d answered, %d refused", answered, refused)
	}
}

// standard reads an answer with encoding/json and no repair.
func standard(text string) (v Verdict, confidence float64, ok bool) {
	counts := map[string]int{}
	d := json.NewDecoder(strings.NewReader(text))
	if !json.Valid([]byte(text)) {
		return "", 0, false
	}
	if first, _ := d.Token(); first != json.Delim('{') {
		return "", 0, false
	}
	for d.More() {
		key, _ := d.Token()
		counts[key.(string)]++
		var skip json.RawMessage
		if d.Decode(&skip) != nil {
			return "", 0, false
		}
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal([]byte(text), &fields) != nil || counts["verdict"] != 1 || counts["confidence"] != 1 {
		return "", 0, false
	}
	number := json.Unmarshal(fields["verdict"], &v) == nil && string(fields["confidence"]) != "null" &&
		json.Unmarshal(fields["confidence"], &confidence) == nil
	return v, confidence, number && (v == Supported || v == Refuted) && confidence >= 0 && confidence <= 1
}

// randomObject is a legal answer most of the time, with other keys around it.
func randomObject(rng *rand.Rand) string {
	members := []string{
		`"verdict":` + pick(rng, `"SUPPORTED"`, `"REFUTED"`, `"\u0053UPPORTED"`, `"supported"`),
		`"confidence":` + pick(rng, "0", "1", "0.25", "9.5e-1", "1E-400", "0.1e+1", fmt.Sprint(rng.Float64()), "2", `"0.5"`),
	}
	for range rng.IntN(4) {
		members = append(members, randomString(rng)+":"+randomValue(rng, 4))
	}
	rng.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
	return pick(rng, "", " ", "\n") + "{" + strings.Join(members, pick(rng, ",", " ,\r\n\t")) + "}" + pick(rng, "", " ")
}

func randomValue(rng *rand.Rand, depth int) string {
	kinds := 7
	if depth == 0 {
		kinds = 5
	}
	switch rng.IntN(kinds) {
	case 0:
		return pick(rng, "true", "false", "null")
	case 1, 2:
		return pick(rng, "-0", "12", "-3.5e7", "1e999", "0.0")
	case 5:
		var items []string
		for range rng.IntN(4) {
			items = append(items, randomValue(rng, depth-1))
		}
		return "[" + strings.Join(items, ", ") + "]"
	case 6:
		var items []string
		for range rng.IntN(4) {
			items = append(items, randomString(rng)+": "+randomValue(rng, depth-1))
		}
		return "{" + strings.Join(items, ",") + " }"
	}
	return randomString(rng)
}

func randomString(rng *rand.Rand) string {
	var b strings.Builder
	for range rng.IntN(6) {
		b.WriteString(pick(rng, "a", `\"`, `\\`, `\n`, `\u00e9`, `\ud83d\ude00`, `\udead`, "“", "”", "：", "，", "{", "}",
			"</think", "é", "\xff", "verdict", "‘", "%", " ", `\/`))
	}
	return `"` + b.String() + `"`
}

// damage changes one byte, or takes one out or puts one in.
func damage(rng *rand.Rand, text string) string {
	i := rng.IntN(len(text))
	with := pick(rng, "", ",", "}", "{", `"`, `\`, "0", "x", "\x01", " ", ":", "]")
	return text[:i] + with + text[i+rng.IntN(2):]
}

func pick(rng *rand.Rand, of ...string) string { return of[rng.IntN(len(of))] }
