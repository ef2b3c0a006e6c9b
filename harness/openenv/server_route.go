package openenv

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"
)

// A route is what there is at a path: a WebSocket, and answers to methods.
type route struct {
	socket  http.HandlerFunc
	methods map[string]http.HandlerFunc
}

func (s *Server) paths() map[string]route {
	get := func(answer http.HandlerFunc) route { return route{methods: map[string]http.HandlerFunc{"GET": answer}} }
	post := func(answer http.HandlerFunc) route {
		return route{methods: map[string]http.HandlerFunc{"POST": answer}}
	}
	document := func(answer http.HandlerFunc) route {
		return route{methods: map[string]http.HandlerFunc{"GET": answer, "HEAD": answer}}
	}
	remote := post(s.postRPC)
	remote.socket = s.serveRPC
	routes := map[string]route{
		"/ws":                {socket: s.serveSession},
		"/mcp":               remote,
		"/reset":             post(s.postReset),
		"/step":              post(s.postStep),
		"/state":             get(s.getState),
		"/health":            get(s.fixed(object("status", "healthy"))),
		"/schema":            get(s.fixed(s.schemas)),
		"/metadata":          get(s.fixed(s.metadata())),
		"/openapi.json":      document(func(w http.ResponseWriter, r *http.Request) { s.send(w, http.StatusOK, s.openapi) }),
		"/docs":              document(s.page),
		"/redoc":             document(s.page),
		"/list_environments": get(s.fixed(encode([]string{s.spec.Name}))),
	}
	if s.options.Metrics != nil {
		routes["/metrics"] = get(s.options.Metrics.ServeHTTP)
	}
	return routes
}

// ServeHTTP guards the server, and answers what may pass.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Content-Type-Options", "nosniff")
	// Whatever answers; what send writes has less time. A deadline outlives its
	// request otherwise.
	limits := s.options.Limits
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(limits.Upload + limits.Step + limits.Write)) // not every writer has one
	path := r.URL.Path
	if s.guard.refuses(w, r, strings.TrimSuffix(path, "/") == "/health") {
		return
	}
	found, known := s.routes[path]
	if !known {
		found, known = s.ownRoute(path)
	}
	if !known {
		found, known = s.taskRoute(path)
	}
	if strings.EqualFold(r.Header.Get("Upgrade"), "websocket") && r.Method == http.MethodGet {
		if found.socket == nil {
			w.Header().Set("Content-Type", "text/plain; charset=utf-8")
			w.WriteHeader(http.StatusForbidden)
			return
		}
		found.socket(w, r)
		return
	}
	if bare := strings.TrimSuffix(path, "/"); !known && bare != "" && s.routes[bare].methods != nil {
		if r.URL.RawQuery != "" {
			bare += "?" + r.URL.RawQuery
		}
		w.Header().Set("Location", bare)
		w.WriteHeader(http.StatusTemporaryRedirect)
		return
	}
	answer := found.methods[r.Method]
	switch {
	case answer != nil:
		answer(w, r)
	case found.methods != nil:
		var allowed []string
		for method := range found.methods {
			allowed = append(allowed, method)
		}
		slices.Sort(allowed)
		w.Header().Set("Allow", strings.Join(allowed, ", "))
		s.detail(w, http.StatusMethodNotAllowed, "Method Not Allowed")
	default:
		s.detail(w, http.StatusNotFound, "Not Found")
	}
}

// ownRoute is one of the environment's own. What it does takes a slot as a
// call of no session does.
func (s *Server) ownRoute(path string) (route, bool) {
	for prefix, handler := range s.spec.Routes {
		if !strings.HasPrefix(path, prefix) {
			continue
		}
		answer := func(w http.ResponseWriter, r *http.Request) {
			answer := &kept{header: http.Header{}, status: http.StatusOK}
			err := s.call(r.Context(), s.stray, func(ctx context.Context) error {
				handler.ServeHTTP(answer, r.WithContext(ctx))
				return nil
			})
			if err != nil {
				s.fail(w, err)
				return
			}
			maps.Copy(w.Header(), answer.header)
			s.write(w, answer.status, answer.body.Bytes())
		}
		return route{methods: map[string]http.HandlerFunc{"GET": answer, "HEAD": answer}}, true
	}
	return route{}, false
}

// kept is an answer that is sent when it is whole, so that a slow client does
// not keep a slot.
type kept struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (k *kept) Header() http.Header         { return k.header }
func (k *kept) WriteHeader(status int)      { k.status = status }
func (k *kept) Write(p []byte) (int, error) { return k.body.Write(p) }

// send writes a JSON answer.
func (s *Server) send(w http.ResponseWriter, status int, answer json.RawMessage) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", fmt.Sprint(len(answer)))
	s.write(w, status, answer)
}

// write writes an answer. A client that does not take it in time is cut off.
func (s *Server) write(w http.ResponseWriter, status int, answer []byte) {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(s.options.Limits.Write)) // not every writer has one
	w.WriteHeader(status)
	_, _ = w.Write(answer) // the client may be gone
}

func (s *Server) detail(w http.ResponseWriter, status int, what string) {
	s.send(w, status, object("detail", what))
}

func (s *Server) fixed(answer json.RawMessage) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { s.send(w, http.StatusOK, answer) }
}

// body reads a request's body, or says why not.
func (s *Server) body(w http.ResponseWriter, r *http.Request) ([]byte, func(), bool) {
	limit := s.options.Limits.Message
	interrupt := func() { _ = http.NewResponseController(w).SetReadDeadline(time.Now()) } // not every writer has one
	defer context.AfterFunc(s.taking, interrupt)()
	body, release, err := s.memory.readAll(r.Context(), http.MaxBytesReader(w, r.Body, limit), &upload{giveWay: interrupt, waits: func(bool) {}})
	var long *http.MaxBytesError
	switch {
	case errors.As(err, &long):
		s.detail(w, http.StatusRequestEntityTooLarge, fmt.Sprintf("The body is longer than %d bytes", limit))
	case err != nil && s.taking.Err() != nil:
		s.detail(w, http.StatusServiceUnavailable, errStopping.Error())
	case err != nil:
		s.detail(w, http.StatusBadRequest, "The body could not be read")
	}
	return body, release, err == nil
}
