package scoring

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The floor of the published histogram, against the exact expectation
// over all 141·36·18 outcomes.
func TestCaseCalibratedFloor(t *testing.T) {
	s := summary(t, published(), Options{FloorDraws: floorDraws(3)})
	exact := exactFloor(s.Levels)
	if math.Abs(exact-0.016271) > 5e-7 {
		t.Errorf("exact floor %.7f", exact)
	}
	near(t, "mean", s.ECEFloor.Mean, exact, 1.5e-4) // five standard errors of the draws
	// The ECE takes few values: .9463 of the chance lies below .032865 and
	// .9549 at or below it, six standard errors from the quantile's .95.
	near(t, "p95", s.ECEFloor.P95, 0.032865, 1e-6)
	near(t, "p_calibrated", s.ECEFloor.PCalibrated, 0.002, 0.002)
}

// exactFloor sums ECE over every outcome of three levels, weighted by its
// chance, with the binomial by recurrence.
func exactFloor(levels []Level) float64 {
	masses := make([][]float64, 3)
	m := 0
	for i, l := range levels {
		masses[i] = make([]float64, l.N+1)
		masses[i][0] = math.Pow(1-l.Confidence, float64(l.N))
		for k := 1; k <= l.N; k++ {
			masses[i][k] = masses[i][k-1] * float64(l.N-k+1) / float64(k) * l.Confidence / (1 - l.Confidence)
		}
		m += l.N
	}
	gap := func(i, k int) float64 { return math.Abs(levels[i].Confidence*float64(levels[i].N) - float64(k)) }
	sum := 0.0
	for a, pa := range masses[0] {
		for b, pb := range masses[1] {
			for c, pc := range masses[2] {
				sum += pa * pb * pc * (gap(0, a) + gap(1, b) + gap(2, c)) / float64(m)
			}
		}
	}
	return sum
}

// A calibrated model has a middling p, a grossly miscalibrated one p = 0, and
// confidences of 0 and 1 that hold have no floor at all.
func TestPCalibrated(t *testing.T) {
	calibrated := append(block(0, 0.9, 100, 10), block(100, 0.6, 100, 40)...)
	near(t, "ece zero: every draw is at or above", summary(t, calibrated, Options{}).ECEFloor.PCalibrated, 1, 0)
	near(t, "gross", summary(t, block(0, 0.99, 200, 100), Options{}).ECEFloor.PCalibrated, 0, 0)
	sure := summary(t, append(block(0, 1, 50, 0), block(50, 0, 50, 50)...), Options{}).ECEFloor
	near(t, "sure: mean", sure.Mean, 0, 0)
	near(t, "sure: p95", sure.P95, 0, 0)
	near(t, "sure: p", sure.PCalibrated, 1, 0)
}

// The binomial draws have the right mean and variance, also for many trials.
func TestBinomialDraw(t *testing.T) {
	for _, row := range []struct {
		n int
		p float64
	}{{1, 0.3}, {20, 0.95}, {5000, 0.5}, {100_000, 0.999}, {3, 0}, {3, 1}, {10, 1e-300}} {
		b, random := newBinomial(row.n, row.p), rand.NewPCG(1, 2)
		const draws = 40_000
		sum, squares := 0.0, 0.0
		for range draws {
			k := float64(b.draw(random))
			sum += k
			squares += k * k
		}
		mean, variance := float64(row.n)*row.p, float64(row.n)*row.p*(1-row.p)
		got := sum / draws
		if math.Abs(got-mean) > 5*math.Sqrt(variance/draws) {
			t.Errorf("n %d p %v: mean %v, want %v", row.n, row.p, got, mean)
		}
		if v := squares/draws - got*got; math.Abs(v-variance) > 0.06*variance+1e-9 {
			t.Errorf("n %d p %v: variance %v, want %v", row.n, row.p, v, variance)
		}
	}
}

// The draws grow where there are few distinct confidences, shrink where there
// are so many that the usual number of draws would take minutes, and depend on
// nothing else.
func TestFloorDraws(t *testing.T) {
	for distinct, want := range map[int]int{0: 100_000, 1: 100_000, 10: 100_000, 20: 50_000, 101: 10_000, 200_000: 10_000, 400_000: 5000, 1_000_000: 2000, 2_000_000: 1000, 100_000_000: 1000} {
		if got := floorDraws(distinct); got != want {
			t.Errorf("%d distinct confidences: %d draws; want %d", distinct, got, want)
		}
	}
	levels := make([]Level, 300)
	for i := range levels {
		levels[i] = Level{Confidence: float64(i) / 300, N: 1, Correct: i % 2}
	}
	at, err := calibratedFloor(t.Context(), levels, 15, 0, 3)
	if err != nil {
		t.Fatal(err)
	}
	asked, err := calibratedFloor(t.Context(), levels, 15, defaultFloorDraws, 3)
	if err != nil || *asked.Mean != *at.Mean || *asked.P95 != *at.P95 {
		t.Errorf("300 confidences: %v, %v; want those of 10 000 draws, %v", at, err, asked)
	}
}

// The draws of a floor are those of the answers made one by one and binned
// anew: the fixed bins are a shortcut, not another figure.
func TestFloorBinnedAnew(t *testing.T) {
	levels := []Level{{Confidence: 0.1, N: 3, Correct: 1}, {Confidence: 0.2, N: 1}, {Confidence: 0.5, N: 9, Correct: 5}, {Confidence: 0.8, N: 1, Correct: 1}, {Confidence: 0.95, N: 40, Correct: 33}}
	const m, bins, draws, seed = 54, 4, 300, 11
	sum := 0.0
	for d := range uint64(draws) {
		random := rand.NewPCG(seed^floorStream, d)
		made := make([]Level, len(levels))
		for i, l := range levels {
			made[i] = Level{Confidence: l.Confidence, N: l.N, Correct: newBinomial(l.N, l.Confidence).draw(random)}
		}
		sum += ece(equalMass(made, m, bins, nil), m)
	}
	got, err := calibratedFloor(t.Context(), levels, bins, draws, seed)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "mean", got.Mean, sum/draws, 1e-12)
}
