package main

import (
	"net/http"
	"strings"
	"syscall"
	"testing"

	"candor/harness/openenv"
)

// A server is ended by a signal, as servers are: status 0, the clients told.
// Its standard output is its URL, and --check finds it well until then.
func TestServeEnds(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			p := start(t, "http://127.0.0.1:1", "serve", "--env", "number-sort", "--addr", "127.0.0.1:0")
			p.await("URL", func() bool { return strings.Contains(p.out.String(), "\n") })
			url := strings.TrimSpace(p.out.String())
			if check := start(t, "http://127.0.0.1:1", "serve", "--check", url); check.status(soon) != 0 {
				t.Errorf("--check: %s", check.err)
			}
			session, err := openenv.Dial(t.Context(), url, openenv.DialOptions{})
			if err != nil {
				t.Fatal(err)
			}
			defer session.Close()
			if _, err := session.Reset(t.Context(), openenv.Seeded(1)); err != nil {
				t.Fatal(err)
			}
			p.signal(sig)
			if got := p.status(soon); got != 0 {
				t.Errorf("exit status %d; stderr:\n%s", got, p.err)
			}
			if _, err := http.Get(url + "/health"); err == nil {
				t.Error("it still answers")
			}
			if check := start(t, "http://127.0.0.1:1", "serve", "--check", url); check.status(soon) != 1 {
				t.Error("--check finds well what has ended")
			}
		})
	}
}
