package lens

import (
	"fmt"
	"math"

	"candor/harness/lens/play"
)

// ranges are what rewards mean: as declared, or as seen.
type ranges struct {
	total, step         *play.Range // declared
	leastStep, mostStep float64     // of all single rewards seen, and 0
	// atEnd tells that nothing but 0 was ever paid before the end of an episode,
	// so that null there is no reward withheld but one that is not due yet.
	atEnd bool
	// floor is the least total there is, which a refusal is paid.
	floor float64
}

func (m *measurement) ranges() ranges {
	single, r := true, ranges{mostStep: math.Inf(-1), atEnd: true}
	for _, e := range m.everyone() {
		single = single && len(e.Steps) <= 1
	}
	r.total, r.step = m.d.Ranges(single)
	for _, e := range m.everyone() {
		for _, s := range e.Steps {
			if s.Reward != nil && r.believes(*s.Reward) {
				r.leastStep, r.mostStep = min(r.leastStep, *s.Reward), max(r.mostStep, *s.Reward)
				r.atEnd = r.atEnd && (s.Done || *s.Reward == 0)
			}
		}
	}
	if r.step != nil {
		r.leastStep, r.mostStep = r.step.Least, r.step.Greatest
	}
	r.floor = r.least(m.everyone())
	return r
}

// least is the least total there is: as declared, else the least that anybody
// was paid, or would have been if a refusal cost as much as the worst step.
func (r ranges) least(everyone []play.Episode) float64 {
	if r.total != nil {
		return r.total.Least
	}
	least := math.Inf(1)
	for _, e := range everyone {
		t := r.totalOf(e, &Missing{})
		if refused(e) {
			t = r.leastStep
			for _, s := range e.Steps {
				if s.Reward != nil && r.believes(*s.Reward) {
					t += *s.Reward
				}
			}
		}
		if !math.IsNaN(t) {
			least = min(least, t)
		}
	}
	return least
}

// slack forgives declared bounds the last digits.
const slack = 1e-9

// most is what a reward, or a bound of what is declared, can be at most, either
// way: sums of it and their squares are numbers still.
const most = 1e100

func (r ranges) believes(reward float64) bool {
	return math.Abs(reward) <= most && (r.step == nil || reward >= r.step.Least-slack && reward <= r.step.Greatest+slack)
}

// declarable refuses bounds that nothing can be measured by.
func declarable(d Declaration) error {
	for _, at := range []*Range{d.Total, d.Step} {
		if at != nil && !(math.Abs(at.Least) <= most && math.Abs(at.Greatest) <= most) {
			return OptionError(fmt.Sprintf("rewards are declared to be from %v to %v; they may be from %v to %v", at.Least, at.Greatest, -most, most))
		}
	}
	return nil
}

// totalOf is what an episode was paid in all, NaN where that is not known: it
// broke, a reward was null that was due, or something that cannot be. A refusal
// is paid the least there is, whatever came before it. Of the agent's episodes
// it counts what is missing.
func (r ranges) totalOf(e play.Episode, count *Missing) float64 {
	if e.Fault != nil || len(e.Steps) == 0 {
		return math.NaN()
	}
	if refused(e) { // it ends the episode
		count.Refused++
		return r.floor
	}
	total, null, lied := 0., 0, false
	for _, s := range e.Steps {
		switch {
		case s.Reward == nil && s.Told == "null":
			null++
		case s.Reward == nil || !r.believes(*s.Reward):
			count.Lies++
			lied = true
		default:
			total += *s.Reward
		}
	}
	if null > 0 && !r.later(e) {
		count.Null += null
		return math.NaN()
	}
	if r.total != nil && !lied && (total < r.total.Least-slack || total > r.total.Greatest+slack) {
		count.Lies++
		lied = true
	}
	if lied {
		return math.NaN()
	}
	return total
}

// later tells whether null before the end of an episode means that its pay
// comes at the end, and that it came.
func (r ranges) later(e play.Episode) bool {
	return r.atEnd && e.Done && e.Steps[len(e.Steps)-1].Told != "null"
}
