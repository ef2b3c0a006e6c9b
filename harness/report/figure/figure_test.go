package figure_test

import (
	"bytes"
	"flag"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"candor/harness/report/figure"
	"candor/scoring"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func samples() []figure.Figure {
	c, y, w := []float64{.6, .6, .946, .946, .98, .98, .99}, []bool{false, true, false, true, false, true, true}, []int{4, 3, 16, 124, 2, 33, 17}
	band := []scoring.BandPoint{{Forecast: .6, Quantiles: []float64{.3, .9}}, {Forecast: .946, Quantiles: []float64{.91, .97}}, {Forecast: .98, Quantiles: []float64{.95, 1}}, {Forecast: .99, Quantiles: []float64{.96, 1}}}
	value := func(x float64) *float64 { return &x }
	var curve []scoring.Honesty
	for i := range 4 {
		q := .6 + float64(i)/10
		curve = append(curve, scoring.Honesty{Threshold: q, R0: value(.9), R1: value(.91), R2: value(.91 + q/50), R3: value(.92 + q/50), OwnConfidence: value(.905), Oracle: value(.95 + q/30)})
	}
	return []figure.Figure{
		figure.Reliability{Title: "</title><script>1</script>", Curve: scoring.ReliabilityCurve(c, y, w), Band: band, Bins: scoring.Bins(c, y, w, 15)}.Figure(),
		figure.RiskCoverage{Answered: .96, Error: .11, Model: scoring.RiskCoverageCurve(c, y, w, 50), Best: scoring.BestRiskCoverageCurve(c, y, w, 50), Sure: &scoring.RiskPoint{Coverage: .9, Risk: .1}}.Figure(),
		figure.Payoff{Rule: "brier", AsIf: "As if", Curve: curve, Own: value(.7236)}.Figure(),
	}
}

// The files are compared with what a person has looked at; a title is text.
func TestGolden(t *testing.T) {
	for _, f := range samples() {
		var b bytes.Buffer
		if err := f.SVG(&b); err != nil {
			t.Fatal(err)
		}
		name := filepath.Join("testdata", f.Name+".svg")
		if *update {
			if err := os.WriteFile(name, b.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(b.Bytes(), want) {
			t.Errorf("%s is drawn otherwise; look at it and run with -update", name)
		}
		for _, bad := range []string{"<script", "NaN", "Inf"} {
			if strings.Contains(b.String(), bad) {
				t.Errorf("%s contains %s", name, bad)
			}
		}
	}
}

// A PNG has scale pixels to a point, and something on it.
func TestPNG(t *testing.T) {
	for _, f := range samples() {
		var b bytes.Buffer
		if err := f.PNG(&b, 2); err != nil {
			t.Fatal(err)
		}
		img, err := png.Decode(&b)
		if err != nil {
			t.Fatal(err)
		}
		if img.Bounds().Dx() != 760 {
			t.Errorf("%s is %v; want 760 pixels wide", f.Name, img.Bounds())
		}
		seen := map[any]bool{}
		for x := range img.Bounds().Dx() {
			seen[img.At(x, img.Bounds().Dy()/2)] = true
		}
		if len(seen) < 3 {
			t.Errorf("%s has %d colours across its middle", f.Name, len(seen))
		}
	}
}

// In a page no colour is fixed: each has a variable.
func TestInline(t *testing.T) {
	for _, f := range samples() {
		got := f.Inline()
		if !strings.HasPrefix(got, "<svg") || !strings.Contains(got, ":var(--figure-model,") || strings.Contains(got, ":#") || strings.Contains(got, "<script") {
			t.Errorf("%s: a fixed colour or markup: %.400s", f.Name, got)
		}
	}
}
