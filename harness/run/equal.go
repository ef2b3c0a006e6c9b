package run

import (
	"fmt"

	"candor/harness/verify"
	"candor/infer"
	"candor/scoring"
)

// greedy tells that an answer depends on image and prompt alone, so that equal
// tasks, as POPE's splits share them, need to be asked only once. Under
// sampling each is a draw of its own.
func (p *Plan) greedy() bool { return p.Options.Temperature == 0 }

// question is what a task asks of which image.
type question struct{ image, system, user string }

func (t Task) question() question { return question{t.ImageSource, t.System, t.User} }

// Requests is how many requests the plan's tasks take: one for every draw of
// each, but none for those that take the answer of an equal one over.
func (p *Plan) Requests() int {
	if !p.greedy() {
		return len(p.Tasks) * (1 + p.sources().draws)
	}
	distinct := map[question]bool{}
	for _, t := range p.Tasks {
		distinct[t.question()] = true
	}
	return len(distinct)
}

// jobs makes a job of every task of an image; of equal ones, under greedy
// decoding, one of all together.
func (p *Plan) jobs(g group) []job {
	var jobs []job
	at := map[question]int{}
	for _, t := range g.tasks {
		if i, again := at[t.question()]; again && p.greedy() {
			jobs[i].equal = append(jobs[i].equal, t)
			continue
		}
		at[t.question()] = len(jobs)
		jobs = append(jobs, job{task: t, image: g.image})
	}
	return jobs
}

// takenOver is the trace as that of an equal task, which cost nothing.
func (t Trace) takenOver(by Task, pay scoring.Payment) Trace {
	a := verify.Answer{Outcome: t.Outcome, Confidence: t.Confidence, NeededRepair: t.NeededRepair == 1, Reason: t.Reason}
	if t.Verdict != nil {
		a.Verdict = verify.Verdict(*t.Verdict)
	}
	t.SameAs, t.Cached = t.TaskID, true
	t.PromptTokens, t.OutputTokens, t.Attempts, t.Durations = 0, 0, 0, TraceDurations{}
	t.about(by)
	t.grade(verify.Grade(a, string(by.Label), pay))
	return t
}

// takeOver records the tasks whose equals an earlier session has recorded, and
// returns the others: a kill may have come between the two.
func (r *openedRun) takeOver(p *Plan, todo []Task, o Observer) ([]Task, error) {
	if !p.greedy() {
		return todo, nil
	}
	tasks, known := map[string]Task{}, map[question]Trace{}
	for _, t := range p.Tasks {
		tasks[t.ID] = t
	}
	for _, t := range r.earlier {
		if !t.Cached {
			known[tasks[t.TaskID].question()] = t
		}
	}
	r.earlier = nil
	var left []Task
	for _, t := range todo {
		trace, ok := known[t.question()]
		if !ok {
			left = append(left, t)
			continue
		}
		if err := r.recordEqual(trace, []Task{t}, p.Payment, o); err != nil {
			return nil, err
		}
	}
	return left, nil
}

// recordEqual records a trace for the tasks that are equal to its own.
func (r *openedRun) recordEqual(t Trace, equal []Task, pay scoring.Payment, o Observer) error {
	for _, e := range equal {
		same := t.takenOver(e, pay)
		if err := r.record(same); err != nil {
			return fmt.Errorf("recording task %s: %w", same.TaskID, err)
		}
		o.Recorded(same)
	}
	return nil
}

// equalErrors are the errors of the tasks that would have taken over the
// answer that did not come.
func (j job) equalErrors(e TaskError) []TaskError {
	errs := []TaskError{e}
	for _, t := range j.equal {
		errs = append(errs, TaskError{
			TaskID: t.ID, Class: e.Class, Error: fmt.Sprintf("as %s, which asks the same: %s", e.TaskID, e.Error),
			Endpoint: e.Endpoint, At: e.At, Attempts: []infer.Attempt{},
		})
	}
	return errs
}

// checkEqual tells whether a trace that was taken over may have been.
func (p *Plan) checkEqual(t Trace, tasks map[string]Task) error {
	if !t.Cached {
		return nil
	}
	of, ok := tasks[t.SameAs]
	switch {
	case !p.greedy():
		return fmt.Errorf("task %s has the answer to %s, but under sampling every task is asked", t.TaskID, t.SameAs)
	case !ok || t.SameAs == t.TaskID || of.question() != tasks[t.TaskID].question():
		return fmt.Errorf("task %s has the answer to %q, which does not ask the same", t.TaskID, t.SameAs)
	}
	return nil
}
