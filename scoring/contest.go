package scoring

import "context"

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
	over := []string{"each over the tasks that it answered", "both over the tasks that both answered"}
	for i := range views {
		tables, dropped := views[i].tables(c.images)
		told = append(told, tables...)
		n := notes(out.Warnings)
		n.undefined("difference ("+over[i]+")", opt, dropped)
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
