package scoring

import (
	"context"
	"fmt"
	"math"
)

// BrierScore is the mean squared error of the confidence, Σ (c − y)²/m, in
// [0, 1], 0 best (Brier 1950). NaN for no answers.
//
// Arguments of all single figures: confidence[i] in [0, 1] is what answer i
// stated, correct[i] whether it was right, and weights[i] ≥ 0 how many such
// answers there are; weights may be nil for one each, and a weight of 0 leaves
// the answer out. y is 1 for a correct answer and 0 for a wrong one, m the sum
// of the weights, and the order of answers never matters. Slices of different
// lengths, a confidence that is NaN or outside [0, 1], or a negative weight
// panic; [Summarize] returns an error instead.
func BrierScore(confidence []float64, correct []bool, weights []int) float64 {
	levels, m, _ := grouped(confidence, correct, weights)
	_, brier := means(levels, m)
	return brier
}

// ECE is the expected calibration error over bins of equal mass,
// Σ_b m_b/m · |mean c − mean y|, in [0, 1], 0 best (Guo et al. 2017; equal
// mass: Roelofs et al. 2022). Equal confidences always share a bin: going
// upwards a bin closes at the first end of a tie where the running number
// reaches the next multiple of m/bins, so that there may be fewer bins than
// asked for. bins is 1 to [MaxBins], 0 meaning 15. NaN for no answers.
//
// It is biased upwards: read it beside [CalibratedFloor]. For arguments and
// panics see [BrierScore]; a number of bins out of range panics too.
func ECE(confidence []float64, correct []bool, weights []int, bins int) float64 {
	levels, m, _ := grouped(confidence, correct, weights)
	return ece(equalMass(levels, m, binsOrDefault(bins), nil), m)
}

// ECEEqualWidth is the expected calibration error over bins of equal width,
// Σ_b m_b/m · |mean c − mean y| with bin min(bins − 1, ⌊c·bins⌋), in [0, 1], 0
// best (Guo et al. 2017). The last bin holds 1, so 1 never gets a bin of its
// own. bins as in [ECE]. NaN for no answers. For arguments and panics see
// [BrierScore].
func ECEEqualWidth(confidence []float64, correct []bool, weights []int, bins int) float64 {
	levels, m, _ := grouped(confidence, correct, weights)
	return ece(equalWidth(levels, binsOrDefault(bins), nil), m)
}

// ECEDebiased is the root mean square calibration error over the bins of
// [ECE], less the part that the noise of each bin's accuracy explains,
//
//	√max(0, Σ_b m_b/m · [(c̄ − ȳ)² − ȳ(1 − ȳ)/(m_b − 1)]),
//
// in [0, 1], 0 best (Kumar, Liang & Ma 2019). A bin of one answer adds 0; NaN
// if no bin has two. It is a square mean, so no estimate of the ECE. For
// arguments and panics see [BrierScore].
func ECEDebiased(confidence []float64, correct []bool, weights []int, bins int) float64 {
	levels, m, _ := grouped(confidence, correct, weights)
	return debiasedECE(equalMass(levels, m, binsOrDefault(bins), nil), m)
}

// SmoothECE is the calibration error without bins, in [0, 1], 0 best
// (Błasiok & Nakkiran 2023): the fixed point smECE_σ = σ of
//
//	smECE_σ = 1/m · ∫₀¹ |Σ_i (c_i − y_i)·K_σ(t, c_i)| dt
//
// with K_σ a Gaussian of bandwidth σ reflected at 0 and 1. It is continuous in
// the confidences, ties need no rule, and it is never below the gap
// |mean c − mean y|. NaN for no answers.
//
// The Gaussian is cut at a distance of ½ and σ not sought below 1/512, as in
// the authors' relplot 1.0.3, to whose values it is equal within the tolerance
// of relplot's search, 2e-3, with one exception: relplot gives answers at
// exactly 0 or 1 half their weight (and takes some from those within 1/1000 of
// either), which can bring it below the gap of the means; this function gives
// all answers their weight. For arguments and panics see [BrierScore].
func SmoothECE(confidence []float64, correct []bool, weights []int) float64 {
	levels, m, _ := grouped(confidence, correct, weights)
	if m == 0 {
		return math.NaN()
	}
	return (&smoother{}).ece(levels, m)
}

// Decomposition is the parts of the Brier score: Brier = MCB − DSC + UNC.
type Decomposition struct {
	MCB float64 // miscalibration, ≥ 0: what recalibrating would save
	DSC float64 // discrimination, in [0, UNC]: what the ranking saves
	UNC float64 // uncertainty, in [0, ¼]: accuracy·(1 − accuracy)
}

// Decompose splits the Brier score exactly, without bins, by isotonic
// regression of y on c (CORP: Dimitriadis, Gneiting & Jordan 2021): with S the
// Brier score of the recalibrated confidences of [ReliabilityCurve],
// MCB = Brier − S and DSC = UNC − S. All parts are NaN for no answers. MCB and
// DSC are biased upwards. For arguments and panics see [BrierScore].
func Decompose(confidence []float64, correct []bool, weights []int) Decomposition {
	levels, m, right := grouped(confidence, correct, weights)
	if m == 0 {
		return Decomposition{math.NaN(), math.NaN(), math.NaN()}
	}
	_, brier := means(levels, m)
	parts, _ := corp(levels, m, right, brier, nil)
	return Decomposition{parts.mcb, parts.dsc, parts.unc}
}

// CalibratedFloor is what [ECE] shows by luck alone: its mean and 95th
// percentile over seeded draws of y from the stated confidences, and
// p_calibrated, the share of draws at or above the ECE observed, which is the
// p-value of perfect calibration (Bröcker & Smith 2007, for the draws). draws
// = 0 means 10 000 or, beyond 200 000 distinct confidences, fewer, but 1000 at
// least. All nil for no answers. The error is the context's. For arguments and
// panics see [BrierScore]; a number of bins out of range, and draws below 0 or
// above [MaxBootstrap], panic too.
func CalibratedFloor(ctx context.Context, confidence []float64, correct []bool, weights []int, bins, draws int, seed uint64) (Floor, error) {
	levels, _, _ := grouped(confidence, correct, weights)
	if draws < 0 || draws > MaxBootstrap {
		panic(fmt.Sprintf("scoring: %d draws: must be between 1 and %d, or 0 for %d", draws, MaxBootstrap, defaultFloorDraws))
	}
	return calibratedFloor(ctx, levels, binsOrDefault(bins), draws, seed)
}

// means are the mean confidence and the Brier score of m answers.
func means(levels []Level, m int) (confidence, brier float64) {
	sum, squares := 0.0, 0.0
	for _, l := range levels {
		right, c := float64(l.Correct), l.Confidence
		sum += float64(l.N) * c
		squares += right*(1-c)*(1-c) + (float64(l.N)-right)*c*c
	}
	return sum / float64(m), squares / float64(m)
}
