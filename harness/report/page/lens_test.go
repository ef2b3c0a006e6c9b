package page_test

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"candor/harness/lens"
	"candor/harness/lens/local"
	"candor/harness/lens/play"
	"candor/harness/report/page"
	"candor/scoring/lqs"
)

// always is a custom probe.
type always struct{}

func (always) Name() string { return "always " + attacks[0] }
func (always) Doc() string  { return "Is always a half." + attacks[1] }
func (always) Measure(context.Context, *play.Bench, int) (float64, error) {
	return .5, nil
}

// lensPage is the page of an agent on cooling that says what attacks, written
// twice: as measured, and as replayed.
func lensPage(t *testing.T, release lqs.Release) string {
	t.Helper()
	e, err := local.Find(t.Context(), "cooling")
	if err != nil {
		t.Fatal(err)
	}
	does, err := local.Agent("cooling/perfect")
	if err != nil {
		t.Fatal(err)
	}
	steps := 0
	act := func(ctx context.Context, observation string) (string, string, error) {
		action, reason, err := does(ctx, observation)
		if steps++; steps == 25 {
			return "", "", errors.New("out of order " + attacks[2])
		}
		return action, reason + attacks[steps%len(attacks)] + strings.Repeat("long", 30), err
	}
	journal := filepath.Join(t.TempDir(), "j.jsonl")
	o := lens.Options{AgentName: attacks[3], Judge: local.ScriptedJudge, JudgeName: local.ScriptedJudgeName, Journal: journal, Bootstrap: 50}
	var measured lens.Replayed
	var custom []lens.Custom
	if release == "" {
		custom = []lens.Custom{{Probe: always{}, Weight: .5}}
		o.Custom = custom
		measured.Report, err = e.Lens().Evaluate(t.Context(), act, o)
	} else {
		steps = 100
		measured.Compat, err = e.Lens().EvaluateAs(t.Context(), release, act, o)
	}
	if err != nil {
		t.Fatal(err)
	}
	replayed, err := lens.Replay(t.Context(), journal, custom...)
	if err != nil {
		t.Fatal(err)
	}
	record, err := play.ReadJournal(journal)
	if err != nil {
		t.Fatal(err)
	}
	var a, b bytes.Buffer
	if err := errors.Join(page.Lens(&a, measured, record), page.Lens(&b, replayed, record)); err != nil {
		t.Fatal(err)
	}
	if a.String() != b.String() {
		t.Error("the page of a replay is another")
	}
	return a.String()
}

// The page has every score, the custom probe beside the four, each step with its
// reason, what broke, and what the judge said; all of it is text.
func TestLens(t *testing.T) {
	got := lensPage(t, "")
	for _, wanted := range []string{"K competence", "R reasoning", "custom, weight 0.5", "0.5000", "9 of 10 scored", "the fewest steps of all", "out of order", "relevance", "silencing", "Seed 1004</b>, unseen"} {
		if !strings.Contains(got, wanted) {
			t.Errorf("%q is not in the page", wanted)
		}
	}
	if strings.Count(got, "<script") != 1 || strings.Contains(got, "<img") || strings.Contains(got, "<svg onload") || strings.Contains(got, ">NaN") {
		t.Error("what an agent said is taken for markup, or NaN")
	}
	if n := strings.Count(got, "<article"); n != 10 {
		t.Errorf("%d episodes; want 10", n)
	}
	published := lensPage(t, lqs.Release021)
	if !strings.Contains(published, "Measured as learnlens-rl 0.2.1") || strings.Contains(published, "K competence") {
		t.Error("the page of a published measurement does not say that it is one")
	}
}

// In a browser the page fits, filters and prints, and asks for nothing.
func TestBrowserLens(t *testing.T) {
	w := start(t).open(t, lensPage(t, ""))
	w.fits(t, "lens", 360, 1200)
	if n := w.count(t, "article"); n != 10 {
		t.Errorf("%d episodes can be seen; want 10", n)
	}
	w.set(t, ".traces [data-filter=kind]", "missing")
	if n := w.count(t, "article"); n != 1 {
		t.Errorf("%d missing episodes can be seen; want 1", n)
	}
	w.set(t, ".traces [data-filter=kind]", "")
	w.prints(t, "lens", 20)
	w.eval(t, `for (const d of document.querySelectorAll("details")) d.open = true`, nil)
	w.fits(t, "lens-open", 360, 1200)
	var owned bool
	w.eval(t, `window.owned === 1`, &owned)
	if owned {
		t.Error("the page ran what an agent said")
	}
	w.clean(t)
}
