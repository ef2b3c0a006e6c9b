package answers

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"candor/scoring"
)

func ExampleRead() {
	rows, _, err := Read(strings.NewReader(`
{"id": "a", "image": "1", "label": "SUPPORTED", "verdict": "SUPPORTED", "confidence": 0.9}
{"id": "b", "image": "1", "label": "REFUTED", "verdict": "ABSTAIN"}
{"id": "c", "image": "2", "label": "REFUTED", "verdict": null}
`), "answers.jsonl")
	if err != nil {
		panic(err)
	}
	for _, r := range rows {
		fmt.Println(r.ID, r.Image, r.Outcome, r.Confidence, r.Correct)
	}
	_, _, err = Read(strings.NewReader(`{"label": "yes", "verdict": "SUPPORTED", "confidence": 0.9}`), "answers.jsonl")
	fmt.Println(err)
	// Output:
	// a 1 answered 0.9 true
	// b 1 abstained 0 false
	// c 2 malformed 0 false
	// answers.jsonl:1: label "yes": must be "SUPPORTED" or "REFUTED"
}

// line is an answer with the members given after label and verdict.
func line(verdict, rest string) string {
	return `{"label":"SUPPORTED","verdict":` + verdict + rest + `}`
}

// Each row is one line and what it must be read as.
func TestLines(t *testing.T) {
	answered := func(c float64, correct bool) scoring.Row {
		return scoring.Row{Outcome: scoring.Answered, Confidence: c, Correct: correct, Supported: correct}
	}
	only := func(o scoring.Outcome) scoring.Row { return scoring.Row{Outcome: o} }
	for _, row := range []struct {
		name, text string
		want       scoring.Row
	}{
		{"right", line(`"SUPPORTED"`, `,"confidence":0.9`), answered(0.9, true)},
		{"wrong", line(`"REFUTED"`, `,"confidence":0.9`), answered(0.9, false)},
		{"0 and 1 are confidences", line(`"SUPPORTED"`, `,"confidence":0`), answered(0, true)},
		{"an integer", line(`"SUPPORTED"`, `,"confidence":1`), answered(1, true)},
		{"an exponent", line(`"SUPPORTED"`, `,"confidence":5e-1`), answered(0.5, true)},
		{"−0 is 0", line(`"SUPPORTED"`, `,"confidence":-0.0`), answered(0, true)},
		{"more digits than strconv counts", line(`"SUPPORTED"`, `,"confidence":9`+strings.Repeat("0", 900)+`e-901`), answered(0.9, true)},
		{"too small for a float", line(`"SUPPORTED"`, `,"confidence":1e-999`), answered(0, true)},
		{"blanks", " \t" + line(`"SUPPORTED"`, ` , "confidence" : 0.5`) + " ", answered(0.5, true)},
		{"escapes in a string", line(`"\u0053UPPORTED"`, `,"confidence":0.5`), answered(0.5, true)},
		{"other keys are ignored", line(`"SUPPORTED"`, `,"confidence":0.5,"Confidence":7,"x":{"y":[1]}`), answered(0.5, true)},
		// what the model did wrong is malformed
		{"null verdict", line(`null`, `,"confidence":0.9`), only(scoring.Malformed)},
		{"absent verdict", `{"label":"REFUTED","confidence":0.9}`, only(scoring.Malformed)},
		{"unknown verdict", line(`"MAYBE"`, `,"confidence":0.9`), only(scoring.Malformed)},
		{"case counts", line(`"supported"`, `,"confidence":0.9`), only(scoring.Malformed)},
		{"empty verdict", line(`""`, `,"confidence":0.9`), only(scoring.Malformed)},
		{"a verdict that is no text", line(`true`, `,"confidence":0.9`), only(scoring.Malformed)},
		{"absent confidence", line(`"SUPPORTED"`, ``), only(scoring.Malformed)},
		{"null confidence", line(`"SUPPORTED"`, `,"confidence":null`), only(scoring.Malformed)},
		// where the confidence does not count, it may be anything JSON
		{"malformed with a bad one", line(`"MAYBE"`, `,"confidence":"high"`), only(scoring.Malformed)},
		{"abstained without", line(`"ABSTAIN"`, ``), only(scoring.Abstained)},
		{"abstained with a good one", line(`"ABSTAIN"`, `,"confidence":0.4`), only(scoring.Abstained)},
		{"abstained with a bad one", line(`"ABSTAIN"`, `,"confidence":"n/a"`), only(scoring.Abstained)},
		{"abstained out of range", line(`"ABSTAIN"`, `,"confidence":1e999`), only(scoring.Abstained)},
		// outcome
		{"ours", line(`"SUPPORTED"`, `,"confidence":0.9,"outcome":"error"`), only(scoring.Errored)},
		{"ours, nothing else known", `{"outcome":"error"}`, only(scoring.Errored)},
		{"ours, whatever else", line(`null`, `,"confidence":"x","outcome":"error"`), only(scoring.Errored)},
		{"malformed, as stated", line(`"SUPPORTED"`, `,"confidence":0.9,"outcome":"malformed"`), only(scoring.Malformed)},
		{"answered, as stated", line(`"SUPPORTED"`, `,"confidence":0.9,"outcome":"answered"`), answered(0.9, true)},
		{"said to be answered, without a verdict", line(`null`, `,"confidence":0.9,"outcome":"answered"`), only(scoring.Malformed)},
		{"said to be answered, without a confidence", line(`"SUPPORTED"`, `,"outcome":"answered"`), only(scoring.Malformed)},
		{"abstained, as stated", line(`"ABSTAIN"`, `,"outcome":"abstained"`), only(scoring.Abstained)},
		{"null outcome is none", line(`"ABSTAIN"`, `,"outcome":null`), only(scoring.Abstained)},
		// names
		{"image and id", line(`"ABSTAIN"`, `,"image":"a.jpg","id":"q1","split":"random"`), scoring.Row{ID: "q1", Image: "a.jpg", Split: "random", Outcome: scoring.Abstained}},
		{"numbers for names", line(`"ABSTAIN"`, `,"image":210789,"id":11`), scoring.Row{ID: "11", Image: "210789", Outcome: scoring.Abstained}},
		{"nulls for names", line(`"ABSTAIN"`, `,"image":null,"id":null,"split":null`), only(scoring.Abstained)},
		{"a trace's names", line(`"ABSTAIN"`, `,"image":null,"image_source":"a","task_id":"random/1"`), scoring.Row{ID: "random/1", Image: "a", Outcome: scoring.Abstained}},
		{"own names come first", line(`"ABSTAIN"`, `,"image":"b","image_source":"a","id":"1","task_id":"2"`), scoring.Row{ID: "1", Image: "b", Outcome: scoring.Abstained}},
		{"repaired", line(`"ABSTAIN"`, `,"needed_repair":true`), scoring.Row{Outcome: scoring.Abstained, Repaired: true}},
		{"repaired, as a number", line(`"ABSTAIN"`, `,"needed_repair":1`), scoring.Row{Outcome: scoring.Abstained, Repaired: true}},
		{"not repaired", line(`"ABSTAIN"`, `,"needed_repair":0`), only(scoring.Abstained)},
		{"someone's own confidences", line(`"ABSTAIN"`, `,"confidences":[1,2]`), only(scoring.Abstained)},
	} {
		rows, _, err := Read(strings.NewReader(row.text), "f")
		for _, l := range []string{"SUPPORTED", "REFUTED"} {
			if strings.Contains(row.text, `"label":"`+l+`"`) {
				row.want.Label = l
			}
		}
		if err != nil || len(rows) != 1 || !reflect.DeepEqual(rows[0], row.want) {
			t.Errorf("%s: %+v, %v; want %+v", row.name, rows, err, row.want)
		}
	}
}

