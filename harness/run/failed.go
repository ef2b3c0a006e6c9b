package run

import (
	"context"
	"errors"
	"fmt"

	"candor/infer"
)

// lost is how many tasks in a row may find no working server before the run
// looks whether there is one, so that a dead server does not turn a whole run
// into errors.
const lost = 3

// GiveUp decides what a task without an answer means: the end of the run, or
// one task in error. Before the first answer, a task that is refused says that
// every other will be refused too.
func (a *asking) GiveUp(ctx context.Context, j job, turn infer.Turn, err error) {
	if a.ended() && infer.ClassOf(err) == infer.ClassRetry {
		return // not recorded: it will be asked again
	}
	class := infer.ClassOf(err)
	first, gone := a.count(class)
	e := TaskError{TaskID: j.task.ID, Class: class, Error: err.Error(), Endpoint: turn.Model.Endpoint(), At: a.deps.Now().UTC(), Attempts: turn.Failed}
	if j.draw > 0 {
		e.Error = fmt.Sprintf("draw %d: %s", j.draw, e.Error)
	}
	if class != infer.ClassFatal && j.draws.fail() {
		if err := a.recordErrors(j, e); err != nil {
			a.stop(err)
			return
		}
	}
	switch {
	case class == infer.ClassFatal, first && class == infer.ClassTask && refusesAll(err):
		a.stop(fmt.Errorf("task %s: %w", j.task.ID, err))
	case gone && !a.works(ctx, turn.Model):
		a.stop(fmt.Errorf("found no working server: %w", err))
	}
}

// recordErrors records a task's error, and that of those that ask the same.
func (a *asking) recordErrors(j job, e TaskError) error {
	for _, e := range j.equalErrors(e) {
		if err := a.run.recordError(e); err != nil {
			return fmt.Errorf("recording the error of task %s: %w", e.TaskID, err)
		}
		a.deps.Observer.Failed(e)
	}
	return nil
}

// count notes a failure. first tells that nothing was answered before it,
// gone that it is the last of too many in a row.
func (a *asking) count(class infer.Class) (first, gone bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.unheard++
	if class == infer.ClassTask {
		a.unheard = 0
	}
	if gone = class == infer.ClassRetry && a.unheard >= lost; gone {
		a.unheard = 0
	}
	return !a.answered, gone
}

// works tells a server that is gone from one that only fails at some tasks,
// such as all those of an image that brings its engine down: it asks what was
// answered before, under another seed and for one token.
func (a *asking) works(ctx context.Context, m infer.Backend) bool {
	good, ok := a.answeredBefore(ctx)
	if !ok {
		return false
	}
	req := a.plan.request(good, a.run.textTokens(m.Endpoint()))
	req.Seed, req.Options.NumPredict, req.Options.Think = req.Seed^1, 1, false
	_, _, err := a.deps.Retry.Ask(ctx, m, req)
	return err == nil || ctx.Err() != nil // an end of ctx is no fault of the server
}

// answeredBefore is a task that had an answer, of this session or another.
func (a *asking) answeredBefore(ctx context.Context) (job, bool) {
	a.mu.Lock()
	good := a.good
	a.mu.Unlock()
	if good != nil {
		return *good, true
	}
	for _, t := range a.plan.Tasks {
		if a.run.has(t.ID) {
			img, err := a.plan.images.get(ctx, t.ImageSource)
			return job{task: t, image: img}, err == nil
		}
	}
	return job{}, false
}

// refusesAll tells refusals that the next task would meet too: a client error,
// or an image that the server did not look at.
func refusesAll(err error) bool {
	var f *infer.Failure
	return errors.Is(err, infer.ErrImageDropped) || errors.As(err, &f) && f.Status >= 400 && f.Status < 500
}

// ended tells that nothing more is to be asked.
func (a *asking) ended() bool {
	select {
	case <-a.deps.Stop:
		return true
	case <-a.halt:
		return true
	default:
		return false
	}
}

func (a *asking) stop(cause error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.cause == nil {
		a.cause = cause
		close(a.halt)
	}
}
