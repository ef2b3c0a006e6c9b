package infer

import (
	"context"
	"slices"
	"time"

	"github.com/cenkalti/backoff/v5"
	"golang.org/x/sync/semaphore"
)

// endpoint is a slot at work. What may change is guarded by the round's lock.
type endpoint struct {
	Slot
	sem   *semaphore.Weighted
	pause *backoff.ExponentialBackOff

	state   EndpointState // EndpointBack when it is fit
	until   time.Time     // when its rest is over
	strikes int           // rests since its last answer
	cause   error         // of the last rest, or of being out
	took    time.Duration // its last answer
	done    int           // jobs that it settled
	doubt   int           // jobs that it refused, of which others have still to say
	blame   int           // jobs that it refused and another endpoint answered
}

func newEndpoint(s Slot, p RetryPolicy) *endpoint {
	return &endpoint{
		Slot: s, sem: semaphore.NewWeighted(int64(s.Limit)), pause: p.pauses(), state: EndpointBack,
	}
}

func (e *endpoint) fit() bool { return e.state == EndpointBack }
func (e *endpoint) out() bool { return e.state == EndpointOut }

// awaited tells an endpoint that works or will, it is to be hoped, soon.
func (e *endpoint) awaited(most int) bool { return e.fit() || !e.out() && e.strikes < most }

// revive looks whether the endpoint is what it was.
func (e *endpoint) revive(ctx context.Context) error {
	if e.Revive == nil {
		return nil
	}
	return e.Revive(ctx)
}

// rest sends the endpoint to rest unless it is there already. Failures of jobs
// that were in flight together are one strike.
func (r *round[J]) rest(e *endpoint, cause error) {
	if e.fit() {
		r.restOn(e, cause)
	}
}

func (r *round[J]) restOn(e *endpoint, cause error) {
	d := e.pause.NextBackOff()
	e.state, e.until, e.cause = EndpointRests, time.Now().Add(d), cause
	e.strikes++
	r.tell(Event{Endpoint: e.Model.Endpoint(), State: EndpointRests, Err: cause, Rest: d})
}

func (r *round[J]) takeOut(e *endpoint, cause error) {
	if e.out() {
		return
	}
	e.state, e.cause = EndpointOut, cause
	r.tell(Event{Endpoint: e.Model.Endpoint(), State: EndpointOut, Err: cause})
}

func (r *round[J]) tell(ev Event) {
	r.changed.Broadcast()
	if r.Told != nil {
		r.Told(ev)
	}
}

// revived settles what a look at a resting endpoint means.
func (r *round[J]) revived(e *endpoint, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.over.Err() != nil:
	case err == nil:
		e.state = EndpointBack
		r.tell(Event{Endpoint: e.Model.Endpoint(), State: EndpointBack})
	case ClassOf(err) == ClassRetry:
		r.restOn(e, err)
	default:
		r.takeOut(e, err)
	}
}

// Blame: an endpoint that refuses jobs which others answer is out of use after
// mostBlame of them, if they are more than one in ten that it was given.
const (
	mostBlame  = 3
	blameShare = 10
)

// worked notes that the endpoint settled a job, and who refused it before.
func (r *round[J]) worked(e *endpoint, it *item[J]) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e.done++
	if e.strikes = 0; e.fit() {
		e.pause.Reset()
	}
	for f, cause := range it.refused {
		f.doubt--
		if it.agreed {
			continue
		}
		f.blame++
		if f.blame >= mostBlame && f.blame*blameShare > f.done {
			r.takeOut(f, cause)
		}
	}
	r.settled()
}

// doubted tells an endpoint that is to get nothing new until others have said
// what they make of the jobs that it refused.
func (r *round[J]) doubted(e *endpoint) bool {
	return e.doubt >= mostBlame && slices.ContainsFunc(r.endpoints, func(f *endpoint) bool {
		return f != e && f.awaited(r.Retry.Attempts)
	})
}

// others tells whether another endpoint can take the job now.
func (r *round[J]) others(e *endpoint, it *item[J]) bool {
	for _, f := range r.endpoints {
		if f != e && f.fit() && it.refused[f] == nil {
			return true
		}
	}
	return false
}

// untried tells whether an endpoint that is fit has never seen the job.
func (r *round[J]) untried(it *item[J]) bool {
	for _, f := range r.endpoints {
		if f.fit() && !it.met[f] {
			return true
		}
	}
	return false
}

// alone tells that no other endpoint is in use.
func (r *round[J]) alone(e *endpoint) bool {
	for _, f := range r.endpoints {
		if f != e && !f.out() {
			return false
		}
	}
	return true
}

// hopeless tells that no endpoint is awaited any more.
func (r *round[J]) hopeless() bool {
	for _, f := range r.endpoints {
		if f.awaited(r.Retry.Attempts) {
			return false
		}
	}
	return true
}
