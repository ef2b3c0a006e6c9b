package scoring

import (
	"math"
	"slices"
)

// Interval is a lower and an upper bound.
type Interval [2]float64

const maxUndefined = 0.05 // share of undefined replicates above which no interval is given

// intervals reads 95 % percentile intervals and spreads off the replicates.
type intervals struct {
	ci, spread map[string]*Interval
	dropped    []lost   // figures with undefined replicates
	constant   []string // figures that came out the same in every replicate, in words
}

// lost counts the replicates in which a figure is undefined.
type lost struct {
	figure     figure
	replicates int
}

func (s *sample) intervals(point figures, reps *replicates) intervals {
	out := intervals{ci: map[string]*Interval{}, spread: map[string]*Interval{}}
	for f := figure(0); f < figureCount; f++ {
		at := out.percentile(f, point[f], reps[f])
		if len(s.images) < 2 {
			at = nil // every replicate is the same image again
		}
		switch f.treatment() {
		case asRate:
			at = s.steady(f, point[f], at)
			out.ci[f.name()] = at
			out.widthless(f, at)
		case asInterval:
			out.ci[f.name()] = at
			out.widthless(f, at)
		case asSpread:
			out.spread[f.name()] = at
		}
	}
	return out
}

// widthless keeps the name of a figure that came out the same in every
// replicate. One confidence for all has a warning of its own.
func (v *intervals) widthless(f figure, at *Interval) {
	if at != nil && at[0] == at[1] && f != figMeanConfidence {
		v.constant = append(v.constant, f.words())
	}
}

// percentile is the middle 95 % of a figure's replicates, nil if the figure is
// undefined or too many replicates of it are.
func (v *intervals) percentile(f figure, point float64, values []float64) *Interval {
	if f.treatment() == noInterval || math.IsNaN(point) {
		return nil
	}
	values = f.replicated(values)
	kept := definedOnly(values)
	if n := len(values) - len(kept); n > 0 {
		v.dropped = append(v.dropped, lost{f, n})
		if float64(n) > maxUndefined*float64(len(values)) {
			return nil
		}
	}
	slices.Sort(kept)
	return middle(kept)
}

// middle is what 95 % of the sorted values lie in, −0 turned into 0.
func middle(sorted []float64) *Interval {
	return &Interval{quantile(sorted, 0.025) + 0, quantile(sorted, 0.975) + 0}
}

// steady replaces a rate's bootstrap interval where resampling cannot be
// trusted, at 0 and 1, by Wilson's over the images.
func (s *sample) steady(f figure, rate float64, at *Interval) *Interval {
	alone := len(s.images) == 1 && (rate == 0 || rate == 1)
	if touches := at != nil && (at[0] <= 0 || at[1] >= 1); touches || alone {
		return wilson(rate, s.imagesBehind(f))
	}
	return at
}

// imagesBehind counts the images with a task in the rate's denominator.
func (s *sample) imagesBehind(f figure) int {
	switch {
	case f >= figSelective && f < figAtRisk:
		return s.imagesSelected(coveragePercents[f-figSelective])
	case f == figAccuracy || f == figSupported || f == figBalanced:
		return s.imagesSelected(100)
	}
	return len(s.images)
}

// imagesSelected counts the images with an answered task among the most
// confident ⌈κm⌉ or tied with them.
func (s *sample) imagesSelected(percent int) int {
	m, _ := total(s.levels)
	left, images := selected(m, percent), map[int32]bool{}
	for l := len(s.levels) - 1; l >= 0 && left > 0; l-- {
		for _, c := range s.cells[s.first[l]:s.first[l+1]] {
			images[c.image] = true
		}
		left -= s.levels[l].N
	}
	return len(images)
}

// wilson is the 95 % score interval of a rate over n trials (Wilson 1927): it
// keeps its width at 0 and 1, where the bootstrap's shrinks to nothing.
func wilson(rate float64, n int) *Interval {
	const z = 1.959963984540054
	t := z * z / float64(n)
	centre := (rate + t/2) / (1 + t)
	half := math.Sqrt(rate*(1-rate)*t+t*t/4) / (1 + t)
	at := Interval{max(0, centre-half), min(1, centre+half)}
	if rate == 0 {
		at[0] = 0
	}
	if rate == 1 {
		at[1] = 1
	}
	return &at
}

// quantile interpolates between order statistics at (n − 1)·p (Hyndman & Fan's
// type 7).
func quantile(sorted []float64, p float64) float64 {
	at := p * float64(len(sorted)-1)
	i := int(at)
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[i] + (at-float64(i))*(sorted[i+1]-sorted[i])
}
