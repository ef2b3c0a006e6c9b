package openenv

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/coder/websocket"
)

// A wire is one WebSocket of a client. Three goroutines serve it: one reads,
// so that pings are answered while a step runs; one sees that the client is
// alive; and that of the HTTP request answers messages in order.
type wire struct {
	server *Server
	socket *websocket.Conn
	inbox  chan incoming
	full   atomic.Bool   // the reader waits for room, in the inbox or for a long message
	share  chan struct{} // holds a token while there is a message that is more than small
	gone   chan struct{}
	silent chan struct{} // closed when a ping went unanswered
	broken *ending       // told to a client that broke the protocol, once it is gone
}

// incoming is a message, and how to give back the memory that it takes.
type incoming struct {
	kind    websocket.MessageType
	text    []byte
	release func()
}

// An ending is how a WebSocket is closed.
type ending struct {
	code   websocket.StatusCode
	reason string
}

var farewell = ending{websocket.StatusNormalClosure, ""}

// accept upgrades a request and hands the socket over until it is closed.
func (s *Server) accept(w http.ResponseWriter, r *http.Request, use func(context.Context, *wire) ending) {
	s.open.Add(1)
	defer s.open.Done()
	pings := newPacer(20, 20) // more often than that nobody needs to know
	paced := func(ctx context.Context) { _ = pings.wait(ctx) }
	socket, err := websocket.Accept(w, r, &websocket.AcceptOptions{
		InsecureSkipVerify: true, // guarded before
		OnPingReceived:     func(ctx context.Context, _ []byte) bool { paced(ctx); return true },
		OnPongReceived:     func(ctx context.Context, _ []byte) { paced(ctx) },
	})
	if err != nil {
		return // told to the client
	}
	defer socket.CloseNow()
	socket.SetReadLimit(s.options.Limits.Message)
	c := &wire{server: s, socket: socket, inbox: make(chan incoming, 16), share: make(chan struct{}, 1), gone: make(chan struct{}), silent: make(chan struct{})}
	// Calls end when the client is gone; reading ends when all is over.
	calls, endCalls := context.WithCancel(context.WithoutCancel(r.Context()))
	reading, endReading := context.WithCancel(context.WithoutCancel(r.Context()))
	defer endReading()
	defer context.AfterFunc(s.calls, endReading)() // no time for goodbyes
	go func() {
		defer close(c.gone)
		defer s.leaving.Add(1) // its session has yet to end
		defer endCalls()
		c.readAll(reading)
	}()
	alive := make(chan struct{})
	go func() {
		defer close(alive)
		c.keepAlive(calls, endCalls)
	}()
	last := use(calls, c)
	endCalls()
	<-alive
	if s.taking.Err() != nil { // who is in the midst of a message cannot answer a goodbye
		defer time.AfterFunc(time.Second, endReading).Stop()
	}
	_ = socket.Close(last.code, last.reason)
	endReading()
	<-c.gone
	s.leaving.Add(-1)
	for more := true; more; { // what was read and is not answered
		select {
		case m := <-c.inbox:
			m.release()
		default:
			more = false
		}
	}
}

// readAll reads messages into the inbox until the client is gone.
func (c *wire) readAll(ctx context.Context) {
	pace := newPacer(c.server.options.Limits.Rate, c.server.options.Limits.Rate)
	for {
		m, err := c.read(ctx)
		if err != nil {
			if errors.Is(err, websocket.ErrMessageTooBig) {
				c.server.options.Meter.Refused(CodeTooLong)
			}
			if strings.Contains(err.Error(), "unmasked frame") { // of which the library says nothing to the client
				c.broken = &ending{websocket.StatusProtocolError, "a client's frames are masked"}
			}
			return
		}
		if pace.wait(ctx) != nil {
			m.release()
			return
		}
		select {
		case c.inbox <- m:
			continue
		default:
		}
		c.full.Store(true)
		select {
		case c.inbox <- m:
			c.full.Store(false)
		case <-ctx.Done():
			m.release()
			return
		}
	}
}

// read reads one message. A long one needs room in the memory that all clients
// share, and each must arrive in time.
func (c *wire) read(ctx context.Context) (incoming, error) {
	limits := c.server.options.Limits
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	kind, reader, err := c.socket.Reader(ctx)
	if err != nil {
		return incoming{}, err
	}
	late := time.AfterFunc(limits.Upload, cancel)
	defer late.Stop()
	waits := func(waiting bool) { // which is not the client's fault
		late.Stop()
		if !waiting {
			late.Reset(limits.Upload)
		}
		c.full.Store(waiting)
	}
	m := incoming{kind: kind}
	m.text, m.release, err = c.server.memory.readAll(ctx, reader, &upload{share: c.share, giveWay: cancel, waits: waits})
	return m, err
}

