package main

import (
	"context"
	"fmt"

	"candor/harness/report"
	"candor/harness/rescore"
	"candor/harness/run"
	"candor/harness/stored"
	"candor/scoring"
)

// rescoreCmd is candor rescore.
type rescoreCmd struct {
	From          string   `arg:"" name:"run" help:"Directory of a run, or a file of answers as candor score reads it."`
	Rule          string   `help:"brier or log. Default: the run's own." placeholder:"RULE"`
	AbstainReward *float64 `help:"Flat reward of ABSTAIN. Default: the run's own or, under another rule, that rule's." placeholder:"A"`
	Labels        []string `help:"Another label set of the same claims; may be repeated." placeholder:"NAME=FILE" sep:"none"`
	Grid          bool     `help:"Also a grid of payoffs under both rules."`
	figureFlags   `embed:""`
	JSON          bool `name:"json" help:"Print the result as JSON."`
}

// figureFlags say how figures are computed from stored answers.
type figureFlags struct {
	Bins      int     `help:"Bins of the ECE." default:"15"`
	Bootstrap int     `help:"Replicates for the intervals; 0 for none." default:"10000"`
	Seed      *uint64 `help:"Seed of the replicates. Default: that of the run's own summary; of several, the first." placeholder:"S"`
}

// check comes before any file is read.
func (f figureFlags) check() error {
	switch {
	case f.Bins < 1 || f.Bins > scoring.MaxBins:
		return &run.UsageError{Err: fmt.Errorf("--bins is %d; it must be between 1 and %d", f.Bins, scoring.MaxBins)}
	case f.Bootstrap < 0 || f.Bootstrap > scoring.MaxBootstrap:
		return &run.UsageError{Err: fmt.Errorf("--bootstrap is %d; it must be between 0 and %d", f.Bootstrap, scoring.MaxBootstrap)}
	}
	return nil
}

func (f figureFlags) options(a *stored.Answers) scoring.Options {
	opt := scoring.Options{Bins: f.Bins, Bootstrap: f.Bootstrap, Seed: a.Seed()}
	opt.Source, opt.Sources = a.Sources()
	if f.Seed != nil {
		opt.Seed = *f.Seed
	}
	return opt
}

// Run scores stored answers anew; nothing is asked.
func (r *rescoreCmd) Run(ctx context.Context, c console) error {
	if err := r.check(); err != nil {
		return err
	}
	a, err := stored.Read(r.From)
	if err != nil {
		return err
	}
	res, err := rescore.Rescore(ctx, a, rescore.Request{Rule: r.Rule, Abstain: r.AbstainReward, Labels: absoluteLabels(r.Labels), Grid: r.Grid, Options: r.options(a)})
	if err != nil {
		return err
	}
	if r.JSON {
		return printJSON(c.out, res)
	}
	return report.Rescore(c.out, res, r.Bins)
}
