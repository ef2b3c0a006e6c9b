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
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
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
	api       *api.Client
	timeout   time.Duration
	keepAlive time.Duration
}

var _ infer.Backend = (*Client)(nil)

// Option changes a Client at its making.
type Option func(*Client)

// Timeout bounds each request.
func Timeout(d time.Duration) Option { return func(c *Client) { c.timeout = d } }

// KeepAlive sets how long the server keeps the model after a request.
func KeepAlive(d time.Duration) Option { return func(c *Client) { c.keepAlive = d } }

// New returns a client of the server at host: "host", "host:port" or a URL.
// An empty host means OLLAMA_HOST, and failing that Ollama's own default,
// 127.0.0.1:11434. An unspecified address (0.0.0.0) means this machine. It
// opens no connection.
func New(host string, opts ...Option) (*Client, error) {
	if host == "" {
		host = os.Getenv("OLLAMA_HOST")
	}
	base, err := parseHost(host)
	if err != nil {
		return nil, err
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 64
	c := &Client{base: base, timeout: DefaultTimeout, keepAlive: DefaultKeepAlive}
	c.api = api.NewClient(base, &http.Client{Transport: bodyWatcher{transport}})
	for _, o := range opts {
		o(c)
	}
	return c, nil
}

// Endpoint is the server's URL.
func (c *Client) Endpoint() string { return c.base.String() }

// API is the plain client underneath, for what Candor does not wrap.
func (c *Client) API() *api.Client { return c.api }

func parseHost(s string) (*url.URL, error) {
	raw := strings.TrimSpace(s)
	if raw == "" {
		raw = "127.0.0.1"
	}
	scheme, rest, ok := strings.Cut(raw, "://")
	if !ok {
		scheme, rest = "http", raw
	}
	if scheme != "http" && scheme != "https" {
		return nil, fmt.Errorf("host %q: the scheme must be http or https", s)
	}
	u, err := url.Parse(scheme + "://" + rest)
	if err != nil || u.Hostname() == "" {
		return nil, fmt.Errorf("host %q is not an address such as 127.0.0.1:11434 or http://gpu:11434", s)
	}
	name, port := u.Hostname(), u.Port()
	if port == "" && scheme == "http" && !ok {
		port = "11434"
	}
	if ip := net.ParseIP(name); ip != nil && ip.IsUnspecified() {
		name = "127.0.0.1"
	}
	if port != "" {
		u.Host = net.JoinHostPort(name, port)
	}
	u.Path = strings.TrimRight(u.Path, "/")
	return u, nil
}

// withDeadline bounds one call, and tells the caller's own cancellation from
// the deadline of the call.
func (c *Client) withDeadline(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, c.timeout)
}
