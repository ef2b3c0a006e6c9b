package run

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"sync"
	"time"

	"candor/infer"
	"candor/infer/preflight"
)

// interviews are the preflights of one session, at most one under way at each
// endpoint. All go on at once, but those at servers of one machine one after
// another, since checks that measure time would disturb each other; a server
// that falters holds up nobody.
type interviews struct {
	ask  func(ctx context.Context, iv *interview) (preflight.Report, error)
	ctx  context.Context
	end  context.CancelFunc
	work sync.WaitGroup

	mu      sync.Mutex
	of      map[string]*interview    // by endpoint
	turns   map[string]chan struct{} // by machine
	changed chan struct{}            // something is known now that was not before
}

// interview is a preflight under way, or done.
type interview struct {
	backend infer.Backend
	done    chan struct{}
	report  preflight.Report // once it is done
	err     error

	all      *interviews
	quiet    *time.Timer // falters when it fires
	falters  bool        // its last request failed, or it has long been silent
	last     error       // of its requests
	giveTurn func()
}

// mostSilent is how long an endpoint may say nothing before others are no
// longer held up by it. It may be loading the model.
const mostSilent = 20 * time.Second

func newInterviews(ctx context.Context, ask func(context.Context, *interview) (preflight.Report, error)) *interviews {
	all := &interviews{ask: ask, of: map[string]*interview{}, turns: map[string]chan struct{}{}, changed: make(chan struct{}, 1)}
	all.ctx, all.end = context.WithCancel(ctx)
	return all
}

// close ends those under way, and returns when they have ended.
func (all *interviews) close() {
	all.end()
	all.work.Wait()
}

// at is the endpoint's interview, begun where there is none or the last one
// failed.
func (all *interviews) at(b infer.Backend) *interview {
	all.mu.Lock()
	defer all.mu.Unlock()
	if iv := all.of[b.Endpoint()]; iv != nil && !(iv.ended() && iv.err != nil) {
		return iv
	}
	iv := &interview{backend: b, done: make(chan struct{}), all: all}
	all.of[b.Endpoint()] = iv
	where := machine(b.Endpoint())
	turn := all.turns[where]
	if turn == nil {
		turn = make(chan struct{}, 1)
		all.turns[where] = turn
	}
	all.work.Go(func() { iv.run(turn) })
	return iv
}

// machine is where an endpoint is, as far as its name tells.
func machine(endpoint string) string {
	if infer.Loopback(endpoint) {
		return ""
	}
	u, err := url.Parse(endpoint)
	if err != nil {
		return endpoint
	}
	return u.Hostname()
}

func (iv *interview) run(turn chan struct{}) {
	defer iv.all.tell()
	defer close(iv.done)
	select {
	case turn <- struct{}{}:
	case <-iv.all.ctx.Done():
		iv.err = iv.all.ctx.Err()
		return
	}
	iv.all.mu.Lock()
	iv.giveTurn = sync.OnceFunc(func() { <-turn })
	iv.quiet = time.AfterFunc(mostSilent, func() { iv.falter(nil) })
	iv.all.mu.Unlock()
	defer iv.giveTurn()
	defer iv.quiet.Stop()
	iv.report, iv.err = iv.all.ask(iv.all.ctx, iv)
}

// answered notes an answer.
func (iv *interview) answered() {
	iv.all.mu.Lock()
	defer iv.all.mu.Unlock()
	iv.falters = false
	iv.quiet.Reset(mostSilent)
}

// falter notes a request that failed, or, without an error, silence.
func (iv *interview) falter(err error) {
	iv.all.mu.Lock()
	iv.falters = true
	if err != nil {
		iv.last = err
	}
	iv.all.mu.Unlock()
	iv.giveTurn()
	iv.all.tell()
}

func (iv *interview) ended() bool {
	select {
	case <-iv.done:
		return true
	default:
		return false
	}
}

// failure is why the endpoint has not been questioned, nil if it has.
func (iv *interview) failure() error {
	if iv.ended() {
		return iv.err
	}
	iv.all.mu.Lock()
	defer iv.all.mu.Unlock()
	if iv.last == nil {
		return errUnquestioned
	}
	return fmt.Errorf("%w: %w", errUnquestioned, iv.last)
}

// errUnquestioned marks an endpoint whose preflight is under way.
var errUnquestioned = errors.New("its preflight is not done")

func (all *interviews) tell() {
	select {
	case all.changed <- struct{}{}:
	default:
	}
}

// wait returns when all of list are done, or one has passed and those that are
// not done falter.
func (all *interviews) wait(ctx context.Context, list []*interview) {
	for !all.enough(list) {
		select {
		case <-all.changed:
		case <-ctx.Done():
			return
		}
	}
}

func (all *interviews) enough(list []*interview) bool {
	all.mu.Lock()
	defer all.mu.Unlock()
	passed, pending, faltering := 0, 0, 0
	for _, iv := range list {
		switch {
		case !iv.ended():
			pending++
			if iv.falters {
				faltering++
			}
		case iv.err == nil:
			passed++
		}
	}
	return pending == 0 || passed > 0 && pending == faltering
}

// await is the outcome of the endpoint's interview, if that is known before ctx
// ends.
func (all *interviews) await(ctx context.Context, b infer.Backend) (preflight.Report, error) {
	iv := all.at(b)
	select {
	case <-iv.done:
		return iv.report, iv.err
	case <-ctx.Done():
		return preflight.Report{}, &infer.Failure{Class: infer.ClassRetry, Err: iv.failure()}
	}
}

// mostHelpful is the failure, of a run that no endpoint can serve, that says
// most about what to do: one that a person can mend before one that may pass.
// The others stand behind it.
func mostHelpful(list []*interview) error {
	rank := func(err error) int {
		var f *infer.Failure
		switch {
		case infer.ClassOf(err) == infer.ClassRetry:
			return 0
		case errors.As(err, &f) && f.Hint != "":
			return 2
		}
		return 1
	}
	best := list[0]
	for _, iv := range list {
		if rank(iv.err) > rank(best.err) {
			best = iv
		}
	}
	err := fmt.Errorf("%s: %w", best.backend.Endpoint(), best.err)
	for _, iv := range list {
		if iv != best {
			err = fmt.Errorf("%w\n%s: %v", err, iv.backend.Endpoint(), iv.err)
		}
	}
	return err
}
