package main

import (
	"context"
	"fmt"

	"candor/harness/answers"
	"candor/harness/report"
	"candor/harness/run"
	"candor/scoring"
)

// scoreCmd is candor score.
type scoreCmd struct {
	File          string   `arg:"" help:"JSON Lines of label, verdict, confidence and optionally image, id; - reads standard input."`
	Rule          string   `help:"brier or log." default:"brier"`
	AbstainReward *float64 `help:"Flat reward of ABSTAIN." placeholder:"A"`
	Bins          int      `help:"Bins of the ECE." default:"15"`
	Bootstrap     int      `help:"Replicates for the intervals; 0 for none." default:"10000"`
	Seed          uint64   `help:"Seed of the replicates." default:"0"`
	JSON          bool     `name:"json" help:"Print the summary as JSON."`
}

// Run reads answers and prints their metrics.
func (s *scoreCmd) Run(ctx context.Context, c console) error {
	pay, err := run.Config{Rule: s.Rule, Abstain: s.AbstainReward}.Payment()
	if err != nil {
		return err
	}
	switch {
	case s.Bins < 1 || s.Bins > scoring.MaxBins:
		return &run.UsageError{Err: fmt.Errorf("--bins is %d; it must be between 1 and %d", s.Bins, scoring.MaxBins)}
	case s.Bootstrap < 0:
		return &run.UsageError{Err: fmt.Errorf("--bootstrap is %d; it must be 0 or more", s.Bootstrap)}
	}
	r, name, err := open(ctx, s.File, c.in)
	if err != nil {
		return err
	}
	defer r.Close()
	rows, err := answers.Read(r, name)
	if err != nil {
		return err
	}
	sum, err := scoring.Summarize(ctx, rows, pay, scoring.Options{Bins: s.Bins, Bootstrap: s.Bootstrap, Seed: s.Seed})
	if err != nil {
		return err
	}
	if s.JSON {
		return printJSON(c.out, sum)
	}
	return report.Score(c.out, sum, s.Bins)
}
