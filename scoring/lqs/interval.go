package lqs

import (
	"math"
	"slices"

	"candor/scoring"
)

// Intervals are 95 % intervals; nil where there is none.
type Intervals struct {
	MeanReward, K, G, C, H, R, LQS *scoring.Interval
}

// Bootstrap resamples seeds, those of the base and the unseen ones each among
// themselves, and everything that is known at a seed with it. The best and the
// worst reward and the planted policies' rewards stay as they are. Undefined
// replicates are left out, and where they are more than one in twenty there is
// no interval. Where all replicates are equal the interval is Wilson's for as
// many seeds: that five episodes came out alike does not show that all do.
//
// factor is what custom probes multiply raw learning by.
func Bootstrap(s Sample, factor float64, replicates int, seed uint64) Intervals {
	base, unseen := strata(s.Units)
	if replicates < 1 || len(base) < 2 {
		return Intervals{}
	}
	var values [7][]float64
	weights := make([]int32, len(s.Units))
	for b := range replicates {
		for i, stratum := range [][]int{base, unseen} {
			draw := make([]int32, len(stratum))
			if len(stratum) > 0 {
				scoring.Resample(draw, seed+uint64(i), b)
			}
			for j, unit := range stratum {
				weights[unit] = draw[j]
			}
		}
		f := Measure(s, weights)
		score, _, _, _ := Learned(f.K, f.G, f.C, f.H, f.R, factor)
		for i, v := range []float64{f.MeanReward, f.K, f.G, f.C, f.H, f.R, score} {
			values[i] = append(values[i], v)
		}
	}
	n := len(base) + len(unseen)
	return Intervals{plain(values[0]), rate(values[1], n), rate(values[2], n), rate(values[3], len(base)), rate(values[4], n), rate(values[5], len(base)), rate(values[6], n)}
}

func strata(units []Unit) (base, unseen []int) {
	for i, u := range units {
		if u.Unseen {
			unseen = append(unseen, i)
		} else {
			base = append(base, i)
		}
	}
	return base, unseen
}

// maxUndefined is the share of undefined replicates above which there is no
// interval.
const maxUndefined = .05

// plain is the middle 95 % of replicates.
func plain(values []float64) *scoring.Interval {
	kept := slices.DeleteFunc(slices.Clone(values), func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
	if len(kept) == 0 || float64(len(values)-len(kept)) > maxUndefined*float64(len(values)) {
		return nil
	}
	slices.Sort(kept)
	return &scoring.Interval{quantile(kept, .025), quantile(kept, .975)}
}

// rate is plain for what lies in [0, 1] and was found at n seeds.
func rate(values []float64, n int) *scoring.Interval {
	at := plain(values)
	if at != nil && at[0] == at[1] {
		return wilson(at[0], float64(n))
	}
	return at
}

// quantile interpolates between order statistics.
func quantile(sorted []float64, p float64) float64 {
	at := p * float64(len(sorted)-1)
	low := int(at)
	high := min(low+1, len(sorted)-1)
	return sorted[low] + (at-float64(low))*(sorted[high]-sorted[low])
}

// wilson is the score interval of a proportion (Wilson 1927) at 95 %.
func wilson(p, n float64) *scoring.Interval {
	const z = 1.959963984540054
	middle := (p + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	return &scoring.Interval{max(0, middle-half), min(1, middle+half)}
}
