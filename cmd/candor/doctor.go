package main

import (
	"context"
	"fmt"

	"candor/harness/report"
	"candor/harness/run"
	"candor/infer"
	"candor/infer/ollama"
)

// doctorCmd is candor doctor.
type doctorCmd struct {
	Model      string   `help:"Model, by the server's name for it; the default is embedded, for trying Candor out." default:"${model}"`
	Host       string   `help:"Ollama server. Default: OLLAMA_HOST, else 127.0.0.1:11434." placeholder:"URL"`
	Confidence []string `help:"Sources of confidence that a run would use: verbal, logprob, consistency:K." default:"verbal" placeholder:"SOURCE,…"`
	Prompt     string   `help:"Template file, or the name of a built-in one." placeholder:"FILE"`
	Profile    string   `help:"Named sampling options that a run would use." default:"qwen3.5-instruct"`
	NumCtx     *int     `help:"Context in tokens." placeholder:"N"`
	NumBatch   *int     `help:"Prompt batch in tokens." placeholder:"N"`
	NumThread  *int     `help:"Threads of the engine; 0 leaves it to the server. Default: 0, for ${model} 1." placeholder:"N"`
	JSON       bool     `name:"json" help:"Print the findings as JSON."`
}

// Run questions the server as a run would, and prints what was found.
func (d *doctorCmd) Run(ctx context.Context, c console) error {
	cfg := run.DefaultConfig()
	cfg.Model, cfg.Profile, cfg.NumThread, cfg.Prompt = d.Model, d.Profile, threads(d.Model, d.NumThread), d.Prompt
	cfg.NumCtx, cfg.NumBatch, cfg.Confidence = d.NumCtx, d.NumBatch, d.Confidence
	b, err := ollama.New(d.Host)
	if err != nil {
		return &run.UsageError{Err: err}
	}
	bundled, err := newBundled()
	if err != nil {
		return err
	}
	announce(c.err, d.Model, bundled, "")
	fmt.Fprintf(c.err, "candor: questioning %s about %s\n", b.Endpoint(), d.Model)
	r, err := run.Diagnose(ctx, cfg, run.Dependencies{
		Connect:  func(string) (infer.Backend, error) { return b, nil },
		Bundled:  bundled,
		Observer: newRunView(c.err),
	})
	if err != nil {
		return err
	}
	if d.JSON {
		return printJSON(c.out, r)
	}
	return report.Doctor(c.out, b.Endpoint(), r)
}
