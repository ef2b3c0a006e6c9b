package openenv_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"candor/harness/openenv"
	"candor/harness/openenv/openenvtest"

	"go.uber.org/goleak"
)

// modern are the versions that speak over a WebSocket.
var modern = []string{openenvtest.V02, openenvtest.V03, openenvtest.Newest}

// Every version's server is played as it is: tools, sorting, errors, ends.
func TestClientPeers(t *testing.T) {
	for _, peer := range openenvtest.Peers(t, modern...) {
		t.Run(peer.Version, func(t *testing.T) {
			current := goleak.IgnoreCurrent()
			t.Cleanup(func() { goleak.VerifyNone(t, current) }) // after the servers have ended
			t.Run("echo", func(t *testing.T) { playEcho(t, peer) })
			t.Run("number-sort", func(t *testing.T) { playNumberSort(t, peer) })
			t.Run("trial", func(t *testing.T) { playTrial(t, peer) })
			t.Run("room", func(t *testing.T) { playWithoutRoom(t, peer) })
			t.Run("broken", func(t *testing.T) { playBroken(t, peer) })
		})
	}
}

func playEcho(t *testing.T, peer openenvtest.Peer) {
	url := peer.Serve(t, openenvtest.Echo)
	remote, err := openenv.NewRemote(url+"/", openenv.DialOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := remote.Health(t.Context()); err != nil {
		t.Error(err)
	}
	spec, err := remote.Spec(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if spec.Name == "" || spec.Version != "1.0.0" || !strings.Contains(string(spec.Schemas.Action), `"CallToolAction"`) || spec.Schemas.State == nil {
		t.Errorf("it is %+v", spec)
	}
	session, err := spec.New(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	first, err := session.Reset(t.Context(), openenv.ResetOptions{EpisodeID: "mine"})
	if reward, paid := first.Value(); err != nil || first.Done || !paid || reward != 0 || string(first.Reward) != "0.0" {
		t.Errorf("a reset: %+v %v", first, err)
	}
	// The metadata came to the wire with 0.4.
	if (peer.Version == openenvtest.Newest) != (string(first.Metadata) == `{"status":"ready","message":"Echo environment ready!"}`) {
		t.Errorf("its metadata: %s", first.Metadata)
	}
	said, err := session.Step(t.Context(), []byte(`{"type":"call_tool","tool_name":"echo_message","arguments":{"message":"Grüße 🙂"}}`))
	if err != nil || !strings.Contains(string(said.Observation), `"data":"Grüße 🙂"`) || string(said.Reward) != "null" {
		t.Errorf("a step: %s %s %v", said.Observation, said.Reward, err)
	}
	if state, err := session.State(t.Context()); err != nil || !strings.HasPrefix(string(state), `{"episode_id":"mine","step_count":`) {
		t.Errorf("a state: %s %v", state, err)
	}
}

func playNumberSort(t *testing.T, peer openenvtest.Peer) {
	session := dialSession(t, peer.Serve(t, openenvtest.NumberSort), openenv.DialOptions{})
	for _, row := range []struct {
		options openenv.ResetOptions
		numbers string
		action  string
		reward  string
	}{
		{openenv.Seeded(0), "[15,19,18,1,11,17]", `{"values":[19,18,17,15,11,1]}`, "0.999"},
		{openenv.Seeded(42), "[15,14,20,5,6,10]", `{"values":[5,6,10,14,15,20]}`, "0.7"},
		{openenv.Seeded(1000), "[1,18,2,11,17,5]", `{"action":"hello"}`, "0.001"},
		{openenv.ResetOptions{Seed: openenv.Seeded(0).Seed, Extra: map[string]json.RawMessage{"task": []byte(`"medium"`)}},
			"[49,33,38,26,23,25,32,31,17,27,20,3]", `{"values":[]}`, "0.001"},
	} {
		first, err := session.Reset(t.Context(), row.options)
		if err != nil || !strings.Contains(string(first.Observation), `"numbers":`+row.numbers) || string(first.Reward) != "0.0" || first.Done {
			t.Errorf("a reset: %s %v", first.Observation, err)
		}
		second, err := session.Step(t.Context(), []byte(row.action))
		if err != nil || string(second.Reward) != row.reward || !second.Done {
			t.Errorf("a step: %s %v %v", second.Reward, second.Done, err)
		}
	}
}

func playTrial(t *testing.T, peer openenvtest.Peer) {
	session := dialSession(t, peer.Serve(t, openenvtest.Trial), openenv.DialOptions{ReplyTimeout: 5 * time.Second})
	if _, err := session.Reset(t.Context(), openenv.Seeded(1)); err != nil {
		t.Fatal(err)
	}
	// Order and spelling.
	shown, err := session.Step(t.Context(), []byte(`{"do":"show","value":{"z":1.0,"a":{"y":1e-7,"x":-0.0},"text":"\u00e9🙂"}}`))
	if err != nil || !strings.Contains(string(shown.Observation), `"value":{"z":1.0,"a":{"y":1e-7,"x":-0.0},"text":"é🙂"}`) || string(shown.Reward) != "0.5" {
		t.Errorf("a step: %s %v", shown.Observation, err)
	}
	for value, reward := range map[string]string{"1": "1", "true": "true", "null": "null", "0.30000000000000004": "0.30000000000000004"} {
		if paid, err := session.Step(t.Context(), []byte(`{"do":"pay","value":`+value+`}`)); err != nil || string(paid.Reward) != reward {
			t.Errorf("a reward of %s: %s %v", value, paid.Reward, err)
		}
	}
	long, err := session.Step(t.Context(), []byte(`{"do":"long","value":5000000}`))
	if err != nil || len(long.Observation) < 5000000 {
		t.Errorf("5 MB of observation: %d bytes, %v", len(long.Observation), err)
	}
	// Errors leave the episode.
	for action, code := range map[string]string{
		`{"do":"raise","value":"boom"}`: openenv.CodeExecution,
		`{}`:                            openenv.CodeValidation,
		`{"do":"show","more":1}`:        openenv.CodeValidation,
	} {
		var told *openenv.Error
		if _, err := session.Step(t.Context(), []byte(action)); !errors.As(err, &told) || told.Code != code {
			t.Errorf("%s: %v", action, err)
		}
	}
	// Late replies, to a step given up by the clock and to one given up by its
	// caller, are nobody's.
	for limit, wait := range map[time.Duration]string{time.Minute: "6", 100 * time.Millisecond: "1"} {
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		_, err := session.Step(ctx, []byte(`{"do":"wait","value":`+wait+`}`))
		cancel()
		if !errors.Is(err, openenv.ErrReplyTimeout) && !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a step too long: %v", err)
		}
		if _, err := session.State(t.Context()); !errors.Is(err, openenv.ErrLost) {
			t.Errorf("a state after that: %v", err)
		}
		// The server has room for one, and that only when the step is over.
		deadline := time.Now().Add(20 * time.Second)
		result, err := session.Reset(t.Context(), openenv.ResetOptions{})
		for errors.Is(err, openenv.ErrCapacity) && time.Now().Before(deadline) {
			time.Sleep(100 * time.Millisecond)
			result, err = session.Reset(t.Context(), openenv.ResetOptions{})
		}
		if err != nil || !strings.Contains(string(result.Observation), `"did":"reset"`) {
			t.Errorf("a reset after that: %s %v", result.Observation, err)
		}
	}
}

func playWithoutRoom(t *testing.T, peer openenvtest.Peer) {
	url := peer.Serve(t, openenvtest.Trial, "--sessions", "1")
	one := dialSession(t, url, openenv.DialOptions{})
	if _, err := one.Reset(t.Context(), openenv.ResetOptions{}); err != nil {
		t.Fatal(err)
	}
	two := dialSession(t, url, openenv.DialOptions{})
	_, err := two.Reset(t.Context(), openenv.ResetOptions{})
	var told *openenv.Error
	if !errors.Is(err, openenv.ErrCapacity) || !errors.As(err, &told) || !strings.Contains(string(told.Data), `"max_sessions":1`) {
		t.Errorf("a second session: %v", err)
	}
	// Room is free as soon as Close returns, every time.
	for range 5 {
		if err := one.Close(); err != nil {
			t.Fatal(err)
		}
		one = dialSession(t, url, openenv.DialOptions{})
		if _, err := one.Reset(t.Context(), openenv.ResetOptions{}); err != nil {
			t.Errorf("a reset after Close: %v", err)
		}
	}
	one.Close()
	if _, err := two.Reset(t.Context(), openenv.ResetOptions{}); err != nil {
		t.Errorf("the second session, with room: %v", err)
	}
}

func playBroken(t *testing.T, peer openenvtest.Peer) {
	session := dialSession(t, peer.Serve(t, openenvtest.Trial, "--broken"), openenv.DialOptions{})
	if _, err := session.Reset(t.Context(), openenv.ResetOptions{}); !errors.Is(err, openenv.ErrFactory) {
		t.Errorf("a reset: %v", err)
	}
}

// A server of 0.1 is played over HTTP without being told so.
func TestOldestFormPeers(t *testing.T) {
	for _, peer := range openenvtest.Peers(t, openenvtest.V01) {
		current := goleak.IgnoreCurrent()
		t.Cleanup(func() { goleak.VerifyNone(t, current) }) // after the servers have ended
		url := peer.Serve(t, openenvtest.Echo)
		session := dialSession(t, url, openenv.DialOptions{})
		if session.Form() != openenv.FormHTTP {
			t.Errorf("its form is %s", session.Form())
		}
		if _, err := session.Reset(t.Context(), openenv.Seeded(1)); err != nil {
			t.Error(err)
		}
		for n := 1; n <= 3; n++ { // the episode goes on
			result, err := session.Step(t.Context(), []byte(`{"message":"Grüße"}`))
			if err != nil || string(result.Observation) != `{"echoed_message":"Grüße","message_length":5}` || string(result.Reward) != "0.5" {
				t.Errorf("a step: %+v %v", result, err)
			}
			if state, err := session.State(t.Context()); err != nil || string(state) != fmt.Sprintf(`{"episode_id":"echo-1","step_count":%d}`, n) {
				t.Errorf("a state: %s %v", state, err)
			}
		}
		var told *openenv.Error
		if _, err := session.Step(t.Context(), []byte(`{"more":1}`)); !errors.As(err, &told) || told.Code != openenv.CodeExecution {
			t.Errorf("a step it does not understand: %v", err)
		}
		session.Close()
	}
}
