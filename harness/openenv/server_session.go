package openenv

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"
)

// A session is one environment in use: by a WebSocket, or by HTTP requests
// that name it.
type session struct {
	id  string
	env Environment
	use chan struct{} // holds one token while a call runs

	// Of the table of sessions, under its lock.
	attached bool // to a WebSocket that did not create it
	closing  bool // to be ended when that WebSocket is
	ending   bool
	idle     *time.Timer
}

// sessions is the table of those there are. A nil entry is a place taken while
// its environment is made.
type sessions struct {
	limit int
	mu    sync.Mutex
	all   map[string]*session
	ended bool
}

// A capacityError says that there are as many sessions as there may be.
type capacityError struct{ active, limit int }

func (e *capacityError) Error() string {
	return fmt.Sprintf("Server at capacity: %d/%d sessions active. Cannot accept new connections.", e.active, e.limit)
}

// A factoryError says that an environment could not be made.
type factoryError struct {
	name string
	err  error
}

func (e *factoryError) Error() string {
	return fmt.Sprintf("Environment factory '%s' failed to create instance.", e.name)
}

func (e *factoryError) Unwrap() error { return e.err }

// A panicError is what an environment panicked with. Its session is over.
type panicError struct{ value any }

func (e *panicError) Error() string { return fmt.Sprintf("the environment broke: %v", e.value) }

var errStopping = errors.New("the server is stopping")

// begin makes a session, if there is room for one.
func (s *Server) begin(ctx context.Context) (*session, error) {
	t := &s.sessions
	id := newID()
	err := t.reserve(id)
	// A client that has just gone may be back before its place is free, and even
	// before its going is noticed.
	for wait := 0; errors.As(err, new(*capacityError)) && ctx.Err() == nil && (wait < 20 || wait < 100 && s.leaving.Load() > 0); wait++ {
		time.Sleep(5 * time.Millisecond)
		err = t.reserve(id)
	}
	if err != nil {
		return nil, err
	}
	env, err := s.make(ctx)
	t.mu.Lock()
	defer t.mu.Unlock()
	if err == nil && t.ended {
		err = errStopping
		defer s.quietly(env.Close)
	}
	if err != nil {
		delete(t.all, id)
		return nil, err
	}
	made := &session{id: id, env: env, use: make(chan struct{}, 1)}
	t.all[id] = made
	s.options.Meter.Sessions(1)
	return made, nil
}

// reserve takes a place.
func (t *sessions) reserve(id string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.ended:
		return errStopping
	case len(t.all) >= t.limit:
		return &capacityError{len(t.all), t.limit}
	}
	t.all[id] = nil
	return nil
}

// make makes a session's environment.
func (s *Server) make(ctx context.Context) (env Environment, err error) {
	err = s.call(ctx, s.slots, func(ctx context.Context) (err error) {
		env, err = s.spec.New(ctx)
		return err
	})
	if err != nil {
		s.options.Log.Error("an environment could not be made", "environment", s.spec.Name, "error", err)
		return nil, &factoryError{s.spec.Name, err}
	}
	return env, nil
}

// end takes a session out of the table and closes its environment. It waits
// for a call that runs.
func (s *Server) end(one *session) {
	t := &s.sessions
	t.mu.Lock()
	again := one.ending
	one.ending = true
	if one.idle != nil {
		one.idle.Stop()
	}
	t.mu.Unlock()
	if again {
		return
	}
	one.use <- struct{}{} // for good: there are no more calls
	s.quietly(one.env.Close)
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.all, one.id)
	s.options.Meter.Sessions(-1)
}

// endAll ends what sessions are left, those that no WebSocket holds, and lets
// no new one begin.
func (s *Server) endAll() {
	t := &s.sessions
	t.mu.Lock()
	t.ended = true
	var left []*session
	for _, one := range t.all {
		if one != nil && one.idle != nil && !one.attached {
			left = append(left, one)
		}
	}
	t.mu.Unlock()
	for _, one := range left {
		s.end(one)
	}
}

// quietly closes an environment; that it cannot is of no concern to a client.
func (s *Server) quietly(closing func() error) {
	defer func() {
		if value := recover(); value != nil {
			s.options.Log.Error("an environment broke while closing", "environment", s.spec.Name, "panic", value)
		}
	}()
	if err := closing(); err != nil {
		s.options.Log.Warn("an environment did not close well", "environment", s.spec.Name, "error", err)
	}
}

// call runs something of an environment, when there is a slot, within the
// time that a call has. A panic is an error.
func (s *Server) call(ctx context.Context, within slots, do func(context.Context) error) (err error) {
	ctx, cancel := context.WithTimeout(ctx, s.options.Limits.Step)
	defer cancel()
	defer context.AfterFunc(s.calls, cancel)()
	if err := within.take(ctx); err != nil {
		return err
	}
	defer within.give()
	defer func() {
		if value := recover(); value != nil {
			err = &panicError{value}
			s.options.Log.Error("an environment broke", "environment", s.spec.Name, "panic", value, "stack", string(debug.Stack()))
		}
	}()
	return do(ctx)
}

// play runs a reset, step or state of a session's environment, one at a time,
// and meters it.
func (s *Server) play(ctx context.Context, one *session, method string, do func(context.Context, Environment) (json.RawMessage, error)) (reply json.RawMessage, err error) {
	select {
	case one.use <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-one.use }()
	return s.metered(method, func() (json.RawMessage, error) {
		err := s.call(ctx, s.slots, func(ctx context.Context) (err error) {
			reply, err = do(ctx, one.env)
			return err
		})
		return reply, err
	})
}

// metered tells the meter how long something took, and how it ended.
func (s *Server) metered(method string, do func() (json.RawMessage, error)) (json.RawMessage, error) {
	began := time.Now()
	reply, err := do()
	code := ""
	if err != nil {
		code = codeOf(err)
	}
	s.options.Meter.Call(method, time.Since(began), code)
	return reply, err
}

// newID is a random UUID.
func newID() string {
	var b [16]byte
	rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
