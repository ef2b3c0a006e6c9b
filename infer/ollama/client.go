// Package ollama drives an Ollama server as an infer.Backend. It sends every
// option explicitly, refuses to take a damaged reply for an answer, and
// classifies each failure by what it means for a run.
//
// Requests go through /api/generate, because it keeps the answer schema where
// /api/chat silently drops it (a thinking-capable model with thinking off, up
// to v0.24.0 at least). Only with thinking on does it use /api/chat, whose
// two passes let the model think freely and constrain the answer alone.
package ollama

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"candor/infer"

	"github.com/ollama/ollama/api"
)

// DefaultTimeout bounds one request, loading and queueing included. Beyond
// it the server is taken to hang, and the request is retried.
const DefaultTimeout = 10 * time.Minute

// DefaultKeepAlive is how long the server keeps the model after a request.
const DefaultKeepAlive = 30 * time.Minute

// Client is one Ollama server. It is safe for concurrent use.
type Client struct {
	base      *url.URL
	http      *http.Client
	api       *api.Client
	timeout   time.Duration
	keepAlive time.Duration
}

var _ infer.Backend = (*Client)(nil)

// Option changes a Client at its making.
type Option func(*Client)

// Timeout bounds each request; 0 or less leaves it unbounded.
func Timeout(d time.Duration) Option { return func(c *Client) { c.timeout = d } }

// KeepAlive sets how long the server keeps the model after a request.
func KeepAlive(d time.Duration) Option { return func(c *Client) { c.keepAlive = d } }

// New returns a client of the server at host: "host", "host:port" or a URL.
// An empty host means OLLAMA_HOST, and failing that Ollama's own default,
// 127.0.0.1:11434. An unspecified address (0.0.0.0) means this machine. It
// opens no connection.
func New(host string, opts ...Option) (*Client, error) {
	base, err := hostURL(host)
	if err != nil {
		return nil, err
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 64
	c := &Client{base: base, timeout: DefaultTimeout, keepAlive: DefaultKeepAlive}
	c.http = &http.Client{Transport: bodyWatcher{transport}, CheckRedirect: refuseLossy}
	c.api = api.NewClient(base, c.http)
	for _, o := range opts {
		o(c)
	}
	return c, nil
}

// Endpoint is the server's URL, without the password that it may hold: it is
// recorded.
func (c *Client) Endpoint() string {
	u := *c.base
	u.User = nil
	return u.String()
}

// Close drops the connections that are idle. The client remains usable.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// API is the plain client underneath, for what Candor does not wrap.
func (c *Client) API() *api.Client { return c.api }

// withDeadline bounds one call, so that the caller's own cancellation can be
// told from the deadline of the call.
func (c *Client) withDeadline(ctx context.Context) (context.Context, context.CancelFunc) {
	if c.timeout <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, c.timeout)
}

// refuseLossy stops at a redirection that would turn a question into a plain
// GET and lose it, as one from http to https does.
func refuseLossy(req *http.Request, via []*http.Request) error {
	if req.Method != via[0].Method || len(via) >= 10 {
		return fmt.Errorf("%w to %s", errRedirect, req.URL.Redacted())
	}
	return nil
}

var errRedirect = errors.New("the server redirects")
