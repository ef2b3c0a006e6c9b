package openenv_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"sync"
	"testing"
	"time"

	"candor/harness/openenv"

	"go.uber.org/goleak"
)

// What is sent is exactly the protocol's, and what comes keeps its order and
// its spelling.
func TestSessionSaysAndHears(t *testing.T) {
	defer goleak.VerifyNone(t)
	var heard []string
	replies := []string{
		`{"type":"observation","data":{"observation":{"z":1.0,"a":[0.30000000000000004,1e-07,-0.0],"text":"é\u00e9"},"reward":null,"done":false}}`,
		`{"type":"observation","data":{"observation":{"metadata":{"m":1.50},"b":2},"reward":1,"done":true,"metadata":{"m":1.50}}}`,
		`{"type":"state","data":{"step_count":1,"episode_id":null,"more":{"y":1.0,"x":2}}}`,
	}
	server := newFarServer(t, func(f *far, _ int) {
		for _, reply := range replies {
			heard = append(heard, f.hear())
			f.text(reply)
		}
		heard = append(heard, f.hear())
	})
	defer server.Close()
	session := dialSession(t, server.URL, openenv.DialOptions{})
	first, err := session.Reset(t.Context(), openenv.ResetOptions{
		Seed:      new(big.Int).Lsh(big.NewInt(-1), 70),
		EpisodeID: `an "id"`,
		Extra:     map[string]json.RawMessage{"task": []byte(`"easy"`), "level": []byte(`1.0`)},
	})
	if err != nil || string(first.Observation) != `{"z":1.0,"a":[0.30000000000000004,1e-07,-0.0],"text":"é\u00e9"}` ||
		string(first.Reward) != "null" || first.Done || first.Metadata != nil {
		t.Errorf("a reset: %s %s %v %s %v", first.Observation, first.Reward, first.Done, first.Metadata, err)
	}
	second, err := session.Step(t.Context(), []byte(`{"values":[2, 1.0],  "text":"<&>"}`))
	if err != nil || string(second.Observation) != `{"metadata":{"m":1.50},"b":2}` ||
		string(second.Reward) != "1" || !second.Done || string(second.Metadata) != `{"m":1.50}` {
		t.Errorf("a step: %s %s %v %s %v", second.Observation, second.Reward, second.Done, second.Metadata, err)
	}
	state, err := session.State(t.Context())
	if err != nil || string(state) != `{"step_count":1,"episode_id":null,"more":{"y":1.0,"x":2}}` {
		t.Errorf("a state: %s %v", state, err)
	}
	session.Close()
	session.Close() // more than once
	server.scripts.Wait()
	want := []string{
		`{"type":"reset","data":{"seed":-1180591620717411303424,"episode_id":"an \"id\"","level":1.0,"task":"easy"}}`,
		`{"type":"step","data":{"values":[2, 1.0],  "text":"<&>"}}`,
		`{"type":"state"}`,
		`{"type":"close"}`,
	}
	if strings.Join(heard, "\n") != strings.Join(want, "\n") {
		t.Errorf("the server heard\n%s", strings.Join(heard, "\n"))
	}
	if session.Form() != openenv.FormSocket {
		t.Errorf("its form is %s", session.Form())
	}
	for _, call := range []func() error{
		func() error { _, err := session.Reset(t.Context(), openenv.ResetOptions{}); return err },
		func() error { _, err := session.Step(t.Context(), []byte(`{}`)); return err },
		func() error { _, err := session.State(t.Context()); return err },
	} {
		if err := call(); !errors.Is(err, openenv.ErrClosed) {
			t.Errorf("after Close: %v", err)
		}
	}
}

