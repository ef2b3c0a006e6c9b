package scoring

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// PairError is a task for which runs cannot be compared.
type PairError struct {
	Task   string // "" when it has no name
	Split  string
	Reason string
}

func (e *PairError) Error() string {
	if e.Split != "" {
		return fmt.Sprintf("task %q of split %q: %s", e.Task, e.Split, e.Reason)
	}
	return fmt.Sprintf("task %q: %s", e.Task, e.Reason)
}

// pairing is the tasks of several runs laid side by side.
type pairing struct {
	rows         [][]Row // by run, the base first; then by task, errors left out
	of           []int32 // image of each task
	images, bare int
	leftOut      []LeftOut
}

// taskKey names a task. The split counts only where IDs recur, so that runs
// pair whether or not both tell their splits.
type taskKey struct{ split, id string }

func compareKeys(a, b taskKey) int {
	return cmp.Or(cmp.Compare(a.split, b.split), cmp.Compare(a.id, b.id))
}

// align pairs the rows of the runs by task, in an order that does not depend
// on theirs.
func align(base Contender, others []Contender) (*pairing, error) {
	runs := append([]Contender{base}, others...)
	bySplit := slices.ContainsFunc(runs, func(c Contender) bool { return IDsRecur(c.Rows) })
	tables := make([]map[taskKey]Row, len(runs))
	for i, c := range runs {
		var err error
		if tables[i], err = tabulate(c, bySplit); err != nil {
			return nil, err
		}
		if err := sameTasks(base.Name, c.Name, tables[0], tables[i]); err != nil {
			return nil, err
		}
	}
	p := &pairing{rows: make([][]Row, len(runs)), leftOut: []LeftOut{}}
	keys := slices.SortedFunc(maps.Keys(tables[0]), compareKeys)
	var tasks []Row // what the clusters are made from
	for _, k := range keys {
		across := make([]Row, len(runs))
		for i := range runs {
			across[i] = tables[i][k]
		}
		image, err := agree(runs, across, k)
		if err != nil {
			return nil, err
		}
		if p.take(runs, across) {
			tasks = append(tasks, Row{ID: k.split + "\x00" + k.id, Image: image})
		}
	}
	p.of, p.images, p.bare = clusters(tasks)
	return p, nil
}

// tabulate checks the rows of one run and finds them by task.
func tabulate(c Contender, bySplit bool) (map[taskKey]Row, error) {
	out := make(map[taskKey]Row, len(c.Rows))
	for i, r := range c.Rows {
		if reason := r.fault(); reason != "" {
			return nil, fmt.Errorf("%s: %w", c.Name, &RowError{Index: i, ID: r.ID, Reason: reason})
		}
		if r.ID == "" {
			return nil, &PairError{Reason: fmt.Sprintf("row %d of %s has no id, and nothing else tells which task it is", i+1, c.Name)}
		}
		k := taskKey{id: r.ID}
		if bySplit {
			k.split = r.Split
		}
		if _, twice := out[k]; twice {
			return nil, &PairError{Task: k.id, Split: k.split, Reason: fmt.Sprintf("stands twice in %s", c.Name)}
		}
		label := r.label()
		r = r.cleared()
		r.Label = label
		out[k] = r
	}
	return out, nil
}

// label is what is true of the row's task, as far as the row tells.
func (r Row) label() string {
	switch {
	case r.Label != "" || r.Outcome != Answered:
		return r.Label
	case r.Supported == r.Correct:
		return "SUPPORTED"
	}
	return "REFUTED"
}

// sameTasks names the first task that only one of two runs has.
func sameTasks(nameA, nameB string, a, b map[taskKey]Row) error {
	lackB, lackA := lacking(a, b), lacking(b, a)
	if len(lackA)+len(lackB) == 0 {
		return nil
	}
	first, has, lacks := append(lackB, lackA...)[0], nameA, nameB
	if len(lackB) == 0 {
		has, lacks = nameB, nameA
	}
	return &PairError{Task: first.id, Split: first.split, Reason: fmt.Sprintf(
		"is in %s but not in %s; only runs of the same tasks can be compared (%d tasks are only in %s, %d only in %s)",
		has, lacks, len(lackB), nameA, len(lackA), nameB)}
}

// lacking lists what is in a but not in b, in order.
func lacking(a, b map[taskKey]Row) []taskKey {
	var out []taskKey
	for k := range a {
		if _, ok := b[k]; !ok {
			out = append(out, k)
		}
	}
	slices.SortFunc(out, compareKeys)
	return out
}

// agree checks that the runs mean the same task and returns its image, "" if
// none tells one.
func agree(runs []Contender, across []Row, k taskKey) (image string, err error) {
	label, labelOf, imageOf := "", 0, 0
	for i, r := range across {
		switch {
		case r.Label == "" || r.Label == label:
		case label == "":
			label, labelOf = r.Label, i
		default:
			return "", &PairError{Task: k.id, Split: k.split, Reason: fmt.Sprintf("is labelled %s in %s but %s in %s; compare runs under the same labels", label, runs[labelOf].Name, r.Label, runs[i].Name)}
		}
		switch {
		case r.Image == "" || r.Image == image:
		case image == "":
			image, imageOf = r.Image, i
		default:
			return "", &PairError{Task: k.id, Split: k.split, Reason: fmt.Sprintf("is about image %q in %s but %q in %s; only runs of the same tasks can be compared", image, runs[imageOf].Name, r.Image, runs[i].Name)}
		}
	}
	return image, nil
}

// take adds a task to the pairing, or to what is left out for an error.
func (p *pairing) take(runs []Contender, across []Row) bool {
	var failed []string
	for i, r := range across {
		if r.Outcome == Errored {
			failed = append(failed, runs[i].Name)
		}
	}
	if failed != nil {
		p.leftOut = append(p.leftOut, LeftOut{Task: across[0].ID, Split: across[0].Split, ErrorIn: failed})
		return false
	}
	for i, r := range across {
		p.rows[i] = append(p.rows[i], r)
	}
	return true
}

// answeredByBoth are the rows of the base and of run r where both answered.
func (p *pairing) answeredByBoth(r int) (of []int32, rows [2][]Row) {
	for i, base := range p.rows[0] {
		if other := p.rows[r][i]; base.Outcome == Answered && other.Outcome == Answered {
			of = append(of, p.of[i])
			rows[0], rows[1] = append(rows[0], base), append(rows[1], other)
		}
	}
	return of, rows
}
