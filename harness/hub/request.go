package hub

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/cenkalti/backoff/v5"
)

const (
	// maxRedirects is how many are followed for one request.
	maxRedirects = 10
	// longestWait is the longest that a server may bid us wait.
	longestWait = 5 * time.Minute
)

// request is one question to the Hub.
type request struct {
	method string
	url    string
	header http.Header
	// enough ends the following of redirects at a response that has what is
	// asked for; nil follows them all.
	enough func(*http.Response) bool
}

// do sends a request and follows redirects. The token goes along as long as
// the request stays at the endpoint: once elsewhere, it is not sent again. A
// status of 400 or above is a *StatusError.
func (c *Client) do(ctx context.Context, r request) (*http.Response, error) {
	at, trusted := r.url, true
	for range maxRedirects {
		trusted = trusted && sameOrigin(c.set.Endpoint, at)
		resp, err := c.send(ctx, r, at, trusted)
		if err != nil {
			return nil, err
		}
		target := resp.Header.Get("Location")
		switch {
		case resp.StatusCode >= 400:
			defer resp.Body.Close()
			return nil, statusError(resp, at, trusted, c.set.Token != "")
		case resp.StatusCode < 300 || target == "" || r.enough != nil && r.enough(resp):
			return resp, nil
		}
		resp.Body.Close()
		if at, err = resolve(at, target); err != nil {
			return nil, err
		}
	}
	return nil, fmt.Errorf("%s: more than %d redirects", shown(r.url), maxRedirects)
}

func (c *Client) send(ctx context.Context, r request, at string, trusted bool) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, r.method, at, nil)
	if err != nil {
		return nil, fmt.Errorf("%s: the address cannot be used", shown(at))
	}
	for name, values := range r.header {
		req.Header[name] = values
	}
	req.Header.Set("Accept-Encoding", "identity")
	req.Header.Set("User-Agent", "candor")
	if trusted && c.set.Token != "" {
		req.Header.Set("Authorization", "Bearer "+string(c.set.Token))
	}
	resp, err := c.http.Do(req)
	if err == nil {
		return resp, nil
	}
	if cause := context.Cause(ctx); cause != nil {
		return nil, cause
	}
	// url.Error would print the whole address, a signature in it too.
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	return nil, &unreachableError{shown(at), err}
}

// unreachableError is a request that no answer came to.
type unreachableError struct {
	url string
	err error
}

func (e *unreachableError) Error() string {
	return fmt.Sprintf("%s %v: %v", e.url, ErrUnreachable, e.err)
}
func (e *unreachableError) Unwrap() []error { return []error{ErrUnreachable, e.err} }

func resolve(at, target string) (string, error) {
	base, err := url.Parse(at)
	if err != nil {
		return "", fmt.Errorf("%s: the address cannot be used", shown(at))
	}
	next, err := base.Parse(target)
	if err != nil || next.Host == "" || next.Scheme != "http" && next.Scheme != "https" {
		return "", fmt.Errorf("%s redirects to what is no web address", shown(at))
	}
	if base.Scheme == "https" && next.Scheme == "http" {
		return "", fmt.Errorf("%s redirects to an address that is not encrypted, %s", shown(at), shown(next.String()))
	}
	return next.String(), nil
}

// sameOrigin tells whether two addresses have one scheme, host and port.
func sameOrigin(a, b string) bool {
	return origin(a) == origin(b) && origin(a) != ""
}

func origin(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" {
		return ""
	}
	port := map[string]string{"http": "80", "https": "443"}[u.Scheme]
	return u.Scheme + "://" + strings.ToLower(u.Hostname()) + ":" + cmp.Or(u.Port(), port)
}

// shown is an address without what may be secret in it.
func shown(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "an address"
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String()
}

// retried tries f until it succeeds, the failure is one that will not pass, the
// attempts are used up or ctx ends. f reports whether it got anywhere, which
// counts as a new beginning.
func (c *Client) retried(ctx context.Context, attempts int, f func() (progressed bool, err error)) error {
	pause := &backoff.ExponentialBackOff{
		InitialInterval: c.retry.First, MaxInterval: c.retry.Max, Multiplier: 2, RandomizationFactor: 0.5,
	}
	pause.Reset()
	for failed := 0; ; {
		progressed, err := f()
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if progressed {
			failed = 0
			pause.Reset()
		}
		if failed++; !passes(err) {
			return err
		}
		wait, asked := retryAfter(err)
		switch {
		case wait > longestWait:
			return fmt.Errorf("%w; it asks to wait %s: try again then", err, wait.Round(time.Second))
		case failed >= attempts && attempts > 1:
			return fmt.Errorf("gave up after %d attempts: %w", failed, err)
		case failed >= attempts:
			return err
		case !asked:
			wait = pause.NextBackOff()
		}
		if err := c.sleep(ctx, wait); err != nil {
			return err
		}
	}
}

// passes tells a failure that another attempt may not meet.
func passes(err error) bool {
	if errors.Is(err, errCut) || errors.As(err, new(*unreachableError)) {
		return true
	}
	var s *StatusError
	return errors.As(err, &s) && s.passes()
}

// retryAfter is how long a server bids us wait, if it does.
func retryAfter(err error) (time.Duration, bool) {
	var s *StatusError
	if !errors.As(err, &s) || s.retryAfter == "" {
		return 0, false
	}
	if n, err := strconv.ParseFloat(s.retryAfter, 64); err == nil && n >= 0 && n < 1e8 {
		return time.Duration(n * float64(time.Second)), true
	}
	if at, err := http.ParseTime(s.retryAfter); err == nil {
		return max(0, time.Until(at)), true
	}
	return 0, false
}
