package openenv

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/coder/websocket"
)

// How long a server has to end a session by itself that was closed, and then
// to answer a closing handshake.
const (
	leaveWait     = 2 * time.Second
	handshakeWait = time.Second
)

// pongFresh is how long a pong counts as a sign of life. Servers may not care
// for being pinged before every one of many short episodes.
const pongFresh = 500 * time.Millisecond

// A socket is a session's WebSocket. One goroutine reads it all the time, so
// that pings are answered and what nobody asked for is noticed.
type socket struct {
	conn    *websocket.Conn
	tap     *tap
	options DialOptions

	dropped chan struct{} // closed with cause set
	gone    chan struct{} // closed when no goroutine is left

	mu      sync.Mutex
	waiting chan wireMessage // of the request under way, nil where there is none
	cause   error
	pong    time.Time // when the server last answered a ping, or the handshake
}

// connectSocket connects to the server's /ws. The status is the one of an HTTP
// reply that refused it, or 0.
func (r *Remote) connectSocket(ctx context.Context) (*socket, int, error) {
	transport, connected := r.transport()
	conn, response, err := websocket.Dial(ctx, r.socketURL(), &websocket.DialOptions{
		HTTPClient: r.client(transport),
		HTTPHeader: r.header(),
	})
	if err != nil {
		transport.CloseIdleConnections()
		if response == nil {
			return nil, 0, plain(err)
		}
		return nil, response.StatusCode, handshakeError(response, err)
	}
	conn.SetReadLimit(r.options.MaxMessage)
	s := &socket{conn: conn, tap: connected.last(), options: r.options, dropped: make(chan struct{}), gone: make(chan struct{}), pong: time.Now()}
	life, stop := context.WithCancel(context.Background())
	var all sync.WaitGroup
	read := make(chan struct{})
	all.Go(func() { defer close(read); s.drop(s.read(life)) })
	all.Go(func() { s.ping(life) })
	all.Go(func() { <-s.dropped; s.leave(read); stop() })
	go func() { all.Wait(); close(s.gone) }()
	return s, 0, nil
}

// handshakeError tells what an HTTP reply to the handshake means.
func handshakeError(response *http.Response, err error) error {
	switch response.StatusCode {
	case http.StatusUnauthorized:
		return ErrUnauthorized
	case http.StatusSwitchingProtocols:
		return plain(err)
	default:
		return fmt.Errorf("/ws is refused with %s", response.Status)
	}
}

func (s *socket) form() string { return FormSocket }

func (s *socket) exchange(ctx context.Context, kind, reply string, data json.RawMessage) (json.RawMessage, error) {
	ctx, cancel := limited(ctx, s.options.ReplyTimeout, ErrReplyTimeout)
	defer cancel()
	if err := s.tap.settle(ctx, s.dropped); err != nil {
		return nil, err
	}
	waiting := make(chan wireMessage, 1)
	s.mu.Lock()
	s.waiting = waiting
	s.mu.Unlock()
	if err := s.conn.Write(ctx, websocket.MessageText, encodeRequest(kind, data)); err != nil && ctx.Err() == nil {
		// What the server said before it hung up tells more than that it did.
		select {
		case <-s.dropped:
		case <-time.After(handshakeWait):
			s.drop(fmt.Errorf("%w: %w", ErrLost, plain(err)))
		}
	}
	select {
	case m := <-waiting:
		return s.judge(m, reply)
	case <-s.dropped:
	case <-ctx.Done():
		s.drop(ranOut(ctx, s.options.ReplyTimeout))
	}
	// The reply may have come just before the end.
	select {
	case m := <-waiting:
		return s.judge(m, reply)
	default:
		return nil, s.lost()
	}
}

// judge tells an error from a reply of the type asked for.
func (s *socket) judge(m wireMessage, reply string) (json.RawMessage, error) {
	switch m.kind {
	case "error":
		told, err := decodeTold(m.data)
		if err != nil {
			s.drop(err)
			return nil, err
		}
		switch told.Code {
		case CodeCapacityReached, CodeFactory, CodeSession:
			s.drop(told) // the server is about to close
		}
		return nil, told
	case reply:
		return m.data, nil
	default:
		err := violation("a reply of type %q in place of %q", shown(m.kind), reply)
		s.drop(err)
		return nil, err
	}
}

