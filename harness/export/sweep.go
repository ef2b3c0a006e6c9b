package export

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"candor/harness/run"
)

// Sweep tells what of a sweep was exported: each cell on its own, in a folder
// of all, or as an MLflow run of its own.
type Sweep struct {
	Sweep string   `json:"sweep"` // its directory
	To    string   `json:"to"`    // the format's name
	Cells []Result `json:"cells"`
	Empty []string `json:"empty"` // cells without a single answer, which are not in it
}

// String is a line for each cell.
func (s Sweep) String() string {
	var lines []string
	for _, cell := range s.Cells {
		lines = append(lines, cell.String())
	}
	for _, name := range s.Empty {
		lines = append(lines, fmt.Sprintf("not in it: %s, of which no task was answered", name))
	}
	return strings.Join(lines, "\n")
}

// Any exports the run in dir, or, where dir is a sweep's, every cell.
func Any(ctx context.Context, dir, to string, o Options) (fmt.Stringer, error) {
	cells, err := cellsOf(dir)
	if err != nil {
		return nil, err
	}
	if len(cells) == 0 {
		return Export(ctx, dir, to, o)
	}
	return exportCells(ctx, dir, cells, to, o)
}

// cellsOf are the runs in dir, by name; none where dir is a run itself.
func cellsOf(dir string) ([]string, error) {
	if _, err := os.Stat(filepath.Join(dir, run.ManifestFile)); err == nil {
		return nil, nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, nil //nolint:nilerr // no sweep; what it is instead, reading it as a run tells
	}
	var cells []string
	for _, e := range entries {
		_, err := os.Stat(filepath.Join(dir, e.Name(), run.ManifestFile))
		switch {
		case err == nil:
			cells = append(cells, e.Name())
		case !errors.Is(err, fs.ErrNotExist) && e.IsDir():
			return nil, err
		}
	}
	return cells, nil
}

func exportCells(ctx context.Context, dir string, cells []string, to string, o Options) (Sweep, error) {
	out := Sweep{Sweep: dir, To: to, Cells: []Result{}, Empty: []string{}}
	if _, err := New(to, o); err != nil { // before a folder is made
		return out, err
	}
	place, ending := "", ""
	if to != "mlflow" {
		place = (&Run{Stored: &run.Stored{Dir: dir}}).beside(o.Out, "-"+to)
		if err := makeFolder(place); err != nil {
			return out, err
		}
		if to != "verifiers" {
			ending = "." + to
		}
	}
	for _, cell := range cells {
		one := o
		if place != "" {
			one.Out = filepath.Join(place, cell+ending)
		}
		res, err := Export(ctx, filepath.Join(dir, cell), to, one)
		switch {
		case errors.Is(err, ErrNothing):
			out.Empty = append(out.Empty, cell)
		case err != nil:
			return out, fmt.Errorf("%s: %w", cell, err)
		default:
			out.Cells = append(out.Cells, res)
		}
	}
	if len(out.Cells) == 0 {
		return out, fmt.Errorf("%s: %w", dir, ErrNothing)
	}
	return out, nil
}

// makeFolder makes the folder for a sweep's cells unless it is there.
func makeFolder(name string) error {
	info, err := os.Stat(name)
	switch {
	case err == nil && info.IsDir():
		return nil
	case err == nil:
		return &ExistsError{name, "is no folder"}
	}
	if err := hasFolder(name); err != nil {
		return err
	}
	return os.Mkdir(name, 0o755)
}
