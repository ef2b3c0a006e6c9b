package scoring

import (
	"cmp"
	"fmt"
	"slices"
)

// grouped turns the arguments of the single figures into levels of m answers.
// It panics where they do not fit together: that is the caller's mistake, not
// a property of the answers.
func grouped(confidence []float64, correct []bool, weights []int) (levels []Level, m, right int) {
	if len(correct) != len(confidence) {
		panic(fmt.Sprintf("scoring: %d confidences but %d marks of correctness", len(confidence), len(correct)))
	}
	single := weighed(confidence, weights)
	for i := range single {
		single[i].Correct = single[i].N * one(correct[i])
	}
	levels = merged(single)
	m, right = total(levels)
	return levels, m, right
}

// weighed makes a level of each confidence, none of them correct yet.
func weighed(confidence []float64, weights []int) []Level {
	if weights != nil && len(weights) != len(confidence) {
		panic(fmt.Sprintf("scoring: %d confidences but %d weights", len(confidence), len(weights)))
	}
	single := make([]Level, len(confidence))
	for i, c := range confidence {
		if !probability(c) {
			panic(fmt.Sprintf("scoring: confidence[%d] = %v: must be a number in [0, 1]", i, c))
		}
		single[i] = Level{Confidence: c + 0, N: 1} // −0 becomes 0
		if weights != nil {
			single[i].N = weights[i]
		}
		if single[i].N < 0 {
			panic(fmt.Sprintf("scoring: weights[%d] = %d: must be 0 or more", i, single[i].N))
		}
	}
	return single
}

// merged sorts levels and joins those of one confidence, leaving out the empty.
func merged(single []Level) []Level {
	slices.SortFunc(single, func(a, b Level) int { return cmp.Compare(a.Confidence, b.Confidence) })
	levels := []Level{}
	for _, l := range single {
		if l.N == 0 {
			continue
		}
		if last := len(levels) - 1; last < 0 || levels[last].Confidence != l.Confidence {
			levels = append(levels, Level{Confidence: l.Confidence})
		}
		at := &levels[len(levels)-1]
		at.N += l.N
		at.Correct += l.Correct
	}
	return levels
}

// binsOrDefault panics for a number of bins that [Options] would refuse, and makes
// 0 the default.
func binsOrDefault(bins int) int {
	if bins < 0 || bins > MaxBins {
		panic(fmt.Sprintf("scoring: %d bins: must be between 1 and %d, or 0 for %d", bins, MaxBins, defaultBins))
	}
	if bins == 0 {
		return defaultBins
	}
	return bins
}
