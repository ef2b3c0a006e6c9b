package main

import (
	"context"
	"fmt"
	"os"

	"candor/harness/export"
)

// exportCmd is candor export.
type exportCmd struct {
	From        string `arg:"" name:"run" help:"Directory of a run, or of runs, as a sweep's."`
	To          string `required:"" help:"csv, parquet, verifiers or mlflow." placeholder:"FORMAT"`
	Out         string `help:"File, or folder for verifiers and sweeps, to write. Default: beside the run, by its name." placeholder:"PLACE"`
	Spreadsheet bool   `help:"A CSV file to open in a spreadsheet: nothing in it is taken for a formula."`
	URL         string `name:"url" help:"MLflow's tracking server. Default: MLFLOW_TRACKING_URI, else http://127.0.0.1:5000." placeholder:"URL"`
	Experiment  string `help:"MLflow's experiment. Default: MLFLOW_EXPERIMENT_NAME, else candor." placeholder:"NAME"`
	JSON        bool   `name:"json" help:"Print what was written, and where, as JSON."`
}

// Run writes a run for another tool; nothing is asked.
func (e *exportCmd) Run(ctx context.Context, c console) error {
	res, err := export.Any(ctx, e.From, e.To, export.Options{Out: e.Out, Spreadsheet: e.Spreadsheet, URL: e.URL, Experiment: e.Experiment, Getenv: os.Getenv})
	if err != nil {
		return err
	}
	if e.JSON {
		return printJSON(c.out, res)
	}
	_, err = fmt.Fprintln(c.out, res)
	return err
}
