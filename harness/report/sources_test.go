package report_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"candor/harness/report"
	"candor/harness/run"
	"candor/scoring"
)

// Several sources get a table, within the columns of a terminal, with what is
// undefined said so, and the costs of those that cost something.
func TestSourcesTable(t *testing.T) {
	var rows []scoring.Row
	for i := range 8 {
		r := scoring.Row{ID: fmt.Sprint(i), Image: fmt.Sprint(i), Outcome: scoring.Answered, Confidence: .5 + .05*float64(i), Correct: i%3 > 0, Sources: map[string]float64{}}
		if i > 1 {
			r.Sources["logprob"] = .9 - .1*float64(i%2)
		}
		rows = append(rows, r)
	}
	pay, err := scoring.NewPayment(scoring.Brier{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := scoring.Summarize(t.Context(), rows, pay, scoring.Options{Sources: []string{"logprob", "consistency:1000"}})
	if err != nil {
		t.Fatal(err)
	}
	r := run.Result{Summary: run.Summary{Summary: *s, Throughput: run.Throughput{
		TasksPerSecond: new(1.0), OutputTokensPerS: new(1.0),
		Sources: map[string]run.Cost{"verbal": {}, "consistency:1000": {Requests: 8000, PromptTokens: 9, OutputTokens: 7, Seconds: 1.25}},
	}}}
	var out bytes.Buffer
	if err := report.Run(&out, r, nil); err != nil {
		t.Fatal(err)
	}
	fields := map[string][]string{}
	for line := range strings.Lines(out.String()) {
		if n := utf8.RuneCountInString(line); n > 101 {
			t.Errorf("%d columns: %s", n, line)
		}
		if f := strings.Fields(line); len(f) == 8 {
			fields[f[0]] = f
		}
	}
	for name, want := range map[string]string{"verbal": "8 0 ", "logprob": "6 2 ", "consistency:1000": "0 8 "} {
		if got := strings.Join(fields[name][min(1, len(fields[name])):], " "); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q, want %q first\n%s", name, got, want, out.String())
		}
	}
	if want := "consistency:1000 took 8000 further requests, 9 prompt and 7 output tokens, 1.2 s at the server."; !strings.Contains(out.String(), want) || strings.Contains(out.String(), "verbal took") {
		t.Errorf("no %q, or a cost of what cost nothing:\n%s", want, out.String())
	}

	out.Reset()
	alone, err := scoring.Summarize(t.Context(), rows[:2], pay, scoring.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := report.Score(&out, alone, 15, nil); err != nil || strings.Contains(out.String(), "Sources") {
		t.Errorf("one source alone has a table: %v\n%s", err, out.String())
	}
}
