package scoring

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

var exampleAnswers = struct {
	confidence []float64
	correct    []bool
}{
	[]float64{0.6, 0.7, 0.8, 0.9, 0.9, 1},
	[]bool{true, false, true, true, false, true},
}

func ExampleECE() {
	a := exampleAnswers
	fmt.Printf("%.4f in up to 15 bins, %.4f in 2\n", ECE(a.confidence, a.correct, nil, 0), ECE(a.confidence, a.correct, nil, 2))
	// Output: 0.3500 in up to 15 bins, 0.1500 in 2
}

func ExampleSmoothECE() {
	a := exampleAnswers
	fmt.Printf("%.3f\n", SmoothECE(a.confidence, a.correct, nil))
	// Output: 0.161
}

// Weights say how many equal answers an entry stands for.
func ExampleAUROC() {
	confidence := []float64{0.946, 0.946, 0.98, 0.98, 0.99}
	correct := []bool{true, false, true, false, true}
	weights := []int{124, 16, 33, 2, 17}
	fmt.Printf("AUROC %.4f, AUGRC %.4f, AURC %.4f\n", AUROC(confidence, correct, weights),
		AUGRC(confidence, correct, weights), AURC(confidence, correct, weights))
	// Output: AUROC 0.5936, AUGRC 0.0389, AURC 0.0615
}

func ExampleDecompose() {
	a := exampleAnswers
	parts := Decompose(a.confidence, a.correct, nil)
	fmt.Printf("%.4f = %.4f − %.4f + %.4f\n", BrierScore(a.confidence, a.correct, nil), parts.MCB, parts.DSC, parts.UNC)
	// Output: 0.2517 = 0.0572 − 0.0278 + 0.2222
}

// A curve below the diagonal, and what would be no surprise.
func ExampleReliabilityCurve() {
	confidence := []float64{0.5, 0.5, 0.7, 0.7, 0.9, 0.9}
	correct := []bool{true, false, false, false, true, true}
	weights := []int{40, 60, 50, 50, 70, 30}
	correct[5] = false
	band, err := ConsistencyBand(context.Background(), confidence, weights, BandOptions{Seed: 1})
	if err != nil {
		panic(err)
	}
	for i, p := range ReliabilityCurve(confidence, correct, weights) {
		fmt.Printf("%d said %.1f: right %.2f, if true %.2f to %.2f\n", p.N, p.Forecast, p.Estimate, band[i].Quantiles[0], band[i].Quantiles[1])
	}
	// Output:
	// 100 said 0.5: right 0.20, if true 0.42 to 0.58
	// 100 said 0.7: right 0.20, if true 0.63 to 0.77
	// 100 said 0.9: right 0.70, if true 0.85 to 0.95
}

// answersAtRandom also returns weights; grid > 0 makes ties.
func answersAtRandom(n, grid int, r *rand.Rand) (confidence []float64, correct []bool, weights []int) {
	for range n {
		c := r.Float64()
		if grid > 0 {
			c = float64(r.IntN(grid+1)) / float64(grid)
		}
		confidence, correct = append(confidence, c), append(correct, r.Float64() < c*c)
		weights = append(weights, r.IntN(4))
	}
	return confidence, correct, weights
}

// singles are all the figures of bare answers.
func singles(c []float64, y []bool, w []int) map[string]float64 {
	d := Decompose(c, y, w)
	return map[string]float64{
		"brier": BrierScore(c, y, w), "ece": ECE(c, y, w, 0), "width": ECEEqualWidth(c, y, w, 0), "debiased": ECEDebiased(c, y, w, 0),
		"smooth": SmoothECE(c, y, w), "aurc": AURC(c, y, w), "e_aurc": EAURC(c, y, w), "augrc": AUGRC(c, y, w), "auroc": AUROC(c, y, w),
		"mcb": d.MCB, "dsc": d.DSC, "unc": d.UNC, "at 0.8": SelectiveAccuracy(c, y, w, 0.8), "at 0.95": SelectiveAccuracy(c, y, w, 0.95),
		"risk 0.05": CoverageAtRisk(c, y, w, 0.05), "risk 0.1": CoverageAtRisk(c, y, w, 0.1),
	}
}

