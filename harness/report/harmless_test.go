package report_test

import (
	"strings"
	"testing"
	"unicode"

	"candor/harness/report"
	"candor/scoring"
)

// The name of a split does not steer the terminal.
func TestHarmless(t *testing.T) {
	const name = "x\u0007\x1b[31my"
	s := &scoring.Summary{N: 2, Rule: "brier", BySplit: map[string]*scoring.Summary{name: {N: 1}, "other": {N: 1}}}
	s.Warnings = []scoring.Warning{{Code: "c", Message: "about " + name}}
	var b strings.Builder
	if err := report.Score(&b, s, 10, nil); err != nil {
		t.Fatal(err)
	}
	if strings.ContainsFunc(b.String(), func(r rune) bool { return unicode.IsControl(r) && r != '\n' }) || strings.Count(b.String(), `x\u0007\u001B[31my`) < 2 {
		t.Errorf("%q", b.String())
	}
}
