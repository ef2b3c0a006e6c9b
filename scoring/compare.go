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
