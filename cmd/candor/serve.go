package main

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"candor/harness/openenv"
	"candor/harness/serve"
)

// serveCmd is candor serve.
type serveCmd struct {
	Env         string        `help:"Environment: ${environments}." required:"" placeholder:"NAME"`
	Addr        string        `help:"Address to listen on; port 0 takes a free one." default:"127.0.0.1:8000" placeholder:"HOST:PORT"`
	Token       string        `help:"Ask this of clients (better in CANDOR_TOKEN: a command line is seen by others)." env:"CANDOR_TOKEN"`
	Insecure    bool          `help:"Allow anyone who reaches the address, from other machines too, without a token."`
	Metrics     bool          `help:"Offer figures for Prometheus at /metrics."`
	MetricsAddr string        `help:"Offer them on an address of their own." placeholder:"HOST:PORT"`
	MaxSessions int           `help:"Sessions at a time." default:"128" placeholder:"N"`
	MaxMessage  int64         `help:"Bytes of a message." default:"16777216" placeholder:"N"`
	Idle        time.Duration `help:"End a session without messages for this long." default:"30m"`
	StepTimeout time.Duration `help:"Time that one step may take." default:"5m"`
	Rate        float64       `help:"Messages a second of one session; more wait." default:"10000" placeholder:"N"`
	Task        string        `help:"Of number-sort: easy, medium, hard; a reset may name another." default:"easy" placeholder:"NAME"`
}

// Run serves until it is interrupted, which is how a server ends and no
// failure.
func (s *serveCmd) Run(ctx context.Context, c console, sig *signals) error {
	spec, err := serve.Environment(s.Env, serve.Options{Task: s.Task})
	if err != nil {
		return err
	}
	service, err := serve.Open(serve.Config{
		Addr: s.Addr, Token: s.Token, Insecure: s.Insecure, Metrics: s.Metrics, MetricsAddr: s.MetricsAddr,
		Limits: openenv.Limits{Sessions: s.MaxSessions, Message: s.MaxMessage, Idle: s.Idle, Step: s.StepTimeout, Rate: s.Rate},
		Log:    slog.New(slog.NewTextHandler(c.err, &slog.HandlerOptions{Level: slog.LevelWarn})),
	}, spec)
	if err != nil {
		return err
	}
	sig.finishFirst(func(line string) { fmt.Fprintln(c.err, line) })
	fmt.Fprintf(c.err, "candor: serving %s; Ctrl-C ends\n", s.Env)
	if url := service.MetricsURL(); url != "" {
		fmt.Fprintf(c.err, "candor: metrics at %s\n", url)
	}
	fmt.Fprintln(c.out, service.URL())
	return service.Run(ctx, sig.stop)
}
