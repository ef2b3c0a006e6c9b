package main

import (
	"context"
	"fmt"
	"io"

	"candor/harness/report"
	"candor/harness/stored"
	"candor/scoring"
)

// scoreCmd is candor score.
type scoreCmd struct {
	File          string   `arg:"" help:"JSON Lines of label, verdict, confidence and optionally image, id; - reads standard input. Or the directory of a run."`
	Rule          string   `help:"brier or log. Default: brier; of a run, its own." placeholder:"RULE"`
	AbstainReward *float64 `help:"Flat reward of ABSTAIN. Default: that of the rule; of a run, its own." placeholder:"A"`
	figureFlags   `embed:""`
	JSON          bool `name:"json" help:"Print the summary as JSON."`
}

// Run reads answers and prints their metrics.
func (s *scoreCmd) Run(ctx context.Context, c console) error {
	if _, err := (&stored.Answers{}).Payment(s.Rule, s.AbstainReward); err != nil { // before any file is read
		return err
	}
	if err := s.check(); err != nil {
		return err
	}
	a, err := readAnswers(ctx, s.File, c.in)
	if err != nil {
		return err
	}
	pay, err := a.Payment(s.Rule, s.AbstainReward)
	if err != nil {
		return err
	}
	sum, err := scoring.Summarize(ctx, a.Rows, pay, s.options(a))
	if err != nil {
		return err
	}
	a.Inherit(sum)
	asIf := a.AsIf(pay)
	if s.JSON {
		return printJSON(c.out, struct {
			AsIf string `json:"as_if,omitempty"`
			*scoring.Summary
		}{asIf, sum})
	}
	if asIf != "" {
		if _, err := fmt.Fprintf(c.out, "%s: %s\n", a.Name, asIf); err != nil {
			return err
		}
	}
	return report.Score(c.out, sum, s.Bins, a.Reasons())
}

// readAnswers reads a run, a file, or standard input for "-".
func readAnswers(ctx context.Context, name string, in io.Reader) (*stored.Answers, error) {
	if name != "-" {
		return stored.Read(name)
	}
	r, name, err := open(ctx, name, in)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return stored.ReadFile(r, name)
}
