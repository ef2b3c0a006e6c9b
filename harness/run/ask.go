package run

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"candor/imageproc"
	"candor/infer"
	"candor/infer/preflight"
)

// job is a task with its image at hand.
type job struct {
	task  Task
	image *imageproc.Prepared
}

// ask puts every task that is not recorded yet to the servers, and returns
// when all are recorded or failed, or nothing more can be.
func (r *openedRun) ask(ctx context.Context, p *Plan, s servers, deps Dependencies) error {
	todo := r.missing(p)
	deps.Observer.Started(len(p.Tasks)-len(todo), len(p.Tasks))
	if len(todo) == 0 {
		return nil
	}
	if err := r.question(ctx, p, s, deps); err != nil {
		return err
	}
	start := deps.Now()
	defer func() { r.endSession(start, deps.Now()) }()

	// What an earlier session has recorded shows that the set-up works.
	a := &asking{run: r, plan: p, deps: deps, halt: make(chan struct{}), answered: len(r.recorded) > 0}
	a.deps.Retry.Retrying, a.deps.Retry.Stop = a.retrying, deps.Stop
	prepared, cancel := a.prepareAhead(ctx, todo)
	defer cancel()
	var sched infer.Scheduler
	for _, b := range s.backends {
		sched.Slots = append(sched.Slots, infer.Slot{Model: b, Limit: r.manifest.Parallel})
	}
	stop, release := eitherOf(deps.Stop, a.halt)
	defer release()
	infer.Run(ctx, sched, stop, func() ([]job, bool) { return a.next(prepared) }, a.one)
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

	mu       sync.Mutex
	cause    error // why it cannot
	answered bool  // the first answer is in: the set-up works
	unheard  int   // tasks in a row that the server did not answer at all
	good     *job  // one that this session had answered
	told     time.Time
}

// seldom is the least time between two words about retries.
const seldom = 10 * time.Second

// retrying says now and then that a request will be made again, so that a
// server that is gone is not met with silence.
func (a *asking) retrying(failed infer.Attempt, pause time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if now := a.deps.Now(); now.Sub(a.told) >= seldom {
		a.told = now
		a.deps.Observer.Notice(fmt.Sprintf("trying again in %.1f s: %s", pause.Seconds(), failed.Message))
	}
}

// one asks, records and reports a single task.
func (a *asking) one(ctx context.Context, m infer.Backend, j job, wait time.Duration) {
	if a.ended() {
		return // between the last look of the scheduler and now
	}
	resp, failed, err := a.deps.Retry.Ask(ctx, m, a.request(j))
	switch {
	case err != nil && (ctx.Err() != nil || a.ended() && infer.ClassOf(err) == infer.ClassRetry):
		return // not recorded: it will be asked again
	case err != nil:
		a.failed(ctx, m, j, failed, err)
		return
	}
	t := newTrace(j.task, a.plan.Payment, resp, j.image, a.imageTokens(j))
	t.Endpoint, t.Attempts, t.Durations.Wait = m.Endpoint(), len(failed)+1, wait.Seconds()
	if err := a.run.record(t); err != nil {
		a.stop(fmt.Errorf("recording task %s: %w", t.TaskID, err))
		return
	}
	a.mu.Lock()
	a.answered, a.unheard, a.good = true, 0, &j
	a.mu.Unlock()
	a.deps.Observer.Recorded(t)
}

func (a *asking) request(j job) infer.Request {
	return infer.Request{
		Model: a.plan.Config.Model, System: j.task.System, Prompt: j.task.User, Image: j.image.Data,
		Schema: a.plan.schema(), Options: a.plan.Options, Seed: j.task.Seed, MinPromptTokens: a.leastTokens(j),
	}
}

// imageTokens is 0 where the model's image processor is not known.
func (a *asking) imageTokens(j job) int {
	if a.plan.ImageTokens == 0 {
		return 0
	}
	return j.image.Tokens
}

// leastTokens is what a prompt of the task must cost at an honest server: the
// image, and half of it beside the text where the preflight counted the text
// of the first task. Half, since servers may resize in ways of their own.
func (a *asking) leastTokens(j job) int {
	n := a.imageTokens(j)
	pf := a.run.manifest.Preflight
	if n == 0 || pf == nil {
		return n
	}
	f, _ := pf.Find(preflight.CheckImage)
	text := int(f.Measures[preflight.TextTokens])
	if f.Status != preflight.Yes || text == 0 {
		return n
	}
	return max(n, text-unshared(a.plan.Tasks[0].Text, j.task.Text)+n/2)
}

// unshared is the number of bytes of a that it does not share with b at its
// beginning and end, and two more: the tokens that b's text may be short of
// a's are no more than that.
func unshared(a, b string) int {
	n := min(len(a), len(b))
	i, k := 0, 0
	for i < n && a[i] == b[i] {
		i++
	}
	for k < n-i && a[len(a)-1-k] == b[len(b)-1-k] {
		k++
	}
	return len(a) - i - k + 2
}

// group is the tasks of one image, and the image or why it is not there.
type group struct {
	tasks []Task
	image *imageproc.Prepared
	err   error
}

// prepareAhead prepares the images of the groups to come, a few at once and a
// few ahead, in order.
func (a *asking) prepareAhead(ctx context.Context, todo []Task) (<-chan (chan group), context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	ahead := make(chan (chan group), runtime.GOMAXPROCS(0))
	go func() {
		defer close(ahead)
		for _, tasks := range byImage(todo) {
			slot := make(chan group, 1)
			select {
			case ahead <- slot:
			case <-ctx.Done():
				return
			}
			go func() {
				img, err := a.plan.images.get(ctx, tasks[0].ImageSource)
				slot <- group{tasks, img, err}
			}()
		}
	}()
	return ahead, cancel
}

// next hands the scheduler one image's jobs.
func (a *asking) next(ahead <-chan (chan group)) ([]job, bool) {
	slot, ok := <-ahead
	if !ok {
		return nil, false
	}
	g := <-slot
	if g.err != nil {
		if !errors.Is(g.err, context.Canceled) {
			a.stop(g.err)
		}
		return nil, false
	}
	jobs := make([]job, len(g.tasks))
	for i, t := range g.tasks {
		jobs[i] = job{t, g.image}
	}
	return jobs, true
}

// byImage cuts tasks, which are in image order, at each change of image.
func byImage(tasks []Task) [][]Task {
	var groups [][]Task
	for i, t := range tasks {
		if i == 0 || tasks[i-1].ImageSource != t.ImageSource {
			groups = append(groups, nil)
		}
		last := len(groups) - 1
		groups[last] = append(groups[last], t)
	}
	return groups
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
