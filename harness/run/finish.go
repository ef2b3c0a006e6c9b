package run

import (
	"context"
	"errors"
	"maps"

	"candor/scoring"
)

// finish sums up what is recorded and closes the manifest. cause is why the
// run ended before its last task, nil if it did not.
func (r *openedRun) finish(ctx context.Context, p *Plan, cause error) (Result, error) {
	m := &r.manifest
	m.close(cause)
	traces, failed := r.inOrder(p)
	sum, err := summarize(ctx, *m, p, traces, failed)
	if err != nil {
		if ctx.Err() != nil {
			err = ErrInterrupted // while summing up: resuming does that again
		}
		m.close(err)
		return Result{Dir: r.dir, Manifest: *m}, errors.Join(cause, err, m.save(r.dir))
	}
	err = errors.Join(cause, sum.save(r.dir), m.save(r.dir))
	return Result{Dir: r.dir, Manifest: *m, Summary: sum}, err
}

// close notes how the run ended.
func (m *Manifest) close(cause error) {
	m.State, m.Error = Finished, ""
	switch {
	case errors.Is(cause, ErrInterrupted):
		m.State = Interrupted
	case cause != nil:
		m.State, m.Error = Failed, cause.Error()
	}
}

// inOrder gives the traces, and a row for each task in error, in the order of
// the plan: that in which tasks finish differs from run to run, and sums of
// floating-point numbers depend on it.
func (r *openedRun) inOrder(p *Plan) (traces []Trace, failed []scoring.Row) {
	traceOf := make(map[string]Trace, len(r.traces))
	for _, t := range r.traces {
		traceOf[t.TaskID] = t
	}
	inError := maps.Clone(r.stale)
	maps.Copy(inError, r.failed)
	for _, t := range p.Tasks {
		if trace, ok := traceOf[t.ID]; ok {
			traces = append(traces, trace)
		} else if _, ok := inError[t.ID]; ok {
			failed = append(failed, scoring.Row{ID: t.ID, Image: t.ImageSource, Split: t.Split, Outcome: scoring.Errored})
		}
	}
	return traces, failed
}
