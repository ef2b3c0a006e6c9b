package main

import (
	"fmt"
	"io"
	"sync"

	"candor/harness/lens"
	"candor/harness/lens/play"
	"candor/harness/report"
)

// lensProgress tells of the agent's episodes and of what breaks, a line each;
// on a terminal one line below says how far the measurement is.
type lensProgress struct {
	w    io.Writer
	live *live // nil where there is no terminal

	mu                                    sync.Mutex
	episodes, policies, answers, opinions int
	recorded                              int // of these
}

func newLensProgress(w io.Writer) *lensProgress {
	p := &lensProgress{w: w}
	if f := terminalOf(w); f != nil {
		p.live = newLive(f, func(int) []string { return []string{p.line()} })
	}
	return p
}

// line says what has been done so far.
func (p *lensProgress) line() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	text := fmt.Sprintf("%s, %d of policies, %s, %s", report.Count(p.episodes, "episode"), p.policies, report.Count(p.answers, "answer"), report.Count(p.opinions, "opinion"))
	if p.recorded > 0 {
		text += fmt.Sprintf("; %d of all were recorded before", p.recorded)
	}
	return text
}

// played takes one event.
func (p *lensProgress) played(e lens.Event) {
	p.mu.Lock()
	switch {
	case e.Episode != nil && e.Episode.Actor == play.AgentName:
		p.episodes++
	case e.Episode != nil:
		p.policies++
	case e.Opinion:
		p.opinions++
	default:
		p.answers++
	}
	if e.Recorded {
		p.recorded++
	}
	p.mu.Unlock()
	switch {
	case e.Fault != nil:
		p.say(fmt.Sprintf("candor: %s: %v", e.Key, e.Fault))
	case e.Episode != nil && e.Episode.Actor == play.AgentName && !e.Recorded:
		total := 0.
		for _, r := range e.Episode.Rewards() {
			total += r
		}
		p.say(fmt.Sprintf("candor: %s: %d steps, paid %.3f", e.Key, len(e.Episode.Steps), total))
	}
}

func (p *lensProgress) say(line string) {
	if p.live != nil {
		p.live.say(line)
		return
	}
	fmt.Fprintln(p.w, line)
}

// close leaves the last line standing.
func (p *lensProgress) close() {
	if p.live != nil {
		p.live.close()
	}
}
