package ollama

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
)

// The api client reads a reply line by line. It does not say when the
// connection broke before the end or when it stopped reading itself, takes an
// error status without a body for success, and sees only the first line of an
// error. Nor does it tell a key that is absent from one that is empty, so that
// any JSON object looks like the first words of an answer. bodyWatcher notes
// what breaks or is no answer, so that neither half a reply nor another
// program's is ever taken for a model's, and mends errors, so that every error
// status arrives as one line of JSON.
type bodyWatcher struct{ next http.RoundTripper }

type bodyWatchKey struct{}

func (t bodyWatcher) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := t.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode >= http.StatusBadRequest {
		mendError(resp)
		return resp, nil
	}
	if w, ok := req.Context().Value(bodyWatchKey{}).(*bodyWatch); ok {
		w.begin(endProven(resp))
		resp.Body = &watchedBody{ReadCloser: resp.Body, watch: w}
	}
	return resp, nil
}

// endProven reports whether the end of resp's body tells that all of it came:
// without a length or chunks, a closed connection looks the same.
func endProven(resp *http.Response) bool {
	return resp.ContentLength >= 0 || len(resp.TransferEncoding) > 0 || resp.ProtoMajor > 1 || resp.Uncompressed
}

// bodyWatch is what is known of one reply's body.
type bodyWatch struct {
	mu     sync.Mutex
	begun  bool  // a reply arrived
	chat   bool  // it answers /api/chat
	proven bool  // its end is a proof
	ended  bool  // it was read to its end
	cause  error // what broke it

	line  []byte // the line being read
	alien bool   // a line holds no part of an answer
}

func (w *bodyWatch) begin(proven bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.begun, w.proven = true, proven
	w.line, w.alien = nil, false // what a redirection said is no part of the reply
}

func (w *bodyWatch) note(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if errors.Is(err, io.EOF) {
		w.ended = true
		w.look(w.line)
		w.line = nil
		return
	}
	w.cause = err
}

// see takes the next bytes of the body. The api client stops at a line that is
// too long, which bounds what is kept here.
func (w *bodyWatch) see(p []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for {
		line, rest, whole := bytes.Cut(p, []byte{'\n'})
		w.line = append(w.line, line...)
		if !whole {
			return
		}
		w.look(w.line)
		w.line, p = w.line[:0], rest
	}
}

func (w *bodyWatch) look(line []byte) {
	if line = bytes.TrimSpace(line); len(line) > 0 && !isAnswer(line, w.chat) {
		w.alien = true
	}
}

// isAnswer reports whether a line is a part of an answer: an Ollama server
// writes done and its text in each, empty ones too.
func isAnswer(line []byte, chat bool) bool {
	var part struct {
		Done     *bool
		Response *string
		Message  *struct{ Content *string }
	}
	if json.Unmarshal(line, &part) != nil || part.Done == nil {
		return false
	}
	if chat {
		return part.Message != nil && part.Message.Content != nil
	}
	return part.Response != nil
}

// foreign reports whether the reply holds what no Ollama server would send.
func (w *bodyWatch) foreign() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.alien
}

// broken reports whether the connection failed under the reply.
func (w *bodyWatch) broken() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.cause != nil
}

// cut says why the reply is not whole, nil when it is. done tells whether it
// said itself that it is.
func (w *bodyWatch) cut(done bool) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.cause != nil:
		return w.cause
	case w.begun && !w.ended:
		return errors.New("a line of it is too long to read")
	case w.begun && !w.proven && !done:
		return errors.New("the connection ended before the reply was done")
	}
	return nil
}

type watchedBody struct {
	io.ReadCloser
	watch *bodyWatch
}

func (b *watchedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.watch.see(p[:n])
	if err != nil {
		b.watch.note(err)
	}
	return n, err
}

// mendError replaces the body of an error by one line that the api client
// understands: {"error": text}, whatever it was.
func mendError(resp *http.Response) {
	const most = 64 << 10
	body, _ := io.ReadAll(io.LimitReader(resp.Body, most)) // the status counts even if its text was cut
	resp.Body.Close()
	line, err := json.Marshal(map[string]string{"error": errorText(body, resp.StatusCode)})
	if err != nil {
		line = []byte("{}")
	}
	resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(line)), int64(len(line))
}

// errorText finds the message in an error's body: Ollama's {"error": text},
// OpenAI's {"error": {"message": text}}, or any text.
func errorText(body []byte, status int) string {
	var plain struct{ Error string }
	var nested struct{ Error struct{ Message string } }
	switch {
	case json.Unmarshal(body, &plain) == nil && plain.Error != "":
		return plain.Error
	case json.Unmarshal(body, &nested) == nil && nested.Error.Message != "":
		return nested.Error.Message
	case len(bytes.TrimSpace(body)) > 0:
		return strings.ToValidUTF8(strings.Join(strings.Fields(string(body)), " "), "")
	}
	return strings.ToLower(http.StatusText(status))
}
