package run

import (
	"fmt"
	"sync"

	"candor/infer"
)

// unended keeps back replies that came without their end. By themselves they
// are taken for the engine's stop of a model that repeats one token, and are
// the model's own; but where an endpoint gives nothing else, it is the endpoint
// that cuts them, and no task is to be scored by them. So each waits until a
// reply of the same endpoint has its end.
type unended struct {
	mu sync.Mutex
	of map[string]*endings
}

// endings are how the replies of an endpoint ended.
type endings struct {
	held         []withheld // since the last one with its end
	whole, parts int        // replies with and without their end
}

// withheld is an answer that is not recorded yet.
type withheld struct {
	job  job
	draw Draw
}

// mostHeld replies in a row without an end, none of which shows a repetition,
// are no accident.
const mostHeld = 8

func (u *unended) at(endpoint string) *endings {
	if u.of == nil {
		u.of = map[string]*endings{}
	}
	if u.of[endpoint] == nil {
		u.of[endpoint] = &endings{}
	}
	return u.of[endpoint]
}

// end notes a reply with its end, and lets those go that were held.
func (u *unended) end(endpoint string, enter func(withheld)) {
	u.mu.Lock()
	e := u.at(endpoint)
	e.whole++
	held := e.held
	e.held = nil
	u.mu.Unlock()
	for _, w := range held {
		enter(w)
	}
}

// hold keeps an answer back, unless there are too many: the endpoint can then
// not be used.
func (u *unended) hold(endpoint string, w withheld) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	e := u.at(endpoint)
	e.parts++
	if len(e.held)+1 < mostHeld {
		e.held = append(e.held, w)
		return nil
	}
	return &infer.Failure{
		Class: infer.ClassFatal,
		Err:   fmt.Errorf("%w (done is false) for the %dth time in a row, and none of these replies repeats a token, which is when engines do so", infer.ErrUnended, mostHeld),
		Hint:  "look at the server's log, and for a proxy that cuts replies; none of them is recorded, and a resumed run asks for them again",
	}
}

// left are the endpoints with what is still held at the end.
func (u *unended) left() map[string]*endings {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.of
}

// release settles, at the end, what is still held. An endpoint that gave whole
// replies too, or one of several that all gave none, is taken at its word; what
// one gave that is out of use, or gave nothing whole where others did, is an
// error of that endpoint.
func (a *asking) release(s *servers) error {
	if a.ended() {
		return nil // not recorded: it will be asked again
	}
	whole := 0
	for _, e := range a.unended.left() {
		whole += e.whole
	}
	for _, b := range s.backends {
		e := a.unended.left()[b.Endpoint()]
		if e == nil {
			continue
		}
		good := s.serves(b.Endpoint()) && (e.whole > 0 || whole == 0)
		for _, w := range e.held {
			if good {
				a.enter(w)
			} else if err := a.fail(w, b); err != nil {
				return err
			}
		}
		if all := e.whole + e.parts; e.parts > 0 && (e.whole == 0 || e.parts >= fewParts && e.parts*partShare > all) {
			a.blame(b.Endpoint(), faultUnended, "%d of its %d replies came without their end (done is false), and none of those repeats a token, which is when engines do so: does something cut them?", e.parts, all)
		}
	}
	return nil
}

// An endpoint is told by name if so many of its replies, and more than one in
// so many, came without their end.
const (
	fewParts  = 3
	partShare = 10
)

// fail makes an error of an answer that was kept back.
func (a *asking) fail(w withheld, b infer.Backend) error {
	if !w.job.draws.fail() {
		return nil
	}
	e := TaskError{TaskID: w.job.task.ID, Class: infer.ClassRetry, Error: infer.ErrUnended.Error(), Endpoint: b.Endpoint(), At: a.deps.Now().UTC(), Attempts: []infer.Attempt{}}
	return a.recordErrors(w.job, e)
}
