package sweep

import (
	"slices"

	"candor/harness/run"
)

// pace is how many tasks were asked in how long.
type pace struct {
	tasks   int
	seconds float64
}

// paceOf is that of a run's sessions so far; one that was killed left none.
func paceOf(s *run.Stored) pace {
	var p pace
	for _, session := range s.Manifest.Sessions {
		p.tasks, p.seconds = p.tasks+session.Tasks, p.seconds+session.Seconds
	}
	return p
}

// estimate fills in how long the cells will take: by what each took a task so
// far, else by what those took that ask the same model as many requests a task,
// thinking or not.
func estimate(cells []Planned) {
	for i := range cells {
		c := &cells[i]
		left := c.Tasks - c.Recorded
		known := c.pace
		if known.tasks == 0 {
			for _, other := range cells {
				if slices.Equal(alike(c), alike(&other)) {
					known.tasks, known.seconds = known.tasks+other.pace.tasks, known.seconds+other.pace.seconds
				}
			}
		}
		switch {
		case left <= 0:
			c.Seconds = new(0.0)
		case known.tasks > 0:
			c.Seconds = new(known.seconds / float64(known.tasks) * float64(left))
		}
	}
}

// alike is what cells of one pace have in common.
func alike(c *Planned) []string {
	o, _ := c.Config.Options() // was validated
	scored, others := c.Config.Sources()
	return append([]string{c.Config.Model, written(run.Config{NumThread: o.NumThread, Sampling: run.Sampling{Think: &o.Think}}), scored}, others...)
}
