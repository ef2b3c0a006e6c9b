package run

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"candor/infer"
)

// lookTime bounds the last look at a server.
const lookTime = 10 * time.Second

// lookAgain asks every endpoint at the end of a session once more what it
// serves: a server that was updated, or a model that was pulled anew, while
// the tasks were asked would make the manifest false. What differs is recorded
// in it, and so is an endpoint that does not answer any more. A session without
// an answer needs no look; after one that was given up at once, resuming looks
// before it goes on.
func (r *openedRun) lookAgain(ctx context.Context, s *servers, deps Dependencies) {
	if r.session == 0 || ctx.Err() != nil {
		return
	}
	said, errs := make([]infer.Identity, len(s.backends)), make([]error, len(s.backends))
	var looks sync.WaitGroup
	for i, b := range s.backends {
		looks.Go(func() { said[i], errs[i] = identify(ctx, b, s.identity.Model) })
	}
	looks.Wait()
	for i, b := range s.backends {
		was, ok := s.said(b)
		switch {
		case !ok || s.absent(b) != nil: // it took no part
		case errs[i] == nil:
			r.compare(b, was, said[i], deps)
			fallthrough
		default:
			if s.serves(b.Endpoint()) { // of others it is said already
				r.lasting(b, errs[i], deps)
			}
		}
	}
}

// lasting notes an endpoint that failed to the end; gone is why it cannot be
// looked at any more.
func (r *openedRun) lasting(b infer.Backend, gone error, deps Dependencies) {
	answers, err := r.health.failing(b.Endpoint())
	switch {
	case errors.Is(gone, infer.ErrNoServer):
		r.blame(deps, b.Endpoint(), faultFailed, "was not there at the end, after %d answers: %v", answers, gone)
	case err != nil:
		r.blame(deps, b.Endpoint(), faultFailed, "failed to the end, after %d answers: %v", answers, err)
	case gone != nil:
		deps.Observer.Notice(fmt.Sprintf("whether %s changed meanwhile is not known: %v", b.Endpoint(), gone))
	}
}

// compare records what an endpoint serves now and did not before.
func (r *openedRun) compare(b infer.Backend, was, is infer.Identity, deps Dependencies) {
	is.Embedded = was.Embedded // by its weights, then
	for _, f := range []struct{ what, was, is string }{
		{"model_digest", digest(was), digest(is)}, {"server_version", was.ServerVersion, is.ServerVersion},
	} {
		if f.was != f.is {
			r.manifest.ServerChanges = append(r.manifest.ServerChanges,
				ServerChange{At: deps.Now().UTC(), What: f.what, From: f.was, To: f.is, Endpoint: b.Endpoint()})
		}
	}
}

func identify(ctx context.Context, b infer.Backend, model string) (infer.Identity, error) {
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	return b.Identify(ctx, model)
}
