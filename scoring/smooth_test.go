package scoring

import (
	"math"
	"math/rand/v2"
	"testing"
)

// smoothByPairs is smooth ECE by its definition: every level against every
// point of a fine mesh, mirror images and all, and bisection to the end.
func smoothByPairs(levels []Level, m int) float64 {
	low, high := 1.0/1024, 1.0
	for range 20 {
		if mid := (low + high) / 2; smoothAt(levels, m, mid) > mid {
			low = mid
		} else {
			high = mid
		}
	}
	if high <= sigma(narrowest) {
		return smoothAt(levels, m, sigma(narrowest))
	}
	return high
}

func smoothAt(levels []Level, m int, sigma float64) float64 {
	cells := int(max(400, 25/sigma))
	area, mass := 0.0, 0.0
	for i := range cells { // the middle of each cell
		t, sum, density := (float64(i)+0.5)/float64(cells), 0.0, 0.0
		for _, l := range levels {
			k := 0.0
			for _, x := range []float64{l.Confidence, -l.Confidence, 2 - l.Confidence} {
				if z := math.Abs(t - x); z <= 0.5 {
					k += math.Exp(-z * z / sigma / sigma / 2)
				}
			}
			sum += k * (l.Confidence*float64(l.N) - float64(l.Correct))
			density += k * float64(l.N)
		}
		area += math.Abs(sum)
		mass += density
	}
	return area / mass
}

// randomLevels makes m tasks; grid > 0 makes ties, the ends among them.
func randomLevels(m, grid int, truth func(c float64) float64, r *rand.Rand) []Level {
	marks := make([]mark, m)
	for i := range marks {
		c := r.Float64()
		if grid > 0 {
			c = float64(r.IntN(grid+1)) / float64(grid)
		}
		marks[i] = mark{confidence: c, correct: r.Float64() < truth(c)}
	}
	return levelsOf(marks)
}

var truths = map[string]func(float64) float64{
	"calibrated": func(c float64) float64 { return c }, "overconfident": func(c float64) float64 { return c * c },
	"blind": func(float64) float64 { return 0.5 }, "inverted": func(c float64) float64 { return 1 - c },
	"never": func(float64) float64 { return 0 },
}

// The transforms and the search give what the definition gives.
func TestSmoothAgainstPairs(t *testing.T) {
	r, s := rand.New(rand.NewPCG(2, 3)), &smoother{}
	for _, name := range sortedKeys(truths) {
		for _, m := range []int{1, 2, 7, 60} {
			for _, grid := range []int{0, 4, 20} {
				levels := randomLevels(m, grid, truths[name], r)
				got, want := s.ece(levels, m), smoothByPairs(levels, m)
				if math.Abs(got-want) > 1e-3 {
					t.Errorf("%s, m %d, grid %d: %v, by pairs %v", name, m, grid, got, want)
				}
			}
		}
	}
}

// Smooth ECE lies between the gap of the means and the mean gap of the levels,
// and with one level only is both.
func TestSmoothBounds(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 5))
	for _, name := range sortedKeys(truths) {
		for i := range 60 {
			m := 1 + r.IntN(80)
			levels := randomLevels(m, i%12, truths[name], r)
			least, most := gaps(levels, m)
			if got := (&smoother{}).ece(levels, m); !(got >= least-1e-9 && got <= most+1e-9) {
				t.Errorf("%s: %v outside [%v, %v] of %v", name, got, least, most, levels)
			}
		}
	}
	for _, l := range []Level{{1, 10, 9}, {0, 10, 9}, {0.5, 8, 1}, {1, 4, 0}, {0.946, 140, 124}, {0.25, 4, 1}, {0.7, 1, 0}} {
		want := math.Abs(l.Confidence - float64(l.Correct)/float64(l.N))
		if got := (&smoother{}).ece([]Level{l}, l.N); math.Abs(got-want) > 1e-12 {
			t.Errorf("%v: %v, want %v", l, got, want)
		}
	}
}

// A task at exactly 1 counts as much as one just below it.
func TestSmoothAtTheEnds(t *testing.T) {
	for _, end := range []float64{0, 1} {
		inside := math.Abs(end - 1e-9)
		at := (&smoother{}).ece(levelsOf([]mark{{confidence: 0.95, correct: true}, {confidence: end}, {confidence: end}}), 3)
		near := (&smoother{}).ece(levelsOf([]mark{{confidence: 0.95, correct: true}, {confidence: inside}, {confidence: inside}}), 3)
		if math.Abs(at-near) > 1e-6 {
			t.Errorf("at %v: %v, just inside: %v", end, at, near)
		}
	}
	s := summary(t, answersOf([]float64{0.95, 1}, []int{1, 0}), Options{})
	if got := *s.SmoothECE; got < 0.475 || got > 0.477 { // the gap of the means is .475
		t.Errorf("at exactly 1: %v", got)
	}
}

// What was smoothed before leaves no trace.
func TestSmootherForgets(t *testing.T) {
	r, used := rand.New(rand.NewPCG(6, 7)), &smoother{}
	for i := range 50 {
		levels := randomLevels(30, i%7, truths["overconfident"], r)
		if got, want := used.ece(levels, 30), (&smoother{}).ece(levels, 30); got != want {
			t.Fatalf("%d: %v after others, %v alone", i, got, want)
		}
	}
}

// A small change of the confidences is a small change of smooth ECE, however
// the ties break; ECE jumps.
func TestSmoothIsContinuous(t *testing.T) {
	tied, split := make([]mark, 40), make([]mark, 40)
	for i := range tied {
		tied[i] = mark{confidence: 0.5, correct: i%2 == 0}
		split[i] = mark{confidence: 0.5 + 1e-4*float64(1-2*(i%2)), correct: i%2 == 0}
	}
	a, b := levelsOf(tied), levelsOf(split)
	if x, y := (&smoother{}).ece(a, 40), (&smoother{}).ece(b, 40); math.Abs(x-y) > 0.03 {
		t.Errorf("smooth ECE %v tied, %v split", x, y)
	}
	if x, y := ece(equalMass(a, 40, 15, nil), 40), ece(equalMass(b, 40, 15, nil), 40); math.Abs(x-y) < 0.3 {
		t.Errorf("ECE %v tied, %v split: the example proves nothing", x, y)
	}
}

// The spread of smooth ECE comes from the first 1000 replicates, with no
// warning about the others.
func TestSmoothReplicates(t *testing.T) {
	rows := mixed(60, 25, 10, 8)
	for i := range rows {
		rows[i].Split = ""
	}
	few, many := summary(t, rows, Options{Bootstrap: 1000, Seed: 3}), summary(t, rows, Options{Bootstrap: 1300, Seed: 3})
	if few.Spread["smooth_ece"] == nil || *few.Spread["smooth_ece"] != *many.Spread["smooth_ece"] {
		t.Errorf("spread %v of 1000, %v of 1300", few.Spread["smooth_ece"], many.Spread["smooth_ece"])
	}
	if *few.Spread["ece"] == *many.Spread["ece"] {
		t.Error("300 more replicates left the spread of ECE as it was")
	}
	if codes(many)[WarnUndefined] {
		t.Errorf("warnings %v", many.Warnings)
	}
	if at := few.Spread["smooth_ece"]; !(at[0] < at[1]) {
		t.Errorf("spread %v", at)
	}
}
