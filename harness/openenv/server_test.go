package openenv_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"candor/harness/openenv"

	"github.com/coder/websocket"
	"go.uber.org/goleak"
)

// 128 sessions at a time, each with its own environment: none sees another's
// steps, and of a 129th the server says that it is full.
func TestServerHolds128Sessions(t *testing.T) {
	meter := &counter{}
	address := serve(t, probeSpec(nil), openenv.Options{Meter: meter})
	var players sync.WaitGroup
	all, full := make(chan struct{}), make(chan struct{})
	for i := range 128 {
		players.Go(func() {
			c := dial(t, address, "/ws")
			defer c.Close(websocket.StatusNormalClosure, "")
			say(t, c, fmt.Sprintf(`{"type":"reset","data":{"episode_id":"%d"}}`, i))
			for range i%7 + 1 {
				say(t, c, `{"type":"step","data":{"name":"a"}}`)
			}
			all <- struct{}{}
			<-full
			if got, want := say(t, c, `{"type":"state"}`), fmt.Sprintf(`{"episode_id":"%d","step_count":%d}`, i, i%7+1); !strings.Contains(got, want) {
				t.Errorf("session %d is told %s, want %s", i, got, want)
			}
		})
	}
	for range 128 {
		<-all
	}
	late := dial(t, address, "/ws")
	if _, reply, err := late.Read(t.Context()); err != nil || !strings.Contains(string(reply), "128/128 sessions active") {
		t.Errorf("the 129th is told %s, %v", reply, err)
	}
	if _, _, err := late.Read(t.Context()); websocket.CloseStatus(err) != websocket.StatusNormalClosure {
		t.Errorf("the 129th is closed with %v", err)
	}
	close(full)
	players.Wait()
	eventually(t, func() bool { return meter.active() == 0 })
}

// The order of replies is that of messages, however many are sent at once, and
// all of them are answered.
func TestServerAnswersInOrder(t *testing.T) {
	address := serve(t, probeSpec(nil), openenv.Options{})
	c := dial(t, address, "/ws")
	defer c.CloseNow()
	const n = 200
	go func() {
		for i := range n {
			if c.Write(t.Context(), websocket.MessageText, fmt.Appendf(nil, `{"type":"reset","data":{"seed":%d}}`, i)) != nil {
				return
			}
		}
	}()
	for i := range n {
		_, reply, err := c.Read(t.Context())
		if err != nil || !strings.Contains(string(reply), fmt.Sprintf(`"asked":"[%d, null]"`, i)) {
			t.Fatalf("reply %d is %s, %v", i, reply, err)
		}
	}
}

