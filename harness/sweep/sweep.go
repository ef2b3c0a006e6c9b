// Package sweep is a grid of runs and their joint table. A file in TOML names
// the settings that all cells share and the axes along which they differ; each
// cell of the grid is a run in a directory of its own, so that a sweep cut at
// any moment is gone on with by the same command: finished cells are read,
// others resumed. Rule and payoff stand in the prompt, so a cell with another
// is asked anew; what stored answers would earn under another is told apart.
//
// What a sweep comes to is a [Table], which [Load] reads from sweep.json: for
// whoever shows it elsewhere, it holds the axes, each cell's place on them with
// all its metrics and their intervals, the ranking, the paired differences to
// the baseline and the rescored answers, and nothing that depends on when or in
// how many goes the cells were asked.
package sweep

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"candor/harness/claim"
	"candor/harness/hub"
	"candor/harness/regular"
	"candor/harness/run"
	"candor/infer"
	"candor/scoring"

	"github.com/google/renameio/v2"
)

// Names of the files that a sweep leaves beside its cells.
const (
	ResultFile = "sweep.json"
	TableFile  = "sweep.md"
	PageFile   = "report.html"
	// Stale ends the names of those files that an earlier state of the cells
	// left, while cells are asked again.
	Stale = ".stale"
)

// Planned is what a cell will take.
type Planned struct {
	Cell
	Tasks    int  `json:"tasks"`
	Requests int  `json:"requests"` // of all tasks: several where a source of confidence draws, fewer where equal tasks share an answer
	Images   int  `json:"images"`   // distinct
	Recorded int  `json:"recorded"` // of its tasks, already
	Finished bool `json:"finished"`
	// Reward and CI are a finished cell's, under its own payment.
	Reward *float64          `json:"reward"`
	CI     *scoring.Interval `json:"ci"`
	// Seconds is about how long the tasks that are not recorded will take, by the
	// rate of this cell so far or else of others that load the model alike; null
	// where none was asked.
	Seconds *float64 `json:"seconds"`
	// Unread is why the data of a finished cell cannot be read any more, so that
	// whether they changed is not known.
	Unread string `json:"unread,omitempty"`

	earlier []run.Trace // of an unfinished cell
	pace    pace
}

// Observer is told of the cells; the runs tell their own observer the rest.
type Observer interface {
	// Planned: these cells make the sweep.
	Planned([]Planned)
	// Cell: the cell at that place, from 0, is taken up; so many of its tasks
	// were recorded earlier.
	Cell(at int, earlier []run.Trace)
	// Done: it has its figures, reward among them.
	Done(at int, s run.Summary)
}

// Plan lays out what each cell in dir will take, and asks nothing. Data sets are
// loaded once each, and kept in deps.Shared if that is set. A cell that cannot
// be planned is an error that names it; so is one that was begun under other
// settings or of files that changed since, which matches run.ErrChanged. What a
// setting of the file is to blame for is a *FileError too.
func (f *File) Plan(ctx context.Context, cells []Cell, dir string, deps run.Dependencies) ([]Planned, error) {
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return nil, &run.UsageError{Err: fmt.Errorf("--out %s is a file: name a directory for the cells, new or there", dir)}
	}
	shared := deps.Shared
	if shared == nil {
		shared = &run.Shared{}
		defer shared.Close()
	}
	for _, c := range cells {
		// A manifest that cannot be read is told where the run is.
		if m, err := run.LoadManifest(filepath.Join(dir, c.Name)); err == nil && hub.IsCommit(m.Dataset.Revision) {
			shared.Pin(c.Config.Dataset, m.Dataset.Revision)
		}
	}
	out := make([]Planned, len(cells))
	labels := &labelCheck{file: f}
	for i, c := range cells {
		begun, err := begunIn(filepath.Join(dir, c.Name))
		if err == nil {
			out[i], err = plan(ctx, c, begun, deps.Hub, shared, labels)
		}
		if err != nil {
			return nil, f.placed(c, err)
		}
	}
	estimate(out)
	return out, nil
}

// begunIn is the run in a cell's directory, nil if none was begun.
func begunIn(dir string) (*run.Stored, error) {
	if _, err := os.Stat(filepath.Join(dir, run.ManifestFile)); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return run.Read(dir)
}

