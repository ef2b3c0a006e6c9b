package openenv_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"candor/harness/openenv"

	"go.uber.org/goleak"
)

// What a server sends that keeps to the protocol.
const (
	good  = `{"type":"observation","data":{"observation":{"which":"good"},"reward":1.0,"done":false}}`
	again = `{"type":"observation","data":{"observation":{"which":"again"},"reward":null,"done":false}}`
)

// Whatever a server does wrong, the caller learns what it was, the connection
// is given up with a close message where one can be sent, and after a reset on
// a new connection replies are those of their requests.
func TestSessionOutlivesFaultyServers(t *testing.T) {
	for _, row := range []struct {
		name  string
		fault func(f *far) // in place of the reply to the first reset
		want  error
		says  string // part of the error's text
		deaf  bool   // the server cannot hear a close message any more
	}{
		{name: "a binary message", fault: sends(true, 2, good), want: openenv.ErrProtocol, says: "binary"},
		{name: "an array", fault: says(`[` + good + `]`), want: openenv.ErrProtocol, says: "no JSON object"},
		{name: "a string", fault: says(`"observation"`), want: openenv.ErrProtocol, says: "no JSON object"},
		{name: "nothing", fault: says(``), want: openenv.ErrProtocol, says: "no JSON"},
		{name: "no JSON", fault: says(`{"type":"observation",`), want: openenv.ErrProtocol, says: "no JSON"},
		{name: "two objects", fault: says(good + good), want: openenv.ErrProtocol, says: "something after"},
		{name: "no UTF-8", fault: says("{\"type\":\"observation\",\"data\":{\"observation\":{\"x\":\"\xff\"}}}"), want: openenv.ErrProtocol, says: "UTF-8"},
		{name: "a reward that is NaN", fault: says(`{"type":"observation","data":{"observation":{},"reward":NaN,"done":false}}`), want: openenv.ErrProtocol, says: "'N'"},
		{name: "a reward that is text", fault: says(`{"type":"observation","data":{"observation":{},"reward":"1","done":false}}`), want: openenv.ErrProtocol, says: `"1"`},
		{name: "an observation that is a list", fault: says(`{"type":"observation","data":{"observation":[],"reward":1,"done":false}}`), want: openenv.ErrProtocol, says: "an observation"},
		{name: "done that is a number", fault: says(`{"type":"observation","data":{"observation":{},"reward":1,"done":1}}`), want: openenv.ErrProtocol, says: "done"},
		{name: "an observation without data", fault: says(`{"type":"observation"}`), want: openenv.ErrProtocol, says: "no JSON"},
		{name: "no type", fault: says(`{"data":{"observation":{},"reward":1,"done":false}}`), want: openenv.ErrProtocol, says: "without a type"},
		{name: "a type that is a number", fault: says(`{"type":5,"data":{}}`), want: openenv.ErrProtocol, says: "type 5"},
		{name: "a type by another case", fault: says(`{"Type":"observation","data":{"observation":{}}}`), want: openenv.ErrProtocol, says: "without a type"},
		{name: "a state for a reset", fault: says(`{"type":"state","data":{"episode_id":null,"step_count":0}}`), want: openenv.ErrProtocol, says: `"state" in place of "observation"`},
		{name: "an error without data", fault: says(`{"type":"error"}`), want: openenv.ErrProtocol},
		{name: "a nesting too deep", fault: says(`{"type":"observation","data":` + strings.Repeat(`[`, 20000) + strings.Repeat(`]`, 20000) + `}`), want: openenv.ErrProtocol},
		{name: "too long a message", fault: says(strings.Repeat(" ", 1<<20) + good), want: openenv.ErrProtocol, says: "too long", deaf: true},
		{name: "a length of exabytes", fault: func(f *far) { f.raw("\x81\x7f\x7f\xff\xff\xff\xff\xff\xff\xff") }, want: openenv.ErrReplyTimeout},
		{name: "a length of exabytes, and some of them", fault: func(f *far) {
			f.raw("\x81\x7f\x7f\xff\xff\xff\xff\xff\xff\xff" + strings.Repeat(" ", 2<<20))
		}, want: openenv.ErrProtocol, says: "too long", deaf: true},
		{name: "a negative length", fault: func(f *far) { f.raw("\x81\x7f\xff\xff\xff\xff\xff\xff\xff\xff") }, want: openenv.ErrLost, deaf: true},
		{name: "reserved bits", fault: func(f *far) { f.raw("\xf1\x02{}") }, want: openenv.ErrLost, deaf: true},
		{name: "an unknown opcode", fault: func(f *far) { f.raw("\x83\x02{}") }, want: openenv.ErrLost, deaf: true},
		{name: "a rest without a beginning", fault: func(f *far) { f.raw("\x80\x02{}") }, want: openenv.ErrLost, deaf: true},
		{name: "a ping too long", fault: func(f *far) { f.raw("\x89\x7e\x00\x7e" + strings.Repeat("x", 126)) }, want: openenv.ErrLost, deaf: true},
		{name: "a ping in pieces", fault: func(f *far) { f.raw("\x09\x01x") }, want: openenv.ErrLost, deaf: true},
		{name: "hanging up", fault: func(f *far) { f.conn.Close() }, want: openenv.ErrLost, says: "hung up", deaf: true},
		{name: "hanging up in a frame", fault: func(f *far) { f.raw("\x81\x20{\"type"); f.conn.Close() }, want: openenv.ErrLost, says: "hung up", deaf: true},
		{name: "hanging up between frames of a message", fault: func(f *far) { f.frame(false, 1, `{"type"`); f.conn.Close() }, want: openenv.ErrLost, says: "hung up", deaf: true},
		{name: "hanging up after all but the end of a message", fault: func(f *far) { f.frame(false, 1, good); f.conn.Close() }, want: openenv.ErrLost, says: "hung up", deaf: true},
		{name: "hanging up after a head", fault: func(f *far) { f.raw("\x81\x20"); f.conn.Close() }, want: openenv.ErrLost, says: "hung up", deaf: true},
		{name: "closing", fault: func(f *far) { f.closing(1011, "keepalive ping timeout") }, want: openenv.ErrLost, says: "1011 keepalive ping timeout", deaf: true},
		{name: "closing in a message", fault: func(f *far) { f.frame(false, 1, `{"type"`); f.closing(1000, "") }, want: openenv.ErrLost, says: "1000", deaf: true},
		{name: "silence", fault: func(*far) {}, want: openenv.ErrReplyTimeout, says: "within 300ms"},
		{name: "silence in a frame", fault: func(f *far) { f.raw("\x81\x20{\"type") }, want: openenv.ErrReplyTimeout},
		{name: "silence between frames", fault: func(f *far) { f.frame(false, 1, `{"type"`) }, want: openenv.ErrReplyTimeout},
		{name: "a reply too late", fault: func(f *far) { time.Sleep(500 * time.Millisecond); f.text(good) }, want: openenv.ErrReplyTimeout},
	} {
		t.Run(row.name, func(t *testing.T) {
			defer goleak.VerifyNone(t)
			var heard [2]string // by connection
			server := newFarServer(t, func(f *far, connection int) {
				f.hear() // the reset
				if connection == 0 {
					row.fault(f)
				} else {
					f.text(again)
				}
				heard[connection] = f.hear()
			})
			defer server.Close()
			session := dialSession(t, server.URL, openenv.DialOptions{ReplyTimeout: 300 * time.Millisecond, MaxMessage: 1 << 20})
			_, err := session.Reset(t.Context(), openenv.ResetOptions{})
			if !errors.Is(err, row.want) || !strings.Contains(fmt.Sprint(err), row.says) {
				t.Errorf("a reset: %v", err)
			}
			// The episode is gone, and nothing is made of it.
			for range 2 {
				if _, err := session.Step(t.Context(), []byte(`{}`)); !errors.Is(err, openenv.ErrLost) {
					t.Errorf("a step after that: %v", err)
				}
			}
			result, err := session.Reset(t.Context(), openenv.ResetOptions{})
			if err != nil || string(result.Observation) != `{"which":"again"}` {
				t.Errorf("a reset after that: %s %v", result.Observation, err)
			}
			session.Close()
			server.scripts.Wait()
			want := [2]string{`{"type":"close"}`, `{"type":"close"}`}
			if row.deaf {
				want[0] = heard[0] // it may hear it or not
			}
			if heard != want {
				t.Errorf("the server heard %q", heard)
			}
		})
	}
}

