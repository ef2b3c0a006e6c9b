package hubtest

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// Kind is what a server does wrong.
type Kind int

// What a server may do wrong.
const (
	Status      Kind = iota // answers N, with Header
	Cut                     // cuts the connection after N bytes of content
	IgnoreRange             // sends the whole whatever part is asked for
	Corrupt                 // flips a bit of the content
	NoSize                  // tells no size, before or with the content
	Gzip                    // compresses though asked not to
	Stall                   // sends N bytes of content and then nothing
	WrongPart               // sends another part than the one asked for
	Short                   // sends N bytes less, and says that this is all
	Slow                    // sends N bytes at a time, 20 ms apart
)

// Fault is something a server does wrong, so many times.
type Fault struct {
	Kind    Kind
	N       int
	Times   int    // 0: always
	Path    string // of requests whose path contains this
	Storage bool   // the storage host does it, not the Hub
	Header  http.Header
}

// Fail makes a server do something wrong from now on.
func (s *Server) Fail(f Fault) {
	if f.Times == 0 {
		f.Times = -1
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, &f)
}

// Mend ends all faults.
func (s *Server) Mend() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = nil
}

func (s *Server) has(kind Kind) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range s.faults {
		if f.Kind == kind {
			return true
		}
	}
	return false
}

// take is the fault that this request meets, if any.
func (s *Server) take(r *http.Request, storage bool) *Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range s.faults {
		content := f.Kind != Status
		if f.Times != 0 && f.Storage == storage && strings.Contains(r.URL.Path, f.Path) && (!content || r.Method == http.MethodGet && storage) {
			f.Times--
			return f
		}
	}
	return nil
}

// fault answers a request wrongly, if it is to.
func (s *Server) fault(w http.ResponseWriter, r *http.Request, storage bool, content []byte) bool {
	f := s.take(r, storage)
	if f == nil {
		return false
	}
	switch f.Kind {
	case Status:
		for name, values := range f.Header {
			w.Header()[name] = values
		}
		w.WriteHeader(f.N)
	case IgnoreRange:
		_, _ = w.Write(content)
	case Corrupt:
		bad := bytes.Clone(content)
		bad[len(bad)/2] ^= 1
		s.content(w, r, bad)
	case NoSize:
		w.(http.Flusher).Flush() // chunked
		_, _ = w.Write(content)
	case Gzip:
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		_, _ = z.Write(content)
		_ = z.Close()
	case Short:
		_, _ = w.Write(content[:len(content)-f.N])
	case WrongPart:
		w.Header().Set("Content-Range", fmt.Sprintf("bytes 0-%d/%d", len(content)-1, len(content)))
		w.WriteHeader(http.StatusPartialContent)
		_, _ = w.Write(content)
	case Slow:
		s.content(slow{w, f.N}, r, content)
	case Cut, Stall:
		s.content(&limited{ResponseWriter: w, left: f.N, then: f.Kind, gone: r.Context().Done()}, r, content)
	}
	return true
}

// content serves a file, or the part of it that is asked for.
func (s *Server) content(w http.ResponseWriter, r *http.Request, content []byte) {
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
}

// limited lets so many bytes of a body through.
type limited struct {
	http.ResponseWriter
	left int
	then Kind
	gone <-chan struct{}
}

func (l *limited) Write(p []byte) (int, error) {
	if len(p) <= l.left {
		l.left -= len(p)
		return l.ResponseWriter.Write(p)
	}
	_, _ = l.ResponseWriter.Write(p[:l.left])
	l.ResponseWriter.(http.Flusher).Flush()
	if l.then == Stall {
		<-l.gone
	}
	panic(http.ErrAbortHandler)
}

// slow lets so many bytes of a body through at a time.
type slow struct {
	http.ResponseWriter
	n int
}

func (l slow) Write(p []byte) (int, error) {
	for done := 0; done < len(p); {
		n, err := l.ResponseWriter.Write(p[done:min(len(p), done+l.n)])
		if done += n; err != nil {
			return done, err
		}
		l.ResponseWriter.(http.Flusher).Flush()
		time.Sleep(20 * time.Millisecond)
	}
	return len(p), nil
}
