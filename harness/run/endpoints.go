package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"candor/infer"
)

// EndpointFault is an endpoint that did not do its part, and how.
type EndpointFault struct {
	At       time.Time `json:"at"` // when it was noticed
	Endpoint string    `json:"endpoint"`
	Code     string    `json:"code"` // of its warning in the summary
	What     string    `json:"what"`
}

// Codes of endpoints' faults.
const (
	faultOut        = "endpoint_out"         // taken out of use
	faultAbsent     = "endpoint_absent"      // it never answered
	faultFailed     = "endpoint_failed"      // it failed, and was not back at the end
	faultUncounted  = "endpoint_uncounted"   // whether it passes images on cannot be told
	faultUnended    = "endpoint_unended"     // its replies come without their end
	faultOtherModel = "endpoint_other_model" // it names another model in its answers
)

// blame notes a fault once for each endpoint and code, and says it.
func (r *openedRun) blame(deps Dependencies, endpoint, code, format string, args ...any) {
	what := fmt.Sprintf(format, args...)
	if r.fault(EndpointFault{At: deps.Now().UTC(), Endpoint: endpoint, Code: code, What: what}) {
		deps.Observer.Notice(endpoint + ": " + what)
	}
}

func (a *asking) blame(endpoint, code, format string, args ...any) {
	a.run.blame(a.deps, endpoint, code, format, args...)
}

func (r *openedRun) fault(f EndpointFault) (isNew bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	known := slices.ContainsFunc(r.manifest.EndpointFaults, func(o EndpointFault) bool { return o.Endpoint == f.Endpoint && o.Code == f.Code })
	if !known {
		r.manifest.EndpointFaults = append(r.manifest.EndpointFaults, f)
	}
	return !known
}

// scheduler is the endpoints with what the preflight found for each.
func (a *asking) scheduler(s *servers) infer.Scheduler {
	sched := infer.Scheduler{Retry: a.deps.Retry, Told: func(e infer.Event) { a.heard(s, e) }}
	a.limits = map[string]int{}
	for _, b := range s.backends {
		if !s.serves(b.Endpoint()) {
			continue
		}
		limit := a.run.manifest.limit(b.Endpoint())
		a.limits[b.Endpoint()] = limit
		sched.Slots = append(sched.Slots, infer.Slot{
			Model: b, Limit: limit, Resting: s.absent(b) != nil,
			Revive: func(ctx context.Context) error { return a.revive(ctx, s, b) },
		})
	}
	return sched
}

// limit is how many requests may be in flight at an endpoint.
func (m *Manifest) limit(endpoint string) int {
	if n := m.Limits[endpoint]; n > 0 && m.Config.Parallel == AutoParallel {
		return n
	}
	return m.Parallel
}

// revive asks an endpoint that was away what it serves, before it gets tasks
// again: a server that comes back may be another version, or have another
// model.
func (a *asking) revive(ctx context.Context, s *servers, b infer.Backend) error {
	call, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	id, lack, err := a.deps.look(call, b, a.plan.Config.Model)
	if err == nil {
		err = s.fits(b, id, a.plan.Config)
	}
	if err == nil && lack != nil {
		if id, err = a.deps.register(call, b, a.plan.Config.Model, lack); err == nil {
			err = s.fits(b, id, a.plan.Config)
		}
	}
	if err == nil {
		err = a.questioned(call, b)
	}
	switch {
	case err == nil:
		s.present(b, id)
		return nil
	case call.Err() != nil, errors.Is(err, infer.ErrNoServer), infer.ClassOf(err) == infer.ClassRetry:
		return &infer.Failure{Class: infer.ClassRetry, Err: err}
	}
	return &infer.Failure{Class: infer.ClassFatal, Err: err}
}

// questioned lets an endpoint that no preflight was of have one before it gets
// tasks.
func (a *asking) questioned(ctx context.Context, b infer.Backend) error {
	if !a.plan.Config.Preflight || a.run.questioned(b) {
		return nil
	}
	report, err := a.interviews.await(ctx, b)
	if err == nil {
		err = bearable(a.limits[b.Endpoint()], report, a.plan.Config)
	}
	if err == nil {
		a.run.took(b, report, a.deps)
	}
	return err
}

// heard tells of endpoints that fail and come back, of one and the same not
// more often than now and then.
func (a *asking) heard(s *servers, e infer.Event) {
	switch e.State {
	case infer.EndpointOut:
		s.refuse(e.Endpoint)
		a.blame(e.Endpoint, faultOut, "gets no more tasks: %v", e.Err)
	case infer.EndpointRests:
		if errors.Is(e.Err, errUnquestioned) {
			return
		}
		a.run.health.rested(e)
		if a.seldom(e.Endpoint) {
			a.deps.Observer.Notice(fmt.Sprintf("%s fails and rests, its tasks go to the others: %v", e.Endpoint, e.Err))
		}
	case infer.EndpointBack:
		if a.seldom(e.Endpoint + " is back") {
			a.deps.Observer.Notice(e.Endpoint + " is back")
		}
	}
}

// absentees notes the endpoints that never answered in this session.
func (a *asking) absentees(s *servers) {
	for _, b := range s.backends {
		if err := s.absent(b); err != nil && s.serves(b.Endpoint()) {
			a.blame(b.Endpoint(), faultAbsent, "took no part: %v", err)
		}
	}
}
