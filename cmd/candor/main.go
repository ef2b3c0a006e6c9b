// Command candor finds out whether a vision-language model knows how likely it
// is to be right. It asks the model claims about images, pays its answers by a
// strictly proper scoring rule, and measures how honest its confidence is.
//
// Results go to standard output, progress and messages to standard error; with
// --json standard output is one JSON document. "candor help" lists the
// commands and topics.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"candor/harness/run"
	"candor/harness/serve"
	"candor/imageproc"
	"candor/infer/ollama/micro"

	"github.com/alecthomas/kong"
)

// Exit statuses.
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitErrors      = 3   // done, but some tasks ended in error
	exitInterrupted = 130 // resumable
)

// version is set at build time by -ldflags "-X main.version=…".
var version = "devel"

func main() {
	os.Exit(candor(os.Args[1:], console{os.Args[0], os.Stdin, os.Stdout, os.Stderr}))
}

// console is where a command reads and writes, and what candor was called by
// there.
type console struct {
	name     string
	in       io.Reader
	out, err io.Writer
}

// cli is the command line. Each command is a struct of its flags with a Run.
type cli struct {
	Eval      evalCmd          `cmd:"" help:"Ask a model claims about images and measure its confidence."`
	Sweep     sweepCmd         `cmd:"" help:"Carry out a grid of runs and set them side by side."`
	Lens      lensCmd          `cmd:"" help:"Measure what an agent has learned in an environment."`
	Data      dataCmd          `cmd:"" help:"Look a data set, or runs, over before believing a number."`
	Score     scoreCmd         `cmd:"" help:"Compute the metrics of anyone's answers."`
	Parse     parseCmd         `cmd:"" help:"Show what the parser makes of raw texts."`
	Rescore   rescoreCmd       `cmd:"" help:"Score stored answers by another rule, payoff or label set."`
	Compare   compareCmd       `cmd:"" help:"Compare runs of the same tasks, in pairs."`
	Report    reportCmd        `cmd:"" help:"Write a report of runs: a page, tables, figures."`
	Calibrate calibrateCmd     `cmd:"" help:"Fit recalibration maps on one run and judge them on another."`
	Export    exportCmd        `cmd:"" help:"Write a run for other tools: CSV, Parquet, verifiers, MLflow."`
	Image     imageCmd         `cmd:"" help:"Show what would be sent of image files."`
	Doctor    doctorCmd        `cmd:"" help:"Question a server and say what each finding means."`
	Bench     benchCmd         `cmd:"" help:"Measure how fast a server answers, under load."`
	Serve     serveCmd         `cmd:"" help:"Serve an environment to trainers and agents, over OpenEnv."`
	Help      helpCmd          `cmd:"" help:"Explain a topic: candor help TOPIC."`
	Built     versionCmd       `cmd:"" name:"version" help:"Print the version."`
	Version   kong.VersionFlag `help:"Print the version."`
}

// versionCmd is candor version.
type versionCmd struct{}

// Run prints the version, as --version does.
func (versionCmd) Run(c console) error {
	_, err := fmt.Fprintln(c.out, "candor", version)
	return err
}

// exitStatus ends a command whose messages are already written.
type exitStatus int

func (e exitStatus) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// candor runs one command line and returns its exit status.
func candor(args []string, c console) int {
	var app cli
	status := -1
	stored := &settings{}
	parser, err := kong.New(&app,
		kong.Name("candor"),
		kong.Description("Does a vision-language model know how likely it is to be right?"),
		kong.Vars{"version": "candor " + version, "model": micro.Name, "families": strings.Join(imageproc.FamilyNames(), ", "),
			"environments": strings.Join(serve.Names(), ", ")},
		kong.Writers(c.out, c.err),
		kong.Exit(func(code int) { status = code }),
		kong.Resolvers(stored),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
	)
	if err != nil {
		fmt.Fprintln(c.err, "candor:", err)
		return exitFailed
	}
	if len(args) == 0 {
		args = []string{"--help"}
	}
	parsed, err := parser.Parse(negatives(args))
	if status >= 0 { // --help or --version
		return status
	}
	if errors.As(stored.err, new(*run.DamagedError)) {
		return statusOf(c, stored.err) // no mistake of the command line
	}
	if stored.err != nil { // comes first: what it lacks would only seem missing
		err = stored.err
	}
	if err != nil {
		return statusOf(c, &run.UsageError{Err: unknown(err, parser)})
	}
	sig := watchSignals()
	defer sig.close()
	parsed.BindTo(sig.ctx, (*context.Context)(nil))
	return statusOf(c, parsed.Run(c, sig))
}

// statusOf says what went wrong, once, and turns it into an exit status.
func statusOf(c console, err error) int {
	var status exitStatus
	var bad *run.UsageError
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &status):
		return int(status)
	case errors.As(err, &bad):
		fmt.Fprintln(c.err, "candor:", err)
		return exitUsage
	case errors.Is(err, run.ErrInterrupted), errors.Is(err, context.Canceled):
		fmt.Fprintln(c.err, "candor: interrupted")
		return exitInterrupted
	}
	fmt.Fprintln(c.err, "candor:", err)
	return exitFailed
}
