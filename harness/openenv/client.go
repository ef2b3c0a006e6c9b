package openenv

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// DialOptions tell how a [Remote] is reached. The zero value does for a server on
// this machine or a public one. A duration below zero means without limit, or
// for PingEvery without pings.
type DialOptions struct {
	// ConnectTimeout is how long a connection may take to come about, 10 seconds
	// if 0, and ReplyTimeout how long a reply may, 60 seconds if 0.
	ConnectTimeout, ReplyTimeout time.Duration
	// The server is pinged every PingEvery, 20 seconds if 0, and the connection
	// given up when no pong comes within PongWithin, 20 seconds if 0. Pings of the
	// server's are always answered.
	PingEvery, PongWithin time.Duration
	// MaxMessage is how many bytes a message of the server's may have, 100 MiB
	// if 0.
	MaxMessage int64
	// Token is sent as a bearer token, where it is not empty, and to no other
	// host than the URL's.
	Token string
	// TLS is how servers at https and wss URLs are checked; nil trusts whom the
	// system trusts. [TrustFile] makes one that trusts more.
	TLS *tls.Config
}

// A Remote is where an environment is served. It holds no connection.
type Remote struct {
	url     *url.URL // of scheme http or https; its path does not end in a slash
	options DialOptions
}

// NewRemote reads a server's URL: http, https, ws or wss, or a bare host with
// or without a port, which is spoken to without TLS. A path is where the
// server's own paths begin: with https://host/env, sessions are at
// wss://host/env/ws.
func NewRemote(rawURL string, options DialOptions) (*Remote, error) {
	base, err := parseURL(rawURL)
	if err != nil {
		return nil, err
	}
	return &Remote{url: base, options: options.withDefaults()}, nil
}

// String is the server's URL without a query, for people and logs.
func (r *Remote) String() string {
	shown := *r.url
	shown.RawQuery = ""
	return shown.String()
}

// Dial connects to the server at a URL and begins a session. See
// [Remote.Dial].
func Dial(ctx context.Context, rawURL string, options DialOptions) (*Session, error) {
	remote, err := NewRemote(rawURL, options)
	if err != nil {
		return nil, err
	}
	return remote.Dial(ctx)
}

// Dial connects and begins a session, which the caller closes. The context is
// for connecting only.
//
// Sessions are played over a WebSocket. Where the server refuses that with 403
// or 404 but says that it is healthy, it is taken for an OpenEnv 0.1, which is
// played over HTTP; see [Session.Form]. A server that describes itself at
// /schema is a newer one, whose HTTP form forgets an episode between a reset
// and a step: that is an error.
//
// A server that has no room for a session, or cannot make an environment, says
// so after the connection has come about. The session's first request returns
// that error: it matches [ErrCapacity] or [ErrFactory].
func (r *Remote) Dial(ctx context.Context) (*Session, error) {
	link, err := r.connect(ctx)
	if err != nil {
		return nil, err
	}
	return &Session{remote: r, turn: make(chan struct{}, 1), closed: make(chan struct{}), link: link}, nil
}

// Spec asks the server what it serves. The sessions of the Spec are
// connections; it has no Action of its own, as the server checks actions.
func (r *Remote) Spec(ctx context.Context) (Spec, error) {
	schemas, err := r.Schemas(ctx)
	if err != nil {
		return Spec{}, err
	}
	metadata, err := r.Metadata(ctx)
	if err != nil {
		return Spec{}, err
	}
	var about struct {
		Name        string `json:"name"`
		Description string `json:"description"`
		Version     string `json:"version"`
		Author      string `json:"author"`
		Readme      string `json:"readme_content"`
		URL         string `json:"documentation_url"`
	}
	if err := json.Unmarshal(metadata, &about); err != nil {
		return Spec{}, fmt.Errorf("%v/metadata: %w", r, err)
	}
	return Spec{
		Name: about.Name, Description: about.Description, Version: about.Version,
		Author: about.Author, Readme: about.Readme, URL: about.URL,
		Schemas: schemas,
		New:     func(ctx context.Context) (Environment, error) { return r.Dial(ctx) },
	}, nil
}

// connect makes a connection of the form that the server speaks.
func (r *Remote) connect(ctx context.Context) (link, error) {
	ctx, cancel := limited(ctx, r.options.ConnectTimeout, errConnectTimeout)
	defer cancel()
	socket, status, err := r.connectSocket(ctx)
	if err == nil {
		return socket, nil
	}
	if status == http.StatusForbidden || status == http.StatusNotFound {
		old, oldErr := r.connectHTTP(ctx)
		if oldErr == nil {
			return old, nil
		}
		err = fmt.Errorf("%w; over HTTP: %w", err, oldErr)
		if strings.HasSuffix(r.url.Path, "/ws") {
			err = fmt.Errorf("%w (leave /ws off: it is added)", err)
		}
	}
	// Why the context has ended, and not only that it has.
	if ctx.Err() != nil {
		err = ranOut(ctx, r.options.ConnectTimeout)
	}
	return nil, fmt.Errorf("connecting to %v: %w", r, err)
}

func (o DialOptions) withDefaults() DialOptions {
	for _, field := range []struct {
		value    *time.Duration
		standard time.Duration
	}{
		{&o.ConnectTimeout, 10 * time.Second},
		{&o.ReplyTimeout, 60 * time.Second},
		{&o.PingEvery, 20 * time.Second},
		{&o.PongWithin, 20 * time.Second},
	} {
		if *field.value == 0 {
			*field.value = field.standard
		}
	}
	if o.MaxMessage <= 0 {
		o.MaxMessage = 100 << 20
	}
	return o
}

// limited is a context that ends after a while, unless that is below zero.
func limited(ctx context.Context, after time.Duration, cause error) (context.Context, context.CancelFunc) {
	if after < 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, after, cause)
}
