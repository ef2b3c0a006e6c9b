package openenv

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strings"
)

// parseURL reads a server's URL as OpenEnv's own client does, as one of scheme
// http or https.
func parseURL(raw string) (*url.URL, error) {
	text := strings.TrimSpace(raw)
	if !strings.Contains(text, "://") {
		text = "http://" + text
	}
	_, host, _ := strings.Cut(text, "://")
	host, _, _ = strings.Cut(host, "/")
	if address, err := netip.ParseAddr(host); err == nil && address.Is6() {
		return nil, fmt.Errorf("the environment's URL has the address %s bare: an IPv6 address stands in brackets, as in http://[::1]:8000", host)
	}
	base, err := url.Parse(text)
	if err != nil {
		// What is wrong without the text itself, which might hold a password.
		var wrong *url.Error
		if errors.As(err, &wrong) {
			err = wrong.Err
		}
		return nil, fmt.Errorf("the environment's URL cannot be read: %w", err)
	}
	switch strings.ToLower(base.Scheme) {
	case "http", "ws":
		base.Scheme = "http"
	case "https", "wss":
		base.Scheme = "https"
	default:
		return nil, fmt.Errorf("an environment's URL begins with http, https, ws or wss, not %s", base.Scheme)
	}
	named := base.User != nil
	base.User = nil // never shown
	switch {
	case base.Hostname() == "":
		return nil, fmt.Errorf("the environment's URL %q has no host", base)
	case named:
		return nil, fmt.Errorf("the environment's URL %s holds a user: leave it out and give a token", base)
	case base.Fragment != "":
		return nil, fmt.Errorf("the environment's URL %s holds a fragment", base)
	}
	base.Path = strings.TrimRight(base.Path, "/")
	base.RawPath = strings.TrimRight(base.RawPath, "/")
	return base, nil
}

// at is the URL of one of the server's paths.
func (r *Remote) at(path string) string {
	whole := *r.url
	whole.Path += path
	if whole.RawPath != "" {
		whole.RawPath += path
	}
	return whole.String()
}

// socketURL is where sessions are.
func (r *Remote) socketURL() string {
	return "ws" + strings.TrimPrefix(r.at("/ws"), "http")
}
