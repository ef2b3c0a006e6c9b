package batch

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gorgonia.org/tensor"

	"candor/scoring"
	"candor/scoring/internal/parallel"
)

// Result is the figures of every run and their bootstrap replicates.
type Result struct {
	runs       *Runs
	pay        scoring.Payment
	bins       int
	replicates int
	names      []string       // of all metrics
	index      map[string]int // and their places
	ratios     []int          // places of the ratios
	ordered    []int          // and of the others
	values     [][]float64    // by metric: [runs × replicates], nil if not computed
	layout     []*scoring.Resampler
}

func newResult(r *Runs, pay scoring.Payment, opt Options) *Result {
	out := &Result{runs: r, pay: pay, bins: opt.Bins, replicates: opt.Replicates, names: scoring.FigureNames(), index: map[string]int{}}
	for f, name := range out.names {
		out.index[name] = f
	}
	out.values = make([][]float64, len(out.names))
	for _, m := range ratios() {
		f := out.index[m.name]
		out.ratios = append(out.ratios, f)
		out.values[f] = make([]float64, r.Count()*opt.Replicates)
	}
	for f := range out.values {
		if out.values[f] == nil && !opt.RatiosOnly {
			out.ordered = append(out.ordered, f)
			out.values[f] = make([]float64, r.Count()*opt.Replicates)
		}
	}
	return out
}

// lay sorts every run, unless that is done.
func (r *Result) lay(ctx context.Context) error {
	if r.layout != nil {
		return nil
	}
	layout, failed := make([]*scoring.Resampler, r.runs.Count()), make([]error, r.runs.Count())
	err := parallel.Do(ctx, len(layout), func() func(int) {
		return func(run int) {
			layout[run], failed[run] = scoring.NewResampler(r.runs.rows[run], r.runs.of[run], r.runs.Images, r.pay, r.bins)
		}
	})
	if err := errors.Join(append(failed, err)...); err != nil {
		return err
	}
	r.layout = layout
	return nil
}

// row is one run's replicates of metric f.
func (r *Result) row(run, f int) []float64 {
	return r.values[f][run*r.replicates : (run+1)*r.replicates : (run+1)*r.replicates]
}

// ErrNoMetric is matched when a metric has no replicates in a result.
var ErrNoMetric = errors.New("no replicates of this metric")

// Metrics lists the metrics that have replicates, by their keys in a summary's
// ci and spread.
func (r *Result) Metrics() []string {
	return slices.DeleteFunc(slices.Clone(r.names), func(name string) bool { return r.values[r.index[name]] == nil })
}

// Replicates is the bootstrap of one metric as a tensor [runs × replicates]
// over the result's own memory: column b is the same draw of images for every
// run and metric, so that ranks, differences and maxima over runs can be taken
// column by column. Undefined values are NaN, as is smooth ECE from the
// thousandth replicate on.
func (r *Result) Replicates(metric string) (*tensor.Dense, error) {
	f, known := r.index[metric]
	if !known || r.values[f] == nil {
		return nil, fmt.Errorf("%q: %w", metric, ErrNoMetric)
	}
	return tensor.New(tensor.WithShape(r.runs.Count(), r.replicates), tensor.WithBacking(r.values[f])), nil
}

// Figures is one run's metrics by name, nil where undefined, with the 95 %
// intervals and spreads that scoring.Summary gives them.
type Figures struct {
	Point      map[string]*float64
	CI, Spread map[string]*scoring.Interval
}

// Figures reads every run's metrics and intervals off the replicates. It is
// not to be called by several goroutines at once.
func (r *Result) Figures(ctx context.Context) ([]Figures, error) {
	if err := r.lay(ctx); err != nil {
		return nil, err
	}
	out := make([]Figures, len(r.layout))
	err := parallel.Do(ctx, len(out), func() func(int) {
		return func(run int) { out[run] = r.figures(run) }
	})
	return out, err
}

// figures reads off those of one run.
func (r *Result) figures(run int) Figures {
	out := Figures{Point: map[string]*float64{}}
	replicates := make([][]float64, len(r.names))
	for f, value := range r.layout[run].Point() {
		out.Point[r.names[f]] = nil
		if !math.IsNaN(value) {
			out.Point[r.names[f]] = &value
		}
		if r.values[f] != nil {
			replicates[f] = r.row(run, f)
		}
	}
	out.CI, out.Spread = r.layout[run].Intervals(replicates)
	return out
}