// Each row is a line that the file's writer must mend; the message names the
// line (the third, after a good one and a blank one) and what is wrong.
func TestBadLines(t *testing.T) {
	sure := func(confidence string) string { return line(`"SUPPORTED"`, `,"confidence":`+confidence) }
	for _, row := range []struct{ name, text, want string }{
		{"null label", `{"label":null,"verdict":"SUPPORTED","confidence":0.9}`, "label null"},
		{"absent label", `{"verdict":"SUPPORTED","confidence":0.9}`, "label (absent)"},
		{"another name for the label", `{"truth":"REFUTED","id":1,"verdict":"SUPPORTED","confidence":0.9}`, "label (absent): must be \"SUPPORTED\" or \"REFUTED\"; keys seen instead: truth"},
		{"unknown label", `{"label":"yes","verdict":"SUPPORTED","confidence":0.9}`, `label "yes"`},
		{"a label is no verdict", `{"label":"ABSTAIN","verdict":"ABSTAIN"}`, `label "ABSTAIN"`},
		{"case counts", `{"label":"supported","verdict":"ABSTAIN"}`, `label "supported"`},
		{"boolean label", `{"label":true,"verdict":"ABSTAIN"}`, "label true"},
		{"bad label on an error row", `{"label":"yes","outcome":"error"}`, `label "yes"`},
		{"quoted", sure(`"0.9"`), `confidence "0.9"`},
		{"words", sure(`"high"`), `confidence "high"`},
		{"empty", sure(`""`), `confidence ""`},
		{"boolean", sure(`true`), "confidence true"},
		{"list", sure(`[0.9]`), "confidence [0.9]"},
		{"object", sure(`{"p":0.9}`), "confidence {"},
		{"above 1", sure(`1.2`), "confidence 1.2"},
		{"just above 1", sure(`1.0000001`), "confidence 1.0000001"},
		{"a percentage", sure(`95`), "confidence 95"},
		{"below 0", sure(`-0.1`), "confidence -0.1"},
		{"too large", sure(`1e999`), "confidence 1e999"},
		{"too large below", sure(`-1e999`), "confidence -1e999"},
		{"NaN", sure(`NaN`), "not JSON"},
		{"NaN where it would not count", line(`"ABSTAIN"`, `,"confidence":NaN`), "not JSON"},
		{"Infinity", sure(`Infinity`), "not JSON"},
		{"leading point", sure(`.9`), "not JSON"},
		{"hexadecimal", sure(`0x1p-1`), "not JSON"},
		{"torn", `{"label":"SUPPORTED","verd`, "not JSON"},
		{"two objects", line(`"ABSTAIN"`, ``) + line(`"ABSTAIN"`, ``), "not JSON"},
		{"prose", `label: SUPPORTED`, "not JSON"},
		{"a list", `[{"label":"SUPPORTED"}]`, "not a JSON object"},
		{"a number", `7`, "not a JSON object"},
		{"null", `null`, "not a JSON object"},
		{"duplicate key", line(`"SUPPORTED"`, `,"confidence":0.1,"confidence":0.9`), `key "confidence" is given twice`},
		{"duplicate key by an escape", line(`"SUPPORTED"`, `,"confidence":0.1,"\u0063onfidence":0.9`), `key "confidence" is given twice`},
		{"unknown outcome", line(`"ABSTAIN"`, `,"outcome":"ok"`), `outcome "ok"`},
		{"numeric outcome", line(`"ABSTAIN"`, `,"outcome":1`), "outcome 1"},
		{"outcome and verdict disagree", line(`"SUPPORTED"`, `,"confidence":0.9,"outcome":"abstained"`), "contradicts"},
		{"answered, but ABSTAIN", line(`"ABSTAIN"`, `,"outcome":"answered"`), "contradicts"},
		{"abstained without a verdict", line(`null`, `,"outcome":"abstained"`), "contradicts"},
		{"image is a list", line(`"ABSTAIN"`, `,"image":["a"]`), "image ["},
		{"image is an object, no source", line(`"ABSTAIN"`, `,"image":{"width":2}`), "image {"},
		{"id is a boolean", line(`"ABSTAIN"`, `,"id":false`), "id false"},
		{"needed_repair is a word", line(`"ABSTAIN"`, `,"needed_repair":"no"`), `needed_repair "no"`},
		{"a bad further source", line(`"SUPPORTED"`, `,"confidence":0.9,"confidences":{"logprob":1.5}`), "logprob 1.5"},
		{"the id of line 1", line(`"ABSTAIN"`, `,"id":"first"`), `id "first" is already on line 1`},
	} {
		text := line(`"ABSTAIN"`, `,"id":"first"`) + "\n\n" + row.text + "\n" + line(`"ABSTAIN"`, ``)
		rows, _, err := Read(strings.NewReader(text), "dir/f.jsonl")
		var bad *LineError
		if !errors.As(err, &bad) || bad.Line != 3 || !strings.HasPrefix(err.Error(), "dir/f.jsonl:3: ") || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: %v, %v; want line 3 and %q", row.name, rows, err, row.want)
		}
	}
}

