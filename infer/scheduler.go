package infer

import (
	"context"
	"sync"
	"time"
)

// Slot is one endpoint with the number of requests that may be in flight at
// it, the one waiting at the server included.
type Slot struct {
	Model Backend
	Limit int
	// Revive looks at an endpoint that rests before it gets jobs again. An
	// error of ClassRetry lets it rest on; any other takes it out of use. Its
	// context ends when there is nothing left to do. nil looks at nothing.
	Revive func(context.Context) error
	// Resting makes the endpoint begin at rest: it did not answer so far.
	Resting bool
}

// InFlight is how many requests keep a server busy that serves so many at once:
// those, and one waiting, or one to sixteen, since many may end together.
func InFlight(served int) int { return served + max(1, served/16) }

// Served undoes InFlight: how many a server serves at once that gets so many
// requests at most; at least one.
func Served(inFlight int) int {
	served := max(1, inFlight-1)
	for served > 1 && InFlight(served) > inFlight {
		served--
	}
	return served
}

// Scheduler spreads groups of jobs over endpoints. A group is what must stay
// together, the claims of one image: it goes to one endpoint, its jobs start
// there one after another in order, and the next group follows at once, so
// that the server's prompt cache keeps the image and the server always has a
// request waiting while fewer than Limit are in flight. A fast endpoint takes
// more groups than a slow one, and when there are no more the jobs that a slow
// one has yet to start.
//
// An endpoint that fails rests, at first for Retry.First, then twice as long
// each time up to Retry.Max, until it answers again; its jobs, and those of
// its group that have not started, go to the others before any new group does.
// Where no other can take a job it is tried again in its place, after a pause.
// An endpoint that refuses what others answer, or that nothing but a person
// can mend, is taken out of use. One that hangs has failed when it has taken
// twenty times as long as any answer took, and a minute. Whatever happens, every job is settled once.
//
// The zero value is not usable; a Scheduler needs at least one slot.
type Scheduler struct {
	Slots []Slot
	// Retry bounds the attempts at a job, at all endpoints together, and the
	// pauses; an endpoint that no job has met yet may always be tried. Its Stop
	// is not looked at.
	Retry RetryPolicy
	// Told hears what becomes of endpoints; nil tells nobody. It must be quick.
	Told func(Event)
}

// Jobs is what a scheduler has done. Next is called from one goroutine at a
// time, Ask and GiveUp concurrently, for at most the sum of the limits at once.
type Jobs[J any] interface {
	// Next yields the next group, false when there is none any more. It may
	// block while it prepares one, and is called at most one group ahead.
	Next() (group []J, ok bool)
	// Ask tries a job once and returns the attempts that failed in it. Without
	// an error the job is settled, and the endpoint has done its work.
	Ask(ctx context.Context, job J, turn Turn) (failed []Attempt, err error)
	// GiveUp settles a job that no endpoint answers; err is the last failure,
	// and turn.Failed holds all.
	GiveUp(ctx context.Context, job J, turn Turn, err error)
}

// Turn is a job's turn at an endpoint.
type Turn struct {
	Model  Backend
	Wait   time.Duration // how long the job stood at endpoints' semaphores
	Failed []Attempt     // what the job has behind it, at any endpoint
	// Others tells that another endpoint could take the job now.
	Others bool
	// Agree says, while the job is asked, that its answer is what the endpoints
	// that refused it before had: they are not to be blamed for it.
	Agree func()
}

// EndpointState is what became of an endpoint.
type EndpointState string

const (
	EndpointRests EndpointState = "rests"      // it failed and gets nothing for a while
	EndpointBack  EndpointState = "back"       // it gets jobs again
	EndpointOut   EndpointState = "out of use" // it gets nothing any more
)

// Event is a change of an endpoint's state.
type Event struct {
	Endpoint string
	State    EndpointState
	Err      error         // why, unless it is back
	Rest     time.Duration // how long it rests
}

// Run settles every job of every group that jobs yields, and returns when the
// last call has returned. When stop is closed the jobs in flight finish, no
// failure of ClassRetry is tried again and no other job starts: those are left
// as they are. A cancelled ctx reaches the jobs through their own context.
//
// It holds at most the sum of the limits in goroutines, and as many jobs as
// are in flight beside one group to an endpoint and one ahead, however many
// there are in all.
func Run[J any](ctx context.Context, s Scheduler, stop <-chan struct{}, jobs Jobs[J]) {
	stopping, cancel := UntilStopped(ctx, stop)
	defer cancel()
	r := newRound(stopping, s, jobs)
	defer r.finish()
	defer context.AfterFunc(stopping, r.wake)()
	var work sync.WaitGroup
	work.Go(r.pull)
	work.Go(r.watch)
	for _, e := range r.endpoints {
		work.Go(func() { r.feed(ctx, e) })
	}
	work.Wait()
}

// UntilStopped is a context that ends with ctx or when stop is closed, for work
// that there is no use in finishing.
func UntilStopped(ctx context.Context, stop <-chan struct{}) (context.Context, context.CancelFunc) {
	stopping, cancel := context.WithCancel(ctx)
	go func() {
		select {
		case <-stop:
			cancel()
		case <-stopping.Done():
		}
	}()
	return stopping, cancel
}
