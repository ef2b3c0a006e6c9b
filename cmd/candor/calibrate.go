package main

import (
	"context"

	"candor/harness/calibrate"
	"candor/harness/report"
	"candor/harness/stored"
)

// calibrateCmd is candor calibrate.
type calibrateCmd struct {
	Fit         string   `help:"Run, or file of answers, to fit on: the train partition." placeholder:"RUN" required:""`
	Apply       string   `help:"Run, or file of answers, to apply to: the eval partition." placeholder:"RUN" required:""`
	Map         []string `help:"temperature, platt, beta, isotonic or histogram. Default: all." placeholder:"NAME"`
	figureFlags `embed:""`
	JSON        bool `name:"json" help:"Print the result as JSON."`
}

// Run fits maps on one run and applies them to another; nothing is asked.
func (r *calibrateCmd) Run(ctx context.Context, c console) error {
	if err := r.check(); err != nil {
		return err
	}
	fit, err := stored.Read(r.Fit)
	if err != nil {
		return err
	}
	apply, err := stored.Read(r.Apply)
	if err != nil {
		return err
	}
	res, err := calibrate.Apply(ctx, fit, apply, calibrate.Request{Maps: r.Map, Options: r.options(apply)})
	if err != nil {
		return err
	}
	if r.JSON {
		return printJSON(c.out, res)
	}
	return report.Calibrate(c.out, res)
}
