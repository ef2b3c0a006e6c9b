package scoring

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// The same rows in any order give the same bytes, bootstrap, splits, sources
// and warnings included; rows without an image too.
func TestRowOrder(t *testing.T) {
	for _, grid := range []int{0, 7} {
		rows := mixed(300, 40, grid, 11)
		for i := range rows {
			if i%10 == 0 {
				rows[i].Image = ""
			}
			if i%20 == 0 {
				rows[i].ID = "" // nothing left to tell them apart but what they say
			}
		}
		opt := Options{Bootstrap: 200, Seed: 5}
		want := encode(t, summary(t, rows, opt))
		for seed := range uint64(20) {
			if got := encode(t, summary(t, shuffled(rows, seed), opt)); got != want {
				t.Fatalf("grid %d, shuffle %d:\n%s\nwant\n%s", grid, seed, got, want)
			}
		}
	}
}

// A monotone map of the confidences leaves every ranking figure alone.
func TestMonotoneMap(t *testing.T) {
	rows := mixed(400, 50, 25, 12)
	before := summary(t, rows, Options{})
	mapped := slices.Clone(rows)
	for i := range mapped {
		mapped[i].Confidence = math.Sqrt(mapped[i].Confidence) * 0.9
	}
	after := summary(t, mapped, Options{})
	for what, pair := range map[string][2]*float64{
		"auroc": {before.AUROC, after.AUROC}, "aurc": {before.AURC, after.AURC}, "augrc": {before.AUGRC, after.AUGRC},
		"e_aurc": {before.EAURC, after.EAURC}, "dsc": {before.CORP.DSC, after.CORP.DSC},
		"selective": {before.SelectiveAccuracy["0.8"], after.SelectiveAccuracy["0.8"]},
	} {
		near(t, what, pair[1], *pair[0], 0)
	}
	if *before.ECE == *after.ECE {
		t.Error("the map was meant to change the calibration")
	}
}

// Brier = MCB − DSC + UNC; everything within its bounds; bins lose nobody.
func TestIdentitiesAndBounds(t *testing.T) {
	for seed := range uint64(60) {
		rows := mixed(5+int(seed)*7, 30, int(seed)%9, seed)
		s := summary(t, rows, Options{})
		near(t, "mcb − dsc + unc", new(*s.CORP.MCB-*s.CORP.DSC+*s.CORP.UNC), *s.Brier, 1e-12)
		for what, at := range map[string]struct {
			got       *float64
			low, high float64
		}{
			"accuracy": {s.Accuracy, 0, 1}, "coverage": {s.Coverage, 0, 1}, "brier": {s.Brier, 0, 1}, "ece": {s.ECE, 0, 1},
			"ece_equal_width": {s.ECEEqualWidth, 0, 1}, "mcb": {s.CORP.MCB, 0, *s.Brier}, "dsc": {s.CORP.DSC, 0, *s.CORP.UNC},
			"unc": {s.CORP.UNC, 0, 0.25}, "aurc": {s.AURC, 0, 1}, "e_aurc": {s.EAURC, 0, *s.AURC}, "augrc": {s.AUGRC, 0, 0.5},
			"at risk": {s.CoverageAtRisk["0.1"], 0, 1}, "reward": {s.Reward, 0, 1}, "p": {s.ECEFloor.PCalibrated, 0, 1},
			"smooth_ece":       {s.SmoothECE, math.Abs(*s.MeanConfidence-*s.Accuracy) - 1e-9, 1},
			"ece ≥ |mean gap|": {s.ECE, math.Abs(*s.MeanConfidence-*s.Accuracy) - 1e-12, 1},
		} {
			if at.got == nil || *at.got < at.low || *at.got > at.high {
				t.Errorf("seed %d: %s = %v outside [%v, %v]", seed, what, at.got, at.low, at.high)
			}
		}
		near(t, "selective accuracy at 1", s.SelectiveAccuracy["1"], *s.Accuracy, 1e-12)
		if s.AUROC != nil && (*s.AUROC < 0 || *s.AUROC > 1) {
			t.Errorf("auroc %v", *s.AUROC)
		}
		if n, _ := total(s.Levels); n != s.Answered || s.Answered+s.Abstained+s.Malformed != s.N || s.N+s.Errors != len(rows) {
			t.Errorf("seed %d: counts do not add up: %+v", seed, s)
		}
		for _, count := range []int{1, 2, 15, 1000} {
			checkBins(t, s.Levels, count)
		}
	}
}

