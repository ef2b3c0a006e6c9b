package verify

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/iotest"
)

// collect parses a stream and writes each result as a line of JSON.
func collect(t *testing.T, input string) (lines []string, err error) {
	t.Helper()
	err = ParseStream(strings.NewReader(input), "replies.jsonl", func(r Result) error {
		line, err := json.Marshal(r)
		lines = append(lines, string(line))
		return err
	})
	return lines, err
}

func TestParseStream(t *testing.T) {
	input := "\uFEFF" + strings.Join([]string{
		`{"text":"{\"verdict\":\"SUPPORTED\",\"confidence\":0.9}","id":7}`,
		``,
		"{\"text\":\"{\\\"verdict\\\":\\\"refuted\\\",\\\"confidence\\\":\\\"95%\\\"}\"}\r",
		`{"text":"{\"verdict\":\"ABSTAIN\"}","done_reason":"stop"}`,
		`{"text":"{\"verdict\":\"ABSTAIN\"}","done_reason":"length"}`,
		`{"text":"","thinking":"{\"verdict\":\"ABSTAIN\"}"}`,
		`{"text":null,"thinking":"","id":1,"id":{"text":1,"text":2}}`,
		`{"text":"\ud83d {\"verdict\":\"SUPPORTED\",\"confidence\":1}"}`,
		`{"text":"{\"verdict\":\"SUPPORTED\",\"confidence\":1,\"why\":\"` + strings.Repeat("x", MaxText/2) + `\"}"}`,
	}, "\n")
	want := []string{
		`{"verdict":"SUPPORTED","confidence":0.9,"outcome":"answered","needed_repair":0,"reason":""}`,
		`{"verdict":"REFUTED","confidence":0.95,"outcome":"answered","needed_repair":1,"reason":""}`,
		`{"verdict":"ABSTAIN","confidence":null,"outcome":"abstained","needed_repair":0,"reason":""}`,
		`{"verdict":null,"confidence":null,"outcome":"malformed","needed_repair":0,"reason":"truncated"}`,
		`{"verdict":null,"confidence":null,"outcome":"malformed","needed_repair":0,"reason":"only_in_thinking"}`,
		`{"verdict":null,"confidence":null,"outcome":"malformed","needed_repair":0,"reason":"no_object"}`,
		`{"verdict":"SUPPORTED","confidence":1,"outcome":"answered","needed_repair":1,"reason":""}`,
		`{"verdict":"SUPPORTED","confidence":1,"outcome":"answered","needed_repair":0,"reason":""}`,
	}
	got, err := collect(t, input)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != len(want) {
		t.Fatalf("%d results, want %d", len(got), len(want))
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("result %d:\n got %s\nwant %s", i, got[i], want[i])
		}
	}
}

func TestParseStreamRefuses(t *testing.T) {
	for _, c := range []struct{ name, line, says string }{
		{"no JSON", `SUPPORTED`, "not a JSON object"},
		{"no object", `["text"]`, "not a JSON object"},
		{"null", `null`, `neither "text" nor "thinking"`},
		{"two objects", `{"text":""} {"text":""}`, "not a JSON object"},
		{"NaN", `{"text":NaN}`, "not a JSON object"},
		{"no text", `{"done_reason":"stop"}`, `neither "text" nor "thinking"`},
		{"other case", `{"Text":"x"}`, `neither "text" nor "thinking"`},
		{"null text", `{"text":null}`, `neither "text" nor "thinking"`},
		{"text no string", `{"text":{"verdict":"SUPPORTED"}}`, `key "text": must be a string`},
		// Whichever encoding/json would keep, the other may be the reply.
		{"text twice", `{"text":"x","thinking":"","text":"y"}`, `key "text" is given 2 times`},
		{"text twice, alike", `{"text":"x","text":"x"}`, `key "text" is given 2 times`},
		{"text and null", `{"text":"x","text":null}`, `key "text" is given 2 times`},
		{"text escaped", `{"text":"x","te\u0078t":"y"}`, `key "text" is given 2 times`},
		{"thinking twice", `{"text":"x","thinking":"a","thinking":"b","thinking":"c"}`, `key "thinking" is given 3 times`},
		{"reason twice", `{"text":"x","done_reason":"stop","done_reason":"length"}`, `key "done_reason" is given 2 times`},
		{"reason no string", `{"text":"","done_reason":3}`, `key "done_reason"`},
	} {
		got, err := collect(t, `{"text":"x"}`+"\n\n"+c.line+"\n"+`{"text":"y"}`)
		if err == nil || !strings.Contains(err.Error(), "replies.jsonl:3: ") || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want replies.jsonl:3 and %q", c.name, err, c.says)
		}
		if len(got) != 1 {
			t.Errorf("%s: %d results, want the one before the bad line", c.name, len(got))
		}
	}
}

func TestParseStreamPassesErrorsOn(t *testing.T) {
	full := errors.New("disk full")
	err := ParseStream(strings.NewReader(`{"text":"x"}`), "-", func(Result) error { return full })
	if !errors.Is(err, full) {
		t.Errorf("emit's error: %v", err)
	}
	err = ParseStream(iotest.ErrReader(full), "-", func(Result) error { return nil })
	if !errors.Is(err, full) {
		t.Errorf("the reader's error: %v", err)
	}
}
