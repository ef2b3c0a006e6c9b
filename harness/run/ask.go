package run

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"sync"
	"time"

	"candor/imageproc"
	"candor/infer"
)

// job is one draw of a task with its image at hand, and the tasks that ask the
// same and are not asked themselves.
type job struct {
	task  Task
	equal []Task
	image *imageproc.Prepared
	draw  int      // 0 is the answer that is scored
	draws *drawing // of the task
}

// ask puts every task that is not recorded yet to the servers, and returns
// when all are recorded or failed, or nothing more can be.
func (r *openedRun) ask(ctx context.Context, p *Plan, s *servers, deps Dependencies) error {
	todo := r.missing(p)
	deps.Observer.Started(len(p.Tasks)-len(todo), len(p.Tasks))
	todo, err := r.takeOver(p, todo, deps.Observer)
	if err != nil || len(todo) == 0 {
		return err
	}
	known, err := r.question(ctx, p, s, deps)
	if err != nil {
		return err
	}
	defer known.close()
	start := deps.Now()
	defer func() { r.endSession(start, deps.Now()) }()

	// What an earlier session has recorded shows that the set-up works.
	a := &asking{run: r, plan: p, deps: deps, interviews: known, halt: make(chan struct{}), answered: len(r.recorded) > 0}
	a.deps.Retry.Retrying, a.deps.Retry.Stop = a.retrying, deps.Stop
	prepared, cancel := a.prepareAhead(ctx, todo)
	defer cancel()
	a.prepared = prepared
	stop, release := eitherOf(deps.Stop, a.halt)
	defer release()
	infer.Run(ctx, a.scheduler(s), stop, a)
	if err := a.release(s); err != nil {
		a.stop(err)
	}
	a.absentees(s)
	switch {
	case a.cause != nil:
		return a.cause
	case ctx.Err() != nil, r.done() < len(p.Tasks):
		return ErrInterrupted
	}
	return nil
}

// asking is one session's shared state.
type asking struct {
	run  *openedRun
	plan *Plan
	deps Dependencies
	halt chan struct{} // closed when the run cannot go on

	interviews *interviews
	prepared   <-chan (chan group)
	limits     map[string]int // of each endpoint, requests in flight
	sights     sights
	unended    unended

	mu       sync.Mutex
	cause    error // why it cannot
	answered bool  // the first answer is in: the set-up works
	unheard  int   // tasks in a row that the server did not answer at all
	good     *job  // one that this session had answered
	told     map[string]time.Time
}

// apart is the least time between two words about the same thing.
const apart = 10 * time.Second

// seldom tells whether it is time for a word about what.
func (a *asking) seldom(what string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := a.deps.Now()
	if last, ok := a.told[what]; ok && now.Sub(last) < apart {
		return false
	}
	if a.told == nil {
		a.told = map[string]time.Time{}
	}
	a.told[what] = now
	return true
}

// retrying says now and then that a request will be made again, so that a
// server that is gone is not met with silence.
func (a *asking) retrying(failed infer.Attempt, pause time.Duration) {
	if a.seldom("") {
		a.deps.Observer.Notice(fmt.Sprintf("trying again in %.1f s: %s", pause.Seconds(), failed.Message))
	}
}

// settle records the trace of a task that has all its draws.
func (a *asking) settle(j job) {
	t := a.plan.newTrace(j)
	if err := a.run.record(t); err != nil {
		a.stop(fmt.Errorf("recording task %s: %w", t.TaskID, err))
		return
	}
	a.deps.Observer.Recorded(t)
	if err := a.run.recordEqual(t, j.equal, a.plan.Payment, a.deps.Observer); err != nil {
		a.stop(err)
	}
}

// group is the tasks of one image, and the image or why it is not there.
type group struct {
	tasks []Task
	image *imageproc.Prepared
	err   error
}

// prepareAhead prepares the images of the groups to come, a few at once and a
// few ahead, in order. The function it returns ends that, and returns when
// nothing is under way any more.
func (a *asking) prepareAhead(ctx context.Context, todo []Task) (<-chan (chan group), context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	ahead := make(chan (chan group), runtime.GOMAXPROCS(0))
	var underway sync.WaitGroup
	underway.Go(func() {
		defer close(ahead)
		for tasks := range byImage(todo) {
			slot := make(chan group, 1)
			select {
			case ahead <- slot:
			case <-ctx.Done():
				return
			}
			underway.Go(func() {
				img, err := a.plan.images.get(ctx, tasks[0].ImageSource)
				slot <- group{tasks, img, err}
			})
		}
	})
	return ahead, func() { cancel(); underway.Wait() }
}

// Next hands the scheduler one image's jobs.
func (a *asking) Next() ([]job, bool) {
	for slot := range a.prepared {
		g := <-slot
		if g.err != nil {
			if !errors.Is(g.err, context.Canceled) {
				a.stop(g.err)
			}
			return nil, false
		}
		if jobs := a.missing(a.plan.jobs(g)); len(jobs) > 0 {
			return jobs, true
		}
	}
	return nil, false
}

// missing makes of a job for each task one for each of its draws that is not
// recorded yet. A task of which only the trace is missing gets that.
func (a *asking) missing(tasks []job) []job {
	var out []job
	for _, j := range tasks {
		j.draws = a.run.drawing(j.task.ID, 1+a.plan.sources().draws)
		before := len(out)
		for n, d := range j.draws.of {
			if d == nil {
				j.draw = n
				out = append(out, j)
			}
		}
		if len(out) == before {
			a.settle(j)
		}
	}
	return out
}

// byImage cuts tasks, which are in image order, at each change of image.
func byImage(tasks []Task) iter.Seq[[]Task] {
	return func(yield func([]Task) bool) {
		from := 0
		for i := range tasks {
			if i+1 < len(tasks) && tasks[i+1].ImageSource == tasks[i].ImageSource {
				continue
			}
			if !yield(tasks[from : i+1 : i+1]) {
				return
			}
			from = i + 1
		}
	}
}

// eitherOf closes its channel when one of two is closed; release ends the
// watch.
func eitherOf(a, b <-chan struct{}) (either <-chan struct{}, release func()) {
	out, end := make(chan struct{}), make(chan struct{})
	go func() {
		select {
		case <-a:
			close(out)
		case <-b:
			close(out)
		case <-end:
		}
	}()
	return out, func() { close(end) }
}