// What is unusual but allowed is no fault.
func TestSessionBearsUnusualServers(t *testing.T) {
	long := strings.Repeat("🙂", 1<<18)
	for _, row := range []struct {
		name  string
		reply func(f *far)
		want  string // the observation
	}{
		{"a message in pieces", func(f *far) {
			f.frame(false, 1, good[:1])
			f.frame(false, 0, good[1:30])
			f.frame(false, 0, "")
			f.frame(true, 0, good[30:])
		}, `{"which":"good"}`},
		{"a message in pieces, with pings and pongs in between", func(f *far) {
			f.frame(false, 1, good[:20])
			f.frame(true, 9, "are you there?")
			f.frame(true, 10, "nobody asked")
			f.frame(true, 0, good[20:])
		}, `{"which":"good"}`},
		{"a flood of pings, each answered", func(f *far) {
			before := f.pongs
			for range 1000 {
				f.frame(true, 9, "x")
			}
			for f.pongs < before+1000 {
				f.hearOne()
			}
			f.text(good)
		}, `{"which":"good"}`},
		{"a megabyte of observation", func(f *far) {
			f.text(`{"type":"observation","data":{"observation":{"long":"` + long + `"}}}`)
		}, `{"long":"` + long + `"}`},
		{"blanks and unknown keys everywhere", says("\n {\"v\" : 2, \"type\":\"observation\",\t\"data\": {\"x\":[], \"observation\": {\"which\": 1.50} , \"Reward\": 7}, \"metadata\":{}} \n"), `{"which": 1.50}`},
		{"no observation", says(`{"type":"observation","data":{}}`), `{}`},
		{"keys twice: the last counts", says(`{"type":"state","type":"observation","data":{"observation":{"a":1},"observation":{"a":2}}}`), `{"a":2}`},
	} {
		t.Run(row.name, func(t *testing.T) {
			defer goleak.VerifyNone(t)
			server := newFarServer(t, func(f *far, _ int) {
				for text := f.hear(); text != "" && text != `{"type":"close"}`; text = f.hear() {
					row.reply(f)
				}
			})
			defer server.Close()
			session := dialSession(t, server.URL, openenv.DialOptions{})
			defer session.Close()
			for range 2 {
				result, err := session.Reset(t.Context(), openenv.ResetOptions{})
				if err != nil || string(result.Observation) != row.want {
					t.Fatalf("a reset: %.100s %v", result.Observation, err)
				}
			}
		})
	}
}

