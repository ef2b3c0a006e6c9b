package scoring

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"candor/scoring/internal/parallel"
)

// CurvePoint is one point of a reliability curve.
type CurvePoint struct {
	Forecast float64 `json:"forecast"` // a stated confidence
	Estimate float64 `json:"estimate"` // how often it is right, as far as a rising curve can tell
	N        int     `json:"n"`        // answers that stated it
}

// ReliabilityCurve is the CORP reliability diagram (Dimitriadis, Gneiting &
// Jordan 2021): for each distinct confidence, upwards, the isotonic regression
// of correctness on confidence, by pooling adjacent violators. Estimates lie
// in [0, 1] and never fall; between points the curve is drawn straight. It
// needs no bins. On the diagonal is calibrated, below it overconfident. Empty
// for no answers. For arguments and panics see [BrierScore].
func ReliabilityCurve(confidence []float64, correct []bool, weights []int) []CurvePoint {
	levels, _, _ := grouped(confidence, correct, weights)
	points := make([]CurvePoint, len(levels))
	for i, l := range levels {
		points[i] = CurvePoint{Forecast: l.Confidence, N: l.N}
	}
	eachFit(levels, isotonic(levels, nil), func(i int, fit float64) { points[i].Estimate = fit })
	return points
}

// eachFit calls do with each level's number and the rate of its block.
func eachFit(levels []Level, blocks []bin, do func(i int, fit float64)) {
	i := 0
	for _, b := range blocks {
		for left := b.n; left > 0; i++ {
			do(i, float64(b.correct)/float64(b.n))
			left -= levels[i].N
		}
	}
}

// BandPoint is a consistency band at one confidence.
type BandPoint struct {
	Forecast  float64   `json:"forecast"`
	Quantiles []float64 `json:"quantiles"` // of the estimate, in the order asked for
}

// BandOptions says how a consistency band is drawn; the zero value gives the
// middle 90 % from 1000 draws.
type BandOptions struct {
	Probs []float64 // quantiles wanted, each in [0, 1]; nil = 0.05, 0.95
	Draws int       // 0 = 1000
	Seed  uint64
}

const (
	defaultBandDraws = 1000
	bandStream       = 0x636f6e73697374 // keeps these draws apart from the floor's and the bootstrap's
)

// ConsistencyBand says where a [ReliabilityCurve] of these confidences would
// lie if every one of them were true: for each distinct confidence, upwards,
// pointwise quantiles (Hyndman & Fan's type 7) of the isotonic estimate over
// seeded draws of correctness from the confidences (Dimitriadis, Gneiting &
// Jordan 2021). Unlike theirs the draws keep the stated confidences as they
// are, as [CalibratedFloor] does, and resample correctness alone. A curve that
// leaves the band is miscalibrated there; pointwise means that of many points
// some leave it by luck.
//
// It needs 8·draws bytes for each distinct confidence. The same seed gives the
// same band on any number of cores. Empty for no answers. An option out of
// range is an error, and so is the end of the context. For the other arguments
// and panics see [BrierScore].
func ConsistencyBand(ctx context.Context, confidence []float64, weights []int, opt BandOptions) ([]BandPoint, error) {
	opt, err := opt.filled()
	if err != nil {
		return nil, err
	}
	levels := merged(weighed(confidence, weights))
	fits, err := drawnFits(ctx, levels, opt)
	if err != nil {
		return nil, err
	}
	points := make([]BandPoint, len(levels))
	for i, l := range levels {
		slices.Sort(fits[i])
		points[i].Forecast = l.Confidence
		for _, p := range opt.Probs {
			points[i].Quantiles = append(points[i].Quantiles, quantile(fits[i], p))
		}
	}
	return points, nil
}

func (o BandOptions) filled() (BandOptions, error) {
	if o.Probs == nil {
		o.Probs = []float64{0.05, 0.95}
	}
	if o.Draws == 0 {
		o.Draws = defaultBandDraws
	}
	for _, p := range o.Probs {
		if !probability(p) {
			return o, fmt.Errorf("consistency band: quantile %v: must lie in [0, 1]", p)
		}
	}
	if o.Draws < 0 || o.Draws > MaxBootstrap {
		return o, fmt.Errorf("consistency band: %d draws: must be between 0 (the default) and %d", o.Draws, MaxBootstrap)
	}
	return o, nil
}

// drawnFits are the isotonic estimates, by level, then by draw.
func drawnFits(ctx context.Context, levels []Level, opt BandOptions) ([][]float64, error) {
	fits, binomials := make([][]float64, len(levels)), make([]binomial, len(levels))
	for i, l := range levels {
		fits[i], binomials[i] = make([]float64, opt.Draws), newBinomial(l.N, l.Confidence)
	}
	return fits, parallel.Do(ctx, opt.Draws, func() func(int) {
		var blocks []bin
		made := slices.Clone(levels)
		return func(d int) {
			random := rand.NewPCG(opt.Seed^bandStream, uint64(d))
			for i := range made {
				made[i].Correct = binomials[i].draw(random)
			}
			blocks = isotonic(made, blocks)
			eachFit(made, blocks, func(i int, fit float64) { fits[i][d] = fit })
		}
	})
}
