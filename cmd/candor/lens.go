package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"candor/harness/lens/command"
	"candor/harness/run"
	"candor/infer"
	"candor/infer/ollama"
)

// lensCmd is candor lens.
type lensCmd struct {
	Environment  []string      `arg:"" optional:"" name:"environment" help:"URL of an OpenEnv server, or local:NAME (see candor help lens)."`
	Agent        string        `help:"ollama:MODEL, openai:MODEL[@URL], groq:MODEL, exec:COMMAND, http:URL or local:NAME." placeholder:"AGENT"`
	Judge        string        `help:"Who judges the agent's reasons: ollama:MODEL, openai:MODEL[@URL], groq:MODEL, anthropic:MODEL, or MODEL. Default: nobody." placeholder:"JUDGE"`
	Episodes     int           `help:"Episodes on base seeds, and as many on unseen ones." default:"5"`
	Compat       string        `help:"none, or measure as learnlens-rl 0.1.3 or 0.2.1 does." default:"none"`
	Probes       []string      `help:"Those of generalization, consistency, hack_detection and reasoning that run. Default: all." placeholder:"PROBE,…"`
	MaxSteps     int           `help:"Steps of an episode at most." default:"50"`
	StepTimeout  time.Duration `help:"Time that the environment may take for a reset or a step." default:"30s"`
	AgentTimeout time.Duration `help:"Time that the agent may take for an answer." default:"10m"`
	Worst        *float64      `help:"Least total reward of an episode, with --best. Default: the least that is seen." placeholder:"R"`
	Best         *float64      `help:"Greatest total reward of an episode there. Default: the greatest that is seen." placeholder:"R"`
	NoOp         string        `name:"no-op" help:"Action of somebody who does nothing, as chance. Default: {}, or as declared." placeholder:"JSON"`
	Seed         uint64        `help:"Seed of the intervals." default:"0"`
	Token        string        `help:"Bearer token of the server (better in CANDOR_TOKEN)." env:"CANDOR_TOKEN"`
	CA           string        `name:"ca" help:"Trust the certificates in this PEM file, too, at a URL." placeholder:"FILE"`
	Host         string        `help:"Ollama server of agent and judge. Default: OLLAMA_HOST, else 127.0.0.1:11434." placeholder:"URL"`
	Profile      string        `help:"Sampling options of ollama: agents and judges." default:"greedy"`
	NumCtx       int           `help:"Their context in tokens." default:"8192"`
	Journal      string        `help:"Record everything in FILE, or go on with what is recorded there. Default: a new one in runs/lens." placeholder:"FILE"`
	Replay       string        `help:"Compute the scores of a journal anew, without agent or environment." placeholder:"FILE"`
	HTML         string        `name:"html" help:"Write the report with its traces as a page to FILE, of a replay, too." placeholder:"FILE"`
	Demo         bool          `help:"Set agents side by side: those of the published demonstration or, where local environments are named, one of each kind in each."`
	JSON         bool          `name:"json" help:"Print the report as JSON."`
}

// Run measures an agent, and prints the report.
func (l *lensCmd) Run(ctx context.Context, c console) error {
	if l.Episodes < 1 && l.Replay == "" {
		return &run.UsageError{Err: fmt.Errorf("--episodes is %d; there must be one at least", l.Episodes)}
	}
	if l.MaxSteps < 1 {
		return &run.UsageError{Err: fmt.Errorf("--max-steps is %d; an episode has one step at least", l.MaxSteps)}
	}
	if l.Demo {
		return l.demo(ctx, c)
	}
	if len(l.Environment) > 1 {
		return &run.UsageError{Err: fmt.Errorf("an agent is measured in one environment at a time, not in %d; only --demo takes several", len(l.Environment))}
	}
	progress := newLensProgress(c.err)
	defer progress.close()
	result, err := command.Run(ctx, l.request(), command.Dependencies{
		Model:  func(host string) (infer.Model, error) { return ollama.New(host) },
		Getenv: os.Getenv,
		Now:    time.Now,
		Log:    c.err,
		Played: progress.played,
	})
	progress.close()
	if errors.Is(err, context.Canceled) && result.Journal != "" {
		fmt.Fprintf(c.err, "candor: go on with the same command and --journal %s\n", quoted(result.Journal))
	}
	if err != nil {
		return err
	}
	if err := l.print(c.out, result); err != nil {
		return err
	}
	if result.Journal != "" {
		fmt.Fprintf(c.err, "candor: everything is in %s\n", result.Journal)
	}
	if result.Compat != nil && result.Compat.MissingRewards > 0 {
		fmt.Fprintf(c.err, "candor: %d rewards were null; the published packages count them as 0\n", result.Compat.MissingRewards)
	}
	if result.Report != nil && result.Report.Incomplete() {
		return exitStatus(exitErrors)
	}
	return nil
}

func (l *lensCmd) demo(ctx context.Context, c console) error {
	shown, err := command.Demo(ctx, l.Environment, l.Episodes, time.Now)
	if err != nil {
		return err
	}
	if l.JSON {
		return printJSON(c.out, shown)
	}
	return command.PrintDemo(c.out, shown)
}

func (l *lensCmd) request() command.Request {
	return command.Request{
		Environment:  strings.Join(l.Environment, ""),
		Token:        l.Token,
		CA:           l.CA,
		Agent:        l.Agent,
		Judge:        l.Judge,
		Compat:       l.Compat,
		Episodes:     l.Episodes,
		Probes:       l.Probes,
		MaxSteps:     l.MaxSteps,
		StepTimeout:  l.StepTimeout,
		AgentTimeout: l.AgentTimeout,
		Worst:        l.Worst,
		Best:         l.Best,
		NoOp:         l.NoOp,
		Seed:         l.Seed,
		Journal:      l.Journal,
		Replay:       l.Replay,
		HTML:         l.HTML,
		Host:         l.Host,
		Profile:      l.Profile,
		NumCtx:       l.NumCtx,
		Threads:      func(model string) int { return threads(model, nil) },
	}
}

func (l *lensCmd) print(w io.Writer, r command.Result) error {
	switch {
	case r.Compat != nil && l.JSON:
		text, err := r.Compat.JSON()
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(w, text)
		return err
	case r.Compat != nil:
		return r.Compat.Print(w)
	case l.JSON:
		return printJSON(w, r.Report)
	}
	return r.Report.Print(w)
}
