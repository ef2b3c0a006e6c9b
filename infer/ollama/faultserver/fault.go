package faultserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"time"
)

// Fault spoils the reply to one request.
type Fault func(*exchange)

type rule struct {
	when  Match
	fault Fault
}

// exchange is one request on its way to being answered.
type exchange struct {
	w       http.ResponseWriter
	r       *http.Request
	closed  <-chan struct{}
	req     *Request
	reply   *Reply
	handled bool
}

// On injects a fault into every request that m matches. Rules apply in the
// order in which they were given, until one has sent something.
func On(m Match, f Fault) Option {
	return func(c *config) { c.rules = append(c.rules, rule{m, f}) }
}

// Change lets f alter the reply: the way to a fault that has no name here.
func Change(f func(*Request, *Reply)) Fault {
	return func(x *exchange) { f(x.req, x.reply) }
}

// Status answers with code and, as servers do, a JSON object with the error's
// text.
func Status(code int, text string) Fault {
	return func(x *exchange) { x.handled = true; writeError(x.w, code, text) }
}

// The server's own ways to fail, in its own words.

// Busy is a full queue.
func Busy() Fault {
	return Status(503, "server busy, please try again.  maximum pending requests exceeded")
}

// RunnerStopped is an engine that died.
func RunnerStopped() Fault {
	return Status(500, "model runner has unexpectedly stopped, this may be due to resource limitations or an internal error, check ollama server logs for details")
}

// ModelMissing is a model that was removed.
func ModelMissing() Fault {
	return func(x *exchange) {
		Status(404, fmt.Sprintf("model %q not found, try pulling it first", x.req.Model))(x)
	}
}

// RepeatLimit is the stop of a model that repeats one token, as an error.
func RepeatLimit() Fault { return Status(500, "prediction aborted, token repeat limit reached") }

// Body answers with exactly this.
func Body(code int, contentType, body string) Fault {
	return func(x *exchange) {
		x.handled = true
		x.w.Header().Set("Content-Type", contentType)
		x.w.WriteHeader(code)
		io.WriteString(x.w, body)
	}
}

// Redirect sends the client to another address, in the way that turns its
// question into a GET.
func Redirect(to string) Fault {
	return func(x *exchange) { x.handled = true; http.Redirect(x.w, x.r, to, http.StatusMovedPermanently) }
}

// Empty answers 200 and nothing more.
func Empty() Fault { return Body(200, "application/json", "") }

// HTML is a login page or a proxy between us and the server.
func HTML() Fault {
	return Body(200, "text/html", "<!DOCTYPE html>\n<html><body>Sign in to continue</body></html>\n")
}

// ErrorLine answers 200 with an error in the body.
func ErrorLine(text string) Fault {
	return func(x *exchange) { x.handled = true; x.writeLines(encode(map[string]any{"error": text})) }
}

// ErrorAfterChunks sends part of the answer, then an error, under 200.
func ErrorAfterChunks(text string) Fault {
	return func(x *exchange) {
		x.handled = true
		x.writeLines(append(x.chunks(), encode(map[string]any{"error": text}))...)
	}
}

// NoEnd sends the answer in chunks and ends the body properly, without the
// chunk that says done.
func NoEnd() Fault {
	return func(x *exchange) { x.handled = true; x.writeLines(x.chunks()...) }
}

// NotDone sends one whole reply that is not done.
func NotDone() Fault { return Change(func(_ *Request, rep *Reply) { rep.Done = false }) }

// CutMiddle breaks the connection in the middle of the reply's JSON.
func CutMiddle() Fault {
	return func(x *exchange) { b := x.body(); x.cut(b[:len(b)/2], len(b)) }
}

// CutAfter breaks the connection after a reply that looks whole, while more
// was announced.
func CutAfter() Fault {
	return func(x *exchange) { b := x.body(); x.cut(b, len(b)+100) }
}

// CutUnannounced sends chunks without the last one, and ends the connection
// without having announced a length: the end alone does not tell a whole body.
func CutUnannounced() Fault {
	return func(x *exchange) {
		x.hijack("Connection: close\r\n", bytes.Join(raw(x.chunks()), []byte("\n")))
	}
}

// CutBefore breaks the connection before a word is said.
func CutBefore() Fault {
	return func(*exchange) { panic(http.ErrAbortHandler) }
}

// Hang says nothing until the client gives up.
func Hang() Fault {
	return func(x *exchange) { x.handled = true; x.pause(math.MaxInt64) }
}

