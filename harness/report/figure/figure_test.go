package figure_test

import (
	"bytes"
	"flag"
	"image/png"
	"math"
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
		curve = append(curve, scoring.Honesty{
			Threshold: q, R0: value(.9), R1: value(.91), R2: value(.91 + q/50), R3: value(.92 + q/50), OwnConfidence: value(.905), Oracle: value(.95 + q/30),
			Miscalibration: value(.01), AbstentionPolicy: value(q / 50), Format: value(.01),
			CI: map[string]*scoring.Interval{"r0": {.88, .92}}, Spread: map[string]*scoring.Interval{"miscalibration": {.005, .02}, "abstention_policy": {0, q / 20}, "format": {.002, .03}},
		})
	}
	return []figure.Figure{
		figure.Reliability{Title: "</title><script>1</script>", Curve: scoring.ReliabilityCurve(c, y, w), Band: band, Bins: scoring.Bins(c, y, w, 15)}.Figure(),
		figure.RiskCoverage{Answered: .96, Error: .11, Model: scoring.RiskCoverageCurve(c, y, w, 50), Best: scoring.BestRiskCoverageCurve(c, y, w, 50), Sure: &scoring.RiskPoint{Coverage: .9, Risk: .1}}.Figure(),
		figure.Payoff{Rule: "brier", AsIf: "As if", Curve: curve, Own: value(.7236)}.Figure(),
		heat(), along(), differences(),
	}
}

// heat is a grid with a cell that has no run, a long name and a hostile one.
func heat() figure.Figure {
	value := func(x float64) figure.Cell {
		return figure.Cell{Value: &x, Interval: &scoring.Interval{x - .02, x + .02}}
	}
	return figure.HeatMap{
		Name: "heat", Title: "reward", Caption: "</desc><script>1</script>", X: "rule", Y: "temperature", Columns: []string{"brier", "log", "<script>"}, Rows: []string{"0", "a prompt with a very long name, which is cut to its room"},
		Cells: [][]figure.Cell{{value(.9), value(.91), {}}, {value(.95), value(.89), value(.99)}},
	}.Figure()
}

// along is an axis with two lines, of which one lacks a cell.
func along() figure.Figure {
	value := func(x float64) figure.Cell {
		return figure.Cell{Value: &x, Interval: &scoring.Interval{x - .02, x + .01}}
	}
	return figure.Axis{Name: "axis", X: "temperature", Y: "reward", Values: []string{"0", "0.7", "1.5"}, Lines: []figure.Line{
		{Name: "rule=brier", Cells: []figure.Cell{value(.9), value(.92), value(.88)}}, {Name: "rule=log", Cells: []figure.Cell{value(.91), {}, value(.9)}},
	}}.Figure()
}

// differences has a row of each kind: with both intervals, with one, with none,
// and undefined.
func differences() figure.Figure {
	value := func(x float64) *float64 { return &x }
	return figure.Intervals{Name: "differences", Axis: "difference", Zero: true, Rows: []figure.Interval{
		{Name: "model=a,temperature=0.7", Value: value(-.02), Inner: &scoring.Interval{-.03, -.01}, Outer: &scoring.Interval{-.04, 0}},
		{Name: "model=b", Value: value(.01), Inner: &scoring.Interval{-.01, .03}}, {Name: "model=c", Value: value(.02)}, {Name: "model=d"},
	}}.Figure()
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
		if !strings.Contains(b.String(), `<svg role="img"`) || !strings.Contains(b.String(), "<title>") || !strings.Contains(b.String(), "</desc>") {
			t.Errorf("%s has no title or description", name)
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
		if img.Bounds().Dx() != int(math.Round(2*f.Width())) {
			t.Errorf("%s is %v; want two pixels to each of %g points", f.Name, img.Bounds(), f.Width())
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
