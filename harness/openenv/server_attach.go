package openenv

import (
	"context"
	"fmt"
	"time"
)

// enter finds the session of a WebSocket: a new one, or one that was created
// over /mcp, which outlives the socket. The second result leaves it.
func (s *Server) enter(ctx context.Context, named string) (*session, func(), error) {
	if named == "" {
		one, err := s.begin(ctx)
		if err != nil {
			return nil, nil, err
		}
		return one, func() { s.end(one) }, nil
	}
	one, err := s.attach(named)
	if err != nil {
		return nil, nil, err
	}
	return one, func() { s.detach(one) }, nil
}

func (s *Server) attach(id string) (*session, error) {
	t := &s.sessions
	t.mu.Lock()
	defer t.mu.Unlock()
	one, known := t.all[id]
	problem := ""
	switch {
	case t.ended:
		return nil, errStopping
	case !known || one != nil && one.ending:
		problem = fmt.Sprintf("Unknown session_id: %.100s", id)
	case one == nil:
		problem = fmt.Sprintf("Session %s is still initializing", id)
	case one.attached || one.idle == nil:
		problem = fmt.Sprintf("Session %s already has an attached WebSocket", id)
	}
	if problem != "" {
		return nil, &Error{Code: CodeSession, Message: problem}
	}
	one.attached = true
	one.idle.Stop()
	return one, nil
}

func (s *Server) detach(one *session) {
	s.sessions.mu.Lock()
	one.attached = false
	over := one.closing || s.sessions.ended
	if !over {
		one.idle.Reset(s.options.Limits.Idle)
	}
	s.sessions.mu.Unlock()
	if over {
		s.end(one)
	}
}

// spoil has a session end with the WebSocket that uses it, whoever made it.
func (s *Server) spoil(one *session) {
	s.sessions.mu.Lock()
	defer s.sessions.mu.Unlock()
	one.closing = true
}

// manage makes a session one of HTTP requests that name it. It ends when none
// has for a while.
func (s *Server) manage(one *session) {
	t := &s.sessions
	t.mu.Lock()
	defer t.mu.Unlock()
	one.idle = time.AfterFunc(s.options.Limits.Idle, func() {
		t.mu.Lock()
		inUse := one.attached
		t.mu.Unlock()
		if !inUse {
			s.end(one)
		}
	})
}
