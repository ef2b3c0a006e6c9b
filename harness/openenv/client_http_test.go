package openenv_test

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"candor/harness/openenv"

	"go.uber.org/goleak"
)

// An oldServer is one of OpenEnv 0.1: HTTP only.
func oldServer(t *testing.T, refusal int, more map[string]http.HandlerFunc) (*httptest.Server, *[]string) {
	t.Helper()
	var mu sync.Mutex
	var heard []string
	mux := http.NewServeMux()
	answer := func(pattern, reply string) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			mu.Lock()
			defer mu.Unlock()
			heard = append(heard, r.Method+" "+r.URL.Path+" "+string(body))
			io.WriteString(w, reply)
		})
	}
	mux.HandleFunc("GET /ws", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "", refusal) })
	answer("GET /health", `{"status":"healthy"}`)
	answer("POST /reset", `{"observation":{"z":1.0,"a":0},"reward":0.0,"done":false}`)
	answer("GET /state", `{"episode_id":"e","step_count":1}`)
	if more["POST /step"] == nil {
		answer("POST /step", `{"observation":{"which":"step"},"reward":null,"done":true}`)
	}
	for pattern, handler := range more {
		mux.HandleFunc(pattern, handler)
	}
	return httptest.NewServer(mux), &heard
}

// A server that refuses /ws but is healthy is played over HTTP, as its own
// client did.
func TestOldestForm(t *testing.T) {
	for _, refusal := range []int{403, 404} {
		t.Run(fmt.Sprint(refusal), func(t *testing.T) {
			defer goleak.VerifyNone(t)
			server, heard := oldServer(t, refusal, nil)
			defer server.Close()
			session := dialSession(t, server.URL, openenv.DialOptions{ReplyTimeout: 15 * time.Second})
			if session.Form() != openenv.FormHTTP {
				t.Errorf("its form is %s", session.Form())
			}
			*heard = nil
			first, err := session.Reset(t.Context(), openenv.Seeded(7))
			if err != nil || string(first.Observation) != `{"z":1.0,"a":0}` || string(first.Reward) != "0.0" || first.Done {
				t.Errorf("a reset: %+v %v", first, err)
			}
			second, err := session.Step(t.Context(), []byte(`{"message":"hi"}`))
			if err != nil || string(second.Observation) != `{"which":"step"}` || string(second.Reward) != "null" || !second.Done {
				t.Errorf("a step: %+v %v", second, err)
			}
			state, err := session.State(t.Context())
			if err != nil || string(state) != `{"episode_id":"e","step_count":1}` {
				t.Errorf("a state: %s %v", state, err)
			}
			session.Close()
			want := `POST /reset {"seed":7}|POST /step {"action":{"message":"hi"},"timeout_s":15}|GET /state `
			if got := strings.Join(*heard, "|"); got != want {
				t.Errorf("the server heard %s", got)
			}
			if _, err := session.State(t.Context()); !errors.Is(err, openenv.ErrClosed) {
				t.Errorf("after Close: %v", err)
			}
		})
	}
}

// The fallback is for a server of 0.1 and nobody else.
func TestNoOldestForm(t *testing.T) {
	for _, row := range []struct {
		name    string
		refusal int
		more    map[string]http.HandlerFunc
		want    error
		says    string
	}{
		{name: "another refusal", refusal: 500, says: "/ws is refused with 500"},
		{name: "no token", refusal: 401, want: openenv.ErrUnauthorized},
		// From 0.2 on the HTTP form forgets the episode.
		{name: "a newer server", refusal: 403, want: openenv.ErrStateless, more: map[string]http.HandlerFunc{
			"GET /schema": func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, `{"action":{}}`) },
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			defer goleak.VerifyNone(t)
			server, _ := oldServer(t, row.refusal, row.more)
			defer server.Close()
			_, err := openenv.Dial(t.Context(), server.URL, openenv.DialOptions{})
			if err == nil || row.want != nil && !errors.Is(err, row.want) || !strings.Contains(err.Error(), row.says) {
				t.Errorf("dialling: %v", err)
			}
		})
	}
	t.Run("a server that is not well", func(t *testing.T) {
		defer goleak.VerifyNone(t)
		server := httptest.NewServer(http.NotFoundHandler())
		defer server.Close()
		_, err := openenv.Dial(t.Context(), server.URL, openenv.DialOptions{})
		if err == nil || !strings.Contains(err.Error(), "/ws is refused with 404 Not Found; over HTTP: "+server.URL+"/health: 404") {
			t.Errorf("dialling: %v", err)
		}
	})
	t.Run("a path too far", func(t *testing.T) {
		defer goleak.VerifyNone(t)
		server := httptest.NewServer(http.NotFoundHandler())
		defer server.Close()
		_, err := openenv.Dial(t.Context(), server.URL+"/ws", openenv.DialOptions{})
		if err == nil || !strings.Contains(err.Error(), "leave /ws off") {
			t.Errorf("dialling: %v", err)
		}
	})
	t.Run("nobody there", func(t *testing.T) {
		defer goleak.VerifyNone(t)
		server := httptest.NewServer(nil)
		server.Close()
		_, err := openenv.Dial(t.Context(), server.URL+"?key=secret", openenv.DialOptions{})
		if err == nil || !strings.Contains(err.Error(), "connection refused") || strings.Contains(err.Error(), "secret") {
			t.Errorf("dialling: %v", err)
		}
	})
}

