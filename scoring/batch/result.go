package batch

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gorgonia.org/tensor"

	"candor/scoring"
)

// Result is the figures of every run and their bootstrap replicates.
type Result struct {
	replicates int
	names      []string       // of all metrics
	index      map[string]int // and their places
	ordered    []int          // metrics that are no ratios
	values     [][]float64    // by metric: [runs × replicates], nil if not computed
	layout     []*scoring.Resampler
}

func newResult(r *Runs, pay scoring.Payment, opt Options) (*Result, error) {
	out := &Result{replicates: opt.Replicates, names: scoring.FigureNames(), index: map[string]int{}}
	for run := range r.rows {
		layout, err := scoring.NewResampler(r.rows[run], r.of[run], r.Images, pay, opt.Bins)
		if err != nil {
			return nil, fmt.Errorf("run %d: %w", run+1, err)
		}
		out.layout = append(out.layout, layout)
	}
	isRatio := map[string]bool{}
	for _, m := range ratios() {
		isRatio[m.name] = true
	}
	out.values = make([][]float64, len(out.names))
	for f, name := range out.names {
		out.index[name] = f
		if !isRatio[name] {
			out.ordered = append(out.ordered, f)
		}
		if isRatio[name] || !opt.RatiosOnly {
			out.values[f] = make([]float64, r.Count()*opt.Replicates)
		}
	}
	return out, nil
}

// row is one run's replicates of metric f.
func (r *Result) row(run, f int) []float64 {
	return r.values[f][run*r.replicates : (run+1)*r.replicates : (run+1)*r.replicates]
}

func (r *Result) of(run int, metric string) []float64 { return r.row(run, r.index[metric]) }

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
	return tensor.New(tensor.WithShape(len(r.layout), r.replicates), tensor.WithBacking(r.values[f])), nil
}

// Figures is one run's metrics by name, nil where undefined, with the 95 %
// intervals and spreads that scoring.Summary gives them.
type Figures struct {
	Point      map[string]*float64
	CI, Spread map[string]*scoring.Interval
}

// Figures reads every run's metrics and intervals off the replicates.
func (r *Result) Figures(ctx context.Context) ([]Figures, error) {
	out := make([]Figures, len(r.layout))
	err := each(ctx, workers(), len(out), func(_, run int) {
		f := Figures{Point: map[string]*float64{}}
		replicates := make([][]float64, len(r.names))
		for i, value := range r.layout[run].Point() {
			f.Point[r.names[i]] = nil
			if !math.IsNaN(value) {
				f.Point[r.names[i]] = &value
			}
			if r.values[i] != nil {
				replicates[i] = r.row(run, i)
			}
		}
		f.CI, f.Spread = r.layout[run].Intervals(replicates)
		out[run] = f
	})
	return out, err
}
