package scoring

import (
	"fmt"
	"math"
)

// AURC is the area under the risk-coverage curve, the mean over k = 1 … m of
// the error rate of the k most confident answers, in [0, 1], 0 best (Geifman &
// El-Yaniv 2017). Equal confidences are taken in uniformly random order and
// the area is the expectation: at the j-th of a tie of g answers with w wrong,
// after K answers with E wrong, the risk is (E + w·j/g)/(K + j). NaN for no
// answers. For arguments and panics see [BrierScore].
func AURC(confidence []float64, correct []bool, weights []int) float64 {
	levels, m, _ := grouped(confidence, correct, weights)
	return aurc(levels, m, new(harmonics))
}

// EAURC is [AURC] less that of the best order of the same answers,
// Σ_{i=1…m} max(0, i − k)/i / m with k correct: in [0, 1], 0 best (Geifman,
// Uziel & El-Yaniv 2019, who approximate the sum by e + (1 − e)·ln(1 − e) for
// an error rate e; here it is the finite sum, so that E-AURC is never
// negative). NaN for no answers. For arguments and panics see [BrierScore].
func EAURC(confidence []float64, correct []bool, weights []int) float64 {
	levels, m, right := grouped(confidence, correct, weights)
	table := new(harmonics)
	return max(0, aurc(levels, m, table)-bestAURC(right, m, table))
}

// AUGRC is the area under the generalised risk-coverage curve, errors so far/m
// against coverage, by trapezoids from (0, 0): in [0, ½], 0 best (Traub et al.
// 2024). It is the mean chance that a random threshold accepts a wrong answer,
// and exact inside ties. NaN for no answers. For arguments and panics see
// [BrierScore].
func AUGRC(confidence []float64, correct []bool, weights []int) float64 {
	levels, m, _ := grouped(confidence, correct, weights)
	return augrc(levels, m)
}

// AUROC is the chance that a correct answer is more confident than a wrong
// one, ties counting ½ (Hanley & McNeil 1982): in [0, 1], ½ is chance, 1 best.
// NaN if all are correct, all wrong, or there are none. For arguments and
// panics see [BrierScore].
func AUROC(confidence []float64, correct []bool, weights []int) float64 {
	levels, m, right := grouped(confidence, correct, weights)
	return auroc(levels, m, right)
}

// SelectiveAccuracy is the accuracy of the ⌈coverage·m⌉ most confident
// answers, in [0, 1], expected over the order inside the tie that is cut
// (El-Yaniv & Wiener 2010). A product within 1e-9 of a whole number counts as
// whole, so that .95 of 20 is 19. NaN for no answers. coverage must lie in
// (0, 1], else SelectiveAccuracy panics; for other arguments and panics see
// [BrierScore].
func SelectiveAccuracy(confidence []float64, correct []bool, weights []int, coverage float64) float64 {
	if !(coverage > 0 && coverage <= 1) {
		panic(fmt.Sprintf("scoring: coverage %v: must lie in (0, 1]", coverage))
	}
	levels, m, _ := grouped(confidence, correct, weights)
	if m == 0 {
		return math.NaN()
	}
	return accuracyOfTop(levels, max(1, int(math.Ceil(coverage*float64(m)-nearlyWhole))))
}

// CoverageAtRisk is the largest share of the answers, taken from the most
// confident down and cut only between ties, whose error rate is at most risk
// (El-Yaniv & Wiener 2010; Geifman & El-Yaniv 2017): in [0, 1], 0 if even the
// most confident tie errs more. NaN for no answers. It is a maximum and so
// biased upwards. risk must lie in [0, 1], else CoverageAtRisk panics; for
// other arguments and panics see [BrierScore].
func CoverageAtRisk(confidence []float64, correct []bool, weights []int, risk float64) float64 {
	if !(risk >= 0 && risk <= 1) {
		panic(fmt.Sprintf("scoring: risk %v: must lie in [0, 1]", risk))
	}
	levels, m, _ := grouped(confidence, correct, weights)
	return largestShare(levels, m, func(wrong, seen int) bool {
		return float64(wrong) <= risk*float64(seen)+nearlyWhole
	})
}

const nearlyWhole = 1e-9 // a product this near to a whole number is meant to be it
