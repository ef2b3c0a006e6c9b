package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"candor/harness/claim"
	"candor/harness/env/selective"
	"candor/harness/openenv"
	"candor/harness/run"
	"candor/harness/serve"
	"candor/imageproc"
)

// serveCmd is candor serve.
type serveCmd struct {
	Env         string        `help:"Environment: ${environments} (see candor help environments)." placeholder:"NAME"`
	Addr        string        `help:"Address to listen on; port 0 takes a free one." default:"127.0.0.1:8000"`
	Token       string        `help:"Ask this of clients (better in CANDOR_TOKEN: a command line is seen by others)." env:"CANDOR_TOKEN"`
	Insecure    bool          `help:"Allow anyone who reaches the address, from other machines too, without a token."`
	Metrics     bool          `help:"Offer figures for Prometheus at /metrics."`
	MetricsAddr string        `help:"Offer them on an address of their own." placeholder:"HOST:PORT"`
	Check       string        `help:"Ask a running server for its health, and serve nothing." placeholder:"URL"`
	MaxSessions int           `help:"Sessions at a time." default:"128"`
	MaxMessage  int64         `help:"Bytes of a message." default:"16777216"`
	Idle        time.Duration `help:"End a session without messages for this long." default:"30m"`
	StepTimeout time.Duration `help:"Time that one step may take." default:"5m"`
	Rate        float64       `help:"Messages a second of one session; more wait." default:"10000"`

	Dataset          string   `help:"A data set as candor eval takes it." default:"demo" group:"selective"`
	Images           string   `help:"Folder of its images." placeholder:"DIR" group:"selective"`
	Split            string   `help:"random, popular, adversarial, another of the data set, or all." default:"adversarial" group:"selective"`
	Partition        string   `help:"train, eval or all; eval is for measuring, not for training." default:"train" group:"selective"`
	EvalIDs          string   `name:"eval-ids" help:"File with the images of the eval partition, one a line." placeholder:"FILE" group:"selective"`
	ClaimsPerEpisode int      `help:"Claims that an episode asks about its image." default:"1" group:"selective"`
	Rule             string   `help:"brier or log." default:"brier" group:"selective"`
	AbstainReward    *float64 `help:"Flat reward of ABSTAIN. Default: .80, for log the payoff of the same threshold." placeholder:"A" group:"selective"`
	Prompt           string   `help:"Template file, or the name of a built-in one." placeholder:"FILE" group:"selective"`
	Family           string   `help:"Model family to prepare images for: ${families}." default:"qwen3.5" group:"selective"`
	ImagePolicy      string   `help:"reference resizes as the model's own processor does; server leaves it to the model's server." default:"reference" group:"selective"`
	URL              string   `name:"url" help:"Where clients reach the server; observations then name images by their whole address." placeholder:"URL" group:"selective"`

	Task string `help:"easy, medium or hard; a reset may name another." default:"easy" group:"number-sort"`
}

// Run serves until it is interrupted, which is how a server ends and no
// failure.
func (s *serveCmd) Run(ctx context.Context, c console, sig *signals) error {
	if s.Check != "" {
		return serve.Check(ctx, s.Check)
	}
	if s.MaxSessions < 1 || s.MaxMessage < 1 || s.Idle <= 0 || s.StepTimeout <= 0 || !(s.Rate > 0) {
		return &run.UsageError{Err: errors.New("--max-sessions, --max-message, --idle, --step-timeout and --rate are above 0")}
	}
	served, err := serve.Environment(ctx, s.Env, s.options(c))
	if err != nil {
		return err
	}
	defer served.Close()
	service, err := serve.Open(serve.Config{
		Addr: s.Addr, Token: s.Token, Insecure: s.Insecure, Metrics: s.Metrics, MetricsAddr: s.MetricsAddr,
		Limits: openenv.Limits{Sessions: s.MaxSessions, Message: s.MaxMessage, Idle: s.Idle, Step: s.StepTimeout, Rate: s.Rate},
		Log:    slog.New(slog.NewTextHandler(c.err, &slog.HandlerOptions{Level: slog.LevelWarn})),
	}, served.Spec)
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

// options are what the environments are told.
func (s *serveCmd) options(c console) serve.Options {
	cfg := selective.DefaultConfig()
	cfg.Dataset, cfg.Images, cfg.Split, cfg.Partition, cfg.EvalIDs = s.Dataset, s.Images, s.Split, claim.Partition(s.Partition), s.EvalIDs
	cfg.ClaimsPerEpisode, cfg.Rule, cfg.Abstain, cfg.Prompt = s.ClaimsPerEpisode, s.Rule, s.AbstainReward, s.Prompt
	cfg.Family, cfg.ImagePolicy, cfg.URL = s.Family, imageproc.Policy(s.ImagePolicy), s.URL
	return serve.Options{Task: s.Task, Selective: cfg, Loader: claim.Loader{Hub: hubAt{c.err}}}
}
