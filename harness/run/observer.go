package run

import "candor/infer/preflight"

// Observer is told what happens in a run. Its methods may be called from
// several goroutines at once, and must not block for long.
type Observer interface {
	// ImagesReady: n images were decoded and are fit to be sent.
	ImagesReady(n int)
	// Notice: something takes longer than it should, and why.
	Notice(string)
	// Preflighted: the server was questioned.
	Preflighted(preflight.Report)
	// Started: total tasks belong to the run, done of them are recorded.
	Started(done, total int)
	// Recorded: a task's trace is on disk.
	Recorded(Trace)
	// Failed: a task ended in error.
	Failed(TaskError)
}

// Silent observes nothing.
type Silent struct{}

func (Silent) ImagesReady(int)              {}
func (Silent) Notice(string)                {}
func (Silent) Preflighted(preflight.Report) {}
func (Silent) Started(int, int)             {}
func (Silent) Recorded(Trace)               {}
func (Silent) Failed(TaskError)             {}

var _ Observer = Silent{}