// read hands replies to who waits for them, until the connection ends or is of
// no more use. It returns why.
func (s *socket) read(ctx context.Context) error {
	for {
		kind, reader, err := s.conn.Reader(ctx)
		if err != nil {
			return ended(err)
		}
		// Whose it is shows when it begins: a request made from here on has
		// another reply.
		waiting, unwanted := s.claim()
		text, err := io.ReadAll(reader)
		if err == nil && s.tap.over.Load() {
			// The reader takes the end of the connection for that of the message.
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return ended(err)
		}
		if kind != websocket.MessageText {
			return violation("a binary message")
		}
		m, err := decodeMessage(text)
		switch {
		case unwanted:
			continue
		case err != nil:
			return err
		case waiting != nil:
			waiting <- m
		case m.kind != "error":
			return violation("a message of type %q that nobody asked for; the reply before it may have been another's", shown(m.kind))
		default:
			told, err := decodeTold(m.data)
			if err != nil {
				return err
			}
			return told
		}
	}
}

// claim is where the message that comes now goes: to the request under way, if
// there is one. It is unwanted once the connection has been given up.
func (s *socket) claim() (waiting chan<- wireMessage, unwanted bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	waiting, s.waiting = s.waiting, nil
	return waiting, s.cause != nil
}

// ended is why reading came to an end.
func ended(err error) error {
	var closing websocket.CloseError
	switch {
	case errors.As(err, &closing):
		return fmt.Errorf("%w: the server closed it (%d%s)", ErrLost, closing.Code, shown(" "+closing.Reason))
	case errors.Is(err, websocket.ErrMessageTooBig):
		return violation("a message that is too long: %w", err)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%w: the server hung up", ErrLost)
	default:
		return fmt.Errorf("%w: %w", ErrLost, plain(err))
	}
}

// ping sends pings as long as they are answered.
func (s *socket) ping(ctx context.Context) {
	if s.options.PingEvery < 0 {
		return
	}
	ticker := time.NewTicker(s.options.PingEvery)
	defer ticker.Stop()
	for {
		select {
		case <-s.dropped:
			return
		case <-ctx.Done():
			return
		case <-ticker.C:
			s.pingOnce(ctx)
		}
	}
}

func (s *socket) alive(ctx context.Context) {
	s.mu.Lock()
	needless := s.options.PingEvery < 0 || s.cause != nil || time.Since(s.pong) < pongFresh
	s.mu.Unlock()
	if needless {
		return
	}
	s.pingOnce(ctx)
}

func (s *socket) pingOnce(ctx context.Context) {
	ctx, cancel := limited(ctx, s.options.PongWithin, errNoPong)
	defer cancel()
	err := s.conn.Ping(ctx)
	switch {
	case err == nil:
		s.mu.Lock()
		s.pong = time.Now()
		s.mu.Unlock()
	case errors.Is(context.Cause(ctx), errNoPong):
		s.drop(fmt.Errorf("%w: no pong within %v", ErrLost, s.options.PongWithin))
	default:
		// The connection's end is told by who reads.
	}
}

var errNoPong = errors.New("no pong")

// drop gives the connection up. The first cause is the one that counts.
func (s *socket) drop(cause error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cause == nil {
		s.cause = cause
		close(s.dropped)
	}
	s.waiting = nil
}

func (s *socket) lost() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cause
}

func (s *socket) end(cause error) {
	s.drop(cause)
	<-s.gone
}

// leave says that the session is over. The server is given time to end it by
// itself, as its room is free for another only then; read is closed when the
// server has.
func (s *socket) leave(read <-chan struct{}) {
	ctx, cancel := context.WithTimeout(context.Background(), leaveWait)
	defer cancel()
	if s.conn.Write(ctx, websocket.MessageText, encodeRequest("close", nil)) == nil {
		select {
		case <-read:
		case <-ctx.Done():
			defer time.AfterFunc(handshakeWait, func() { s.tap.Close() }).Stop()
			s.conn.Close(websocket.StatusNormalClosure, "")
		}
	}
	s.conn.CloseNow()
	<-read
}

// encodeRequest spells a message to the server, whose data is JSON or nil.
func encodeRequest(kind string, data json.RawMessage) []byte {
	text := []byte(`{"type":"` + kind + `"`)
	if data != nil {
		text = append(append(text, `,"data":`...), data...)
	}
	return append(text, '}')
}
