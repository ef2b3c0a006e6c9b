package sweep

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"candor/harness/edits"
	"candor/harness/run"
	"candor/scoring"
	"candor/scoring/batch"
)

// defaultRank is the metric that cells are ranked by unless told.
const defaultRank = "reward"

// RankBy makes cells be ranked by a metric of scoring.FigureNames that is better
// one way, in the place of what the file says.
func (f *File) RankBy(metric string) error {
	if err := ranks(metric); err != nil {
		return &run.UsageError{Err: fmt.Errorf("--rank-by: %w", err)}
	}
	f.rankBy = metric
	return nil
}

// ranks refuses what no cells can be ranked by.
func ranks(metric string) error {
	sense, known := scoring.SenseOf(metric)
	switch {
	case !known:
		return fmt.Errorf("no metric is called %q; the nearest is %q, and there are: %s", metric, nearest(metric, rankable()), strings.Join(rankable(), ", "))
	case sense == scoring.NoSense:
		return fmt.Errorf("%s is neither better high nor low; rank by one of: %s", metric, strings.Join(rankable(), ", "))
	}
	return nil
}

func rankable() []string {
	return slices.DeleteFunc(scoring.FigureNames(), func(name string) bool {
		sense, _ := scoring.SenseOf(name)
		return sense == scoring.NoSense
	})
}

// nearest is the word of a list that is most like one.
func nearest(word string, list []string) string {
	return slices.MinFunc(list, func(a, b string) int {
		return cmp.Compare(edits.Distance(word, a), edits.Distance(word, b))
	})
}

func rankBy(metric string) RankBy {
	sense, _ := scoring.SenseOf(metric)
	return RankBy{metric, sense == scoring.LowerIsBetter, scoring.LeansUpwards(metric)}
}

// rank orders cells by a metric, under one bootstrap for all.
func rank(ctx context.Context, metric string, names []string, rows [][]scoring.Row, pay scoring.Payment, opt scoring.Options) ([]Place, error) {
	out := make([]Place, len(names))
	for i, name := range names {
		sum, err := scoring.Summarize(ctx, rows[i], pay, scoring.Options{Bins: opt.Bins, Source: opt.Source})
		if err != nil {
			return nil, err
		}
		out[i] = Place{Cell: name, Value: sum.Figure(metric)}
	}
	sign := 1.0
	if rankBy(metric).LowerIsBetter {
		sign = -1
	}
	if opt.Bootstrap > 0 {
		if err := bootstrap(ctx, metric, sign, out, rows, pay, opt); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(out, func(a, b Place) int { return cmp.Compare(worth(b.Value, sign), worth(a.Value, sign)) })
	for i := range out {
		out[i].Rank = i + 1
		if i > 0 && worth(out[i].Value, sign) == worth(out[i-1].Value, sign) {
			out[i].Rank = out[i-1].Rank
		}
	}
	return out, nil
}

// bootstrap fills in what resampling tells.
func bootstrap(ctx context.Context, metric string, sign float64, out []Place, rows [][]scoring.Row, pay scoring.Payment, opt scoring.Options) error {
	runs, err := batch.New(rows)
	if err != nil {
		return err
	}
	o := batch.Options{Replicates: opt.Bootstrap, Seed: opt.Seed, Bins: opt.Bins, RatiosOnly: true}
	res, err := runs.Bootstrap(ctx, pay, o)
	if err == nil && !slices.Contains(res.Metrics(), metric) { // one of order, which takes longer
		o.RatiosOnly = false
		res, err = runs.Bootstrap(ctx, pay, o)
	}
	if err != nil {
		return err
	}
	figures, err := res.Figures(ctx)
	if err != nil {
		return err
	}
	reps, err := res.Replicates(metric)
	if errors.Is(err, batch.ErrNoMetric) {
		return nil // nothing was answered
	}
	if err != nil {
		return err
	}
	for i, p := range best(reps.Data().([]float64), len(out), sign) {
		out[i].CI, out[i].Spread, out[i].Best = figures[i].CI[metric], figures[i].Spread[metric], p
	}
	return nil
}

// worth is a value so that more is better; what is undefined comes last.
func worth(x *float64, sign float64) float64 {
	if x == nil {
		return math.Inf(-1)
	}
	return sign * *x
}

// best is, of each of n runs, the share of replicates in which it is at the
// top; reps is [runs × replicates], and sign is −1 where less is better. Runs
// at the top together share one. Replicates in which a run is undefined do not
// count.
func best(reps []float64, n int, sign float64) []*float64 {
	count, kept := make([]float64, n), 0
	size := len(reps) / n
	for b := range size {
		top, ties := math.Inf(-1), 0
		for r := range n {
			switch x := sign * reps[r*size+b]; {
			case math.IsNaN(x):
				top = math.NaN()
			case x > top:
				top, ties = x, 1
			case x == top:
				ties++
			}
		}
		if math.IsNaN(top) {
			continue
		}
		kept++
		for r := range n {
			if sign*reps[r*size+b] == top {
				count[r] += 1 / float64(ties)
			}
		}
	}
	out := make([]*float64, n)
	for r := range out {
		if kept > 0 {
			out[r] = new(count[r] / float64(kept))
		}
	}
	return out
}