// A message that nobody asked for is never taken for a reply, whenever it
// comes before the request.
func TestUnaskedMessageShiftsNoReply(t *testing.T) {
	const extra = `{"type":"observation","data":{"observation":{"which":"extra"},"reward":9.0,"done":true}}`
	for _, row := range []struct {
		name  string
		twice func(f *far)
	}{
		{"in one packet with the reply", func(f *far) {
			f.raw(frame(true, 1, good) + frame(true, 1, extra))
		}},
		{"its beginning in one packet with the reply", func(f *far) {
			whole := frame(true, 1, good) + frame(true, 1, extra)
			f.raw(whole[:len(whole)-40])
			time.Sleep(30 * time.Millisecond)
			f.raw(whole[len(whole)-40:])
		}},
		{"in pieces", func(f *far) {
			f.raw(frame(true, 1, good) + frame(false, 1, extra[:20]))
			time.Sleep(30 * time.Millisecond)
			f.frame(true, 0, extra[20:])
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			defer goleak.VerifyNone(t)
			server := newFarServer(t, func(f *far, connection int) {
				f.hear()
				if connection > 0 {
					f.text(again)
					f.hear()
					return
				}
				row.twice(f)
				for text := f.hear(); text != "" && text != `{"type":"close"}`; text = f.hear() {
					f.text(good)
				}
			})
			defer server.Close()
			session := dialSession(t, server.URL, openenv.DialOptions{})
			defer session.Close()
			result, err := session.Reset(t.Context(), openenv.ResetOptions{})
			if err != nil || string(result.Observation) != `{"which":"good"}` {
				t.Fatalf("a reset: %s %v", result.Observation, err)
			}
			result, err = session.Step(t.Context(), []byte(`{}`))
			if !errors.Is(err, openenv.ErrProtocol) || !strings.Contains(err.Error(), "nobody asked for") {
				t.Errorf("a step: %s %v", result.Observation, err)
			}
			result, err = session.Reset(t.Context(), openenv.ResetOptions{})
			if err != nil || string(result.Observation) != `{"which":"again"}` {
				t.Errorf("a reset after that: %s %v", result.Observation, err)
			}
		})
	}
}