// What the server itself says is an *Error, and leaves the session as it is
// unless the server ends it.
func TestSessionToldOfErrors(t *testing.T) {
	defer goleak.VerifyNone(t)
	const invalid = `{"message":"Invalid message","code":"VALIDATION_ERROR","errors":[{"type":"missing","loc":["values",0],"msg":"Field required","input":{}},{"loc":[],"msg":"and so on"}]}`
	server := newFarServer(t, func(f *far, _ int) {
		for _, reply := range []string{invalid, `{"message":"boom\u001b[2J","code":"EXECUTION_ERROR"}`, `{"message":null,"code":5}`, `{}`} {
			f.hear()
			f.text(`{"type":"error","data":` + reply + `}`)
		}
		f.hear()
		f.text(good)
		f.hear()
		f.text(`{"type":"error","data":{"message":"'text'","code":"SESSION_ERROR"}}`)
		f.closing(1000, "")
		f.hear()
	})
	defer server.Close()
	session := dialSession(t, server.URL, openenv.DialOptions{})
	defer session.Close()
	for _, row := range []struct{ code, message, says string }{
		{"VALIDATION_ERROR", "Invalid message", "the environment says VALIDATION_ERROR: Invalid message: values.0: Field required; : and so on"},
		{"EXECUTION_ERROR", "boom\x1b[2J", "the environment says EXECUTION_ERROR: boom [2J"},
		{"5", "", "the environment says 5: "},
		{"", "", "the environment says"},
	} {
		_, err := session.Step(t.Context(), []byte(`{}`))
		var told *openenv.Error
		if !errors.As(err, &told) || told.Code != row.code || told.Message != row.message || !strings.Contains(err.Error(), row.says) {
			t.Errorf("%s: %v", row.code, err)
		}
		if row.code == "VALIDATION_ERROR" && string(told.Data) != invalid {
			t.Errorf("its data: %s", told.Data)
		}
		if errors.Is(err, openenv.ErrLost) {
			t.Errorf("%s cost the connection", row.code)
		}
	}
	if _, err := session.Step(t.Context(), []byte(`{}`)); err != nil {
		t.Errorf("a step after errors: %v", err)
	}
	var told *openenv.Error
	if _, err := session.Step(t.Context(), []byte(`{}`)); !errors.As(err, &told) || told.Code != openenv.CodeSession {
		t.Errorf("the last step: %v", err)
	}
	if _, err := session.Step(t.Context(), []byte(`{}`)); !errors.Is(err, openenv.ErrLost) {
		t.Errorf("a step after that: %v", err)
	}
}

// A server that refuses a session says so before it is asked anything. The
// first request tells, however late it is made; a reset after that tries anew.
func TestRefusalsAreTold(t *testing.T) {
	for _, row := range []struct {
		name, data string
		kind       error
	}{
		{"capacity", `{"message":"Server at capacity: 1/1 sessions active. Cannot accept new connections.","code":"CAPACITY_REACHED","active_sessions":1,"max_sessions":1}`, openenv.ErrCapacity},
		{"factory", `{"message":"Environment factory 'X' failed to create instance.","code":"FACTORY_ERROR","factory_name":"X"}`, openenv.ErrFactory},
	} {
		for _, wait := range []time.Duration{0, 50 * time.Millisecond} {
			for _, first := range []string{"reset", "step"} {
				t.Run(fmt.Sprint(row.name, " ", first, " after ", wait), func(t *testing.T) {
					defer goleak.VerifyNone(t)
					server := newFarServer(t, func(f *far, connection int) {
						if connection == 0 {
							f.text(`{"type":"error","data":` + row.data + `}`)
							if wait == 0 { // it closes when the next reset is made
								time.Sleep(20 * time.Millisecond)
							}
							f.closing(1000, "")
							f.hear()
							return
						}
						f.hear()
						f.text(again)
						f.hear()
					})
					defer server.Close()
					session := dialSession(t, server.URL, openenv.DialOptions{})
					defer session.Close()
					time.Sleep(wait)
					var err error
					if first == "reset" {
						_, err = session.Reset(t.Context(), openenv.ResetOptions{})
					} else {
						_, err = session.Step(t.Context(), []byte(`{}`))
					}
					var told *openenv.Error
					if !errors.Is(err, row.kind) || !errors.As(err, &told) || string(told.Data) != row.data {
						t.Errorf("the first request: %v", err)
					}
					if other := []error{openenv.ErrFactory, openenv.ErrCapacity}; errors.Is(err, other[0]) && errors.Is(err, other[1]) {
						t.Errorf("%v is of both kinds", err)
					}
					result, err := session.Reset(t.Context(), openenv.ResetOptions{})
					if err != nil || string(result.Observation) != `{"which":"again"}` {
						t.Errorf("another reset: %s %v", result.Observation, err)
					}
				})
			}
		}
	}
}

