package main

import (
	"fmt"
	"io"
	"sync"
	"time"

	"candor/harness/run"
	"candor/harness/sweep"
)

// sweepProgress tells on standard error how far a sweep is: a plain line when
// a cell begins and every ten seconds.
type sweepProgress struct {
	run.Silent
	w io.Writer

	mu          sync.Mutex
	cells       []sweep.Planned
	at          int // cell that is asked
	done, total int // tasks of all cells
	asked       int // in this session
	failed      int
	start, told time.Time
	reward      float64 // sum over the cell's tasks that were recorded in this session
	rewarded    int
}

var (
	_ run.Observer   = (*sweepProgress)(nil)
	_ sweep.Observer = (*sweepProgress)(nil)
)

// Planned takes the cells up.
func (p *sweepProgress) Planned(cells []sweep.Planned) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cells, p.start = cells, time.Now()
	finished := 0
	for _, c := range cells {
		p.total, p.done = p.total+c.Tasks, p.done+c.Recorded
		if c.Finished {
			finished++
		}
	}
	fmt.Fprintf(p.w, "candor: %d cells, %d finished; %d of %d tasks recorded\n", len(cells), finished, p.done, p.total)
}

// Cell says which cell begins.
func (p *sweepProgress) Cell(at int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.at, p.reward, p.rewarded, p.told = at, 0, 0, time.Now()
	fmt.Fprintf(p.w, "candor: cell %d of %d: %s\n", at+1, len(p.cells), p.cells[at].Name)
}

// Notice passes on what takes long, and why.
func (p *sweepProgress) Notice(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	fmt.Fprintf(p.w, "candor: %s\n", text)
}

// Recorded counts a finished task.
func (p *sweepProgress) Recorded(t run.Trace) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done, p.asked = p.done+1, p.asked+1
	p.reward, p.rewarded = p.reward+t.Reward, p.rewarded+1
	p.line()
}

// Failed counts a task in error and says why.
func (p *sweepProgress) Failed(e run.TaskError) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.failed++
	fmt.Fprintf(p.w, "candor: task %s: %s\n", e.TaskID, e.Error)
	p.line()
}

func (p *sweepProgress) line() {
	if time.Since(p.told) < between {
		return
	}
	p.told = time.Now()
	handled := p.asked + p.failed
	perTask := time.Since(p.start) / time.Duration(handled)
	s := fmt.Sprintf("candor: cell %d of %d, %d/%d tasks, %.2f tasks/s, %s left", p.at+1, len(p.cells), p.done, p.total,
		1/perTask.Seconds(), (time.Duration(p.total-p.done-p.failed) * perTask).Round(time.Second))
	if p.rewarded > 0 {
		s += fmt.Sprintf(", reward so far %.3f", p.reward/float64(p.rewarded))
	}
	if p.failed > 0 {
		s += fmt.Sprintf(", %d in error", p.failed)
	}
	fmt.Fprintln(p.w, s)
}
