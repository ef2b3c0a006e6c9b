package main

import (
	"context"
	"fmt"

	"candor/harness/publish"
)

// reportCmd is candor report.
type reportCmd struct {
	Runs        []string `arg:"" name:"run" help:"Directories of runs, or files of answers."`
	Out         string   `help:"Folder, or file of a single one. Default: the run's directory." placeholder:"DIR|FILE"`
	Format      []string `help:"html, markdown, csv, svg, png; several with commas." default:"html" placeholder:"FORMAT"`
	Traces      int      `help:"Costliest tasks that a page shows, of all runs together." default:"200" placeholder:"N"`
	figureFlags `embed:""`
}

// Run writes reports of stored answers and says where they are; nothing is
// asked.
func (r *reportCmd) Run(ctx context.Context, c console) error {
	if err := r.check(); err != nil {
		return err
	}
	written, err := publish.Reports(ctx, publish.Request{Runs: r.Runs, Out: r.Out, Formats: r.Format, Traces: r.Traces, Options: r.options, Tell: func(text string) { fmt.Fprintln(c.err, "candor: "+text) }})
	for _, path := range written {
		fmt.Fprintln(c.out, path)
	}
	return err
}
