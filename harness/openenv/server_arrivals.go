package openenv

import (
	"context"
	"net"
	"net/http"
	"sync"
)

// arrivals are the connections of which no request has come whole to its body:
// new ones, idle ones, and those in the midst of a header. A server that stops
// need not wait for them, which net/http does for some.
type arrivals struct {
	mu     sync.Mutex
	conns  map[net.Conn]struct{}
	closed bool
}

type connKey struct{}

// watch has a server's connections noted.
func (a *arrivals) watch(server *http.Server) {
	a.conns = map[net.Conn]struct{}{}
	server.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		return context.WithValue(ctx, connKey{}, c)
	}
	server.ConnState = func(c net.Conn, state http.ConnState) {
		a.mu.Lock()
		defer a.mu.Unlock()
		switch state {
		case http.StateNew, http.StateIdle:
			a.conns[c] = struct{}{}
			if a.closed {
				c.Close()
			}
		case http.StateClosed, http.StateHijacked:
			delete(a.conns, c)
		}
	}
	next := server.Handler
	server.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, _ := r.Context().Value(connKey{}).(net.Conn)
		a.mu.Lock()
		delete(a.conns, c)
		a.mu.Unlock()
		next.ServeHTTP(w, r)
	})
}

// close closes them, and those that come.
func (a *arrivals) close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.closed = true
	for c := range a.conns {
		c.Close()
	}
}
