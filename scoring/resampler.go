package scoring

import (
	"math"
	"slices"
)

// Resampler is one run laid out so that it can be measured under any weighting
// of images that it shares with other runs. Package batch is built on it;
// [Summarize] goes the same way, so the figures of both are the same.
type Resampler struct {
	s     *sample
	bins  int
	point figures
}

// CheckRows returns a [*RowError] for the first row that cannot be scored.
func CheckRows(rows []Row) error {
	_, _, err := scorable(rows)
	return err
}

// NumberImages says which image, from 0, each row belongs to and how many
// there are: images by name, then rows without one, each its own, by ID. It is
// the numbering that weights refer to.
func NumberImages(rows []Row) (of []int32, images int) {
	of, images, _ = clusters(rows)
	return of, images
}

// NewResampler lays out rows, none of them in error, of which row i belongs to
// image of[i] of so many; images without a row are allowed. bins are those of
// [Options], 0 meaning the default.
func NewResampler(rows []Row, of []int32, images int, pay Payment, bins int) (*Resampler, error) {
	opt, err := Options{Bins: bins}.filled()
	if err != nil {
		return nil, err
	}
	kept, _, err := scorable(rows)
	if err != nil {
		return nil, err
	}
	s, err := newClustered(kept, of, images, pay)
	if err != nil {
		return nil, err
	}
	r := &Resampler{s: s, bins: opt.Bins}
	r.point = (&measurer{bins: r.bins}).measure(s.whole())
	return r, nil
}

// FigureNames lists the metrics in the order in which [Measurer.Measure] gives
// them, by their keys in a summary's ci and spread.
func FigureNames() []string {
	names := make([]string, figureCount)
	for f := range names {
		names[f] = figure(f).name()
	}
	return names
}

// Point is every metric of the run itself, NaN where undefined.
func (r *Resampler) Point() []float64 { return slices.Clone(r.point[:]) }

// Measurer measures replicates of any number of runs, one after another; it
// holds the scratch memory, so each goroutine needs its own. The zero value is
// ready.
type Measurer struct {
	q measurer
	t tally
}

// Measure computes every metric of the run with image i counted weights[i]
// times, as replicate b of a bootstrap (smooth ECE only in the first
// thousand), NaN where undefined. The result is overwritten by the next call.
func (m *Measurer) Measure(r *Resampler, weights []int32, b int) []float64 {
	m.q.bins = r.bins
	r.s.weigh(weights, &m.t)
	f := m.q.replicate(&m.t, b)
	return f[:]
}

// Resample draws as many images as there are weights, with replacement, and
// counts how often each came up: replicate b of every bootstrap with this
// seed.
func Resample(weights []int32, seed uint64, b int) { resample(weights, seed, b) }

// Intervals reads 95 % intervals and spreads off replicates given in the order
// of [FigureNames], nil for a metric that was not replicated.
func (r *Resampler) Intervals(values [][]float64) (ci, spread map[string]*Interval) {
	point, reps := r.point, new(replicates)
	for f := range point {
		reps[f] = values[f]
		if values[f] == nil {
			point[f] = math.NaN()
		}
	}
	out := r.s.intervals(point, reps)
	for f := range point {
		if values[f] == nil {
			delete(out.ci, figure(f).name())
			delete(out.spread, figure(f).name())
		}
	}
	return out.ci, out.spread
}
