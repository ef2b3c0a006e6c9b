// Package serve is candor serve: an environment on an address. What is more
// than speaking the protocol is here: which environments there are, who may
// reach an address, where the metrics are, and how it all ends.
package serve

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"syscall"
	"time"

	"candor/harness/openenv"
	"candor/harness/openenv/meter"
	"candor/harness/run"
)

// Config is how an environment is served.
type Config struct {
	Addr  string // host:port; port 0 is a free one
	Token string // asked of clients, "" for none
	// Insecure allows an address that other machines reach without a token,
	// and requests under any name for the server.
	Insecure bool
	// Metrics offers /metrics beside the protocol; MetricsAddr, if any, on an
	// address of its own.
	Metrics     bool
	MetricsAddr string
	Limits      openenv.Limits
	Log         *slog.Logger // nil discards
}

// A Service is a server on its addresses. They are taken; Run answers.
type Service struct {
	cfg      Config
	server   *openenv.Server
	listener net.Listener
	scraped  net.Listener // nil without an address of its own
	meter    *meter.Meter // nil without metrics
}

// Open takes the addresses. A mistake in the configuration is a
// *run.UsageError.
func Open(cfg Config, spec openenv.Spec) (*Service, error) {
	if strings.ContainsFunc(cfg.Token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, &run.UsageError{Err: errors.New("--token: a token consists of letters, digits and signs of ASCII, without blanks")}
	}
	address, err := cfg.resolve("--addr", cfg.Addr)
	if err != nil {
		return nil, err
	}
	s := &Service{cfg: cfg}
	options := openenv.Options{Token: cfg.Token, LocalOnly: cfg.localOnly(address), Limits: cfg.Limits, Log: cfg.Log}
	if cfg.Metrics || cfg.MetricsAddr != "" {
		s.meter = meter.New(spec.Name)
		options.Meter = s.meter
	}
	if cfg.MetricsAddr == "" && cfg.Metrics {
		options.Metrics = s.meter.Handler()
	}
	if s.server, err = openenv.NewServer(spec, options); err != nil {
		return nil, err
	}
	if cfg.MetricsAddr != "" {
		address, err := cfg.resolve("--metrics-addr", cfg.MetricsAddr)
		if err != nil {
			return nil, err
		}
		if s.scraped, err = listen("--metrics-addr", address); err != nil {
			return nil, err
		}
	}
	if s.listener, err = listen("--addr", address); err != nil {
		if s.scraped != nil {
			s.scraped.Close()
		}
		return nil, err
	}
	return s, nil
}

// resolve reads an address and refuses one that others reach unless they need
// a token or it is allowed.
func (c Config) resolve(flag, addr string) (*net.TCPAddr, error) {
	wrong := func(format string, args ...any) error {
		return &run.UsageError{Err: fmt.Errorf("%s %s: %w", flag, addr, fmt.Errorf(format, args...))}
	}
	if _, _, err := net.SplitHostPort(addr); err != nil {
		return nil, wrong("an address is HOST:PORT, such as 127.0.0.1:8000")
	}
	address, err := net.ResolveTCPAddr("tcp", addr)
	if err != nil {
		return nil, wrong("%w", err)
	}
	if !address.IP.IsLoopback() && c.Token == "" && !c.Insecure {
		return nil, wrong("other machines reach this address: give a token in CANDOR_TOKEN, which clients send as \"Authorization: Bearer TOKEN\", or allow anyone with --insecure")
	}
	return address, nil
}

func (c Config) localOnly(address *net.TCPAddr) bool {
	return address.IP.IsLoopback() && c.Token == "" && !c.Insecure
}

func listen(flag string, address *net.TCPAddr) (net.Listener, error) {
	listener, err := net.ListenTCP("tcp", address)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("%s %v: another program listens there; %v:0 takes a free port", flag, address, host(address.IP))
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", flag, err)
	}
	return listener, nil
}

func host(ip net.IP) string {
	if ip == nil {
		return ""
	}
	if ip.To4() == nil {
		return "[" + ip.String() + "]"
	}
	return ip.String()
}

// URL is where the server is.
func (s *Service) URL() string { return "http://" + s.listener.Addr().String() }

// MetricsURL is where the metrics are, "" for nowhere.
func (s *Service) MetricsURL() string {
	switch {
	case s.meter == nil:
		return ""
	case s.scraped != nil:
		return "http://" + s.scraped.Addr().String() + "/metrics"
	}
	return s.URL() + "/metrics"
}

// Run answers until stop is closed; then it finishes running steps, tells
// clients and returns nil, or openenv.ErrUnfinished where one did not end in
// time. The context's end stops it at once, and is the error then.
func (s *Service) Run(ctx context.Context, stop <-chan struct{}) error {
	serving, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	go func() {
		select {
		case <-stop:
		case <-ctx.Done():
		case <-serving.Done():
		}
		end()
	}()
	defer context.AfterFunc(ctx, s.server.Close)()
	scraping := make(chan struct{})
	go func() {
		defer close(scraping)
		s.serveMetrics(serving)
	}()
	err := s.server.Serve(serving, s.listener)
	end()
	<-scraping
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// serveMetrics answers on the metrics' own address, if there is one.
func (s *Service) serveMetrics(ctx context.Context) {
	if s.scraped == nil {
		return
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", s.meter.Handler())
	address, _ := s.scraped.Addr().(*net.TCPAddr)
	server := &http.Server{
		Handler:           openenv.Guard(s.cfg.Token, s.cfg.localOnly(address), mux),
		ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 10 * time.Second, WriteTimeout: 30 * time.Second, IdleTimeout: 2 * time.Minute,
	}
	defer context.AfterFunc(ctx, func() { _ = server.Close() })()
	if err := server.Serve(s.scraped); !errors.Is(err, http.ErrServerClosed) && s.cfg.Log != nil {
		s.cfg.Log.Error("metrics are no longer served", "error", err)
	}
}
