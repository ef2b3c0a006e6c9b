package answers

import (
	"bytes"
	"testing"

	"candor/scoring"
)

// Whatever the bytes, Read gives an error or rows that can be scored.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		`{"label":"SUPPORTED","verdict":"SUPPORTED","confidence":0.9,"image":"a","id":1}`,
		`{"label":"REFUTED","verdict":"ABSTAIN","confidence":1e999}` + "\r\n\r\n" + `{"outcome":"error"}`,
		"\ufeff" + `{"label":"REFUTED","verdict":null,"needed_repair":1}`,
		`{"label":"SUPPORTED","verdict":"REFUTED","confidence":-0,"confidences":{"logprob":0.5,"x":null}}`,
		`[]`, `{`, `{"a":1,"a":2}`, "\x00\xff",
	} {
		f.Add([]byte(seed))
	}
	pay, err := scoring.NewPayment(scoring.Brier{}, nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		rows, warnings, err := Read(bytes.NewReader(data), "f")
		if err != nil {
			if rows != nil || warnings != nil {
				t.Fatal("rows or warnings beside an error")
			}
			return
		}
		if most := bytes.Count(data, []byte("\n")) + 1; len(rows) > most {
			t.Fatalf("%d rows of %d lines", len(rows), most)
		}
		if _, err := scoring.Summarize(t.Context(), rows, pay, scoring.Options{FloorDraws: 1}); err != nil {
			t.Fatalf("a row that was read cannot be scored: %v", err)
		}
	})
}
