package recalibration

import (
	"slices"
	"sort"
)

// Isotonic is the best map that never falls (pool adjacent violators: Ayer et
// al. 1955; Zadrozny & Elkan 2002), straight between its knots and level
// outside them. A knot is either end of a run of equal fitted rates.
type Isotonic struct {
	X []float64 `json:"x"` // confidences, strictly rising
	Y []float64 `json:"y"` // rates in [0, 1], not falling
}

// Name is "isotonic".
func (Isotonic) Name() string { return "isotonic" }

// Apply interpolates between the knots.
func (m Isotonic) Apply(confidence float64) float64 {
	c := clip(confidence)
	last := len(m.X) - 1
	i := sort.SearchFloat64s(m.X, c) // the first knot at or above
	switch {
	case c != c:
		return c
	case i > last:
		return m.Y[last]
	case i == 0 || m.X[i] == c:
		return m.Y[i]
	}
	share := (c - m.X[i-1]) / (m.X[i] - m.X[i-1])
	return min(m.Y[i-1]+share*(m.Y[i]-m.Y[i-1]), m.Y[i])
}

// block is a run of points with one fitted rate.
type block struct {
	point
	first, last float64 // confidences
}

func fitIsotonic(points []point) (Map, error) {
	var blocks []block
	for _, p := range points {
		b := block{p, p.confidence, p.confidence}
		for len(blocks) > 0 && blocks[len(blocks)-1].rate() >= b.rate() {
			before := blocks[len(blocks)-1]
			b.weight += before.weight
			b.right += before.right
			b.first = before.first
			blocks = blocks[:len(blocks)-1]
		}
		blocks = append(blocks, b)
	}
	var m Isotonic
	for _, b := range blocks {
		m.X, m.Y = append(m.X, b.first), append(m.Y, min(b.rate(), 1))
		if b.last > b.first {
			m.X, m.Y = append(m.X, b.last), append(m.Y, min(b.rate(), 1))
		}
	}
	return m, nil
}

// Histogram is the rate of correct answers in each of up to [Bins] bins of
// equal mass (Zadrozny & Elkan 2001). Bins are cut as package scoring's ECE
// cuts them, a tie never split; between two bins the border lies half-way and
// belongs to the lower.
type Histogram struct {
	Edges []float64 `json:"edges"` // between the bins, strictly rising
	Rates []float64 `json:"rates"` // one more than edges, in [0, 1]
}

// Name is "histogram".
func (Histogram) Name() string { return "histogram" }

// Apply looks up the rate of the confidence's bin.
func (m Histogram) Apply(confidence float64) float64 {
	c := clip(confidence)
	if c != c {
		return c
	}
	i, _ := slices.BinarySearch(m.Edges, c)
	return m.Rates[i]
}

func fitHistogram(points []point) (Map, error) {
	all, _ := total(points)
	var m Histogram
	var open point
	running, passed := 0.0, 0.0
	for i, p := range points {
		open.weight += p.weight
		open.right += p.right
		running += p.weight
		if last := i == len(points)-1; !last && running*Bins < (passed+1)*all {
			continue
		}
		m.Rates = append(m.Rates, min(open.rate(), 1))
		if i < len(points)-1 {
			m.Edges = append(m.Edges, p.confidence+(points[i+1].confidence-p.confidence)/2)
		}
		for (passed+1)*all <= running*Bins {
			passed++
		}
		open = point{}
	}
	return m, nil
}
