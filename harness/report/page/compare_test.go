package page_test

import (
	"bytes"
	"context"
	"regexp"
	"strings"
	"testing"

	"candor/harness/compare"
	"candor/harness/dossier"
	"candor/harness/report/page"
	"candor/harness/stored"
	"candor/scoring"
)

// Tasks that changed outcome stand side by side, and what was replied is text.
func TestCompare(t *testing.T) {
	attack := func(i int) string { return attacks[i%len(attacks)] }
	a, b := answers("runs/before", 120, attack), answers("runs/after", 120, attack)
	changed := 0
	for i := range b.Run.Traces {
		if x := &b.Run.Traces[i]; i%3 == 0 && x.Outcome == scoring.Answered {
			x.Outcome, x.Confidence, x.Correct, x.Reward = scoring.Abstained, nil, 0, .8
			changed++
		}
	}
	b.Rows = b.Run.Rows()
	r, err := compare.Answers(context.Background(), a, []*stored.Answers{b}, compare.Request{Options: scoring.Options{Bootstrap: 50}})
	if err != nil {
		t.Fatal(err)
	}
	var w bytes.Buffer
	if err := page.Compare(&w, r, []dossier.Changes{dossier.Between(context.Background(), a, b, dossier.Options{})}); err != nil {
		t.Fatal(err)
	}
	got := w.String()
	if n := strings.Count(got, `<article class="changed"`); n != changed || changed == 0 {
		t.Errorf("%d changed tasks are shown; want %d", n, changed)
	}
	if strings.Count(got, "<script") != 1 || strings.Contains(got, "<img") {
		t.Error("what was replied is taken for markup")
	}
	ends := regexp.MustCompile(`<td data-value="-?[0-9.e-]+">\(?[+-][0-9.]+ … `).FindAllString(got, -1)
	if n := len(regexp.MustCompile(`<td[^>]*>\(?[+-][0-9.]+ … `).FindAllString(got, -1)); n == 0 || len(ends) != n {
		t.Errorf("of %d intervals %d sort by number", n, len(ends))
	}
	if !strings.Contains(got, `<option value="right → abstained">`) {
		t.Error("no filter by change")
	}
}

// Of files the figures are compared all the same, and the page says why it shows
// no task; two equal runs have none to show.
func TestCompareNothing(t *testing.T) {
	a, b := answers("runs/a", 60, plain), answers("runs/b", 60, plain)
	file := &stored.Answers{Name: "file.jsonl", Rows: a.Rows}
	for want, pair := range map[string][2]*stored.Answers{"No task ended otherwise.": {a, b}, "Files of answers hold no replies": {file, file}} {
		r, err := compare.Answers(context.Background(), pair[0], []*stored.Answers{pair[1]}, compare.Request{Options: scoring.Options{Bootstrap: 50}})
		if err != nil {
			t.Fatal(err)
		}
		var w bytes.Buffer
		if err := page.Compare(&w, r, []dossier.Changes{dossier.Between(context.Background(), pair[0], pair[1], dossier.Options{})}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(w.String(), want) || strings.Contains(w.String(), "<article") {
			t.Errorf("a task is shown, or the page does not say %q", want)
		}
	}
}

// Beneath the differences the page says what their p tests, and of no resamples
// nothing; a costly task tells the labels that contradict its own.
func TestCompareMeaningOfP(t *testing.T) {
	a, b := answers("runs/a", 60, plain), answers("runs/b", 60, plain)
	for bootstrap, want := range map[int]bool{0: false, 50: true} {
		r, err := compare.Answers(context.Background(), a, []*stored.Answers{b}, compare.Request{Options: scoring.Options{Bootstrap: bootstrap}})
		if err != nil {
			t.Fatal(err)
		}
		var w bytes.Buffer
		if err := page.Compare(&w, r, []dossier.Changes{{}}); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(w.String(), "p tests no difference"); got != want {
			t.Errorf("with %d resamples the meaning of p is told: %v", bootstrap, got)
		}
	}
	d := gathered(t, a)
	d.Costliest[0].Label, d.Costliest[0].Other = "REFUTED", []string{"corrected: SUPPORTED", "mine: ambiguous"}
	var w bytes.Buffer
	if err := page.Write(&w, []*dossier.Dossier{d}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(w.String(), `true is REFUTED <b class="otherlabels">(corrected: SUPPORTED; mine: ambiguous)</b>`) || strings.Count(w.String(), "otherlabels") != 1 {
		t.Error("the page does not tell what another label set says, or tells it of others")
	}
}
