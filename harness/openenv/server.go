package openenv

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// A Server serves one kind of environment over the protocol: sessions on the
// WebSocket /ws, and the HTTP endpoints beside it. Each session has its own
// environment. Whatever a client does, or fails to do, only its own session
// suffers.
type Server struct {
	spec    Spec
	options Options
	guard   guard
	actions actions
	forms   forms
	schemas json.RawMessage
	openapi json.RawMessage
	routes  map[string]route

	sessions sessions
	slots    slots // calls of sessions
	stray    slots // calls of no session: HTTP's
	memory   *budget

	stopping  chan struct{} // closed when no new work is taken
	stop      sync.Once
	calls     context.Context // ends when running calls must
	abort     context.CancelFunc
	taking    context.Context // ends when requests that are not here yet are not waited for
	endTaking context.CancelFunc
	open      sync.WaitGroup // WebSockets
	leaving   atomic.Int64   // WebSockets whose client is gone and whose session may not be yet
}

// Options is how a server serves. The zero value serves anyone who reaches it,
// within the default limits.
type Options struct {
	// Token, if any, must be sent as "Authorization: Bearer TOKEN" with every
	// request but those for /health.
	Token string
	// LocalOnly refuses requests whose Host header names another machine, so
	// that no web page can reach the server under a name of its own (DNS
	// rebinding). It is for servers that listen on a loopback address.
	LocalOnly bool
	Limits    Limits
	// Meter, if any, is told what happens.
	Meter Meter
	// Metrics, if any, answers GET /metrics.
	Metrics http.Handler
	// Log gets what an environment's author must know, such as a panic. Nil
	// discards it.
	Log *slog.Logger
}

// Limits bound what clients can ask for. A zero stands for the default.
type Limits struct {
	Sessions int           // at a time; 128
	Message  int64         // bytes of a message or body; 16 MiB
	Upload   time.Duration // for a message to arrive once it has begun; 1 minute
	Write    time.Duration // for a reply to be taken; 30 seconds
	Idle     time.Duration // between the messages of a session; 30 minutes
	Ping     time.Duration // between pings, and for the answer to one; 20 seconds
	Step     time.Duration // for one call of an environment; 5 minutes
	Rate     float64       // messages a second of a session, beyond which they wait; 10000
	Parallel int           // calls of environments at a time; 4 for each processor, at least 16
	Grace    time.Duration // for running calls when the server stops; 10 seconds
}

// A Meter is told what a server does. Its methods are called concurrently.
type Meter interface {
	// Sessions is called when one begins (+1) or ends (−1).
	Sessions(change int)
	// Call is called after a reset, step or state, with the code of the error
	// it ended in, "" for none.
	Call(method string, took time.Duration, code string)
	// Refused is called for every error sent that no call led to, and with
	// [CodeTooLong] for a message beyond the limit.
	Refused(code string)
}

// CodeTooLong is what a [Meter] is told of a message that is too long. On the
// wire it is a close code, 1009.
const CodeTooLong = "TOO_LONG"

// ErrUnfinished says that calls were still running when the grace was over.
var ErrUnfinished = errors.New("steps were still running and were given up")

// NewServer makes a server of a kind of environment. It is an error if the
// kind has no name or its schemas are none.
func NewServer(spec Spec, options Options) (*Server, error) {
	if spec.Name == "" || spec.New == nil {
		return nil, errors.New("an environment to serve needs a name and a way to begin a session")
	}
	if err := options.Limits.check(); err != nil {
		return nil, err
	}
	for path := range spec.Routes {
		if len(path) < 3 || path[0] != '/' || path[len(path)-1] != '/' {
			return nil, fmt.Errorf("environment %s: route %q: it begins and ends with a slash and has a name between", spec.Name, path)
		}
	}
	if options.Log == nil {
		options.Log = slog.New(slog.DiscardHandler)
	}
	if options.Meter == nil {
		options.Meter = noMeter{}
	}
	options.Limits = options.Limits.orDefault()
	limits := options.Limits
	var err error
	if spec.Schemas, err = spec.Schemas.complete(spec.Name); err != nil {
		return nil, fmt.Errorf("environment %s: %w", spec.Name, err)
	}
	s := &Server{
		spec:     spec,
		options:  options,
		guard:    newGuard(options.Token, options.LocalOnly),
		schemas:  encode(spec.Schemas),
		sessions: sessions{limit: limits.Sessions, all: map[string]*session{}},
		slots:    newSlots(limits.Parallel, 2*limits.Sessions),
		stray:    newSlots(max(1, limits.Parallel/4), limits.Sessions),
		memory:   newBudget(limits.Message, limits.Upload),
		stopping: make(chan struct{}),
	}
	if s.actions, err = newActions(spec); err != nil {
		return nil, fmt.Errorf("environment %s: schema of actions: %w", spec.Name, err)
	}
	if s.forms, err = newForms(); err != nil {
		return nil, err
	}
	s.calls, s.abort = context.WithCancel(context.Background())
	s.taking, s.endTaking = context.WithCancel(context.Background())
	s.routes = s.paths()
	s.openapi = s.describe()
	return s, nil
}

