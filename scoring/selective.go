package scoring

import (
	"math"
	"strconv"
)

// The coverages at which accuracy is reported and the risks at which coverage
// is, in percent: whole numbers, so that ⌈κm⌉ and "risk ≤ r" are exact.
var (
	coveragePercents = [...]int{50, 80, 90, 95, 100}
	riskPercents     = [...]int{1, 5, 10}
)

// percentKey writes a percentage as the summary's key: 95 is "0.95".
func percentKey(percent int) string {
	return strconv.FormatFloat(float64(percent)/100, 'g', -1, 64)
}

// selectiveAccuracy is the accuracy of the ⌈κm⌉ most confident tasks, expected
// over the order inside the tie that is cut; NaN for no tasks.
func selectiveAccuracy(levels []Level, m, percent int) float64 {
	if m == 0 {
		return math.NaN()
	}
	return accuracyOfTop(levels, selected(m, percent))
}

// accuracyOfTop is the expected accuracy of the take ≥ 1 most confident tasks.
func accuracyOfTop(levels []Level, take int) float64 {
	right, left := 0.0, take
	for i := len(levels) - 1; left > 0; i-- {
		part := min(left, levels[i].N)
		right += float64(part) * float64(levels[i].Correct) / float64(levels[i].N)
		left -= part
	}
	return right / float64(take)
}

// selected is ⌈κm⌉.
func selected(m, percent int) int { return (m*percent + 99) / 100 }

// coverageAtRisk is the largest share of the m tasks, taken from the most
// confident down and cut only between levels, whose error rate is at most r:
// 0 if even the top level errs more, NaN for no tasks.
func coverageAtRisk(levels []Level, m, percent int) float64 {
	return largestShare(levels, m, func(wrong, seen int) bool { return wrong*100 <= percent*seen })
}

// largestShare is the largest share from the top down that is good enough.
func largestShare(levels []Level, m int, enough func(wrong, seen int) bool) float64 {
	seen, wrong, best := 0, 0, 0
	for i := len(levels) - 1; i >= 0; i-- {
		seen += levels[i].N
		wrong += levels[i].N - levels[i].Correct
		if enough(wrong, seen) {
			best = seen
		}
	}
	return float64(best) / float64(m)
}
