package scoring_test

import (
	"math"
	"testing"

	"candor/scoring"
)

// The published adversarial histogram (case M13): .946, .98, .99.
func published() (confidence []float64, correct []bool, weights []int) {
	return []float64{.946, .946, .98, .98, .99}, []bool{false, true, false, true, true}, []int{16, 124, 2, 33, 17}
}

// A curve with a point to every answer has the AURC as its mean, the best one
// what E-AURC is measured from; both end at the error rate.
func TestRiskCoverageCurve(t *testing.T) {
	c, y, w := published()
	mean := func(points []scoring.RiskPoint) float64 {
		sum := 0.0
		for _, p := range points {
			sum += p.Risk
		}
		return sum / float64(len(points))
	}
	all, best := scoring.RiskCoverageCurve(c, y, w, 1000), scoring.BestRiskCoverageCurve(c, y, w, 1000)
	if len(all) != 192 || len(best) != 192 {
		t.Fatalf("%d and %d points; want one to each of 192 answers", len(all), len(best))
	}
	if got, want := mean(all), scoring.AURC(c, y, w); math.Abs(got-want) > 1e-12 {
		t.Errorf("mean risk %v; want the AURC, %v", got, want)
	}
	if got, want := mean(all)-mean(best), scoring.EAURC(c, y, w); math.Abs(got-want) > 1e-12 {
		t.Errorf("the means differ by %v; want the E-AURC, %v", got, want)
	}
	few := scoring.RiskCoverageCurve(c, y, w, 10)
	last := few[len(few)-1]
	if len(few) != 10 || last.Coverage != 1 || math.Abs(last.Risk-18.0/192) > 1e-12 {
		t.Errorf("%d points, the last %+v; want 10 up to coverage 1, risk 18/192", len(few), last)
	}
	if got := scoring.RiskCoverageCurve(nil, nil, nil, 10); len(got) != 0 {
		t.Errorf("%v of no answers", got)
	}
}

// Bins are those of the ECE: their gaps weighed by their numbers are it.
func TestBins(t *testing.T) {
	c, y, w := published()
	sum, n := 0.0, 0
	for _, b := range scoring.Bins(c, y, w, 15) {
		sum += float64(b.N) * math.Abs(b.Confidence-b.Accuracy)
		n += b.N
	}
	if got, want := sum/float64(n), scoring.ECE(c, y, w, 15); math.Abs(got-want) > 1e-12 || n != 192 {
		t.Errorf("the bins of %d answers give %v; want 192 and the ECE, %v", n, got, want)
	}
	if got := scoring.Bins(nil, nil, nil, 0); len(got) != 0 {
		t.Errorf("%v of no answers", got)
	}
}
