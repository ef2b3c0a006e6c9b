// Package faultserver is a stand-in for an Ollama server that fails on
// demand: it is busy, cuts replies, drops images, ignores penalties, answers
// the same whatever it sees. It exists to inject faults and to time our own
// code, in tests only; it has no model, so nothing it says is evidence about
// one, and it never answers for the product.
//
// Without faults it behaves as a plausible, healthy server: what it answers is
// a pure function of prompt, image, seed and sampling options, in the answer
// form that the request's format asks for. Faults are rules: which requests,
// and what goes wrong. One that is busy at the first try of every task, but
// not for preflight requests, and cuts the reply to the tenth:
//
//	tasks := faultserver.PromptContains("Claim:")
//	s := faultserver.New(t,
//		faultserver.On(faultserver.FirstOfEach(1, tasks), faultserver.Busy()),
//		faultserver.On(faultserver.Nth(tasks, 9), faultserver.CutMiddle()))
//
// Requests then tells what was asked, request by request.
package faultserver

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"
)

// Model is the one model that a Server has unless told otherwise.
const Model = "fake:latest"

// Server is a running stand-in. It is safe for concurrent use.
type Server struct {
	URL string

	http   *httptest.Server
	closed chan struct{} // ends whatever hangs

	mu        sync.Mutex
	conf      config
	turn      chan struct{} // a place for each request that is served at once
	requests  []*Request
	inFlight  int
	most      int
	loaded    string // model in memory
	context   int    // tokens, as loaded
	lastImage string // whose prefix the cache holds
	served    int
	blobs     []string // digests of the weights that clients uploaded
	created   []Creation
}

// config is everything that an Option may set.
type config struct {
	models       []string
	version      string
	digest       string
	name         string
	architecture string
	capabilities []string
	trained      int
	size, vram   int64
	loaded       bool       // resident before the first request
	made         []Creation // by clients, the last of a name counts

	refuseCode   int
	refuseText   string
	forgetFormat bool
	failShow     int

	rules           []rule
	answers         func(*Request) string
	abstainEvery    uint64
	malformedEvery  uint64
	ignorePenalties bool
	ignoreImage     bool
	noLogprobs      bool
	dropFormat      bool
	unrepeatable    bool
	latency         time.Duration
	imageCost       time.Duration
	slots           int // requests served at once; 0 for any number
	down            bool
}

// Option changes what a Server is or does.
type Option func(*config)

// New starts a server that ends with the test.
func New(t testing.TB, opts ...Option) *Server {
	t.Helper()
	s := &Server{closed: make(chan struct{})}
	s.conf = config{
		models: []string{Model}, version: "0.24.0", digest: digestOf("manifest"), name: "fake",
		architecture: "qwen35", capabilities: []string{"completion", "vision"}, trained: 262144,
		size: 4 << 30, vram: 4 << 30,
	}
	s.Set(opts...)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "Ollama is running") })
	mux.HandleFunc("GET /api/version", s.version)
	mux.HandleFunc("POST /api/show", s.show)
	mux.HandleFunc("GET /api/tags", s.tags)
	mux.HandleFunc("GET /api/ps", s.ps)
	mux.HandleFunc("POST /api/blobs/{digest}", s.blob)
	mux.HandleFunc("POST /api/create", s.create)
	mux.HandleFunc("POST /api/generate", s.ask)
	mux.HandleFunc("POST /api/chat", s.ask)
	s.http = httptest.NewServer(s.unlessDown(mux))
	s.URL = s.http.URL
	t.Cleanup(s.close)
	return s
}

func (s *Server) close() {
	close(s.closed)
	s.http.Close()
}

// Set applies opts to a running server: a version or a digest that changes in
// the middle of a run, a fault that appears. Rules are added after those there.
func (s *Server) Set(opts ...Option) {
	s.mu.Lock()
	defer s.mu.Unlock()
	slots := s.conf.slots
	for _, o := range opts {
		o(&s.conf)
	}
	if s.conf.slots != slots {
		s.turn = make(chan struct{}, s.conf.slots)
	}
}

// unlessDown breaks every connection while the server is down.
func (s *Server) unlessDown(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		down := s.conf.down
		s.mu.Unlock()
		if down {
			panic(http.ErrAbortHandler)
		}
		next.ServeHTTP(w, r)
	})
}

// Requests returns what was asked through generate and chat so far, in order
// of arrival, failed requests included.
func (s *Server) Requests() []*Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]*Request(nil), s.requests...)
}

// MaxInFlight is the most generate and chat requests that were here at once.
func (s *Server) MaxInFlight() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.most
}

// ask serves one generate or chat request: it notes the request, forms the
// healthy reply, lets every rule that matches spoil it, and writes what is
// left.
func (s *Server) ask(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	req, err := parseRequest(r.URL.Path, body)
	if err != nil {
		writeError(w, http.StatusBadRequest, err.Error())
		return
	}
	conf, turn := s.arrive(req)
	defer s.leave()
	x := &exchange{w: w, r: r, closed: s.closed, req: req}
	if turn != nil {
		if !x.take(turn) {
			return
		}
		defer func() { <-turn }()
	}
	if code, text := conf.refusal(req); code != 0 {
		x.reply = &Reply{status: code, Error: text}
	} else {
		x.reply = s.reply(conf, req)
		x.pause(conf.latency + time.Duration(x.reply.EncodeImage))
	}
	for _, f := range req.faults {
		if f(x); x.handled {
			return
		}
	}
	x.write()
}

// arrive records the request and picks the rules that match it, so that rules
// which count do so in order of arrival.
func (s *Server) arrive(req *Request) (config, chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	req.Index, req.Time = len(s.requests), time.Now()
	s.requests = append(s.requests, req)
	s.inFlight++
	s.most = max(s.most, s.inFlight)
	req.InFlight = s.inFlight
	for _, rule := range s.conf.rules {
		if rule.when(req) {
			req.faults = append(req.faults, rule.fault)
		}
	}
	if s.conf.slots == 0 {
		return s.conf, nil
	}
	return s.conf, s.turn
}

func (s *Server) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.inFlight--
}