// checkBins looks at both schemes: nobody lost, none empty, never too many.
func checkBins(t *testing.T, levels []Level, count int) {
	t.Helper()
	m, correct := total(levels)
	for scheme, bins := range map[string][]bin{
		"mass": equalMass(levels, m, count, nil), "width": equalWidth(levels, count, nil),
	} {
		n, right := 0, 0
		for _, b := range bins {
			n += b.n
			right += b.correct
			if b.n == 0 {
				t.Errorf("%s: an empty bin", scheme)
			}
		}
		if n != m || right != correct || len(bins) > count || len(bins) > len(levels) {
			t.Errorf("%s, %d bins asked: %v", scheme, count, bins)
		}
	}
}

// A row of weight w is w tied rows: weighing images by integers gives, to the
// bit, what repeating their rows gives.
func TestWeightIsRepetition(t *testing.T) {
	for seed := range uint64(30) {
		rows, _, err := scorable(mixed(80, 12, int(seed)%6, seed))
		if err != nil {
			t.Fatal(err)
		}
		once, err := newSample(rows, brier(t))
		if err != nil {
			t.Fatal(err)
		}
		weights := make([]int32, len(once.images))
		resample(weights, seed, 3)
		weights[0] = 0 // an image that was not drawn at all
		of, _, _ := clusters(rows)
		var repeated []Row
		for i, r := range rows {
			for range weights[of[i]] {
				repeated = append(repeated, r)
			}
		}
		whole, err := newSample(repeated, brier(t))
		if err != nil {
			t.Fatal(err)
		}
		weighted := &tally{}
		once.weigh(weights, weighted)
		got, want := (&measurer{bins: 15}).measure(weighted), (&measurer{bins: 15}).measure(whole.whole())
		for f := range got {
			if math.Float64bits(got[f]) != math.Float64bits(want[f]) {
				t.Errorf("seed %d: %s weighted %v, repeated %v", seed, figure(f).name(), got[f], want[f])
			}
		}
	}
}

// Repeating every row leaves alone what does not depend on n.
func TestDoubling(t *testing.T) {
	rows := mixed(150, 20, 10, 4)
	one, two := summary(t, rows, Options{}), summary(t, slices.Concat(rows, rows), Options{})
	for what, pair := range map[string][2]*float64{
		"ece": {one.ECE, two.ECE}, "brier": {one.Brier, two.Brier}, "augrc": {one.AUGRC, two.AUGRC}, "auroc": {one.AUROC, two.AUROC},
		"mcb": {one.CORP.MCB, two.CORP.MCB}, "smooth_ece": {one.SmoothECE, two.SmoothECE}, "reward": {one.Reward, two.Reward},
	} {
		near(t, what, pair[1], *pair[0], 1e-12)
	}
}

// Said the other way round, confidence 1 − c that the answer is wrong, the same
// answers are as calibrated and as well told apart.
func TestMirror(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	for i := range 40 {
		c, y, w := answersAtRandom(10+5*i, i%8, r)
		w[0] = 1
		mirror, not := slices.Clone(c), slices.Clone(y)
		for j := range c {
			mirror[j], not[j] = 1-c[j], !y[j]
		}
		got, want := singles(mirror, not, w), singles(c, y, w)
		for _, name := range []string{"brier", "smooth", "auroc", "mcb", "dsc", "unc"} {
			if math.Abs(got[name]-want[name]) > 1e-9 && !(math.IsNaN(got[name]) && math.IsNaN(want[name])) {
				t.Errorf("%d: %s %v, mirrored %v", i, name, want[name], got[name])
			}
		}
	}
}