// One request is under way at a time, whoever makes it.
func TestRequestsTakeTurns(t *testing.T) {
	defer goleak.VerifyNone(t)
	server := newFarServer(t, func(f *far, _ int) {
		for text := f.hear(); text != `{"type":"close"}` && text != ""; text = f.hear() {
			// A second request would be here by now.
			time.Sleep(2 * time.Millisecond)
			if f.in.Buffered() > 0 {
				t.Error("a request came before the reply to the last")
			}
			var step struct{ Data struct{ N int } }
			if err := json.Unmarshal([]byte(text), &step); err != nil {
				t.Error(err)
			}
			f.text(fmt.Sprintf(`{"type":"observation","data":{"observation":{"n":%d}}}`, step.Data.N))
		}
	})
	defer server.Close()
	session := dialSession(t, server.URL, openenv.DialOptions{})
	defer session.Close()
	var all sync.WaitGroup
	for n := range 50 {
		all.Go(func() {
			result, err := session.Step(t.Context(), fmt.Appendf(nil, `{"N":%d}`, n))
			if err != nil || string(result.Observation) != fmt.Sprintf(`{"n":%d}`, n) {
				t.Errorf("step %d: %s %v", n, result.Observation, err)
			}
		})
	}
	all.Wait()
}

// Close ends a request that is under way, and one that waits for its turn.
func TestCloseEndsRequests(t *testing.T) {
	defer goleak.VerifyNone(t)
	begun := make(chan struct{})
	server := newFarServer(t, func(f *far, _ int) {
		f.hear()
		close(begun)
		if text := f.hear(); text != `{"type":"close"}` {
			t.Errorf("the server heard %s", text)
		}
	})
	defer server.Close()
	session := dialSession(t, server.URL, openenv.DialOptions{})
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() {
			if _, err := session.State(t.Context()); !errors.Is(err, openenv.ErrClosed) {
				t.Errorf("the request: %v", err)
			}
		})
	}
	<-begun
	session.Close()
	all.Wait()
}

// What cannot be said is refused before it is sent, and costs nothing.
func TestUnspeakable(t *testing.T) {
	defer goleak.VerifyNone(t)
	server := newFarServer(t, func(f *far, _ int) {
		if text := f.hear(); text != `{"type":"reset","data":{}}` {
			t.Errorf("the server heard %s", text)
		}
		f.text(good)
		f.hear()
	})
	defer server.Close()
	session := dialSession(t, server.URL, openenv.DialOptions{})
	defer session.Close()
	for _, action := range []string{``, `null`, `[]`, `"x"`, `{`, `{"a":NaN}`, `{} {}`, "{\"a\":\"\xff\"}"} {
		if _, err := session.Step(t.Context(), []byte(action)); err == nil || !strings.Contains(err.Error(), "JSON object") {
			t.Errorf("the action %q: %v", action, err)
		}
	}
	for _, extra := range []map[string]json.RawMessage{{"seed": []byte("1")}, {"episode_id": []byte(`"x"`)}, {"x": []byte("NaN")}, {"x": nil}} {
		if _, err := session.Reset(t.Context(), openenv.ResetOptions{Extra: extra}); err == nil {
			t.Errorf("the arguments %s were sent", extra)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := session.State(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("with a context that has ended: %v", err)
	}
	if _, err := session.Reset(t.Context(), openenv.ResetOptions{}); err != nil {
		t.Error(err)
	}
}

// A server that ignores a close message is left all the same, and soon.
func TestCloseOfAServerThatIgnoresIt(t *testing.T) {
	defer goleak.VerifyNone(t)
	server := newFarServer(t, func(f *far, _ int) {
		for {
			if _, op, _ := f.hearRaw(); op == 8 {
				return
			}
		}
	})
	defer server.Close()
	session := dialSession(t, server.URL, openenv.DialOptions{})
	began := time.Now()
	session.Close()
	if took := time.Since(began); took > 4*time.Second {
		t.Errorf("it took %v", took)
	}
}
