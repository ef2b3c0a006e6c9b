package main

import (
	"fmt"

	"candor/harness/report"
	"candor/harness/run"
	"candor/infer"
	"candor/scoring"
)

// dryRun says what a run would ask, and asks nothing.
func (e *evalCmd) dryRun(c console, sig *signals, cfg run.Config, deps run.Dependencies) error {
	p, err := run.DryRun(sig.ctx, cfg, deps)
	if err != nil {
		return err
	}
	if e.JSON {
		return printJSON(c.out, plan{
			len(p.Tasks), p.Requests(), p.Images, p.Dataset, cfg.Split, cfg.Partition, p.Options, p.Payment.Rule.Name(),
			p.Payment.Abstain, p.Payment.Threshold(), p.ImageTokens, append([]scoring.Warning{}, p.Warnings...),
			p.Model.Model, p.Model.Embedded, append([]string{}, p.Lacking...),
		})
	}
	if p.Model.Embedded {
		fmt.Fprintln(c.out, report.Embedded(p.Model))
	}
	for _, endpoint := range p.Lacking {
		fmt.Fprintf(c.out, "%s would be registered at %s, which has another one or none\n", p.Model.Model, endpoint)
	}
	first := p.Tasks[0]
	fmt.Fprintf(c.out, "%s on %s of %s, split %s, partition %s\n", report.Count(len(p.Tasks), "task"), report.Count(p.Images, "image"), p.Dataset, cfg.Split, cfg.Partition)
	if n := p.Requests(); n < len(p.Tasks) {
		fmt.Fprintf(c.out, "%s: decoding is greedy, and equal tasks share an answer\n", report.Count(n, "request"))
	}
	fmt.Fprintf(c.out, "num_ctx %d; the largest image costs %d tokens\n", p.Options.NumCtx, p.ImageTokens)
	for _, w := range p.Warnings {
		fmt.Fprintf(c.out, "! %s\n", w.Message)
	}
	_, err = fmt.Fprintf(c.out, "\nThe first task, %s, seed %d:\n--- system\n%s\n--- user, after the image %s\n%s\n", first.ID, first.Seed, first.System, first.ImageSource, first.User)
	return err
}

// plan is what --dry-run --json prints.
type plan struct {
	Tasks       int               `json:"tasks"`
	Requests    int               `json:"requests"` // fewer where equal tasks share an answer
	Images      int               `json:"images"`
	Dataset     string            `json:"dataset"`
	Split       string            `json:"split"`
	Partition   string            `json:"partition"`
	Options     infer.Options     `json:"options"`
	Rule        string            `json:"rule"`
	Abstain     float64           `json:"abstain_reward"`
	Threshold   float64           `json:"threshold"`
	ImageTokens int               `json:"max_image_tokens"`
	Warnings    []scoring.Warning `json:"warnings"`
	Model       string            `json:"model"`
	Embedded    bool              `json:"embedded"`
	Register    []string          `json:"would_register_at"` // servers
}
