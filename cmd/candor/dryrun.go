package main

import (
	"fmt"
	"strings"

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
			p.Model.Model, p.Model.Embedded, lackingAt(p),
		})
	}
	if p.Model.Embedded {
		fmt.Fprintln(c.out, report.Embedded(p.Model))
	}
	for _, l := range p.Lacking {
		fmt.Fprintln(c.out, wouldRegister(p.Model.Model, l))
	}
	first := p.Tasks[0]
	fmt.Fprintf(c.out, "%s on %s of %s, split %s, partition %s\n", report.Count(len(p.Tasks), "task"), report.Count(p.Images, "image"), p.Dataset, cfg.Split, cfg.Partition)
	switch n := p.Requests(); {
	case n < len(p.Tasks):
		fmt.Fprintf(c.out, "%s: decoding is greedy, and equal tasks share an answer\n", report.Count(n, "request"))
	case n > len(p.Tasks):
		fmt.Fprintf(c.out, "%s: --confidence %s takes %d a task\n", report.Count(n, "request"), strings.Join(cfg.Confidence, ","), n/len(p.Tasks))
	}
	fmt.Fprintf(c.out, "num_ctx %d; the largest image costs %d tokens\n", p.Options.NumCtx, p.ImageTokens)
	for _, w := range p.Warnings {
		fmt.Fprintf(c.out, "! %s\n", w.Message)
	}
	_, err = fmt.Fprintf(c.out, "\nThe first task, %s, seed %d:\n--- system\n%s\n--- user, after the image %s\n%s\n", first.ID, first.Seed, first.System, first.ImageSource, first.User)
	return err
}

func wouldRegister(model string, l run.Lack) string {
	if len(l.Differs) == 0 {
		return fmt.Sprintf("%s would be registered at %s, which has none", model, l.Endpoint)
	}
	return fmt.Sprintf("%s would be registered at %s, in the place of another one; not the same are: %s", model, l.Endpoint, strings.Join(l.Differs, ", "))
}

// lackingAt is never nil: JSON has [] for none.
func lackingAt(p *run.Plan) []string {
	endpoints := []string{}
	for _, l := range p.Lacking {
		endpoints = append(endpoints, l.Endpoint)
	}
	return endpoints
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