// How a file may be written: none of it changes what is read.
func TestFileForms(t *testing.T) {
	a, b := line(`"SUPPORTED"`, `,"confidence":0.9,"id":"a"`), line(`"ABSTAIN"`, `,"id":"b"`)
	for name, text := range map[string]string{
		"plain":              a + "\n" + b + "\n",
		"no last newline":    a + "\n" + b,
		"CRLF":               a + "\r\n" + b + "\r\n",
		"byte order mark":    "\ufeff" + a + "\n" + b,
		"marks of two files": "\ufeff" + a + "\n\ufeff" + b,
		"blank lines":        "\n\n" + a + "\n \t\r\n" + b + "\n\n",
		"a very long line":   a[:len(a)-1] + `,"text":"` + strings.Repeat("x", 3<<20) + `"}` + "\n" + b,
	} {
		for how, r := range map[string]io.Reader{"at once": strings.NewReader(text), "in halves": iotest.HalfReader(strings.NewReader(text))} {
			rows, _, err := Read(r, name)
			if err != nil || len(rows) != 2 || rows[0].ID != "a" || rows[0].Confidence != 0.9 || rows[1].Outcome != scoring.Abstained {
				t.Errorf("%s, %s: %+v, %v", name, how, rows, err)
			}
		}
	}
	for name, text := range map[string]string{"empty": "", "a mark only": "\ufeff", "blank": "\n \n"} {
		if rows, _, err := Read(strings.NewReader(text), name); err != nil || len(rows) != 0 {
			t.Errorf("%s: %v, %v", name, rows, err)
		}
	}
}