// keepAlive pings the client until the calls end, or ends them if it does not
// answer.
func (c *wire) keepAlive(ctx context.Context, endCalls context.CancelFunc) {
	wait := c.server.options.Limits.Ping
	tick := time.NewTicker(wait)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if c.full.Load() {
			continue // its answers stand behind messages that are not read yet
		}
		ping, cancel := context.WithTimeout(ctx, wait)
		err := c.socket.Ping(ping)
		late := ping.Err() != nil
		cancel()
		if err != nil && late && ctx.Err() == nil && !c.full.Load() {
			close(c.silent)
			endCalls()
			return
		}
	}
}

// write sends a message. A client that does not take it in time is gone.
func (c *wire) write(text []byte) error {
	ctx, cancel := context.WithTimeout(context.Background(), c.server.options.Limits.Write)
	defer cancel()
	return c.socket.Write(ctx, websocket.MessageText, text)
}

// serve answers messages, one after the other, until something ends it.
func (c *wire) serve(answer func(incoming) (ending, bool)) ending {
	idle := c.server.options.Limits.Idle
	timer := time.NewTimer(idle)
	defer timer.Stop()
	for {
		select { // before anything else that is there too
		case <-c.server.stopping:
			return ending{websocket.StatusGoingAway, errStopping.Error()}
		default:
		}
		select {
		case m := <-c.inbox:
			last, more := c.one(m, answer)
			if !more {
				return last
			}
			timer.Reset(idle)
		case <-timer.C:
			return ending{websocket.StatusGoingAway, fmt.Sprintf("idle for %v", idle)}
		case <-c.silent:
			return ending{websocket.StatusInternalError, "keepalive ping timeout"}
		case <-c.server.stopping:
		case <-c.gone:
			select {
			case m := <-c.inbox: // sent before it went
				m.release()
			default:
			}
			if c.broken != nil {
				return *c.broken
			}
			return farewell
		}
	}
}

// one answers one message.
func (c *wire) one(m incoming, answer func(incoming) (ending, bool)) (ending, bool) {
	defer m.release()
	if m.kind == websocket.MessageText && !utf8.Valid(m.text) {
		return ending{websocket.StatusInvalidFramePayloadData, "invalid UTF-8"}, false
	}
	last, more := answer(m)
	select {
	case <-c.silent:
		return ending{websocket.StatusInternalError, "keepalive ping timeout"}, false
	default:
		return last, more
	}
}

// serveSession is /ws: a session of its own, or one that was created over
// /mcp and is named in the query.
func (s *Server) serveSession(w http.ResponseWriter, r *http.Request) {
	named := r.URL.Query().Get("session_id")
	s.accept(w, r, func(ctx context.Context, c *wire) ending {
		one, leave, err := s.enter(ctx, named)
		if err != nil {
			return c.refuse(err)
		}
		defer leave()
		return c.serve(func(m incoming) (ending, bool) { return s.exchange(ctx, c, one, m) })
	})
}

// refuse says why there is no session.
func (c *wire) refuse(err error) ending {
	if errors.Is(err, errStopping) {
		return ending{websocket.StatusGoingAway, errStopping.Error()}
	}
	c.server.options.Meter.Refused(codeOf(err))
	_ = c.write(messageOf("error", errorData(err)))
	return farewell
}

// exchange answers one message of a session, and tells how the session ends if
// it does.
func (s *Server) exchange(ctx context.Context, c *wire, one *session, m incoming) (ending, bool) {
	if m.kind == websocket.MessageBinary {
		return c.refuse(&Error{Code: CodeSession, Message: "'text'"}), false
	}
	input, why := readJSON(m.text)
	if why != nil && why.digits > 0 {
		return c.refuse(&Error{Code: CodeSession, Message: why.Error()}), false
	}
	if why != nil {
		s.options.Meter.Refused(CodeInvalidJSON)
		err := &Error{Code: CodeInvalidJSON, Message: "Invalid JSON: " + why.Error()}
		return farewell, c.write(messageOf("error", errorData(err))) == nil
	}
	if kindOf(input) != kindObject {
		return c.refuse(&Error{Code: CodeSession, Message: fmt.Sprintf("'%s' object has no attribute 'get'", pythonType(m.text))}), false
	}
	reply, err := s.answer(ctx, one, input, m.text)
	var panicked *panicError
	switch {
	case errors.As(err, &panicked):
		s.spoil(one)
		_ = c.write(messageOf("error", errorData(err)))
		return farewell, false
	case err != nil:
		reply = messageOf("error", errorData(err))
	case reply == nil:
		return farewell, false
	}
	return farewell, c.write(reply) == nil
}
