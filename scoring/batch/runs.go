package batch

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"gorgonia.org/tensor"

	"candor/scoring"
)

// Runs is several runs over the same tasks. Every tensor is float64 of shape
// [runs × tasks]; a mask holds 1 where it applies and 0 elsewhere. A task that
// is in error in a run, or missing from it, is 0 in all of that run's tensors.
type Runs struct {
	Tasks  []string // keys, in order: the row's ID, with its split where IDs recur
	Image  []int32  // of each task, from 0
	Images int

	Present    *tensor.Dense // mask: scored at all
	Answered   *tensor.Dense // mask
	Abstained  *tensor.Dense // mask
	Repaired   *tensor.Dense // mask
	Supported  *tensor.Dense // mask: answered SUPPORTED
	Correct    *tensor.Dense // mask: answered rightly
	Confidence *tensor.Dense // in [0, 1], 0 unless answered

	rows [][]scoring.Row // by run: those present, by task
	of   [][]int32       // image of each
}

// New lays out runs by task. Every row needs an ID; an ID that recurs within a
// run needs a split. Runs may lack tasks that others have, but a task must be
// about the same image everywhere. A row that cannot be scored is a
// [*scoring.RowError]. Tasks in error in every run are left out.
func New(runs [][]scoring.Row) (*Runs, error) {
	tables := make([]map[string]scoring.Row, len(runs))
	split := slices.ContainsFunc(runs, scoring.IDsRecur)
	images := map[string]string{}
	for i, rows := range runs {
		table, err := tabulate(rows, split, images)
		if err != nil {
			return nil, fmt.Errorf("run %d of %d: %w", i+1, len(runs), err)
		}
		tables[i] = table
	}
	r := &Runs{Tasks: slices.Sorted(maps.Keys(images))}
	if len(runs) == 0 || len(r.Tasks) == 0 {
		return nil, errors.New("no task to score: every run is empty or in error")
	}
	named := make([]scoring.Row, len(r.Tasks))
	for t, key := range r.Tasks {
		named[t] = scoring.Row{ID: key, Image: images[key]}
	}
	r.Image, r.Images = scoring.NumberImages(named)
	r.lay(tables)
	return r, nil
}

// tabulate finds the rows of a run by task, those in error left out, and notes
// the tasks' images.
func tabulate(rows []scoring.Row, split bool, images map[string]string) (map[string]scoring.Row, error) {
	if err := scoring.CheckRows(rows); err != nil {
		return nil, err
	}
	table := make(map[string]scoring.Row, len(rows))
	for i, row := range rows {
		key := row.ID
		if split {
			key += "\x00" + row.Split
		}
		if row.ID == "" {
			return nil, fmt.Errorf("row %d has no id, and nothing else tells which task it is", i+1)
		}
		if _, twice := table[key]; twice {
			return nil, fmt.Errorf("task %q of split %q stands there twice", row.ID, row.Split)
		}
		if row.Outcome == scoring.Errored {
			continue
		}
		if image, known := images[key]; known && image != row.Image {
			return nil, fmt.Errorf("task %q is about image %q here and about %q in a run before", row.ID, row.Image, image)
		}
		images[key] = row.Image
		table[key] = row
	}
	return table, nil
}

// lay fills in the tensors.
func (r *Runs) lay(tables []map[string]scoring.Row) {
	for _, mask := range []**tensor.Dense{&r.Present, &r.Answered, &r.Abstained, &r.Repaired, &r.Supported, &r.Correct, &r.Confidence} {
		*mask = tensor.New(tensor.WithShape(len(tables), len(r.Tasks)), tensor.Of(tensor.Float64))
	}
	r.rows, r.of = make([][]scoring.Row, len(tables)), make([][]int32, len(tables))
	for run, table := range tables {
		for t, key := range r.Tasks {
			if row, here := table[key]; here {
				r.put(run*len(r.Tasks)+t, row)
				r.rows[run] = append(r.rows[run], row)
				r.of[run] = append(r.of[run], r.Image[t])
			}
		}
	}
}

// put writes a row at an offset into the tensors.
func (r *Runs) put(at int, row scoring.Row) {
	answered := row.Outcome == scoring.Answered
	set(r.Present, at, true)
	set(r.Answered, at, answered)
	set(r.Abstained, at, row.Outcome == scoring.Abstained)
	set(r.Repaired, at, row.Repaired)
	set(r.Supported, at, answered && row.Supported)
	set(r.Correct, at, answered && row.Correct)
	if answered {
		values(r.Confidence)[at] = row.Confidence + 0 // −0 becomes 0
	}
}

// Count is the number of runs.
func (r *Runs) Count() int { return len(r.rows) }

func set(mask *tensor.Dense, at int, holds bool) {
	if holds {
		values(mask)[at] = 1
	}
}

func values(t *tensor.Dense) []float64 { return t.Data().([]float64) }