// Each single figure is the summary's; a weight is that many answers; the
// order does not matter; the arguments stay as they were.
func TestSingleFigures(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	for i := range 40 {
		c, y, w := answersAtRandom(1+i*3, i%6, r)
		var rows []Row
		var c1 []float64
		var y1 []bool
		for j := range c {
			for range w[j] {
				rows = append(rows, Row{Outcome: Answered, Confidence: c[j], Correct: y[j]})
				c1, y1 = append([]float64{c[j]}, c1...), append([]bool{y[j]}, y1...)
			}
		}
		s := summary(t, rows, Options{})
		before := fmt.Sprint(c, y, w)
		weighted, repeated := singles(c, y, w), singles(c1, y1, nil)
		if fmt.Sprint(c, y, w) != before {
			t.Fatal("the arguments were changed")
		}
		for name, want := range map[string]*float64{
			"brier": s.Brier, "ece": s.ECE, "width": s.ECEEqualWidth, "debiased": s.ECEDebiased, "smooth": s.SmoothECE, "aurc": s.AURC,
			"e_aurc": s.EAURC, "augrc": s.AUGRC, "auroc": s.AUROC, "mcb": s.CORP.MCB, "dsc": s.CORP.DSC, "unc": s.CORP.UNC,
			"at 0.8": s.SelectiveAccuracy["0.8"], "at 0.95": s.SelectiveAccuracy["0.95"],
			"risk 0.05": s.CoverageAtRisk["0.05"], "risk 0.1": s.CoverageAtRisk["0.1"],
		} {
			for way, got := range map[string]float64{"weighted": weighted[name], "repeated": repeated[name]} {
				if want == nil {
					want = new(math.NaN())
				}
				if math.Float64bits(got+0) != math.Float64bits(*want) && !(math.IsNaN(got) && math.IsNaN(*want)) {
					t.Errorf("%d: %s %s %v, summary %v", i, way, name, got, *want)
				}
			}
		}
	}
}

// No answers: every figure is undefined, and nothing panics.
func TestSingleFiguresOfNothing(t *testing.T) {
	for _, w := range [][]int{nil, {0, 0}} {
		var c []float64
		var y []bool
		if w != nil {
			c, y = []float64{0.5, 1}, []bool{true, false}
		}
		for name, got := range singles(c, y, w) {
			if !math.IsNaN(got) {
				t.Errorf("%s = %v", name, got)
			}
		}
		floor, err := CalibratedFloor(t.Context(), c, y, w, 0, 0, 1)
		if err != nil || floor != (Floor{}) {
			t.Errorf("floor %v, %v", floor, err)
		}
		band, err := ConsistencyBand(t.Context(), c, w, BandOptions{})
		if err != nil || len(band) != 0 || len(ReliabilityCurve(c, y, w)) != 0 {
			t.Errorf("band %v, %v", band, err)
		}
	}
}

// Arguments that do not fit together panic, each with a word why.
func TestSingleFiguresPanic(t *testing.T) {
	c, y := []float64{0.5, 0.6}, []bool{true, false}
	for name, call := range map[string]func(){
		"lengths":        func() { AUROC(c, y[:1], nil) },
		"weights":        func() { AURC(c, y, []int{1}) },
		"negative":       func() { AUGRC(c, y, []int{1, -1}) },
		"NaN":            func() { BrierScore([]float64{math.NaN()}, y[:1], nil) },
		"a percentage":   func() { ECE([]float64{95}, y[:1], nil, 0) },
		"below 0":        func() { SmoothECE([]float64{-0.1}, y[:1], nil) },
		"bins":           func() { ECE(c, y, nil, -1) },
		"too many bins":  func() { ECEEqualWidth(c, y, nil, MaxBins+1) },
		"coverage 0":     func() { SelectiveAccuracy(c, y, nil, 0) },
		"coverage NaN":   func() { SelectiveAccuracy(c, y, nil, math.NaN()) },
		"risk above 1":   func() { CoverageAtRisk(c, y, nil, 1.1) },
		"too many draws": func() { _, _ = CalibratedFloor(t.Context(), c, y, nil, 0, MaxBootstrap+1, 0) },
		"negative draws": func() { _, _ = CalibratedFloor(t.Context(), c, y, nil, 0, -1, 0) },
		"band weights":   func() { _, _ = ConsistencyBand(t.Context(), c, []int{1}, BandOptions{}) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			call()
		}()
	}
}

