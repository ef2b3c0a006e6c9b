package run

import (
	"context"
	"errors"
	"path/filepath"

	"candor/harness/regular"
	"candor/scoring"
)

// finish sums up what is recorded and closes the manifest. cause is why the
// run ended before its last task, nil if it did not.
func (r *openedRun) finish(ctx context.Context, p *Plan, cause error) (Result, error) {
	m := &r.manifest
	m.close(cause)
	entries, failed, err := r.inOrder(p)
	var sum Summary
	if err == nil {
		sum, err = summarize(ctx, *m, p, entries, failed)
	}
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

// entry is what the summary needs of a trace: little beside its text, so that
// a run does not hold what its journal does.
type entry struct {
	row            scoring.Row
	taken          bool // over from an equal task
	attempts       int
	prompt, output int  // tokens
	further        Cost // of the draws beside the one that is scored
	latency        float64
	sent           string // hash of the image
}

func entryOf(t Trace) entry {
	return entry{
		row: t.Row(), taken: t.Cached, attempts: t.Attempts, prompt: t.PromptTokens, output: t.OutputTokens,
		further: t.Sources.cost(), latency: t.Durations.Total, sent: t.Image.SentSHA256,
	}
}

// inOrder reads the journal again and gives what it holds, and a row for each
// task in error, in the order of the plan: that in which tasks finish differs
// from run to run, and sums of floating-point numbers depend on it.
func (r *openedRun) inOrder(p *Plan) (entries []entry, failed []scoring.Row, err error) {
	at := make(map[string]int, len(p.Tasks))
	for i, t := range p.Tasks {
		at[t.ID] = i
	}
	known, hashes := make([]*entry, len(p.Tasks)), map[string]string{}
	name := filepath.Join(r.dir, TracesFile)
	f, err := regular.Open(name)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	if _, err := eachLine(f, name, func(Trace) error { return nil }, func(t Trace) {
		e, task := entryOf(t), p.Tasks[at[t.TaskID]]
		// One text in memory for all that are equal.
		e.row.ID, e.row.Image, e.row.Split, e.row.Label = task.ID, task.ImageSource, task.Split, string(task.Label)
		if hash, ok := hashes[e.sent]; ok {
			e.sent = hash
		}
		hashes[e.sent] = e.sent
		known[at[t.TaskID]] = &e
	}); err != nil {
		return nil, nil, err
	}
	for i, t := range p.Tasks {
		_, before := r.stale[t.ID]
		_, now := r.failed[t.ID]
		if known[i] != nil {
			entries = append(entries, *known[i])
		} else if before || now {
			failed = append(failed, scoring.Row{ID: t.ID, Image: t.ImageSource, Split: t.Split, Outcome: scoring.Errored})
		}
	}
	return entries, failed, nil
}