// Each row is a file with rows that are malformed by how they are written, and
// what is said of it; rows that mean to be malformed are passed over.
func TestOddities(t *testing.T) {
	answer := func(members string) string { return `{"label":"REFUTED",` + members + "}\n" }
	many := ""
	for i := range 7 {
		many += answer(fmt.Sprintf(`"verdict":"v%d","confidence":1`, i))
	}
	for _, row := range []struct {
		name, text string
		want       []string
	}{
		{"nothing odd", answer(`"verdict":"REFUTED","confidence":1`) + answer(`"verdict":"ABSTAIN"`), nil},
		{"a misspelt confidence", strings.Repeat(answer(`"verdict":"REFUTED","conf":1`), 3),
			[]string{`missing_keys: 3 rows have no "confidence" and count as malformed; keys seen instead: conf`}},
		{"another name for the verdict, of one row", answer(`"prediction":"REFUTED","confidence":1`),
			[]string{`missing_keys: 1 row has no "verdict" and counts as malformed; keys seen instead: prediction`}},
		{"other letters", answer(`"Verdict":"REFUTED","Confidence":1`), []string{
			`missing_keys: 1 row has no "verdict" and counts as malformed; keys seen instead: Verdict, Confidence`,
			`missing_keys: 1 row has no "confidence" and counts as malformed; keys seen instead: Confidence, Verdict`}},
		{"keys with a meaning are not told", answer(`"verdict":"REFUTED","id":1,"image":"a","split":"random"`),
			[]string{`missing_keys: 1 row has no "confidence" and counts as malformed`}},
		{"many other keys", answer(`"verdict":"REFUTED","g":1,"f":1,"e":1,"d":1,"c":1,"b":1,"a":1`),
			[]string{`missing_keys: 1 row has no "confidence" and counts as malformed; keys seen instead: a, b, c, d, e and 2 more`}},
		{"those that resemble it first", answer(`"verdict":"REFUTED","g":1,"conf":1,"e":1,"stated_confidence":1,"c":1,"b":1,"a":1`),
			[]string{`missing_keys: 1 row has no "confidence" and counts as malformed; keys seen instead: conf, stated_confidence, a, b, c and 2 more`}},
		{"a null confidence", answer(`"verdict":"REFUTED","confidence":null`),
			[]string{`null_confidence: 1 row has a verdict and a null "confidence", and counts as malformed`}},
		{"lower case", strings.Repeat(answer(`"verdict":"refuted","confidence":1`), 2),
			[]string{`unknown_verdicts: 2 verdicts are none of SUPPORTED, REFUTED, ABSTAIN, such as "refuted": they count as malformed`}},
		{"no text", answer(`"verdict":true,"confidence":1`),
			[]string{`unknown_verdicts: 1 verdict is none of SUPPORTED, REFUTED, ABSTAIN, such as true: it counts as malformed`}},
		{"many verdicts", many,
			[]string{`unknown_verdicts: 7 verdicts are none of SUPPORTED, REFUTED, ABSTAIN, such as "v0", "v1", "v2", "v3", "v4": they count as malformed`}},
		{"said to be answered, and is not", answer(`"verdict":"no","outcome":"answered"`), []string{
			`missing_keys: 1 row has no "confidence" and counts as malformed`,
			`unknown_verdicts: 1 verdict is none of SUPPORTED, REFUTED, ABSTAIN, such as "no": it counts as malformed`}},
		{"meant", answer(`"verdict":null`) + answer(`"outcome":"malformed","text":"?"`) + answer(`"verdict":"x","outcome":"malformed"`) + answer(`"outcome":"error"`), nil},
		{"empty", "\n", []string{"no_tasks: no answers in f.jsonl"}},
	} {
		_, warnings, err := Read(strings.NewReader(row.text), "f.jsonl")
		var got []string
		for _, w := range warnings {
			got = append(got, w.Code+": "+w.Message)
		}
		if err != nil || !reflect.DeepEqual(got, row.want) {
			t.Errorf("%s: %v\n%s\nwant\n%s", row.name, err, strings.Join(got, "\n"), strings.Join(row.want, "\n"))
		}
	}
}

