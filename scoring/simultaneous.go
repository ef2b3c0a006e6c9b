package scoring

import (
	"math"
	"slices"
)

// inference is what holds for one run among several.
type inference struct {
	interval *Interval
	p        *float64
}

// simultaneous makes, from the differences of one figure in several runs and
// their joint replicates, intervals that hold together and p-values adjusted
// for all: with T = max |d* − d|/se over the runs, d ± T₀.₉₅·se and the share
// of replicates with T ≥ |d|/se, that of the data counted in. Replicates in
// which a run is undefined do not count; a run with more than 5 % of those
// takes no part.
func simultaneous(points []float64, reps [][]float64) []inference {
	out := make([]inference, len(points))
	se := make([]float64, len(points)) // 0: takes no part
	for r, d := range points {
		kept := definedOnly(reps[r])
		if math.IsNaN(d) || float64(len(reps[r])-len(kept)) > maxUndefined*float64(len(reps[r])) {
			continue
		}
		if se[r] = deviation(kept); se[r] == 0 && d == 0 {
			out[r] = inference{&Interval{}, new(1.0)}
		}
	}
	largest := maxima(points, reps, se)
	if len(largest) == 0 {
		return out
	}
	critical := quantile(largest, 0.95)
	for r, d := range points {
		if se[r] > 0 {
			p := float64(1+atLeast(largest, math.Abs(d)/se[r])) / float64(1+len(largest))
			out[r] = inference{&Interval{d - critical*se[r], d + critical*se[r]}, &p}
		}
	}
	return out
}

// maxima are the replicates of max |d* − d|/se over the runs that take part,
// sorted; none if no run does.
func maxima(points []float64, reps [][]float64, se []float64) []float64 {
	if slices.Max(append(se, 0)) == 0 {
		return nil
	}
	var out []float64
	for b := range reps[0] {
		largest := 0.0
		for r, d := range points {
			if se[r] > 0 {
				largest = max(largest, math.Abs(reps[r][b]-d)/se[r]) // NaN stays NaN
			}
		}
		if !math.IsNaN(largest) {
			out = append(out, largest)
		}
	}
	slices.Sort(out)
	return out
}

// atLeast counts the sorted values that are x or more but for rounding.
func atLeast(sorted []float64, x float64) int {
	i, _ := slices.BinarySearch(sorted, x*(1-1e-12))
	return len(sorted) - i
}

// deviation is the standard deviation of two or more values, 0 for fewer.
func deviation(values []float64) float64 {
	if len(values) < 2 || slices.Min(values) == slices.Max(values) {
		return 0
	}
	mean, squares := 0.0, 0.0
	for _, v := range values {
		mean += v
	}
	mean /= float64(len(values))
	for _, v := range values {
		squares += (v - mean) * (v - mean)
	}
	return math.Sqrt(squares / float64(len(values)-1))
}
