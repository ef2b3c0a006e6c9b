package openenv

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
)

// TrustFile is a TLS configuration that trusts whom the system trusts and the
// certificates of a PEM file besides.
func TrustFile(path string) (*tls.Config, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	roots, err := x509.SystemCertPool()
	if err != nil {
		roots = x509.NewCertPool()
	}
	if !roots.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("%s holds no certificate in PEM", path)
	}
	return &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}, nil
}

// transport makes one, with the taps that it connects.
func (r *Remote) transport() (*http.Transport, *taps) {
	connected := &taps{}
	transport := &http.Transport{
		Proxy:           http.ProxyFromEnvironment,
		DialContext:     connected.dial,
		TLSClientConfig: r.options.TLS.Clone(),
		// One connection is wanted, and none to stay when it has ended.
		DisableKeepAlives: true,
	}
	return transport, connected
}

// client follows redirects, but not with the token to another host.
func (r *Remote) client(transport http.RoundTripper) *http.Client {
	return &http.Client{Transport: transport, CheckRedirect: func(next *http.Request, via []*http.Request) error {
		switch {
		case len(via) >= 10:
			return errors.New("too many redirects")
		case r.options.Token != "" && !sameHost(via[0].URL, next.URL):
			return errRedirect
		default:
			return nil
		}
	}}
}

// sameHost tells whether what goes to one URL may go to another: TLS may be
// gained on the way and not lost.
func sameHost(from, to *url.URL) bool {
	return strings.EqualFold(from.Host, to.Host) && (from.Scheme == to.Scheme || to.Scheme == "https")
}

func (r *Remote) header() http.Header {
	header := http.Header{"User-Agent": {"candor"}}
	if r.options.Token != "" {
		header.Set("Authorization", "Bearer "+r.options.Token)
	}
	return header
}

// plain is an error without the URL that net/http puts in front: it holds the
// query, and the address is told already.
func plain(err error) error {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		return wrapped.Err
	}
	return err
}

// taps are the connections of a transport.
type taps struct {
	mu   sync.Mutex
	made []*tap
}

func (w *taps) dial(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := new(net.Dialer).DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	made := &tap{Conn: conn, resting: make(chan struct{}, 1)}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.made = append(w.made, made)
	return made, nil
}

// last is the tap that was connected last: after redirects the one in use.
func (w *taps) last() *tap {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.made[len(w.made)-1]
}

// A tap is a connection that tells whether everything that came over it has
// been dealt with.
type tap struct {
	net.Conn
	resting chan struct{} // full while a read waits for more
	over    atomic.Bool   // nothing more comes
}

func (w *tap) Read(into []byte) (int, error) {
	w.resting <- struct{}{}
	defer func() { <-w.resting }()
	n, err := w.Conn.Read(into)
	if err != nil {
		w.over.Store(true)
	}
	return n, err
}

// settle waits until the reader has dealt with everything that has come, so
// that what a server sent after its last reply is not taken for the next. It
// waits no longer than until the connection is dropped.
func (w *tap) settle(ctx context.Context, dropped <-chan struct{}) error {
	select {
	case mark := <-w.resting:
		w.resting <- mark
	case <-dropped: // by who called or who reads; the caller will see
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}