// Over HTTP, too, an error of the environment's leaves the episode, and a
// request whose fate is not known costs it.
func TestOldestFormFails(t *testing.T) {
	defer goleak.VerifyNone(t)
	release := make(chan struct{})
	step := func(w http.ResponseWriter, r *http.Request) {
		var request struct{ Action struct{ Do string } }
		json.NewDecoder(r.Body).Decode(&request)
		switch request.Action.Do {
		case "fail":
			http.Error(w, "Internal Server Error", 500)
		case "refuse":
			http.Error(w, `{"detail":"no"}`, 422)
		case "garbage":
			io.WriteString(w, `{"observation":`)
		case "nothing":
			<-release
		}
	}
	server, _ := oldServer(t, 403, map[string]http.HandlerFunc{"POST /step": step})
	defer server.Close()
	defer close(release)
	session := dialSession(t, server.URL, openenv.DialOptions{ReplyTimeout: 200 * time.Millisecond})
	defer session.Close()
	for _, row := range []struct {
		do, code string
		want     error
	}{
		{"fail", openenv.CodeExecution, nil},
		{"refuse", openenv.CodeValidation, nil},
		{"garbage", "", openenv.ErrProtocol},
		{"nothing", "", openenv.ErrReplyTimeout},
	} {
		if _, err := session.Reset(t.Context(), openenv.ResetOptions{}); err != nil {
			t.Fatalf("a reset before %s: %v", row.do, err)
		}
		_, err := session.Step(t.Context(), []byte(`{"do":"`+row.do+`"}`))
		var told *openenv.Error
		if errors.As(err, &told); row.want == nil && (told == nil || told.Code != row.code) || row.want != nil && !errors.Is(err, row.want) {
			t.Errorf("%s: %v", row.do, err)
		}
		_, err = session.State(t.Context())
		if lost := row.want != nil; lost != errors.Is(err, openenv.ErrLost) || lost != (err != nil) {
			t.Errorf("a state after %s: %v", row.do, err)
		}
	}
}

// A server that accepts a connection and says nothing is given up in time.
func TestConnectTimeout(t *testing.T) {
	defer goleak.VerifyNone(t)
	release := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	defer server.Close()
	defer close(release)
	_, err := openenv.Dial(t.Context(), server.URL, openenv.DialOptions{ConnectTimeout: 50 * time.Millisecond})
	if err == nil || !strings.Contains(err.Error(), "no connection within 50ms") {
		t.Errorf("dialling: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	if _, err := openenv.Dial(ctx, server.URL, openenv.DialOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("dialling: %v", err)
	}
}

// The token goes with every request to the server, and to nobody else.
func TestToken(t *testing.T) {
	defer goleak.VerifyNone(t)
	guarded := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") != "Bearer s3cret" {
				http.Error(w, "", http.StatusUnauthorized)
				return
			}
			next.ServeHTTP(w, r)
		})
	}
	far := newFarServer(t, func(f *far, _ int) { f.hear(); f.text(good); f.hear() })
	defer far.Close()
	server := httptest.NewServer(guarded(far.Config.Handler))
	defer server.Close()
	if _, err := openenv.Dial(t.Context(), server.URL, openenv.DialOptions{Token: "wrong-s3cret"}); !errors.Is(err, openenv.ErrUnauthorized) || strings.Contains(err.Error(), "s3cret") {
		t.Errorf("with another token: %v", err)
	}
	session := dialSession(t, server.URL, openenv.DialOptions{Token: "s3cret"})
	if _, err := session.Reset(t.Context(), openenv.ResetOptions{}); err != nil {
		t.Error(err)
	}
	session.Close()

	var leaked []string
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		leaked = append(leaked, r.Header.Get("Authorization"))
		far.Config.Handler.ServeHTTP(w, r)
	}))
	defer other.Close()
	for _, status := range []int{301, 302, 307, 308} {
		redirecting := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, other.URL+r.URL.Path, status)
		}))
		_, err := openenv.Dial(t.Context(), redirecting.URL, openenv.DialOptions{Token: "s3cret"})
		if err == nil || !strings.Contains(err.Error(), "another host") || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("redirected by %d: %v", status, err)
		}
		remote, err := openenv.NewRemote(redirecting.URL, openenv.DialOptions{Token: "s3cret"})
		if err != nil {
			t.Fatal(err)
		}
		if err := remote.Health(t.Context()); err == nil {
			t.Error("the other host was asked for its health")
		}
		// Without a token there is nothing to lose.
		session := dialSession(t, redirecting.URL, openenv.DialOptions{})
		if _, err := session.Reset(t.Context(), openenv.ResetOptions{}); err != nil {
			t.Errorf("redirected by %d: %v", status, err)
		}
		session.Close()
		redirecting.Close()
	}
	if strings.Join(leaked, "") != "" || len(leaked) != 4 {
		t.Errorf("the other host was asked %d times, with %q", len(leaked), leaked)
	}
}

