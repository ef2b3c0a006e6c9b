package hub

import (
	"context"
	"net"
	"net/http"
	"time"
)

// Client fetches files from the Hub. It is safe for concurrent use.
type Client struct {
	set      Settings
	http     *http.Client
	retry    Retry
	progress Progress
	sleep    func(context.Context, time.Duration) error
}

// Retry bounds the attempts at one request or, of a download, those in a row
// that bring no byte.
type Retry struct {
	Attempts   int
	First, Max time.Duration // pauses, growing between the two with jitter
}

// DefaultRetry rides out a minute without the Hub.
func DefaultRetry() Retry { return Retry{Attempts: 6, First: time.Second, Max: 20 * time.Second} }

// Progress is told how a download goes. Its methods are called by one
// goroutine at a time for a file.
type Progress interface {
	// Started begins a file of size bytes, -1 if that is not known, of which
	// done are here.
	Started(file string, done, size int64)
	// Advanced tells how many are here now; fewer than before where
	// a server made the download begin again.
	Advanced(file string, done int64)
	// Finished ends it, whether it is here or not.
	Finished(file string)
	// Note tells what a user should know, in a sentence.
	Note(text string)
}

// Option changes a Client.
type Option func(*Client)

// WithProgress tells p how downloads go.
func WithProgress(p Progress) Option { return func(c *Client) { c.progress = p } }

// WithRetry replaces DefaultRetry.
func WithRetry(r Retry) Option { return func(c *Client) { c.retry = r } }

// WithSleep replaces the waiting between attempts.
func WithSleep(sleep func(context.Context, time.Duration) error) Option {
	return func(c *Client) { c.sleep = sleep }
}

// New returns a client. Proxies are those of the environment (HTTPS_PROXY).
func New(s Settings, options ...Option) *Client {
	dialer := &net.Dialer{Timeout: s.MetadataTimeout}
	c := &Client{set: s, retry: DefaultRetry(), progress: silent{}, sleep: sleep}
	c.http = &http.Client{
		// Redirects are followed by hand: each decides on the token anew.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			Proxy:                 http.ProxyFromEnvironment,
			DialContext:           dialer.DialContext,
			TLSHandshakeTimeout:   s.MetadataTimeout,
			ResponseHeaderTimeout: s.MetadataTimeout,
			IdleConnTimeout:       30 * time.Second,
			ForceAttemptHTTP2:     true,
			// Asked for below as it is, so that lengths and ranges are the file's.
			DisableCompression: true,
		},
	}
	for _, o := range options {
		o(c)
	}
	return c
}

// Close ends idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// sleep returns nil after d, or ctx's error when that ends first.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

type silent struct{}

func (silent) Started(string, int64, int64) {}
func (silent) Advanced(string, int64)       {}
func (silent) Finished(string)              {}
func (silent) Note(string)                  {}