// One document over several lines is told from a line that is torn.
func TestOneDocument(t *testing.T) {
	const hint = "one answer a line is wanted"
	for text, want := range map[string]bool{
		"{\n  \"n\": 200\n}\n": true, "\n[\n{\"label\":\"REFUTED\"}]": true,
		`{"label":"SUPP`: false, "label,verdict\nSUPPORTED,x\n": false, line(`"ABSTAIN"`, ``) + "\n{\n}\n": false,
	} {
		_, _, err := Read(strings.NewReader(text), "summary.json")
		if err == nil || strings.Contains(err.Error(), hint) != want {
			t.Errorf("%q: %v; a hint: %v", text, err, want)
		}
	}
}

// POPE numbers each split anew: the same id in another split is another task.
func TestIDsAcrossSplits(t *testing.T) {
	text := line(`"ABSTAIN"`, `,"id":"5","split":"random"`) + "\n" + line(`"ABSTAIN"`, `,"id":"5","split":"popular"`)
	if rows, _, err := Read(strings.NewReader(text), "f"); err != nil || len(rows) != 2 {
		t.Errorf("%v, %v", rows, err)
	}
}

// A run's own traces can be read as they are.
func TestTraces(t *testing.T) {
	const traces = `{"task_id":"random/1","claim_key":"k","split":"random","question_id":"1","image_source":"COCO_val2014_000000310196","claim":"There is a dog in the image.","label":"REFUTED","verdict":"SUPPORTED","confidence":0.95,"outcome":"answered","reason":"","needed_repair":true,"answered":1,"abstained":0,"malformed":0,"correct":0,"confidence_sum":0.95,"brier_sum":0.9025,"reward":0.0975,"confidences":{"verbal":0.95,"logprob":0.7,"consistency:5":null},"text":"{}","thinking":"","image":{"source_sha256":"a","sent_sha256":"b","width":640,"height":480,"tokens":300},"durations":{"wait":1},"error":""}
{"task_id":"random/2","split":"random","image_source":"COCO_val2014_000000310196","label":"SUPPORTED","verdict":null,"confidence":null,"outcome":"malformed","reason":"truncated","needed_repair":false,"confidences":{},"image":{"width":640}}
{"task_id":"random/3","split":"random","image_source":"COCO_val2014_000000210789","label":"SUPPORTED","verdict":"ABSTAIN","confidence":null,"outcome":"abstained","needed_repair":false,"confidences":null,"image":null}
`
	rows, _, err := Read(strings.NewReader(traces), "traces.jsonl")
	want := []scoring.Row{
		{ID: "random/1", Image: "COCO_val2014_000000310196", Split: "random", Outcome: scoring.Answered, Confidence: 0.95, Supported: true, Repaired: true, Label: "REFUTED", Sources: map[string]float64{"verbal": 0.95, "logprob": 0.7}},
		{ID: "random/2", Image: "COCO_val2014_000000310196", Split: "random", Outcome: scoring.Malformed, Label: "SUPPORTED"},
		{ID: "random/3", Image: "COCO_val2014_000000210789", Split: "random", Outcome: scoring.Abstained, Label: "SUPPORTED"},
	}
	if err != nil || !reflect.DeepEqual(rows, want) {
		t.Errorf("%+v\n%v\nwant\n%+v", rows, err, want)
	}
}

// A reader that fails is an error, never a short file.
func TestReadFails(t *testing.T) {
	broken := errors.New("disk on fire")
	r := io.MultiReader(strings.NewReader(line(`"ABSTAIN"`, ``)+"\n"), iotest.ErrReader(broken))
	if rows, _, err := Read(r, "f"); !errors.Is(err, broken) || rows != nil {
		t.Errorf("%v, %v", rows, err)
	}
}
