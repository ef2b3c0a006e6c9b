package selective_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"candor/harness/env/selective"
	"candor/harness/openenv"
)

// TestServed: over a real connection an episode is what it is in this process,
// byte for byte, for 128 players at once; the image's address leads to it.
func TestServed(t *testing.T) {
	tasks := open(t, func(c *selective.Config) { c.ClaimsPerEpisode = 2 })
	server, err := openenv.NewServer(tasks.Spec(), openenv.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	listening := httptest.NewServer(server)
	defer listening.Close()
	var players sync.WaitGroup
	for i := range int64(128) {
		players.Go(func() {
			session, err := openenv.Dial(t.Context(), listening.URL, openenv.DialOptions{})
			if err != nil {
				t.Error(err)
				return
			}
			defer session.Close()
			samePlay(t, session, tasks.New(), openenv.Seeded(i))
		})
	}
	players.Wait()

	url := *reset(t, tasks.New(), openenv.Seeded(0)).URL
	reply, err := http.Get(listening.URL + url)
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	defer http.DefaultClient.CloseIdleConnections()
	picture, err := io.ReadAll(reply.Body)
	if err != nil || reply.StatusCode != http.StatusOK || !bytes.Equal(picture, pixels(t, reset(t, tasks.New(), openenv.Seeded(0)))) {
		t.Errorf("%s gives %s, %d bytes, %v", url, reply.Status, len(picture), err)
	}
}

// samePlay plays two environments alike, and holds what they say together.
func samePlay(t *testing.T, a, b openenv.Environment, options openenv.ResetOptions) {
	options.EpisodeID = "same"
	first, err := a.Reset(t.Context(), options)
	want, wantErr := b.Reset(t.Context(), options)
	same(t, "reset", first, want, err, wantErr)
	for _, action := range []string{`{"verdict":"SUPPORTED","confidence":0.25}`, `{"answer":"no idea"}`} {
		last, err := a.Step(t.Context(), json.RawMessage(action))
		want, wantErr := b.Step(t.Context(), json.RawMessage(action))
		same(t, action, last, want, err, wantErr)
	}
	state, err := a.State(t.Context())
	wantState, _ := b.State(t.Context())
	if err != nil || string(state) != string(wantState) {
		t.Errorf("state %s, %v; want %s", state, err, wantState)
	}
	// The episode is over: that is an error on both sides, and ends no session.
	if _, err := a.Step(t.Context(), json.RawMessage(`{}`)); err == nil {
		t.Error("a step after the end was taken")
	}
	if _, err := a.Reset(t.Context(), options); err != nil {
		t.Error(err)
	}
}

func same(t *testing.T, what string, got, want openenv.Result, err, wantErr error) {
	if err != nil || wantErr != nil {
		t.Errorf("%s: %v, %v", what, err, wantErr)
		return
	}
	if string(want.Reward) == "" {
		want.Reward = json.RawMessage("null")
	}
	if string(got.Observation) != string(want.Observation) || string(got.Reward) != string(want.Reward) ||
		got.Done != want.Done || string(got.Metadata) != string(want.Metadata) {
		t.Errorf("%s: reward %s, done %v, metadata %s; want %s, %v, %s; observation %.200s", what,
			got.Reward, got.Done, got.Metadata, want.Reward, want.Done, want.Metadata, got.Observation)
	}
}
