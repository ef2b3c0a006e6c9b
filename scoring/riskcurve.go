package scoring

import "fmt"

// RiskPoint is one point of a risk-coverage curve.
type RiskPoint struct {
	Coverage float64 `json:"coverage"` // share of the answers kept, in (0, 1]
	Risk     float64 `json:"risk"`     // share of those that are wrong
}

// RiskCoverageCurve is the error rate of the most confident answers against how
// many are kept (El-Yaniv & Wiener 2010; Geifman & El-Yaniv 2017), at coverages
// 1/points, 2/points, …, 1 rounded up to whole answers, or at every one of
// fewer answers: then the mean of the risks is the [AURC]. Inside a tie the
// risk is the expectation over its orders. Empty for no answers. points is at
// least 1, else RiskCoverageCurve panics; for other arguments and panics see
// [BrierScore].
func RiskCoverageCurve(confidence []float64, correct []bool, weights []int, points int) []RiskPoint {
	levels, m, _ := grouped(confidence, correct, weights)
	at := len(levels) - 1
	seen, wrong := 0, 0
	return riskCurve(m, points, func(k int) float64 {
		for seen+levels[at].N < k {
			seen += levels[at].N
			wrong += levels[at].N - levels[at].Correct
			at--
		}
		g, w := levels[at].N, levels[at].N-levels[at].Correct
		return float64(wrong) + float64(w)*float64(k-seen)/float64(g)
	})
}

// BestRiskCoverageCurve is the curve of the same answers in the best order, all
// that are right before all that are wrong. Arguments are those of
// [RiskCoverageCurve].
func BestRiskCoverageCurve(confidence []float64, correct []bool, weights []int, points int) []RiskPoint {
	_, m, right := grouped(confidence, correct, weights)
	return riskCurve(m, points, func(k int) float64 { return float64(max(0, k-right)) })
}

// riskCurve asks for the errors among the first k of m, k rising.
func riskCurve(m, points int, errors func(k int) float64) []RiskPoint {
	if points < 1 {
		panic(fmt.Sprintf("scoring: a curve of %d points; it takes at least 1", points))
	}
	points = min(points, m)
	out := make([]RiskPoint, points)
	for i := range out {
		k := ((i+1)*m + points - 1) / points
		out[i] = RiskPoint{Coverage: float64(k) / float64(m), Risk: errors(k) / float64(k)}
	}
	return out
}

// Bin is one bin of an ECE.
type Bin struct {
	N          int     `json:"n"`
	Correct    int     `json:"correct"`
	Confidence float64 `json:"confidence"` // mean
	Accuracy   float64 `json:"accuracy"`
}

// Bins are the bins of equal mass that [ECE] is computed over, by confidence
// upwards. Empty for no answers. Arguments and panics are those of ECE.
func Bins(confidence []float64, correct []bool, weights []int, bins int) []Bin {
	levels, m, _ := grouped(confidence, correct, weights)
	var out []Bin
	for _, b := range equalMass(levels, m, binsOrDefault(bins), nil) {
		out = append(out, Bin{N: b.n, Correct: b.correct, Confidence: b.confidence / float64(b.n), Accuracy: float64(b.correct) / float64(b.n)})
	}
	return out
}
