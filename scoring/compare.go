package scoring

import "context"

// Contender is a run that takes part in a comparison. Every row needs an ID,
// and an ID that recurs needs a Split: both together name the task.
type Contender struct {
	Name string
	Rows []Row
}

// Comparison sets runs of the same tasks against one of them, the base.
type Comparison struct {
	Base          string    `json:"base"`
	Tasks         int       `json:"tasks"` // compared: in error in none of the runs
	Images        int       `json:"images"`
	LeftOut       []LeftOut `json:"left_out"`
	Rule          string    `json:"rule"` // pays all runs, whatever they were told
	AbstainReward float64   `json:"abstain_reward"`
	Threshold     float64   `json:"threshold"`
	Bootstrap     int       `json:"bootstrap"` // replicates; 0 = no intervals
	Against       []Against `json:"against"`
	Warnings      []Warning `json:"warnings"`
}

// LeftOut is a task that ended in error somewhere and so is not compared.
type LeftOut struct {
	Task    string   `json:"task"`
	Split   string   `json:"split"`
	ErrorIn []string `json:"error_in"` // names of runs
}

// Against is one run beside the base. Differences are by metric, under the
// summary's names: once with each run over the tasks it answered itself, once
// with both over the tasks that both answered.
type Against struct {
	Name           string                `json:"name"`
	AnsweredByBoth int                   `json:"answered_by_both"`
	Own            map[string]Difference `json:"own_answered"`
	Both           map[string]Difference `json:"both_answered"`
	Correctness    Correctness           `json:"correctness"`
}

// Difference is one metric in two runs. A nil figure is undefined.
type Difference struct {
	Base       *float64 `json:"base"`
	Other      *float64 `json:"other"`
	Difference *float64 `json:"difference"` // other − base
	// CI is the 95 % percentile interval of the difference under shared image
	// weights; Spread is the same for figures that lean upwards (every ECE,
	// MCB, DSC, E-AURC, coverage at risk), and no interval for the truth.
	CI     *Interval `json:"ci"`
	Spread *Interval `json:"spread"`
	// Simultaneous holds for all compared runs at once, and AdjustedP is the
	// p-value of no difference allowing for all of them.
	Simultaneous *Interval `json:"simultaneous"`
	AdjustedP    *float64  `json:"p_adjusted"`
}

