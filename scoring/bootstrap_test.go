package scoring

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// The number of cores and the seed: cores never show, seeds do.
func TestBootstrapIsSeeded(t *testing.T) {
	rows := mixed(400, 60, 0, 2)
	opt := Options{Bootstrap: 300, Seed: 9}
	first := summary(t, rows, opt)
	want := encode(t, first)
	for _, cores := range []int{1, 3, 8} {
		old := runtime.GOMAXPROCS(cores)
		got := encode(t, summary(t, rows, opt))
		runtime.GOMAXPROCS(old)
		if got != want {
			t.Fatalf("%d cores give another summary", cores)
		}
	}
	opt.Seed = 10
	other := summary(t, rows, opt)
	if *other.CI["brier"] == *first.CI["brier"] || *other.ECEFloor.Mean == *first.ECEFloor.Mean {
		t.Error("the seed has no effect")
	}
}

// Clusters matter: tasks that all agree within an image are worth one each, so
// the interval is about √(tasks per image) wider than if they were alone.
func TestBootstrapResamplesImages(t *testing.T) {
	var together, alone []Row
	for i := range 2000 {
		image := i / 20
		row := Row{ID: fmt.Sprint(i), Image: fmt.Sprint(image), Outcome: Answered, Confidence: 0.7, Correct: image%10 < 7}
		together = append(together, row)
		row.Image = fmt.Sprint("own", i)
		alone = append(alone, row)
	}
	for _, row := range []struct {
		rows      []Row
		images    float64
		tolerance float64
	}{{together, 100, 0.012}, {alone, 2000, 0.0015}} {
		at := summary(t, row.rows, Options{Bootstrap: 4000}).CI["accuracy"]
		half := 1.96 * math.Sqrt(0.7*0.3/row.images) // binomial theory
		if math.Abs(at[0]-(0.7-half)) > row.tolerance || math.Abs(at[1]-(0.7+half)) > row.tolerance {
			t.Errorf("%v images: %v, theory .7 ± %v", row.images, *at, half)
		}
	}
}

// Type 7 quantiles, as numpy's default gives them.
func TestQuantile(t *testing.T) {
	for _, row := range []struct {
		sorted  []float64
		p, want float64
	}{
		{[]float64{1, 2, 3, 4, 5}, 0.5, 3},
		{[]float64{1, 2, 3, 4}, 0.5, 2.5},
		{[]float64{0, 10}, 0.975, 9.75},
		{[]float64{7}, 0.025, 7},
		{[]float64{1, 2, 3}, 1, 3},
		{[]float64{1, 2, 3}, 0, 1},
	} {
		if got := quantile(row.sorted, row.p); math.Abs(got-row.want) > 1e-12 {
			t.Errorf("quantile(%v, %v) = %v, want %v", row.sorted, row.p, got, row.want)
		}
	}
}

// Coverage of the interval: over many samples of a known mean Brier score,
// about 95 % of intervals hold it.
func TestBootstrapCoverage(t *testing.T) {
	hits, truth := 0, 0.7*0.09+0.3*0.49 // stated .7, right 70 % of the time
	const samples = 200
	for seed := range uint64(samples) {
		rows := mixed(400, 100, 0, seed+1000)
		for i := range rows {
			rows[i].Outcome, rows[i].Confidence = Answered, 0.7
			rows[i].Correct = rows[i].Sources["logprob"] < 0.7
		}
		at := summary(t, rows, Options{Bootstrap: 300, Seed: seed, FloorDraws: 1}).CI["brier"]
		hits += one(at[0] <= truth && truth <= at[1])
	}
	if share := float64(hits) / samples; share < 0.89 || share > 0.99 {
		t.Errorf("%v of the intervals hold the truth", share)
	}
}

// Which figure gets what, under the summary's own names.
func TestIntervalKeys(t *testing.T) {
	s := summary(t, mixed(600, 80, 0, 3), Options{Bootstrap: 100})
	for _, name := range []string{
		"accuracy", "coverage", "abstain_rate", "malformed_rate", "needed_repair_rate", "mean_confidence", "brier",
		"aurc", "augrc", "auroc", "reward", "predicted_supported", "selective_accuracy@0.5", "selective_accuracy@1",
	} {
		if s.CI[name] == nil || s.Spread[name] != nil {
			t.Errorf("%s: ci %v, spread %v", name, s.CI[name], s.Spread[name])
		}
	}
	// Biased upwards: a percentile interval may not even hold the estimate.
	for _, name := range []string{"ece", "ece_equal_width", "ece_debiased", "mcb", "dsc", "e_aurc", "coverage_at_risk@0.05"} {
		if _, given := s.CI[name]; given || s.Spread[name] == nil {
			t.Errorf("%s: ci %v, spread %v", name, s.CI[name], s.Spread[name])
		}
	}
	none := summary(t, mixed(600, 80, 0, 3), Options{})
	if len(none.CI) != 0 || len(none.Spread) != 0 || !strings.Contains(encode(t, none), `"ci":{},"spread":{}`) {
		t.Errorf("no bootstrap: ci %v, spread %v", none.CI, none.Spread)
	}
}