// Strictly rising maps of many shapes leave AUROC alone to the bit; a falling
// one turns it over; a map that ties what differed may not.
func TestMonotoneMapsAndAUROC(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 9))
	for i := range 40 {
		c, y, w := answersAtRandom(30+i, 5+i, r)
		mapped := slices.Clone(c)
		under := func(f func(float64) float64) float64 {
			for j := range c {
				mapped[j] = f(c[j])
			}
			return AUROC(mapped, y, w)
		}
		want := AUROC(c, y, w)
		for name, f := range map[string]func(float64) float64{
			"square": func(c float64) float64 { return c * c }, "shrink": func(c float64) float64 { return 0.4 + c/5 },
			"logistic": func(c float64) float64 { return 1 / (1 + math.Exp(3-7*c)) }, "root": math.Sqrt,
		} {
			if got := under(f); got != want {
				t.Errorf("%d: %s: %v, want %v", i, name, got, want)
			}
		}
		if got := under(func(c float64) float64 { return 1 - c }); math.Abs(got-(1-want)) > 1e-12 {
			t.Errorf("%d: falling: %v, want %v", i, got, 1-want)
		}
		if got := under(func(float64) float64 { return 0.5 }); got != 0.5 {
			t.Errorf("%d: all tied: %v", i, got)
		}
	}
}

// No way of binning shows more than the levels themselves, nor less than the
// gap of the means (the triangle inequality), whatever the number of bins.
func TestBinsAreBetweenTheirBounds(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 10))
	for i := range 60 {
		c, y, w := answersAtRandom(5+3*i, i%9, r)
		w[0] = 2
		levels, m, _ := grouped(c, y, w)
		least, most := gaps(levels, m)
		for _, bins := range []int{1, 2, 7, 15, 400} {
			for name, got := range map[string]float64{"mass": ECE(c, y, w, bins), "width": ECEEqualWidth(c, y, w, bins)} {
				if got < least-1e-12 || got > most+1e-12 {
					t.Errorf("%d: %s, %d bins: %v outside [%v, %v]", i, name, bins, got, least, most)
				}
			}
		}
		if got := ECE(c, y, w, 1); math.Abs(got-least) > 1e-12 {
			t.Errorf("%d: one bin: %v, gap %v", i, got, least)
		}
	}
}

// Decimal coverages are exact: 95 % of 20 is 19, 90 % of 10 is 9, never one
// more for a rounded product; a share that falls between is rounded up.
func TestSelected(t *testing.T) {
	for _, row := range []struct{ m, percent, want int }{
		{20, 95, 19}, {10, 90, 9}, {100, 95, 95}, {1000, 80, 800}, {3, 50, 2}, {1, 50, 1}, {7, 100, 7}, {0, 95, 0}, {21, 95, 20},
	} {
		if got := selected(row.m, row.percent); got != row.want {
			t.Errorf("selected(%d, %d) = %d, want %d", row.m, row.percent, got, row.want)
		}
	}
}

// Coverage at risk takes the largest prefix, may pass over a bad stretch, cuts
// only between levels and counts a risk of exactly r as good enough.
func TestCoverageAtRisk(t *testing.T) {
	for _, row := range []struct {
		name    string
		levels  []Level // upwards
		percent int
		want    float64
	}{
		{"exactly r", []Level{{0.9, 20, 19}}, 5, 1},
		{"just above", []Level{{0.9, 19, 18}}, 5, 0},
		{"the top only", []Level{{0.5, 10, 0}, {0.9, 10, 10}}, 1, 0.5},
		{"recovers after a bad top", []Level{{0.5, 99, 99}, {0.9, 1, 0}}, 1, 1},
		{"a tie is not cut", []Level{{0.9, 100, 50}}, 10, 0},
	} {
		m, _ := total(row.levels)
		if got := coverageAtRisk(row.levels, m, row.percent); got != row.want {
			t.Errorf("%s: %v, want %v", row.name, got, row.want)
		}
	}
}