// HangMiddle sends half the reply and then nothing until the client gives up.
func HangMiddle() Fault {
	return func(x *exchange) {
		x.handled = true
		b := x.body()
		x.w.Header().Set("Content-Length", fmt.Sprint(len(b)))
		x.w.Write(b[:len(b)/2])
		http.NewResponseController(x.w).Flush()
		x.pause(math.MaxInt64)
	}
}

// Delay answers later.
func Delay(d time.Duration) Fault { return func(x *exchange) { x.pause(d) } }

// The model's and the engine's ways to fail under a proper reply.

// DropImage answers as if the request had carried no image: few prompt tokens
// and a normal answer.
func DropImage() Fault {
	return Change(func(r *Request, rep *Reply) { rep.PromptTokens = textTokens(r) })
}

// FillContext reports a prompt as long as the context.
func FillContext() Fault {
	return Change(func(r *Request, rep *Reply) {
		n, _ := r.Option("num_ctx")
		rep.PromptTokens = max(int(n), rep.PromptTokens)
	})
}

// Constant answers text whatever is asked, with the same log-probabilities.
func Constant(text string) Fault {
	return Change(func(r *Request, rep *Reply) {
		rep.Text, rep.OutputTokens = text, len(tokens(text))+1
		if r.Logprobs {
			rep.Logprobs = logprobs(text, text, r.TopLogprobs)
		}
	})
}

// Nothing is a proper reply without a token.
func Nothing() Fault {
	return Change(func(_ *Request, rep *Reply) { rep.Text, rep.Thinking, rep.Logprobs, rep.OutputTokens = "", "", nil, 0 })
}

// AnswersAs names another model in the reply than was asked.
func AnswersAs(model string) Fault {
	return func(x *exchange) { x.req.Model = model }
}

// OnlyThinking puts the answer where the thinking belongs, and answers nothing.
func OnlyThinking() Fault {
	return Change(func(_ *Request, rep *Reply) { rep.Thinking, rep.Text = rep.Text, "" })
}

// CutLength ends the answer after a few tokens for its length.
func CutLength() Fault {
	return Change(func(_ *Request, rep *Reply) { rep.cut(min(2, len(tokens(rep.Text)))) })
}

// FullContext is an engine that ran into the end of its context: no text and a
// generation of minus 292 years.
func FullContext() Fault {
	return Change(func(_ *Request, rep *Reply) {
		rep.Text, rep.DoneReason, rep.Generate = "", "length", math.MinInt64
	})
}

// chunks is the reply in pieces, never done.
func (x *exchange) chunks() []json.RawMessage {
	rep, req, stream := *x.reply, *x.req, true
	rep.Done, req.Stream = false, &stream
	return rep.lines(&req)
}

func (x *exchange) body() []byte {
	return append(bytes.Join(raw(x.reply.lines(x.req)), []byte("\n")), '\n')
}

func (x *exchange) write() {
	x.w.Header().Set("Content-Type", "application/json")
	if x.reply.status != 0 {
		x.w.WriteHeader(x.reply.status)
	}
	x.w.Write(x.body())
}

func (x *exchange) writeLines(lines ...json.RawMessage) {
	x.w.Header().Set("Content-Type", "application/x-ndjson")
	for _, l := range lines {
		x.w.Write(append(l, '\n'))
		http.NewResponseController(x.w).Flush()
	}
}

// cut announces length bytes, sends body and breaks the connection.
func (x *exchange) cut(body []byte, length int) {
	x.hijack(fmt.Sprintf("Content-Length: %d\r\n", length), body)
}

func (x *exchange) hijack(header string, body []byte) {
	x.handled = true
	conn, buf, err := http.NewResponseController(x.w).Hijack()
	if err != nil {
		panic(err) // only HTTP/1 is served here
	}
	defer conn.Close()
	fmt.Fprintf(buf, "HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\n%s\r\n%s", header, body)
	buf.Flush()
}

// pause waits, at most until the client or the server is gone.
func (x *exchange) pause(d time.Duration) {
	if d <= 0 {
		return
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-x.r.Context().Done():
	case <-x.closed:
	}
}

// take waits for the one place at a serialising server.
func (x *exchange) take(turn chan struct{}) bool {
	select {
	case turn <- struct{}{}:
		return true
	case <-x.r.Context().Done():
		return false
	case <-x.closed:
		return false
	}
}

func raw(lines []json.RawMessage) [][]byte {
	out := make([][]byte, len(lines))
	for i, l := range lines {
		out[i] = l
	}
	return out
}

func writeError(w http.ResponseWriter, code int, text string) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(code)
	w.Write(encode(map[string]any{"error": text}))
}
