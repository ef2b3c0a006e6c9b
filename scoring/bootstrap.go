package scoring

import (
	"context"
	"math"
	"math/bits"
	"math/rand/v2"

	"candor/scoring/internal/parallel"
)

// replicates are the bootstrap values of every figure.
type replicates [figureCount][]float64

func newReplicates(count int) *replicates {
	var r replicates
	for f := range r {
		r[f] = make([]float64, count)
	}
	return &r
}

// bootstrap measures the sample under count resamplings of its images, claims
// of one image always staying together (a cluster bootstrap: Field & Welsh
// 2007). Replicate b depends on the seed and b alone.
func (s *sample) bootstrap(ctx context.Context, bins, count int, seed uint64) (*replicates, error) {
	out := newReplicates(count)
	err := resampled(ctx, len(s.images), count, seed, func() func([]int32, int) {
		q, t := &measurer{bins: bins}, &tally{}
		return func(weights []int32, b int) {
			s.weigh(weights, t)
			for f, value := range q.replicate(t, b) {
				out[f][b] = value
			}
		}
	})
	return out, err
}

// resampled hands the weights of replicate 0 … count−1 to the workers'
// functions, on every core; what they do with them may depend on weights and
// b alone.
func resampled(ctx context.Context, images, count int, seed uint64, worker func() func(weights []int32, b int)) error {
	return parallel.Do(ctx, count, func() func(int) {
		weights, do := make([]int32, images), worker()
		return func(b int) {
			resample(weights, seed, b)
			do(weights, b)
		}
	})
}

// resample draws as many images as there are, with replacement, from
// PCG(seed, b), and counts how often each came up.
func resample(weights []int32, seed uint64, b int) {
	clear(weights)
	random := rand.NewPCG(seed, uint64(b))
	for range weights {
		// The high word of a product is uniform but for a bias below n/2⁶⁴.
		i, _ := bits.Mul64(random.Uint64(), uint64(len(weights)))
		weights[i]++
	}
}

// definedOnly copies the values that are not undefined.
func definedOnly(values []float64) []float64 {
	kept := make([]float64, 0, len(values))
	for _, v := range values {
		if !math.IsNaN(v) {
			kept = append(kept, v)
		}
	}
	return kept
}
