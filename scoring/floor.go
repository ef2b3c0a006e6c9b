package scoring

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
)

// Floor is the ECE that a perfectly calibrated model with the very same stated
// confidences would show by luck: an ECE that is not above it is no evidence
// of miscalibration.
type Floor struct {
	Mean        *float64 `json:"mean"`
	P95         *float64 `json:"p95"`
	PCalibrated *float64 `json:"p_calibrated"` // share of draws at or above the observed ECE
}

const (
	defaultFloorDraws = 10_000
	floorStream       = 0x63616c6962726174 // keeps the floor's draws apart from the bootstrap's
)

// calibratedFloor draws correctness from the stated confidences, draw d from
// PCG(seed ⊕ a constant, d).
func calibratedFloor(ctx context.Context, levels []Level, bins, draws int, seed uint64) (Floor, error) {
	m, _ := total(levels)
	if m == 0 {
		return Floor{}, nil
	}
	binomials := make([]binomial, len(levels))
	for i, l := range levels {
		binomials[i] = newBinomial(l.N, l.Confidence)
	}
	drawn := make([]float64, draws)
	err := parallel(ctx, draws, func() func(int) {
		var buf []bin
		made := slices.Clone(levels)
		return func(d int) {
			random := rand.NewPCG(seed^floorStream, uint64(d))
			for i := range made {
				made[i].Correct = binomials[i].draw(random)
			}
			buf = equalMass(made, m, bins, buf)
			drawn[d] = ece(buf, m)
		}
	})
	if err != nil {
		return Floor{}, err
	}
	return newFloor(drawn, ece(equalMass(levels, m, bins, nil), m)), nil
}

func newFloor(drawn []float64, observed float64) Floor {
	const rounding = 1e-12 // two ways to the same ECE may differ in the last place
	slices.Sort(drawn)
	sum, above := 0.0, 0
	for _, e := range drawn {
		sum += e
		above += one(e >= observed-rounding)
	}
	n := float64(len(drawn))
	return Floor{Mean: defined(sum / n), P95: defined(quantile(drawn, 0.95)), PCalibrated: defined(float64(above) / n)}
}

// binomial[k] is the chance of at most k successes.
type binomial []float64

// newBinomial tabulates n trials of probability p.
func newBinomial(n int, p float64) binomial {
	cdf := make(binomial, n+1)
	sum := 0.0
	for k := range cdf {
		sum += binomialMass(n, k, p)
		cdf[k] = sum
	}
	cdf[n] = math.Inf(1) // whatever rounding left out belongs to the end
	return cdf
}

func binomialMass(n, k int, p float64) float64 {
	switch {
	case p <= 0:
		return float64(one(k == 0))
	case p >= 1:
		return float64(one(k == n))
	}
	all, _ := math.Lgamma(float64(n + 1))
	hits, _ := math.Lgamma(float64(k + 1))
	misses, _ := math.Lgamma(float64(n - k + 1))
	return math.Exp(all - hits - misses + float64(k)*math.Log(p) + float64(n-k)*math.Log1p(-p))
}

// draw inverts the table: the first k whose chance exceeds a uniform number.
func (b binomial) draw(random *rand.PCG) int {
	u := float64(random.Uint64()>>11) / (1 << 53)
	low, high := 0, len(b)-1
	for low < high {
		if mid := (low + high) / 2; b[mid] > u {
			high = mid
		} else {
			low = mid + 1
		}
	}
	return low
}
