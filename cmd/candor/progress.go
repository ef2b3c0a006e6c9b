package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"candor/harness/report"
	"candor/harness/run"
	"candor/infer/preflight"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
	"golang.org/x/term"
)

// progress shows a run on standard error: a bar with rate and time left on a
// terminal, a plain line now and then elsewhere.
type progress struct {
	w        io.Writer
	terminal bool
	auto     bool // the preflight chose how many requests are in flight

	drawing sync.Once
	bars    *mpb.Progress
	bar     *mpb.Bar

	// mu guards what follows. It is never held while the bar is touched: the
	// bar takes it to draw itself.
	mu     sync.Mutex
	above  io.Writer // what stands above the bar, once there is one
	start  time.Time // of asking
	told   time.Time
	done   int // recorded in all
	first  int // recorded before this session
	total  int
	errors int
}

var _ run.Observer = (*progress)(nil)

// between is the time between two plain lines.
const between = 10 * time.Second

func newProgress(w io.Writer) *progress {
	return &progress{w: w, terminal: isTerminal(w)}
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// ImagesReady tells that the data are sound.
func (p *progress) ImagesReady(n int) {
	fmt.Fprintf(p.w, "candor: %s decoded\n", report.Count(n, "image"))
}

// Notice passes on what takes long, and why.
func (p *progress) Notice(text string) { p.say("candor: %s", text) }

// Preflighted names what was found that matters.
func (p *progress) Preflighted(r preflight.Report) {
	p.mu.Lock()
	p.start, p.told = time.Now(), time.Now()
	p.mu.Unlock()
	if p.auto {
		fmt.Fprintf(p.w, "candor: preflight done: up to %d in flight at each server\n", r.Parallel)
	} else {
		fmt.Fprintln(p.w, "candor: preflight done")
	}
	for _, f := range r.Findings {
		if f.Severity == preflight.Serious {
			fmt.Fprintf(p.w, "candor: preflight: %s %s: %s\n", f.Question, f.Status, f.Detail)
		}
	}
}

// Started begins the count.
func (p *progress) Started(done, total int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.start, p.told = time.Now(), time.Now()
	p.done, p.first, p.total = done, done, total
	if done < total {
		fmt.Fprintf(p.w, "candor: %s to ask, %d recorded already\n", report.Count(total-done, "task"), done)
	}
}

// draw puts the bar on a terminal, when the first task is done.
func (p *progress) draw() {
	if !p.terminal {
		return
	}
	p.mu.Lock()
	first, total := p.first, p.total
	p.mu.Unlock()
	p.bars = mpb.New(mpb.WithOutput(p.w), mpb.WithAutoRefresh())
	p.bar = p.bars.New(int64(total), mpb.BarStyle(),
		mpb.PrependDecorators(decor.CountersNoUnit("%d/%d tasks ")),
		mpb.AppendDecorators(decor.Any(func(decor.Statistics) string { return p.tail() })),
	)
	p.bar.SetCurrent(int64(first))
	p.mu.Lock()
	defer p.mu.Unlock()
	p.above = p.bars
}

// say writes a line that the bar does not draw over.
func (p *progress) say(format string, args ...any) {
	p.mu.Lock()
	w := p.above
	p.mu.Unlock()
	line := fmt.Sprintf(format+"\n", args...)
	if w != nil {
		if _, err := io.WriteString(w, line); err == nil {
			return
		}
	}
	fmt.Fprint(p.w, line) // no bar yet, or none any more
}

// tail is the rate, the time left, and what ended in error.
func (p *progress) tail() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.rate()
}

func (p *progress) rate() string {
	asked := p.done - p.first + p.errors
	s := ""
	if d := time.Since(p.start); asked > 0 && d > 0 {
		perTask := d / time.Duration(asked)
		left := time.Duration(p.total-p.done-p.errors) * perTask
		s = fmt.Sprintf(" %.2f tasks/s, %s left", 1/perTask.Seconds(), left.Round(time.Second))
	}
	if p.errors > 0 {
		s += fmt.Sprintf(", %d in error", p.errors)
	}
	return s
}

// Recorded counts a finished task.
func (p *progress) Recorded(run.Trace) {
	p.drawing.Do(p.draw)
	p.mu.Lock()
	p.done++
	p.line()
	p.mu.Unlock()
	if p.bar != nil {
		p.bar.Increment()
	}
}

// Failed counts a task in error and says why.
func (p *progress) Failed(e run.TaskError) {
	p.drawing.Do(p.draw)
	p.say("candor: task %s: %s", e.TaskID, e.Error)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.errors++
	p.line()
}

// line writes a plain line when it is time for one.
func (p *progress) line() {
	if p.terminal || p.done+p.errors < p.total && time.Since(p.told) < between {
		return
	}
	p.told = time.Now()
	fmt.Fprintf(p.w, "candor: %d/%d tasks,%s\n", p.done, p.total, p.rate())
}

// close leaves the terminal as it was found.
func (p *progress) close() {
	if p.bars == nil {
		return
	}
	if !p.bar.Completed() {
		p.bar.Abort(false)
	}
	p.bars.Wait()
}
