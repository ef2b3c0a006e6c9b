package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"candor/harness/publish"
	"candor/harness/report"
	"candor/harness/run"
	"candor/harness/sweep"
	"candor/harness/verify"
	"candor/infer"
	"candor/infer/ollama"
	"candor/infer/ollama/micro"
)

// sweepCmd is candor sweep.
type sweepCmd struct {
	File   string `arg:"" help:"TOML file of the grid; see candor help sweep."`
	Out    string `help:"Directory of the cells. Default: runs/ and the file's name." placeholder:"DIR"`
	RankBy string `help:"Metric of the ranking, as a summary's ci calls it, in the place of the file's rank-by. Default: reward." placeholder:"METRIC"`
	DryRun bool   `help:"List the cells and what they take, and ask nothing."`
	JSON   bool   `name:"json" help:"Print the result as JSON."`
}

// Run carries out what the cells lack, and prints the joint table.
func (s *sweepCmd) Run(c console, sig *signals) error {
	text, err := os.ReadFile(s.File)
	if err != nil {
		return &run.UsageError{Err: err}
	}
	f, err := sweep.Parse(s.File, text)
	if err != nil {
		return err
	}
	if s.RankBy != "" {
		if err := f.RankBy(s.RankBy); err != nil {
			return err
		}
	}
	cells, err := f.Cells(finished)
	if err != nil {
		return err
	}
	bundled, err := newBundled()
	if err != nil {
		return err
	}
	dir := s.Out
	if dir == "" {
		dir = filepath.Join("runs", strings.TrimSuffix(filepath.Base(s.File), filepath.Ext(s.File)))
	}
	p := newSweepView(c.err)
	deps := run.Dependencies{
		Connect: func(host string) (infer.Backend, error) { return ollama.New(host) }, DefaultHosts: ollama.Hosts,
		Hub: hubAt{c.err}, Bundled: bundled, Observer: p, InFlight: p.InFlight, Stop: sig.stop, Version: version,
	}
	if s.DryRun {
		plan, err := f.Plan(sig.ctx, cells, dir, deps)
		if err != nil {
			return err
		}
		return s.printPlan(c.out, plan)
	}
	if i := slices.IndexFunc(cells, func(cell sweep.Cell) bool { return micro.Is(cell.Config.Model) }); i >= 0 {
		announce(c.err, cells[i].Config.Model, bundled, "")
	}
	sig.finishFirst(func(text string) { p.say("%s", text) })
	result, err := f.Run(sig.ctx, cells, dir, deps, p)
	p.close()
	if err == nil {
		tellPage(c, dir, func() (string, error) { return publish.Sweep(sig.ctx, dir) })
	}
	return s.conclude(c, dir, result, err)
}

// finished completes a cell's configuration as candor eval does its own.
func finished(cfg *run.Config, given func(string) bool) {
	cfg.Dataset, cfg.Images, cfg.EvalIDs = absoluteData(cfg.Dataset), absolute(cfg.Images), absolute(cfg.EvalIDs)
	cfg.Labels = absoluteLabels(cfg.Labels)
	cfg.Prompt = absolute(cfg.Prompt, verify.PromptDefault, verify.PromptImageFirst)
	if !given("model") {
		cfg.Model = micro.Name
	}
	if !given("num-thread") {
		cfg.NumThread = threads(cfg.Model, nil)
	}
}

func (s *sweepCmd) printPlan(w io.Writer, plan []sweep.Planned) error {
	if s.JSON {
		return printJSON(w, plan)
	}
	var all sweep.Planned
	finished, left, known := 0, 0.0, true
	for _, p := range plan {
		all.Tasks, all.Requests, all.Recorded = all.Tasks+p.Tasks, all.Requests+p.Requests, all.Recorded+p.Recorded
		all.Images = max(all.Images, p.Images)
		if p.Finished {
			finished++
		}
		if p.Seconds != nil {
			left += *p.Seconds
		} else {
			known = false
		}
		fmt.Fprintf(w, "%s\n  %s\n", p.Name, strings.Join(takes(p), ", "))
		for _, same := range p.Same {
			fmt.Fprintf(w, "  the same run as %s\n", same)
		}
		if p.Unread != "" {
			fmt.Fprintf(w, "  ! its data cannot be read any more: %s\n", p.Unread)
		}
	}
	_, err := fmt.Fprintf(w, "\n%s, %d finished: %s, %s, up to %s a cell, %d recorded; %s\n", report.Count(len(plan), "cell"), finished,
		report.Count(all.Tasks, "task"), report.Count(all.Requests, "request"), report.Count(all.Images, "image"), all.Recorded, timeLeft(left, known))
	return err
}

// takes is what a cell takes, and how much of it there is.
func takes(p sweep.Planned) []string {
	parts := []string{report.Count(p.Tasks, "task"), report.Count(p.Requests, "request"), report.Count(p.Images, "image")}
	if p.Unread != "" {
		parts = append(parts[:1], parts[2])
	}
	if p.Finished {
		return append(parts, "finished")
	}
	parts = append(parts, fmt.Sprintf("%d recorded", p.Recorded))
	if p.Seconds != nil {
		parts = append(parts, timeLeft(*p.Seconds, true))
	}
	return parts
}

func timeLeft(seconds float64, known bool) string {
	switch {
	case !known:
		return "how long it takes is known once some tasks are asked"
	case seconds <= 0:
		return "nothing left to ask"
	}
	return fmt.Sprintf("about %s left", time.Duration(max(1, math.Round(seconds))*float64(time.Second)))
}

func (s *sweepCmd) conclude(c console, dir string, r *sweep.Table, err error) error {
	again := quoted(c.name) + " sweep " + quoted(s.File)
	if s.RankBy != "" {
		again += " --rank-by " + s.RankBy
	}
	if s.Out != "" {
		again += " --out " + quoted(s.Out)
	}
	switch {
	case errors.Is(err, run.ErrInterrupted):
		fmt.Fprintf(c.err, "candor: interrupted; nothing recorded is lost. Go on with: %s\n", again)
		return exitStatus(exitInterrupted)
	case err != nil && r == nil:
		return fmt.Errorf("%w\ncandor: nothing recorded is lost. When that is mended: %s", err, again)
	case err != nil:
		return err
	}
	if s.JSON {
		err = printJSON(c.out, r)
	} else {
		err = r.Write(c.out)
	}
	if err == nil && r.Errors > 0 {
		fmt.Fprintf(c.err, "candor: %s ended in error. To ask again: %s\n", report.Count(r.Errors, "task"), again)
		return exitStatus(exitErrors)
	}
	return err
}
