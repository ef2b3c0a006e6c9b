package run

import (
	"context"
	"fmt"
	"time"

	"candor/infer"
)

// lookTime bounds the last look at a server.
const lookTime = 10 * time.Second

// lookAgain asks every endpoint at the end of a session once more what it
// serves: a server that was updated, or a model that was pulled anew, while
// the tasks were asked would make the manifest false. What differs is recorded
// in it. A session without an answer needs no look; after one that was given
// up at once, resuming looks before it goes on.
func (r *openedRun) lookAgain(ctx context.Context, s *servers, deps Dependencies) {
	if r.session == 0 || ctx.Err() != nil {
		return
	}
	for _, b := range s.backends {
		was, ok := s.said(b)
		if !ok {
			continue // it took no part
		}
		id, err := identify(ctx, b, s.identity.Model)
		if err != nil {
			deps.Observer.Notice(fmt.Sprintf("whether %s changed meanwhile is not known: %v", b.Endpoint(), err))
			continue
		}
		id.Embedded = was.Embedded // by its weights, then
		for _, f := range []struct{ what, was, is string }{
			{"model_digest", digest(was), digest(id)}, {"server_version", was.ServerVersion, id.ServerVersion},
		} {
			if f.was != f.is {
				r.manifest.ServerChanges = append(r.manifest.ServerChanges,
					ServerChange{At: deps.Now().UTC(), What: f.what, From: f.was, To: f.is, Endpoint: b.Endpoint()})
			}
		}
	}
}

func identify(ctx context.Context, b infer.Backend, model string) (infer.Identity, error) {
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	return b.Identify(ctx, model)
}