// An environment that panics ends its own session, with an error that says so,
// and nobody else's; its author finds where in the log.
func TestServerOutlivesAPanic(t *testing.T) {
	var log lockedBuffer
	address := serve(t, probeSpec(nil), openenv.Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
	other := dial(t, address, "/ws")
	defer other.CloseNow()
	say(t, other, `{"type":"reset","data":{"episode_id":"mine"}}`)
	c := dial(t, address, "/ws")
	defer c.CloseNow()
	reply := say(t, c, `{"type":"step","data":{"name":"panic"}}`)
	if want := `{"type":"error","data":{"message":"the environment broke: the floor is gone","code":"SESSION_ERROR"}}`; reply != want {
		t.Errorf("a panic is told as %s", reply)
	}
	if _, _, err := c.Read(t.Context()); websocket.CloseStatus(err) != websocket.StatusNormalClosure {
		t.Errorf("after a panic: %v", err)
	}
	if reply := say(t, other, `{"type":"state"}`); !strings.Contains(reply, `"mine"`) {
		t.Errorf("another session is told %s", reply)
	}
	if !strings.Contains(log.String(), "probe_test.go") {
		t.Errorf("the log does not say where: %s", log.String())
	}
	answer, err := http.Post("http://"+address+"/step", "application/json", strings.NewReader(`{"action":{"name":"panic"}}`))
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusInternalServerError {
		t.Errorf("over HTTP a panic is %d", answer.StatusCode)
	}
}

// An environment that cannot be made is told, over either way, and takes no
// place.
func TestServerWithoutEnvironments(t *testing.T) {
	spec := probeSpec(nil)
	for name, make := range map[string]func(context.Context) (openenv.Environment, error){
		"an error": func(context.Context) (openenv.Environment, error) { return nil, errors.New("no luck") },
		"a panic":  func(context.Context) (openenv.Environment, error) { panic("no luck") },
	} {
		spec.New = make
		address := serve(t, spec, openenv.Options{Limits: openenv.Limits{Sessions: 1}})
		for range 2 {
			c := dial(t, address, "/ws")
			_, reply, err := c.Read(t.Context())
			want := `{"type":"error","data":{"message":"Environment factory 'probe' failed to create instance.","code":"FACTORY_ERROR","factory_name":"probe"}}`
			if err != nil || string(reply) != want {
				t.Errorf("%s is told as %s, %v", name, reply, err)
			}
			if _, _, err := c.Read(t.Context()); websocket.CloseStatus(err) != websocket.StatusNormalClosure {
				t.Errorf("%s: closed with %v", name, err)
			}
		}
	}
}

// What an environment answers that is no JSON never reaches a client.
func TestServerSendsOnlyJSON(t *testing.T) {
	address := serve(t, probeSpec(nil), openenv.Options{})
	c := dial(t, address, "/ws")
	defer c.CloseNow()
	reply := say(t, c, `{"type":"step","data":{"name":"bad"}}`)
	if !json.Valid([]byte(reply)) || !strings.Contains(reply, openenv.CodeExecution) || !strings.Contains(reply, "observation") {
		t.Errorf("a bad observation is told as %s", reply)
	}
}

// A stopping server finishes the running step, answers it, and says goodbye;
// nothing is left of it.
func TestServerStopsInOrder(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	stall := make(chan struct{})
	address, stop := start(t, probeSpec(stall), openenv.Options{})
	idle, busy := dial(t, address, "/ws"), dial(t, address, "/ws")
	say(t, idle, `{"type":"state"}`)
	if err := busy.Write(t.Context(), websocket.MessageText, []byte(`{"type":"step","data":{"name":"stall"}}`)); err != nil {
		t.Fatal(err)
	}
	time.Sleep(100 * time.Millisecond) // the step runs
	ended := make(chan error)
	go func() { ended <- stop() }()
	if _, _, err := idle.Read(t.Context()); websocket.CloseStatus(err) != websocket.StatusGoingAway {
		t.Errorf("an idle session ends in %v", err)
	}
	close(stall)
	if _, reply, err := busy.Read(t.Context()); err != nil || !strings.Contains(string(reply), `"done":true`) {
		t.Errorf("the running step is answered by %s, %v", reply, err)
	}
	if _, _, err := busy.Read(t.Context()); websocket.CloseStatus(err) != websocket.StatusGoingAway {
		t.Errorf("a busy session ends in %v", err)
	}
	if err := <-ended; err != nil {
		t.Errorf("the server ended in %v", err)
	}
	if _, err := http.Get("http://" + address + "/health"); err == nil {
		t.Error("it still answers")
	}
}

// A step that does not end in the grace is given up, and the server says so.
func TestServerGivesUpOnAStep(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	address, stop := start(t, probeSpec(make(chan struct{})), openenv.Options{Limits: openenv.Limits{Grace: 200 * time.Millisecond}})
	c := dial(t, address, "/ws")
	defer c.CloseNow()
	if err := c.Write(t.Context(), websocket.MessageText, []byte(`{"type":"step","data":{"name":"stall"}}`)); err != nil {
		t.Fatal(err)
	}
	time.Sleep(100 * time.Millisecond)
	if err := stop(); !errors.Is(err, openenv.ErrUnfinished) {
		t.Errorf("it ended in %v", err)
	}
}

// A step that takes too long ends in an error, and the session goes on.
func TestServerLimitsSteps(t *testing.T) {
	address := serve(t, probeSpec(make(chan struct{})), openenv.Options{Limits: openenv.Limits{Step: 100 * time.Millisecond, Parallel: 1}})
	c := dial(t, address, "/ws")
	defer c.CloseNow()
	if reply := say(t, c, `{"type":"step","data":{"name":"stall"}}`); !strings.Contains(reply, openenv.CodeExecution) {
		t.Errorf("a step without an end is told as %s", reply)
	}
	if reply := say(t, c, `{"type":"step","data":{"name":"a"}}`); !strings.Contains(reply, `"done":true`) {
		t.Errorf("the next step is told %s", reply)
	}
}

// Sessions that HTTP requests made count, outlive the socket that used them,
// and end when closed or idle.
func TestServerManagedSessions(t *testing.T) {
	meter := &counter{}
	address := serve(t, probeSpec(nil), openenv.Options{Meter: meter, Limits: openenv.Limits{Sessions: 2, Idle: 2500 * time.Millisecond}})
	rpc := func(method, params string) string {
		answer, err := http.Post("http://"+address+"/mcp", "application/json", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":`+params+`}`))
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		var body bytes.Buffer
		if _, err := body.ReadFrom(answer.Body); err != nil {
			t.Fatal(err)
		}
		return body.String()
	}
	id := uuid.FindString(rpc("openenv/session/create", "{}"))
	if id == "" || meter.active() != 1 {
		t.Fatalf("no session was made: %q, %d", id, meter.active())
	}
	one := dial(t, address, "/ws?session_id="+id)
	say(t, one, `{"type":"reset","data":{"episode_id":"mine"}}`)
	second := dial(t, address, "/ws?session_id="+id)
	if _, reply, err := second.Read(t.Context()); err != nil || !strings.Contains(string(reply), "already has an attached WebSocket") {
		t.Errorf("a second socket is told %s, %v", reply, err)
	}
	second.CloseNow()
	one.Close(websocket.StatusNormalClosure, "")
	var again *websocket.Conn
	eventually(t, func() bool { // the server sees the first one go
		again = dial(t, address, "/ws?session_id="+id)
		if strings.Contains(try(again, `{"type":"state"}`), `"mine"`) {
			return true
		}
		again.CloseNow()
		return false
	})
	if got := rpc("openenv/session/close", `{"session_id":"`+id+`"}`); !strings.Contains(got, `"closed":false,"closing":true`) {
		t.Errorf("closing it while it is in use: %s", got)
	}
	again.Close(websocket.StatusNormalClosure, "")
	eventually(t, func() bool { return meter.active() == 0 })
	if got := rpc("openenv/session/close", `{"session_id":"`+id+`"}`); !strings.Contains(got, "Unknown session_id: "+id) {
		t.Errorf("closing it again: %s", got)
	}
	id = uuid.FindString(rpc("openenv/session/create", "{}"))
	if got := rpc("openenv/session/close", `{"session_id":"`+id+`"}`); !strings.Contains(got, `"closed":true`) || meter.active() != 0 {
		t.Errorf("closing it: %s", got)
	}
	rpc("openenv/session/create", "{}")
	rpc("openenv/session/create", "{}")
	if got := rpc("openenv/session/create", "{}"); !strings.Contains(got, `-32000`) {
		t.Errorf("a third session of two: %s", got)
	}
	eventually(t, func() bool { return meter.active() == 0 }) // idle
}

// try is say where there may be no answer.
func try(client *websocket.Conn, text string) string {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	_ = client.Write(ctx, websocket.MessageText, []byte(text))
	_, reply, _ := client.Read(ctx)
	return string(reply)
}

// Kinds of environments that cannot be served are refused.
func TestNewServerRefuses(t *testing.T) {
	for name, change := range map[string]func(*openenv.Spec, *openenv.Options){
		"no name":              func(s *openenv.Spec, _ *openenv.Options) { s.Name = "" },
		"nothing to begin":     func(s *openenv.Spec, _ *openenv.Options) { s.New = nil },
		"a schema that is not": func(s *openenv.Spec, _ *openenv.Options) { s.Schemas.State = json.RawMessage(`[]`) },
		"a schema elsewhere": func(s *openenv.Spec, _ *openenv.Options) {
			s.Schemas.Action = json.RawMessage(`{"$ref":"file:///etc/passwd"}`)
		},
		"a negative limit": func(_ *openenv.Spec, o *openenv.Options) { o.Limits.Sessions = -1 },
		"a route without end": func(s *openenv.Spec, _ *openenv.Options) {
			s.Routes = map[string]http.Handler{"/x": http.NotFoundHandler()}
		},
		"a route of ours": func(s *openenv.Spec, _ *openenv.Options) {
			s.Routes = map[string]http.Handler{"/": http.NotFoundHandler()}
		},
	} {
		spec, options := probeSpec(nil), openenv.Options{}
		change(&spec, &options)
		if _, err := openenv.NewServer(spec, options); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}
func (l *lockedBuffer) String() string { l.mu.Lock(); defer l.mu.Unlock(); return l.b.String() }