// Serve answers connections until the context ends. Then running calls are
// finished and answered, requests that have not come wholly dropped, clients told that the server is going away, and
// Serve returns nil, or [ErrUnfinished] if that took longer than the grace.
// The listener is closed.
func (s *Server) Serve(ctx context.Context, listener net.Listener) error {
	server := &http.Server{
		Handler:           s,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       s.options.Limits.Upload,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(s.options.Log.Handler(), slog.LevelDebug),
	}
	var coming arrivals
	coming.watch(server)
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(pacedListener{listener, s.options.Limits.Message}) }()
	select {
	case err := <-failed:
		s.Close()
		return fmt.Errorf("serving: %w", err)
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.options.Limits.Grace)
	defer cancel()
	s.halt()
	coming.close()
	err := errors.Join(server.Shutdown(grace), s.Shutdown(grace))
	<-failed
	if err != nil {
		return errors.Join(ErrUnfinished, server.Close())
	}
	return nil
}

// halt lets no new session begin, takes no more of requests that are not here
// yet, and has every session end after its running call.
func (s *Server) halt() {
	s.stop.Do(func() {
		close(s.stopping)
		s.endTaking()
	})
}

// Shutdown ends all sessions: those in a call after its reply, or at once when
// the context ends, which is the error then.
func (s *Server) Shutdown(ctx context.Context) error {
	s.halt()
	done := make(chan struct{})
	go func() {
		s.open.Wait()
		close(done)
	}()
	var err error
	select {
	case <-done:
	case <-ctx.Done():
		err = ctx.Err()
		s.abort()
		select { // an environment that heeds no context is left behind
		case <-done:
		case <-time.After(time.Second):
		}
	}
	s.abort()
	s.endAll()
	return err
}

// Close ends all sessions at once.
func (s *Server) Close() {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	_ = s.Shutdown(ended)
}

func (l Limits) orDefault() Limits {
	use(&l.Sessions, 128)
	use(&l.Message, 16<<20)
	use(&l.Upload, time.Minute)
	use(&l.Write, 30*time.Second)
	use(&l.Idle, 30*time.Minute)
	use(&l.Ping, 20*time.Second)
	use(&l.Step, 5*time.Minute)
	use(&l.Rate, 10000)
	use(&l.Parallel, defaultParallel())
	use(&l.Grace, 10*time.Second)
	return l
}

// check refuses limits that nothing could keep.
func (l Limits) check() error {
	for _, one := range []struct {
		name     string
		negative bool
	}{
		{"sessions", l.Sessions < 0}, {"bytes of a message", l.Message < 0}, {"time of an upload", l.Upload < 0},
		{"time of a reply", l.Write < 0}, {"idle time", l.Idle < 0}, {"time between pings", l.Ping < 0},
		{"time of a step", l.Step < 0}, {"rate", !(l.Rate >= 0)}, {"calls at a time", l.Parallel < 0}, {"grace", l.Grace < 0},
	} {
		if one.negative {
			return fmt.Errorf("the limit on the %s must be above 0", one.name)
		}
	}
	return nil
}

func use[T comparable](value *T, otherwise T) {
	var zero T
	if *value == zero {
		*value = otherwise
	}
}

type noMeter struct{}

func (noMeter) Sessions(int)                       {}
func (noMeter) Call(string, time.Duration, string) {}
func (noMeter) Refused(string)                     {}