// A server with a certificate of its own is spoken to once that is trusted.
func TestTLS(t *testing.T) {
	defer goleak.VerifyNone(t)
	far := newFarServer(t, func(f *far, connection int) {
		f.hear()
		// Two messages in one TLS record: the second must be noticed.
		f.raw(frame(true, 1, good) + frame(true, 1, good))
		f.hear()
	})
	defer far.Close()
	server := httptest.NewUnstartedServer(far.Config.Handler)
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.EnableHTTP2 = true
	server.StartTLS()
	defer server.Close()
	if _, err := openenv.Dial(t.Context(), server.URL, openenv.DialOptions{}); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("without its certificate: %v", err)
	}
	path := filepath.Join(t.TempDir(), "ca.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	trusting, err := openenv.TrustFile(path)
	if err != nil {
		t.Fatal(err)
	}
	session := dialSession(t, strings.Replace(server.URL, "https", "wss", 1), openenv.DialOptions{TLS: trusting})
	defer session.Close()
	if _, err := session.Reset(t.Context(), openenv.ResetOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := session.Step(t.Context(), []byte(`{}`)); !errors.Is(err, openenv.ErrProtocol) {
		t.Errorf("a step after a message too many: %v", err)
	}
	for _, wrong := range []string{filepath.Join(t.TempDir(), "none"), "client_http_test.go"} {
		if _, err := openenv.TrustFile(wrong); err == nil {
			t.Errorf("%s was trusted", wrong)
		}
	}
}

// What a server tells of itself makes a Spec that can be played.
func TestRemoteSpec(t *testing.T) {
	defer goleak.VerifyNone(t)
	far := newFarServer(t, func(f *far, _ int) { f.hear(); f.text(good); f.hear() })
	defer far.Close()
	mux := http.NewServeMux()
	mux.Handle("/ws", far.Config.Handler)
	for path, text := range map[string]string{
		"/health":   `{"status":"healthy","extra":1}`,
		"/schema":   `{"action":{"title":"A","b":1.0},"observation":{"title":"O"},"state":{"title":"S"},"reset_observation":{}}`,
		"/metadata": `{"name":"Echo","description":"Says it again","readme_content":null,"version":"1.0.0","author":null,"documentation_url":null}`,
	} {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, text) })
	}
	server := httptest.NewServer(mux)
	defer server.Close()
	remote, err := openenv.NewRemote(server.URL, openenv.DialOptions{})
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
	if spec.Name != "Echo" || spec.Description != "Says it again" || spec.Version != "1.0.0" || spec.Author != "" ||
		string(spec.Schemas.Action) != `{"title":"A","b":1.0}` || string(spec.Schemas.State) != `{"title":"S"}` {
		t.Errorf("it is %+v", spec)
	}
	session, err := spec.New(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := session.Reset(t.Context(), openenv.ResetOptions{}); err != nil {
		t.Error(err)
	}
	session.Close()
}

// A server that is not well, or says what is none of these, is told so.
func TestRemoteFails(t *testing.T) {
	defer goleak.VerifyNone(t)
	for _, row := range []struct {
		status int
		text   string
	}{
		{500, "Internal Server Error"}, {401, ""}, {200, `{"status":"unhealthy"}`},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(row.status)
			io.WriteString(w, row.text)
		}))
		remote, err := openenv.NewRemote(server.URL, openenv.DialOptions{MaxMessage: 1000})
		if err != nil {
			t.Fatal(err)
		}
		if err := remote.Health(t.Context()); err == nil {
			t.Errorf("%d %s is health", row.status, row.text)
		}
		server.Close()
	}
	for _, text := range []string{``, `[]`, `{"action":`, `{"action":{"x":"` + strings.Repeat("x", 1000) + `"}}`} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, text) }))
		remote, err := openenv.NewRemote(server.URL, openenv.DialOptions{MaxMessage: 1000})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := remote.Schemas(t.Context()); !errors.Is(err, openenv.ErrProtocol) {
			t.Errorf("schemas %.20s: %v", text, err)
		}
		if _, err := remote.Metadata(t.Context()); !errors.Is(err, openenv.ErrProtocol) {
			t.Errorf("metadata %.20s: %v", text, err)
		}
		server.Close()
	}
}