// Compare sets every other run against base, all paid by pay, over the tasks
// that ended in error in no run. One bootstrap over images serves all runs and
// metrics: in each replicate every run sees the same images, so that what
// makes an image hard for all of them cancels (a paired cluster bootstrap).
//
// With several runs, simultaneous intervals and adjusted p-values come from
// the distribution of max |d* − d|/se over the runs (Romano & Wolf 2005; the
// max-t of Westfall & Young 1993), for each metric by itself.
//
// Runs of different tasks, a task marked by different labels or about
// different images, a missing or repeated ID are a [*PairError]; a row that
// cannot be scored is a [*RowError]. Row order does not matter.
func Compare(ctx context.Context, base Contender, others []Contender, pay Payment, opt Options) (*Comparison, error) {
	if _, err := NewPayment(pay.Rule, &pay.Abstain); err != nil {
		return nil, err
	}
	opt, err := opt.filled()
	if err != nil {
		return nil, err
	}
	p, err := align(base, others)
	if err != nil {
		return nil, err
	}
	c, err := newContest(p, pay)
	if err != nil {
		return nil, err
	}
	out := &Comparison{
		Base: base.Name, Tasks: len(p.of), Images: p.images, LeftOut: p.leftOut, Bootstrap: opt.Bootstrap,
		Rule: pay.Rule.Name(), AbstainReward: pay.Abstain, Threshold: pay.Threshold(), Warnings: p.warnings(opt),
	}
	if err := c.differences(ctx, out, others, opt); err != nil {
		return nil, err
	}
	for r := range out.Against {
		if out.Against[r].Correctness, err = p.correctness(ctx, r+1, opt.Seed); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// contest is every sample that a comparison measures, over one set of images.
type contest struct {
	images int
	own    []*sample    // by run, the base first
	both   [][2]*sample // by other run: base and other over the tasks both answered
}

func newContest(p *pairing, pay Payment) (*contest, error) {
	c := &contest{images: p.images}
	for _, rows := range p.rows {
		s, err := newClustered(rows, p.of, p.images, pay)
		if err != nil {
			return nil, err
		}
		c.own = append(c.own, s)
	}
	for r := 1; r < len(p.rows); r++ {
		of, rows := p.answeredByBoth(r)
		var pair [2]*sample
		for i := range pair {
			var err error
			if pair[i], err = newClustered(rows[i], of, p.images, pay); err != nil {
				return nil, err
			}
		}
		c.both = append(c.both, pair)
	}
	return c, nil
}

// view is one of the two ways in which a comparison is made.
type view struct {
	base, other []figures // by other run
	reps        []*replicates
}

// differences fills in both views of every other run.
func (c *contest) differences(ctx context.Context, out *Comparison, others []Contender, opt Options) error {
	views, err := c.measure(ctx, opt)
	if err != nil {
		return err
	}
	var told []map[string]Difference
	for i := range views {
		tables, dropped := views[i].tables(c.images)
		told = append(told, tables...)
		n := notes(out.Warnings)
		n.undefined("difference", opt, dropped)
		out.Warnings = n
	}
	for r, o := range others {
		both := told[len(others)+r]
		for _, f := range []figure{figCoverage, figAbstainRate, figMalformedRate} {
			delete(both, f.name()) // trivial where both answered
		}
		out.Against = append(out.Against, Against{
			Name: o.Name, AnsweredByBoth: c.both[r][0].whole().answered, Own: told[r], Both: both,
		})
	}
	return nil
}

// measure computes the figures of both views and their replicates.
func (c *contest) measure(ctx context.Context, opt Options) (views [2]view, err error) {
	q := &measurer{bins: opt.Bins}
	base := q.measure(c.own[0].whole())
	for r, pair := range c.both {
		views[0].base = append(views[0].base, base)
		views[0].other = append(views[0].other, q.measure(c.own[r+1].whole()))
		views[1].base = append(views[1].base, q.measure(pair[0].whole()))
		views[1].other = append(views[1].other, q.measure(pair[1].whole()))
	}
	if opt.Bootstrap == 0 || c.images == 0 {
		return views, nil
	}
	for i := range views {
		for range c.both {
			views[i].reps = append(views[i].reps, newReplicates(opt.Bootstrap))
		}
	}
	return views, resampled(ctx, c.images, opt.Bootstrap, opt.Seed, func() func([]int32, int) {
		q, t := &measurer{bins: opt.Bins}, &tally{}
		return func(weights []int32, b int) {
			under := func(s *sample) figures {
				s.weigh(weights, t)
				return q.replicate(t, b)
			}
			base := under(c.own[0])
			for r, pair := range c.both {
				views[0].reps[r].put(b, base, under(c.own[r+1]))
				views[1].reps[r].put(b, under(pair[0]), under(pair[1]))
			}
		}
	})
}

// put stores replicate b of the differences.
func (r *replicates) put(b int, base, other figures) {
	for f := range r {
		r[f][b] = other[f] - base[f]
	}
}

// tables reads the view's differences off, one table for each other run, and
// lists the figures with undefined replicates.
func (v view) tables(images int) (out []map[string]Difference, dropped []lost) {
	for range v.base {
		out = append(out, map[string]Difference{})
	}
	seen := intervals{}
	for f := range figureCount {
		points, reps := make([]float64, len(v.base)), make([][]float64, len(v.base))
		for r := range points {
			points[r] = v.other[r][f] - v.base[r][f]
			if v.reps != nil {
				reps[r] = v.reps[r][f]
			}
		}
		joint := make([]inference, len(points))
		if v.reps != nil && images > 1 && (f.treatment() == asRate || f.treatment() == asInterval) {
			joint = simultaneous(points, reps)
		}
		for r, d := range points {
			row := Difference{
				Base: defined(v.base[r][f]), Other: defined(v.other[r][f]), Difference: defined(d),
				Simultaneous: joint[r].interval, AdjustedP: joint[r].p,
			}
			if v.reps != nil && images > 1 {
				row.bound(f, seen.percentile(f, d, reps[r]))
			}
			out[r][f.name()] = row
		}
	}
	return out, seen.dropped
}

func (d *Difference) bound(f figure, at *Interval) {
	if f.treatment() == asSpread {
		d.Spread = at
	} else {
		d.CI = at
	}
}

// warnings lists what a reader of the comparison must know.
func (p *pairing) warnings(opt Options) []Warning {
	out := notes{}
	out.add(len(p.leftOut) > 0, WarnIncomplete, "%s in error in some run, not compared", count(len(p.leftOut), "task"))
	out.add(len(p.of) == 0, WarnNoTasks, "no task to compare")
	if opt.Bootstrap > 0 {
		out.clusters(p.images, p.bare, "task")
	}
	return out
}