// A late extra message that came while the next request was on its way cannot
// be told from its reply; but it does not reach into episodes much later, as the
// server is asked for a pong before they begin.
func TestShiftEnds(t *testing.T) {
	defer goleak.VerifyNone(t)
	server := newFarServer(t, func(f *far, connection int) {
		f.hear()
		if connection > 0 {
			f.text(again)
			f.hear()
			return
		}
		f.text(good)
		f.hear() // a step, answered twice, the second time in the next read
		f.text(good)
		f.beforePong = func() { f.text(good) }
		f.hear()
	})
	defer server.Close()
	session := dialSession(t, server.URL, openenv.DialOptions{})
	defer session.Close()
	if _, err := session.Reset(t.Context(), openenv.ResetOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := session.Step(t.Context(), []byte(`{}`)); err != nil {
		t.Fatal(err)
	}
	time.Sleep(600 * time.Millisecond)
	result, err := session.Reset(t.Context(), openenv.ResetOptions{})
	if err != nil || string(result.Observation) != `{"which":"again"}` {
		t.Errorf("the next episode: %s %v", result.Observation, err)
	}
}

// A connection that died while nothing was said is found out by a reset, which
// then plays on a new one.
func TestResetFindsADeadConnection(t *testing.T) {
	defer goleak.VerifyNone(t)
	server := newFarServer(t, func(f *far, connection int) {
		f.hear()
		f.text(good)
		f.mute = connection == 0
		f.hear()
	})
	defer server.Close()
	session := dialSession(t, server.URL, openenv.DialOptions{PongWithin: 100 * time.Millisecond})
	defer session.Close()
	for range 2 {
		if _, err := session.Reset(t.Context(), openenv.ResetOptions{}); err != nil {
			t.Error(err)
		}
		time.Sleep(600 * time.Millisecond)
	}
	if server.connections != 2 {
		t.Errorf("there were %d connections", server.connections)
	}
}

// A server that does not answer pings is given up, also while a reply is
// awaited; who answers them may take its time.
func TestPongs(t *testing.T) {
	for _, row := range []struct {
		name string
		mute bool
	}{{"answered", false}, {"not answered", true}} {
		t.Run(row.name, func(t *testing.T) {
			defer goleak.VerifyNone(t)
			server := newFarServer(t, func(f *far, _ int) {
				f.mute = row.mute
				f.hear()
				go func() {
					time.Sleep(400 * time.Millisecond)
					f.text(good)
				}()
				f.hear()
			})
			defer server.Close()
			session := dialSession(t, server.URL, openenv.DialOptions{PingEvery: 30 * time.Millisecond, PongWithin: 100 * time.Millisecond})
			defer session.Close()
			_, err := session.Reset(t.Context(), openenv.ResetOptions{})
			if row.mute != errors.Is(err, openenv.ErrLost) || row.mute != (err != nil) {
				t.Errorf("a reset: %v", err)
			}
			if row.mute && !strings.Contains(err.Error(), "no pong within 100ms") {
				t.Errorf("it says %v", err)
			}
		})
	}
}

// A request that is given up by its caller gives up the connection, and says
// goodbye.
func TestContextEndsMidRequest(t *testing.T) {
	defer goleak.VerifyNone(t)
	heard := make(chan string, 1)
	server := newFarServer(t, func(f *far, connection int) {
		f.hear()
		if connection == 0 {
			heard <- f.hear()
			return
		}
		f.text(again)
		f.hear()
	})
	defer server.Close()
	session := dialSession(t, server.URL, openenv.DialOptions{})
	defer session.Close()
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	if _, err := session.Reset(ctx, openenv.ResetOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a reset: %v", err)
	}
	if text := <-heard; text != `{"type":"close"}` {
		t.Errorf("the server heard %s", text)
	}
	if _, err := session.State(t.Context()); !errors.Is(err, openenv.ErrLost) {
		t.Errorf("a state after that: %v", err)
	}
	if result, err := session.Reset(t.Context(), openenv.ResetOptions{}); err != nil || string(result.Observation) != `{"which":"again"}` {
		t.Errorf("a reset after that: %s %v", result.Observation, err)
	}
}

func says(text string) func(*far) { return func(f *far) { f.text(text) } }

func sends(fin bool, op byte, payload string) func(*far) {
	return func(f *far) { f.frame(fin, op, payload) }
}

func dialSession(t *testing.T, url string, options openenv.DialOptions) *openenv.Session {
	t.Helper()
	session, err := openenv.Dial(t.Context(), url, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return session
}