func plan(ctx context.Context, c Cell, begun *run.Stored, fetch claim.Hub, shared *run.Shared, labels *labelCheck) (Planned, error) {
	p := Planned{Cell: c}
	if begun != nil {
		p.Recorded, p.Finished, p.pace = len(begun.Traces), finished(begun, c.Config), paceOf(begun)
		if p.Finished {
			p.Reward, p.CI = earned(begun.Dir)
		} else {
			p.earlier = begun.Traces
		}
	}
	laid, err := shared.Plan(ctx, c.Config, fetch, begun)
	switch {
	case err == nil:
		p.Tasks, p.Requests, p.Images = len(laid.Tasks), laid.Requests(), laid.Images
		err = labels.check(laid)
	case p.Finished && ctx.Err() == nil && gone(err, begun):
		p.Tasks, p.Images, p.Unread = begun.Manifest.Tasks, begun.Manifest.Dataset.Images, err.Error()
		err = nil
	}
	return p, err
}

// gone tells an error of data that are not there, or of the Hub's, which do not
// change within a commit: nothing of a finished cell can have changed, for all
// that is known.
func gone(err error, begun *run.Stored) bool {
	return errors.Is(err, fs.ErrNotExist) || !errors.Is(err, run.ErrChanged) && hub.IsCommit(begun.Manifest.Dataset.Revision)
}

// earned is the reward in a run's summary, nil if that cannot be read: it is
// for looking at alone.
func earned(dir string) (*float64, *scoring.Interval) {
	var s scoring.Summary
	b, err := regular.ReadFile(filepath.Join(dir, run.SummaryFile))
	if err != nil || json.Unmarshal(b, &s) != nil {
		return nil, nil
	}
	return s.Reward, s.CI["reward"]
}

// Run asks what the cells in dir lack, and makes the joint table of all. It
// returns run.ErrInterrupted when stopped; the same call goes on. Cells that
// share data and model family read and prepare them once.
func (f *File) Run(ctx context.Context, cells []Cell, dir string, deps run.Dependencies, o Observer) (*Table, error) {
	if deps.Shared == nil {
		deps.Shared = &run.Shared{}
		defer deps.Shared.Close()
	}
	calm, cancel := infer.UntilStopped(ctx, deps.Stop) // what asks nothing need not be finished
	defer cancel()
	plan, err := f.Plan(calm, cells, dir, deps)
	if calm.Err() != nil {
		err = run.ErrInterrupted
	}
	if err != nil {
		return nil, err
	}
	o.Planned(plan)
	if err := putAside(dir, plan); err != nil {
		return nil, err
	}
	for i, p := range plan {
		select {
		case <-deps.Stop:
			return nil, run.ErrInterrupted
		default:
		}
		if p.Finished {
			continue
		}
		o.Cell(i, p.earlier)
		at := filepath.Join(dir, p.Name)
		_, err := os.Stat(filepath.Join(at, run.ManifestFile))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		res, err := run.Execute(ctx, p.Config, at, err == nil, deps)
		if err != nil {
			return nil, fmt.Errorf("cell %s: %w", p.Name, err)
		}
		o.Done(i, res.Summary)
	}
	result, err := f.join(calm, cells, dir, deps.Shared)
	if calm.Err() != nil {
		err = run.ErrInterrupted
	}
	if err != nil {
		return nil, err
	}
	return result, result.save(dir)
}

// finished tells a cell that has an answer to every task, and its figures as
// they are wanted now.
func finished(s *run.Stored, cfg run.Config) bool {
	return s.Manifest.State == run.Finished && len(s.Traces) == s.Manifest.Tasks && answers(s.Manifest.Config) == answers(cfg)
}

// answers is a configuration without what has no part in answers or figures,
// and without paths: what the files hold is compared where they are there.
func answers(c run.Config) string {
	c.Hosts, c.Parallel, c.Force, c.Preflight, c.AcceptServer = nil, "", false, false, false
	c.Dataset, c.Images, c.EvalIDs, c.Prompt = "", "", "", ""
	names := make([]string, len(c.Labels))
	for i, arg := range c.Labels {
		names[i], _, _ = strings.Cut(arg, "=")
	}
	c.Labels = names
	return written(c)
}

// save writes the result beside the cells.
func (r *Table) save(dir string) error {
	b, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	if err := errors.Join(
		renameio.WriteFile(filepath.Join(dir, ResultFile), append(b, '\n'), 0o644),
		renameio.WriteFile(filepath.Join(dir, TableFile), []byte(r.Markdown()), 0o644)); err != nil {
		return err
	}
	for _, name := range madeFiles() {
		if err := os.Remove(filepath.Join(dir, name+Stale)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// madeFiles are those that are made of the cells together.
func madeFiles() []string { return []string{ResultFile, TableFile, PageFile} }

// putAside renames what was made of the cells as they were, if any is asked
// now: what stands under its own name is always of the cells as they are.
func putAside(dir string, plan []Planned) error {
	if !slices.ContainsFunc(plan, func(p Planned) bool { return !p.Finished }) {
		return nil
	}
	for _, name := range madeFiles() {
		path := filepath.Join(dir, name)
		if err := os.Rename(path, path+Stale); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
