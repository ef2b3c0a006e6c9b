package openenv

import (
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
)

// A guard decides which requests may pass.
type guard struct {
	token     *[sha256.Size]byte // its hash, so that all comparisons take equally long; nil for none
	localOnly bool
}

func newGuard(token string, localOnly bool) guard {
	g := guard{localOnly: localOnly}
	if token != "" {
		sum := sha256.Sum256([]byte(token))
		g.token = &sum
	}
	return g
}

// Guard lets those requests pass to a handler that a [Server] with the same
// token and LocalOnly would answer.
func Guard(token string, localOnly bool, next http.Handler) http.Handler {
	g := newGuard(token, localOnly)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !g.refuses(w, r, false) {
			next.ServeHTTP(w, r)
		}
	})
}

// refuses answers a request that may not pass, and tells whether it did.
func (g guard) refuses(w http.ResponseWriter, r *http.Request, open bool) bool {
	status, problem := g.judge(r, open)
	if problem == "" {
		return false
	}
	if status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(object("detail", problem)) // the client may be gone
	return true
}

// judge says why a request may not pass, "" if it may. An open path needs no
// token.
func (g guard) judge(r *http.Request, open bool) (int, string) {
	if g.localOnly && !localHost(r.Host) {
		return http.StatusForbidden, fmt.Sprintf("The server is for this machine only, not for %q", r.Host)
	}
	// A page of another site must not use the browser of someone who can reach
	// the server. Programs send no Origin.
	if origin := r.Header.Get("Origin"); origin != "" {
		if u, err := url.Parse(origin); err != nil || !strings.EqualFold(u.Host, r.Host) {
			return http.StatusForbidden, fmt.Sprintf("Pages of %q may not use the server", origin)
		}
	}
	if g.token == nil || open {
		return 0, ""
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	sum := sha256.Sum256([]byte(strings.TrimSpace(token)))
	if !strings.EqualFold(scheme, "Bearer") || subtle.ConstantTimeCompare(sum[:], g.token[:]) != 1 {
		return http.StatusUnauthorized, "Not authenticated"
	}
	return 0, ""
}

// localHost tells whether a Host header names this machine in a way that no
// one else's name server decides.
func localHost(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.Trim(host, "[]")
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}