// A rate of exactly 0 or 1, or near, has Wilson's interval over the images.
func TestWilson(t *testing.T) {
	var rows []Row
	for i := range 60 { // 30 images of two
		rows = append(rows, Row{ID: fmt.Sprint(i), Image: fmt.Sprint(i / 2), Outcome: Answered, Confidence: 0.5 + float64(i)/200, Correct: true, Supported: i == 0})
	}
	s := summary(t, rows, Options{Bootstrap: 400})
	z := 1.959964
	n := 30.0
	if at := s.CI["accuracy"]; at[1] != 1 || math.Abs(at[0]-n/(n+z*z)) > 1e-6 {
		t.Errorf("accuracy 1: %v, want [%v, 1]", *at, n/(n+z*z))
	}
	if at := s.CI["malformed_rate"]; at[0] != 0 || math.Abs(at[1]-z*z/(n+z*z)) > 1e-6 {
		t.Errorf("malformed 0: %v", *at)
	}
	if at := s.CI["predicted_supported"]; at[0] <= 0 || at[0] > 1.0/60 || at[1] < 0.05 {
		t.Errorf("a rate whose interval touches 0: %v", *at)
	}
	// Only the images in the denominator count: all answers lie on half of them.
	rows = append(rows, outcomes(Malformed, 0, 30)...)
	if at := summary(t, rows, Options{Bootstrap: 400}).CI["accuracy"]; math.Abs(at[0]-n/(n+z*z)) > 1e-6 {
		t.Errorf("accuracy over images with an answer: %v", *at)
	}
}

// AUROC is undefined in replicates without both classes: few are dropped and
// told, many leave no interval.
func TestUndefinedReplicates(t *testing.T) {
	for _, row := range []struct {
		wrong    int
		interval bool
	}{
		{1, false}, // (1 − 1/40)^40: a third of the replicates lack the one wrong
		{4, true},  // about 1.5 %
	} {
		c, y := make([]float64, 40), make([]int, 40)
		for i := range c {
			c[i], y[i] = 0.5+float64(i)/100, one(i >= row.wrong)
		}
		s := summary(t, answersOf(c, y), Options{Bootstrap: 2000})
		if got := s.CI["auroc"] != nil; got != row.interval || !codes(s)[WarnUndefined] {
			t.Errorf("%d wrong: auroc interval %v, warnings %v", row.wrong, s.CI["auroc"], s.Warnings)
		}
	}
}

// The warning names at most three figures, those that lost the most, each
// once, and in words.
func TestUndefinedIsShort(t *testing.T) {
	all := []lost{{figAUROC, 7}, {figAtRisk, 900}, {figAUROC, 90}, {figSelective + 1, 8}, {figECE, 6}, {figBrier, 5}}
	for _, row := range []struct {
		dropped []lost
		want    string
	}{
		{nil, ""},
		{all[:1], "AUROC in 7"},
		{all[:4], "coverage at risk 1 % in 900, AUROC in 90, accuracy at 80 % in 8"},
		{all, "coverage at risk 1 % in 900, AUROC in 90, accuracy at 80 % in 8 and 2 more"},
	} {
		var n notes
		n.undefined("figure", Options{Bootstrap: 1000}, slices.Clone(row.dropped))
		got := ""
		if len(n) > 0 {
			got = n[0].Message
		}
		if row.want != "" {
			row.want = "some of 1000 replicates leave a figure undefined and were dropped (over 5 %: no interval): " + row.want
		}
		if got != row.want {
			t.Errorf("%q; want %q", got, row.want)
		}
	}
	for f := range figureCount {
		if f.words() == "" {
			t.Errorf("%s has no words", f.name())
		}
	}
}

// Rows without an image are their own; an image with errors only is not
// resampled; one image gives no interval.
func TestClusters(t *testing.T) {
	rows := mixed(200, 30, 0, 8)
	named := summary(t, rows, Options{Bootstrap: 50})
	if codes(named)[WarnNoImages] {
		t.Error("all rows have images")
	}
	with := append(rows, Row{ID: "lost", Image: "another image", Outcome: Errored})
	again := summary(t, with, Options{Bootstrap: 50})
	if *again.CI["brier"] != *named.CI["brier"] {
		t.Error("an image whose only task is in error was resampled")
	}
	for i := range rows {
		rows[i].Image = ""
	}
	if s := summary(t, rows, Options{Bootstrap: 50}); !codes(s)[WarnNoImages] {
		t.Errorf("warnings %v", s.Warnings)
	}
	for i := range rows {
		rows[i].Image = "the same"
	}
	s := summary(t, rows, Options{Bootstrap: 50})
	if s.CI["brier"] != nil || s.CI["accuracy"] != nil || !codes(s)[WarnFewImages] {
		t.Errorf("one image: ci %v", s.CI)
	}
	alone := summary(t, answersOf([]float64{0.9}, []int{1}), Options{Bootstrap: 50})
	if at := alone.CI["accuracy"]; at == nil || at[1] != 1 || at[0] > 0.3 {
		t.Errorf("one right answer: %v", at)
	}
}

// A cancelled context stops the work.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Summarize(ctx, published(), brier(t), Options{Bootstrap: 100}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func BenchmarkSummarize(b *testing.B) {
	for _, row := range []struct {
		name string
		grid int
	}{{"distinct", 0}, {"levels", 20}} {
		rows := mixed(2000, 500, row.grid, 1)
		for i := range rows {
			rows[i].Split = "all"
		}
		b.Run(row.name, func(b *testing.B) {
			for b.Loop() {
				if _, err := Summarize(b.Context(), rows, brier(b), Options{Bootstrap: 10_000}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