// The curve is the isotonic fit: it never falls, loses nobody, keeps the mean,
// and recalibrating by it leaves no miscalibration.
func TestReliabilityCurve(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 9))
	for i := range 40 {
		c, y, w := answersAtRandom(5+2*i, i%9, r)
		w[0] = 1
		curve, n, sum := ReliabilityCurve(c, y, w), 0, 0.0
		fit := map[float64]float64{}
		for k, p := range curve {
			n += p.N
			sum += float64(p.N) * p.Estimate
			fit[p.Forecast] = p.Estimate
			if k > 0 && (p.Estimate < curve[k-1].Estimate || p.Forecast <= curve[k-1].Forecast) {
				t.Errorf("%d: falls at %v", i, p)
			}
		}
		_, m, right := grouped(c, y, w)
		if n != m || math.Abs(sum-float64(right)) > 1e-9 {
			t.Errorf("%d: %d of %d answers, %v of %d right", i, n, m, sum, right)
		}
		mapped := slices.Clone(c)
		for j := range mapped {
			mapped[j] = fit[c[j]] // 0 where the weight is 0
		}
		if d := Decompose(mapped, y, w); d.MCB > 1e-12 || math.Abs(d.DSC-Decompose(c, y, w).DSC) > 1e-12 {
			t.Errorf("%d: recalibrated %+v", i, d)
		}
	}
}

// A band of one confidence is the binomial's own quantiles; the same seed
// gives the same band, another seed another; bad options are refused.
func TestConsistencyBand(t *testing.T) {
	probs := []float64{0.025, 0.5, 0.975}
	band, err := ConsistencyBand(t.Context(), []float64{0.9}, []int{400}, BandOptions{Probs: probs, Draws: 20_000})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{0.87, 0.9, 0.9275} { // binomial(400, .9): 348, 360, 371
		if got := band[0].Quantiles[i]; math.Abs(got-want) > 0.0026 {
			t.Errorf("quantile %v: %v, want %v", probs[i], got, want)
		}
	}
	c := []float64{0.2, 0.4, 0.6, 0.8, 1, 0}
	draw := func(opt BandOptions) string {
		band, err := ConsistencyBand(t.Context(), c, nil, opt)
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(band)
	}
	if a, b := draw(BandOptions{Seed: 1}), draw(BandOptions{Seed: 1, Draws: defaultBandDraws, Probs: []float64{0.05, 0.95}}); a != b {
		t.Errorf("same seed:\n%s\n%s", a, b)
	}
	if draw(BandOptions{Seed: 1}) == draw(BandOptions{Seed: 2}) {
		t.Error("another seed, the same band")
	}
	for _, opt := range []BandOptions{{Draws: -1}, {Probs: []float64{1.5}}, {Probs: []float64{math.NaN()}}} {
		if _, err := ConsistencyBand(t.Context(), c, nil, opt); err == nil {
			t.Errorf("%+v was accepted", opt)
		}
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := ConsistencyBand(over, c, nil, BandOptions{}); err == nil {
		t.Error("went on after the context's end")
	}
}

// Under calibration about 9 of 10 points lie in the 90 % band; with grossly
// overconfident answers nearly none.
func TestConsistencyBandCovers(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 1))
	inside := map[bool]int{}
	points := 0
	for rep := range 100 {
		var c []float64
		var calibrated, wrong []bool
		for range 300 {
			x := 0.5 + float64(r.IntN(6))/10
			c = append(c, x)
			calibrated, wrong = append(calibrated, r.Float64() < x), append(wrong, r.Float64() < x-0.3)
		}
		band, err := ConsistencyBand(t.Context(), c, nil, BandOptions{Draws: 200, Seed: uint64(rep)})
		if err != nil {
			t.Fatal(err)
		}
		for honest, y := range map[bool][]bool{true: calibrated, false: wrong} {
			for i, p := range ReliabilityCurve(c, y, nil) {
				inside[honest] += one(p.Estimate >= band[i].Quantiles[0] && p.Estimate <= band[i].Quantiles[1])
			}
		}
		points += len(band)
	}
	if share := float64(inside[true]) / float64(points); share < 0.86 || share > 0.97 {
		t.Errorf("calibrated: %v inside", share)
	}
	if share := float64(inside[false]) / float64(points); share > 0.05 {
		t.Errorf("overconfident: %v inside", share)
	}
}
