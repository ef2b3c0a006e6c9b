package scoring

import (
	"context"
	"fmt"
)

// Options says how a summary is computed. The zero value gives the figures
// without intervals.
type Options struct {
	Bins       int      // bins asked for in both ECEs, 1 to 1e6; 0 = 15
	Bootstrap  int      // replicates for the intervals, at most 1e6; 0 = none (10 000 is usual)
	Seed       uint64   // of the bootstrap and the calibrated floor
	FloorDraws int      // draws for the calibrated floor; 0 = 10 000, up to 100 000 for fewer than 100 distinct confidences, fewer (1000 at least) beyond 200 000
	Source     string   // name of the scored confidence; "" = "verbal"
	Sources    []string // further sources to list even where no row has them
}

// MaxBins is the most bins that may be asked for.
const MaxBins = 1_000_000

// MaxBootstrap is the most replicates that may be asked for. Every one keeps a
// value of every metric, 8 bytes each, and past 10 000 the bounds of an
// interval hardly move.
const MaxBootstrap = 1_000_000

const (
	defaultBins   = 15
	defaultSource = "verbal"
)

// Summarize computes the metrics of a run. The order of rows does not matter.
// A row with an unknown outcome, or an answered one with a confidence that is
// NaN or outside [0, 1], is a [*RowError]; a payoff that [NewPayment] would
// refuse is a [*PayoffError].
func Summarize(ctx context.Context, rows []Row, pay Payment, opt Options) (*Summary, error) {
	if _, err := NewPayment(pay.Rule, &pay.Abstain); err != nil {
		return nil, err
	}
	opt, err := opt.filled()
	if err != nil {
		return nil, err
	}
	out, err := summarize(ctx, rows, pay, opt) // first, so that a RowError counts among all rows
	if err != nil {
		return nil, err
	}
	return out, out.split(ctx, rows, pay, opt)
}

func (o Options) filled() (Options, error) {
	if o.Bins == 0 {
		o.Bins = defaultBins
	}
	if o.Source == "" {
		o.Source = defaultSource
	}
	switch {
	case o.Bins < 0 || o.Bins > MaxBins:
		return o, fmt.Errorf("bins %d: must be between 1 and %d", o.Bins, MaxBins)
	case o.Bootstrap < 0 || o.Bootstrap > MaxBootstrap:
		return o, fmt.Errorf("bootstrap %d: must be between 0 (none) and %d", o.Bootstrap, MaxBootstrap)
	case o.FloorDraws < 0 || o.FloorDraws > MaxBootstrap:
		return o, fmt.Errorf("floor draws %d: must be between 0 (the default) and %d", o.FloorDraws, MaxBootstrap)
	}
	return o, nil
}

// split adds a summary for each split named by the rows.
func (s *Summary) split(ctx context.Context, rows []Row, pay Payment, opt Options) error {
	groups := map[string][]Row{}
	for _, r := range rows {
		groups[r.Split] = append(groups[r.Split], r)
	}
	if len(groups) == 1 { // the same tasks, so the same figures
		for name := range groups {
			if name != "" {
				same := *s
				same.BySplit = map[string]*Summary{}
				s.BySplit[name] = &same
			}
		}
		return nil
	}
	for _, name := range sortedKeys(groups) {
		part, err := summarize(ctx, groups[name], pay, opt)
		if err != nil {
			return fmt.Errorf("split %q: %w", name, err)
		}
		s.BySplit[name] = part
	}
	return nil
}

// summarize does it for all the rows, splits aside.
func summarize(ctx context.Context, rows []Row, pay Payment, opt Options) (*Summary, error) {
	kept, errored, err := scorable(rows)
	if err != nil {
		return nil, err
	}
	smp, err := newSample(kept, pay)
	if err != nil {
		return nil, err
	}
	t, q := smp.whole(), &measurer{bins: opt.Bins}
	point := q.measure(t)
	out := newSummary(t, errored, pay)
	out.put(point)
	if t.answered > 0 {
		out.ECEBins = new(len(q.mass))
		out.DistinctConfidences = new(len(t.levels))
		out.LabelledSupported = defined(float64(t.truths) / float64(t.answered))
		out.TopConfidenceShare = defined(float64(commonest(t.levels)) / float64(t.answered))
	}
	out.Sources = summarizeSources(kept, t, opt)
	out.ECEFloor, err = calibratedFloor(ctx, t.levels, opt.Bins, opt.FloorDraws, opt.Seed)
	if err != nil {
		return nil, err
	}
	bounds, err := smp.infer(ctx, point, opt)
	if err != nil {
		return nil, err
	}
	out.CI, out.Spread = bounds.ci, bounds.spread
	out.Warnings = warnings(out, smp, t, pay, opt, bounds)
	return out, nil
}

func newSummary(t *tally, errored int, pay Payment) *Summary {
	return &Summary{
		N:             t.n,
		Answered:      t.answered,
		Abstained:     t.abstained,
		Malformed:     t.n - t.answered - t.abstained,
		Errors:        errored,
		Complete:      errored == 0,
		Levels:        t.levels,
		Rule:          pay.Rule.Name(),
		AbstainReward: pay.Abstain,
		Threshold:     pay.Threshold(),
		BySplit:       map[string]*Summary{},
		ByLabels:      map[string]*Summary{},
	}
}

// infer bootstraps unless it is not asked for or there is nothing to resample.
func (s *sample) infer(ctx context.Context, point figures, opt Options) (intervals, error) {
	if opt.Bootstrap == 0 || len(s.images) == 0 {
		return intervals{ci: map[string]*Interval{}, spread: map[string]*Interval{}}, nil
	}
	reps, err := s.bootstrap(ctx, opt.Bins, opt.Bootstrap, opt.Seed)
	if err != nil {
		return intervals{}, err
	}
	return s.intervals(point, reps), nil
}
