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

	"candor/harness/claim"
	"candor/harness/run"
	"candor/harness/verify"

	"github.com/google/renameio/v2"
)

// Names of the files that a sweep leaves beside its cells.
const (
	ResultFile = "sweep.json"
	TableFile  = "sweep.md"
)

// Planned is what a cell will take.
type Planned struct {
	Cell
	Tasks    int  `json:"tasks"`
	Requests int  `json:"requests"`
	Recorded int  `json:"recorded"` // of its tasks, already
	Finished bool `json:"finished"`
}

// Observer is told of the cells; the runs tell their own observer the rest.
type Observer interface {
	// Planned: these cells make the sweep.
	Planned([]Planned)
	// Cell: the cell at that place, from 0, is taken up.
	Cell(at int)
}

// Plan lays out what each cell in dir will take, and asks nothing. A cell that
// cannot be planned is an error that names it.
func Plan(ctx context.Context, cells []Cell, dir string, deps run.Dependencies) ([]Planned, error) {
	out := make([]Planned, 0, len(cells))
	for _, c := range cells {
		p := Planned{Cell: c}
		if m, ok := done(filepath.Join(dir, c.Name), c.Config); ok {
			p.Tasks, p.Recorded, p.Finished = m.Tasks, m.Tasks, true
			out = append(out, p)
			continue
		}
		plan, err := run.NewPlan(ctx, c.Config, claim.Loader{Hub: deps.Hub})
		if err != nil {
			return nil, fmt.Errorf("cell %s: %w", c.Name, err)
		}
		p.Tasks, p.Requests = len(plan.Tasks), plan.Requests()
		if traces, err := run.ReadTraces(filepath.Join(dir, c.Name)); err == nil {
			p.Recorded = len(traces)
		}
		out = append(out, p)
	}
	return out, nil
}

// Run asks what the cells in dir lack, and makes the joint table of all. It
// returns run.ErrInterrupted when stopped; the same call goes on.
func (f *File) Run(ctx context.Context, cells []Cell, dir string, deps run.Dependencies, o Observer) (*Table, error) {
	plan, err := Plan(ctx, cells, dir, deps)
	if err != nil {
		return nil, err
	}
	o.Planned(plan)
	for i, p := range plan {
		select {
		case <-deps.Stop:
			return nil, run.ErrInterrupted
		default:
		}
		if p.Finished {
			continue
		}
		o.Cell(i)
		at := filepath.Join(dir, p.Name)
		_, err := os.Stat(filepath.Join(at, run.ManifestFile))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if _, err = run.Execute(ctx, p.Config, at, err == nil, deps); err != nil {
			return nil, fmt.Errorf("cell %s: %w", p.Name, err)
		}
	}
	result, err := f.join(ctx, cells, dir)
	if err != nil {
		return nil, err
	}
	return result, result.save(dir)
}

// done tells a cell that was asked under this very configuration and lacks
// nothing.
func done(dir string, cfg run.Config) (run.Manifest, bool) {
	m, err := run.LoadManifest(dir)
	if err != nil || m.State != run.Finished || answers(m.Config) != answers(cfg) {
		return m, false
	}
	if prompt, err := promptOf(cfg); err != nil || prompt.Hash() != m.Prompt.Hash {
		return m, false
	}
	traces, err := run.ReadTraces(dir)
	return m, err == nil && len(traces) == m.Tasks
}

func promptOf(cfg run.Config) (verify.Prompt, error) {
	if cfg.Prompt == "" {
		return verify.DefaultPrompt(), nil
	}
	return verify.LoadPrompt(cfg.Prompt)
}

// answers is a configuration without what has no part in answers or figures.
func answers(c run.Config) string {
	c.Hosts, c.Parallel, c.Force, c.Preflight, c.AcceptServer = nil, "", false, false, false
	b, _ := json.Marshal(c) // plain data; absent lists and empty ones differ
	return string(b)
}

// save writes the result beside the cells.
func (r *Table) save(dir string) error {
	b, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return errors.Join(
		renameio.WriteFile(filepath.Join(dir, ResultFile), append(b, '\n'), 0o644),
		renameio.WriteFile(filepath.Join(dir, TableFile), []byte(r.Markdown()), 0o644))
}
