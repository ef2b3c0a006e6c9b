package scoring

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"candor/scoring/internal/parallel"
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
	mostFloorDraws    = 100_000
	leastFloorDraws   = 1000
	floorBudget       = 2_000_000_000      // confidences drawn by default, over all draws
	cheapFloor        = 1_000_000          // as many are drawn in no time
	floorStream       = 0x63616c6962726174 // keeps the floor's draws apart from the bootstrap's
)

// floorDraws is how many draws the floor takes unless told: 10 000; up to
// 100 000 where few distinct confidences stand, since the ECE then takes few
// values, from one to the next of which an uncertain quantile jumps; and fewer
// where so many stand that these would take minutes, but never below 1000. The
// mean and the quantile of so many answers vary little from draw to draw, so
// that what is given up is the resolution of the p-value. It depends on nothing
// but the number of distinct confidences.
func floorDraws(distinct int) int {
	distinct = max(distinct, 1)
	few := min(mostFloorDraws, cheapFloor/distinct)
	return max(leastFloorDraws, min(max(defaultFloorDraws, few), floorBudget/distinct))
}

// calibratedFloor draws correctness from the stated confidences, draw d from
// PCG(seed ⊕ a constant, d); draws = 0 means floorDraws. The bins of a draw
// are those of the answers themselves, which depend on the confidences alone.
func calibratedFloor(ctx context.Context, levels []Level, bins, draws int, seed uint64) (Floor, error) {
	m, _ := total(levels)
	if m == 0 {
		return Floor{}, nil
	}
	if draws == 0 {
		draws = floorDraws(len(levels))
	}
	binomials := newBinomials(levels)
	observed := equalMass(levels, m, bins, nil)
	drawn := make([]float64, draws)
	err := parallel.Do(ctx, draws, func() func(int) {
		made := slices.Clone(observed)
		return func(d int) {
			random := rand.NewPCG(seed^floorStream, uint64(d))
			next := 0
			for b := range made {
				correct := 0
				for n := made[b].n; n > 0; next++ {
					correct += binomials[next].draw(random)
					n -= binomials[next].trials()
				}
				made[b].correct = correct
			}
			drawn[d] = ece(made, m)
		}
	})
	if err != nil {
		return Floor{}, err
	}
	return newFloor(drawn, ece(observed, m)), nil
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

// trials is their number.
func (b binomial) trials() int { return len(b) - 1 }

// newBinomials tabulates the correct answers of every level, one table beside
// the other in memory: with very many levels a draw is a walk through it.
func newBinomials(levels []Level) []binomial {
	m, _ := total(levels)
	room, out := make([]float64, m+len(levels)), make([]binomial, len(levels))
	for i, l := range levels {
		out[i] = binomial(room[: l.N+1 : l.N+1]).fill(l.Confidence)
		room = room[l.N+1:]
	}
	return out
}

// newBinomial tabulates n trials of probability p.
func newBinomial(n int, p float64) binomial { return make(binomial, n+1).fill(p) }

// fill tabulates as many trials as there is room for, of probability p.
func (b binomial) fill(p float64) binomial {
	n, sum := b.trials(), 0.0
	for k := range b {
		sum += binomialMass(n, k, p)
		b[k] = sum
	}
	b[n] = math.Inf(1) // whatever rounding left out belongs to the end
	return b
}

// binomialMass is the chance of k successes in n trials of probability p,
// n!/(k!·(n − k)!)·pᵏ·(1 − p)ⁿ⁻ᵏ, through logarithms so that no factor
// overflows.
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
