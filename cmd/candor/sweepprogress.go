package main

import (
	"fmt"
	"io"
	"sync"

	"candor/harness/progress"
	"candor/harness/report"
	"candor/harness/run"
	"candor/harness/sweep"
	"candor/infer/preflight"
	"candor/scoring"
)

// sweepView shows a sweep on standard error as runView does a run: the figures
// are those of all cells together, but the reward is the cell's that is asked,
// and below stands what the cells before it came to.
type sweepView struct {
	*runView

	cell   sync.Mutex // guards what follows
	cells  []sweep.Planned
	at     int // cell that is asked
	done   int
	tally  progress.Tally
	ended  []endedCell // the latest last
	images int
	told   map[string]bool // what the preflight of a cell before found too
}

// endedCell is a cell with its figures.
type endedCell struct {
	name   string
	reward *float64
	ci     *scoring.Interval
}

var (
	_ run.Observer   = (*sweepView)(nil)
	_ sweep.Observer = (*sweepView)(nil)
)

// mostEnded is how many cells stand below the figures.
const mostEnded = 8

func newSweepView(w io.Writer) *sweepView {
	v := &sweepView{runView: newRunView(w), told: map[string]bool{}}
	v.head, v.runView.worth, v.below = v.place, v.soFar, v.table
	return v
}

// Planned takes the cells up.
func (v *sweepView) Planned(cells []sweep.Planned) {
	tasks, recorded := 0, 0
	v.cell.Lock()
	v.cells = cells
	for _, c := range cells {
		tasks, recorded = tasks+c.Tasks, recorded+c.Recorded
		if c.Finished {
			v.done++
			v.ended = append(v.ended, endedCell{c.Name, c.Reward, c.CI})
		}
	}
	done := v.done
	v.cell.Unlock()
	v.Meter.Started(recorded, tasks)
	v.say("candor: %s, %d finished; %d of %s recorded", report.Count(len(cells), "cell"), done, recorded, report.Count(tasks, "task"))
	for _, c := range cells {
		if c.Unread != "" {
			v.say("candor: cell %s: whether its data changed is not known, since they cannot be read any more: %s", c.Name, c.Unread)
		}
	}
}

// Cell says which cell begins.
func (v *sweepView) Cell(at int, earlier []run.Trace) {
	v.cell.Lock()
	v.at, v.tally = at, progress.Tally{}
	for _, t := range earlier {
		v.tally.Add(t.ImageSource, t.Reward, t.Answered == 1)
	}
	n, name := len(v.cells), v.cells[at].Name
	v.cell.Unlock()
	v.line("candor: cell %d of %d: %s", at+1, n, name)
}

// Done says what a cell came to.
func (v *sweepView) Done(at int, s run.Summary) {
	v.cell.Lock()
	v.done++
	e := endedCell{v.cells[at].Name, s.Reward, s.CI["reward"]}
	v.ended = append(v.ended, e)
	v.cell.Unlock()
	v.line("candor: cell %d done: reward %s", at+1, e.figures())
}

// line says what a terminal shows anyway.
func (v *sweepView) line(format string, args ...any) {
	if terminalOf(v.w) == nil {
		v.say(format, args...)
	}
}

// ImagesReady tells it where another cell did not already.
func (v *sweepView) ImagesReady(n int) {
	v.cell.Lock()
	same := v.images == n
	v.images = n
	v.cell.Unlock()
	if !same {
		v.runView.ImagesReady(n)
	}
}

// Preflighted tells what no cell before found.
func (v *sweepView) Preflighted(r preflight.Report) {
	for _, f := range r.Findings {
		line := fmt.Sprintf("%s %s: %s", f.Question, f.Status, f.Detail)
		v.cell.Lock()
		known := v.told[line]
		v.told[line] = true
		v.cell.Unlock()
		if f.Severity == preflight.Serious && !known {
			v.say("candor: preflight: %s", line)
		}
	}
}

// Started changes nothing: a cell's tasks were counted with all.
func (v *sweepView) Started(int, int) {}

// Recorded counts a finished task.
func (v *sweepView) Recorded(t run.Trace) {
	v.cell.Lock()
	v.tally.Add(t.ImageSource, t.Reward, t.Answered == 1)
	v.cell.Unlock()
	v.runView.Recorded(t)
}

// place is the cell that is asked, among all.
func (v *sweepView) place() string {
	v.cell.Lock()
	defer v.cell.Unlock()
	if len(v.cells) == 0 {
		return ""
	}
	s := fmt.Sprintf("%d/%d cells done", v.done, len(v.cells))
	if v.done < len(v.cells) {
		s += ", now " + v.cells[v.at].Name
	}
	return s
}

// soFar is what the cell's answers are worth.
func (v *sweepView) soFar() []string {
	v.cell.Lock()
	defer v.cell.Unlock()
	if v.tally.Tasks() == 0 {
		return nil
	}
	reward := fmt.Sprintf("reward %.3f", v.tally.Reward())
	if lo, hi, ok := v.tally.Interval(); ok {
		reward += fmt.Sprintf(" (%.3f–%.3f)", lo, hi)
	}
	return []string{reward, "coverage " + percent(v.tally.Coverage())}
}

// table is the cells that ended, the latest first. Figures stand before names,
// which may be cut.
func (v *sweepView) table(int) []string {
	v.cell.Lock()
	defer v.cell.Unlock()
	if len(v.ended) == 0 {
		return nil
	}
	const row = "%-18s  %s"
	lines := []string{fmt.Sprintf(row, "reward, 95 %", "cell")}
	for i := len(v.ended) - 1; i >= 0 && len(lines) <= mostEnded; i-- {
		lines = append(lines, fmt.Sprintf(row, v.ended[i].figures(), v.ended[i].name))
	}
	if more := len(v.ended) - mostEnded; more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", more))
	}
	return lines
}

// figures is the reward with its interval.
func (e endedCell) figures() string {
	switch {
	case e.reward == nil:
		return "none"
	case e.ci == nil:
		return fmt.Sprintf("%.3f", *e.reward)
	}
	return fmt.Sprintf("%.3f  %.3f–%.3f", *e.reward, e.ci[0], e.ci[1])
}
