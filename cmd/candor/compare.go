package main

import (
	"context"
	"errors"
	"fmt"

	"candor/harness/compare"
	"candor/harness/publish"
	"candor/harness/report"
	"candor/harness/run"
	"candor/harness/stored"
)

// compareCmd is candor compare.
type compareCmd struct {
	Runs          []string `arg:"" name:"run" help:"Directories of runs, or files of answers with ids; the others are compared with the first."`
	Rule          string   `help:"brier or log. Default: the first run's own." placeholder:"RULE"`
	AbstainReward *float64 `help:"Flat reward of ABSTAIN. Default: the first run's own or, under another rule, that rule's." placeholder:"A"`
	Intended      []string `help:"What was meant to differ, such as model or temperature: no warning." placeholder:"WHAT"`
	figureFlags   `embed:""`
	HTML          string `name:"html" help:"Write the comparison as a page too." placeholder:"FILE"`
	JSON          bool   `name:"json" help:"Print the comparison as JSON."`
}

// Run compares stored answers; nothing is asked.
func (r *compareCmd) Run(ctx context.Context, c console) error {
	if err := r.check(); err != nil {
		return err
	}
	if len(r.Runs) < 2 {
		return &run.UsageError{Err: errors.New("there is nothing to compare with: name two or more runs")}
	}
	all := make([]*stored.Answers, len(r.Runs))
	for i, path := range r.Runs {
		var err error
		if all[i], err = stored.Read(path); err != nil {
			return err
		}
	}
	res, err := compare.Answers(ctx, all[0], all[1:], compare.Request{Rule: r.Rule, Abstain: r.AbstainReward, Intended: r.Intended, Options: r.options(all[0])})
	if err != nil {
		return err
	}
	if r.HTML != "" {
		if err := publish.Comparison(ctx, r.HTML, res, all[0], all[1:]); err != nil {
			return err
		}
		fmt.Fprintf(c.err, "candor: the page is %s\n", r.HTML)
	}
	if r.JSON {
		return printJSON(c.out, res)
	}
	return report.Compare(c.out, res)
}
