package ollama

import (
	"errors"
	"io"
	"net/http"
	"sync"
)

// The api client reads a reply line by line and does not say when the
// connection broke before the end. bodyWatcher notes it, so that half a reply
// is never taken for a whole one.
type bodyWatcher struct{ next http.RoundTripper }

type bodyWatchKey struct{}

type bodyWatch struct {
	mu    sync.Mutex
	cause error
}

func (w *bodyWatch) err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.cause
}

func (w *bodyWatch) note(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cause = err
}

func (t bodyWatcher) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := t.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	if w, ok := req.Context().Value(bodyWatchKey{}).(*bodyWatch); ok {
		resp.Body = &watchedBody{ReadCloser: resp.Body, watch: w}
	}
	return resp, nil
}

type watchedBody struct {
	io.ReadCloser
	watch *bodyWatch
}

func (b *watchedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		b.watch.note(err)
	}
	return n, err
}
