package openenv

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"unicode/utf8"
)

// A Session is an [Environment] behind a server. Its methods may be called by
// any number of goroutines; one request is under way at a time, and the others
// wait.
//
// A request whose context ends, or that is not answered in time, costs the
// connection, and with it the episode: a reply that came late would be taken
// for the next one's. From then on Step and State return [ErrLost], until Reset
// connects anew. So it is with a connection lost otherwise; a request is never
// repeated.
//
// Before a reset the server is asked for a pong, unless one came just before or
// there are to be no pings: a connection that died unnoticed is found out, and
// with it what may be left over from earlier episodes.
type Session struct {
	remote *Remote
	turn   chan struct{} // full while a request is under way
	closed chan struct{}

	mu   sync.Mutex // for what follows, and for closing closed
	link link
	// told is set once the caller knows why the link was lost.
	told bool
	used bool // whether the link has carried a request
}

// A link is one connection, with the episode at its other end.
type link interface {
	// exchange says a request and returns the data of the reply, which is of the
	// type asked for. An *Error leaves the link as it is, unless lost says
	// otherwise; any other error is the end of it.
	exchange(ctx context.Context, kind, reply string, data json.RawMessage) (json.RawMessage, error)
	// lost is why the link is of no more use, and nil while it is.
	lost() error
	// alive asks the other end for a sign of life if the last is a while ago, and
	// loses the link where there is none.
	alive(ctx context.Context)
	// end says goodbye, if need be, with a cause for who still waits for a reply,
	// and returns when nothing of the link is left.
	end(cause error)
	form() string
}

// The forms of a session.
const (
	FormSocket = "websocket"
	FormHTTP   = "http" // OpenEnv 0.1, where all share one environment
)

// Form is how the session is played: [FormSocket] or [FormHTTP]. A server
// played over HTTP has a single environment, which everybody who calls it
// shares, and takes no notice of a seed.
func (s *Session) Form() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.link.form()
}

// Reset begins an episode. If the connection is gone, it first connects anew.
func (s *Session) Reset(ctx context.Context, options ResetOptions) (Result, error) {
	data, err := resetData(options)
	if err != nil {
		return Result{}, err
	}
	if err := s.take(ctx); err != nil {
		return Result{}, err
	}
	defer s.give()
	if err := s.reconnect(ctx); err != nil {
		return Result{}, err
	}
	return s.play(ctx, "reset", data)
}

// Step acts: action is a JSON object, which is sent as it is spelled.
func (s *Session) Step(ctx context.Context, action json.RawMessage) (Result, error) {
	if !json.Valid(action) || !utf8.Valid(action) || !bytes.HasPrefix(bytes.TrimSpace(action), []byte("{")) {
		return Result{}, fmt.Errorf("an action is a JSON object, which this is not: %s", shown(string(action)))
	}
	if err := s.take(ctx); err != nil {
		return Result{}, err
	}
	defer s.give()
	return s.play(ctx, "step", action)
}

// State is the server's JSON object about the episode.
func (s *Session) State(ctx context.Context) (json.RawMessage, error) {
	if err := s.take(ctx); err != nil {
		return nil, err
	}
	defer s.give()
	return s.request(ctx, "state", "state", nil)
}

// Close tells the server that the session is over and waits for it to agree,
// for some seconds at most. A request under way ends with [ErrClosed].
func (s *Session) Close() error {
	s.mu.Lock()
	select {
	case <-s.closed:
	default:
		close(s.closed)
	}
	link := s.link
	s.mu.Unlock()
	link.end(ErrClosed)
	return nil
}

// take waits for the requests before this one.
func (s *Session) take(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case <-s.closed:
		return ErrClosed
	default:
	}
	select {
	case s.turn <- struct{}{}:
		return nil
	case <-s.closed:
		return ErrClosed
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *Session) give() { <-s.turn }

// reconnect replaces a link that is gone. Who was refused by the server is told
// so once, before another attempt is made.
func (s *Session) reconnect(ctx context.Context) error {
	if s.used {
		s.link.alive(ctx)
	}
	lost := s.link.lost()
	if lost == nil {
		return nil
	}
	var refusal *Error
	if errors.As(lost, &refusal) && !s.told {
		s.told = true
		return fmt.Errorf("%v: %w", s.remote, lost)
	}
	// The old session takes up room on the server until it has ended.
	s.link.end(lost)
	fresh, err := s.remote.connect(ctx)
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.link, s.told, s.used = fresh, false, false
	s.mu.Unlock()
	// Close may have come meanwhile, and have known only the old link.
	select {
	case <-s.closed:
		fresh.end(ErrClosed)
	default:
	}
	return nil
}

// play makes a request that leads to an observation.
func (s *Session) play(ctx context.Context, kind string, data json.RawMessage) (Result, error) {
	reply, err := s.request(ctx, kind, "observation", data)
	if err != nil {
		return Result{}, err
	}
	result, err := decodeResult(reply)
	if err != nil {
		s.link.end(err)
		return Result{}, fmt.Errorf("%s at %v: %w", kind, s.remote, err)
	}
	return result, nil
}

func (s *Session) request(ctx context.Context, kind, reply string, data json.RawMessage) (json.RawMessage, error) {
	if lost := s.link.lost(); lost != nil {
		s.told = true
		return nil, fmt.Errorf("%s at %v: %w", kind, s.remote, asLost(lost))
	}
	s.used = true
	answer, err := s.link.exchange(ctx, kind, reply, data)
	if err != nil {
		s.told = true
		return nil, fmt.Errorf("%s at %v: %w", kind, s.remote, err)
	}
	return answer, nil
}

// asLost tells why a connection is gone, as ErrLost.
func asLost(cause error) error {
	if errors.Is(cause, ErrLost) || errors.Is(cause, ErrClosed) {
		return cause
	}
	return fmt.Errorf("%w: %w", ErrLost, cause)
}

// resetData is the data of a reset, always in the same order.
func resetData(options ResetOptions) (json.RawMessage, error) {
	text := []byte("{")
	add := func(key string, value []byte) {
		if len(text) > 1 {
			text = append(text, ',')
		}
		name, _ := Marshal(key) // a string cannot fail
		text = append(append(append(text, name...), ':'), value...)
	}
	if options.Seed != nil {
		add("seed", options.Seed.Append(nil, 10))
	}
	if options.EpisodeID != "" {
		id, _ := Marshal(options.EpisodeID)
		add("episode_id", id)
	}
	for _, key := range slices.Sorted(maps.Keys(options.Extra)) {
		if key == "seed" || key == "episode_id" {
			return nil, fmt.Errorf("%s is no further argument of a reset", key)
		}
		if !json.Valid(options.Extra[key]) {
			return nil, fmt.Errorf("the argument %s of a reset is no JSON", key)
		}
		add(key, options.Extra[key])
	}
	return append(text, '}'), nil
}
