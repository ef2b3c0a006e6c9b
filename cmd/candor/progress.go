package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"candor/harness/progress"
	"candor/harness/report"
	"candor/harness/run"
	"candor/infer"
	"candor/infer/gpu"
	"candor/infer/preflight"
)

// runView shows runs on standard error: lines kept up to date on a terminal, a
// plain line now and then elsewhere.
type runView struct {
	*progress.Meter
	w    io.Writer
	name string // of what runs, shown above the figures
	auto bool   // the preflight chooses how many requests are in flight

	// What a sweep shows in the place of a run's name and worth, and below.
	head  func() string
	worth func() []string
	below func(columns int) []string

	mu     sync.Mutex
	live   *live // once there is something to show
	closed bool
	told   time.Time
	gpus   gpus
}

var _ run.Observer = (*runView)(nil)

// between is the time between two plain lines.
const between = 10 * time.Second

func newRunView(w io.Writer) *runView {
	v := &runView{w: w, Meter: progress.NewMeter(time.Now)}
	v.head = func() string { return v.name }
	v.worth = func() []string { return worth(v.Snapshot()) }
	v.below = func(int) []string { return nil }
	return v
}

// ImagesReady tells that the data are sound.
func (v *runView) ImagesReady(n int) { v.say("candor: %s decoded", report.Count(n, "image")) }

// Notice passes on what takes long, and why.
func (v *runView) Notice(text string) { v.say("candor: %s", text) }

// Preflighted names what was found that matters.
func (v *runView) Preflighted(r preflight.Report) {
	if v.auto {
		v.say("candor: preflight done: up to %d in flight at each server", r.Parallel)
	} else {
		v.say("candor: preflight done")
	}
	for _, f := range r.Findings {
		if f.Severity == preflight.Serious {
			v.say("candor: preflight: %s %s: %s", f.Question, f.Status, f.Detail)
		}
	}
}

// Started begins the count.
func (v *runView) Started(done, total int) {
	v.Meter.Started(done, total)
	v.mu.Lock()
	v.told = time.Now()
	v.mu.Unlock()
	if done < total {
		v.say("candor: %s to ask, %d recorded already", report.Count(total-done, "task"), done)
	}
}

// Recorded counts a finished task.
func (v *runView) Recorded(t run.Trace) {
	v.Meter.Recorded(t)
	v.tell()
}

// Failed counts a task in error and says why.
func (v *runView) Failed(e run.TaskError) {
	v.say("candor: task %s: %s", e.TaskID, e.Error)
	v.Meter.Failed(e)
	v.tell()
}

// say writes a line that the figures do not stand over.
func (v *runView) say(format string, args ...any) {
	v.mu.Lock()
	l := v.live
	v.mu.Unlock()
	line := fmt.Sprintf(format, args...)
	if l == nil {
		fmt.Fprintln(v.w, line)
		return
	}
	l.say(line)
}

// tell begins to show the figures on a terminal; elsewhere it writes them when
// it is time to.
func (v *runView) tell() {
	v.mu.Lock()
	defer v.mu.Unlock()
	if f := terminalOf(v.w); f != nil {
		if v.live == nil && !v.closed {
			v.live = newLive(f, v.lines)
		}
		return
	}
	s := v.Snapshot()
	if s.Done+s.Failed() < s.Total && time.Since(v.told) < between {
		return
	}
	v.told = time.Now()
	fmt.Fprintf(v.w, "candor: %s\n", strings.Join(v.plain(s), ", "))
}

// plain is the figures of a plain line.
func (v *runView) plain(s progress.Snapshot) []string {
	parts := []string{fmt.Sprintf("%d/%d tasks", s.Done, s.Total)}
	return slices.Concat(parts, pace(s), errorsOf(s), v.worth(), work(s), gpuOf(v.gpus.read(s.Endpoints)))
}

// lines is the figures on a terminal.
func (v *runView) lines(columns int) []string {
	s := v.Snapshot()
	var head []string
	if h := v.head(); h != "" {
		head = []string{h}
	}
	return slices.Concat(head, counted(s, columns), errorsOf(s),
		packed(slices.Concat(v.worth(), work(s), gpuOf(v.gpus.read(s.Endpoints))), columns), v.below(columns))
}

// close leaves the terminal as it was found.
func (v *runView) close() {
	v.mu.Lock()
	l := v.live
	v.closed = true
	v.mu.Unlock()
	if l != nil {
		l.close()
	}
	v.gpus.close()
}

// gpus reads the GPUs of this machine, when a server on it is asked, at most
// once a second.
type gpus struct {
	opened bool
	reader *gpu.Reader
	last   time.Time
	known  []gpu.Device
}

func (g *gpus) read(endpoints []string) []gpu.Device {
	if !slices.ContainsFunc(endpoints, infer.Loopback) {
		return nil
	}
	if !g.opened {
		g.opened = true
		g.reader, _ = gpu.Open() // without one nothing is shown
	}
	if g.reader != nil && time.Since(g.last) > time.Second {
		g.known, g.last = g.reader.Read(), time.Now()
	}
	return g.known
}

func (g *gpus) close() {
	if g.reader != nil {
		g.reader.Close()
	}
}
