package sweep

import (
	"errors"
	"fmt"
	"strings"

	"candor/harness/claim"
	"candor/harness/relabel"
	"candor/harness/run"
)

// ownLabels is what the table calls the labels that the answers were scored by.
// A [rescore] may name them, and gets no further ones for it.
const ownLabels = "own"

// readLabels checks the names of the [rescore] table's labels. What they name is
// found when the data are known.
func (f *File) readLabels() error {
	seen := map[string]bool{}
	for i, arg := range f.rescore.labels {
		name, _, isFile := strings.Cut(arg, "=")
		at := f.item("rescore.labels", i)
		if name == ownLabels && isFile {
			return f.wrong(at, "labels %s: %s is what the table calls the data's own labels; give the file's another name", arg, ownLabels)
		}
		if seen[name] {
			return f.wrong(at, "[rescore] labels have %s twice; take one out", name)
		}
		seen[name] = true
	}
	return nil
}

// furtherLabels are those of the [rescore] table that need to be found.
func (f *File) furtherLabels() []string {
	var out []string
	for _, arg := range f.rescore.labels {
		if arg != ownLabels {
			out = append(out, arg)
		}
	}
	return out
}

// labelCheck looks at the label sets of the [rescore] table before anything is
// asked. They are read once: all cells have the same data.
type labelCheck struct {
	file *File
	read bool
	sets []claim.LabelSet // those of files
	at   []string         // where each stands
}

// check tells whether the labels are there, and of the tasks of a cell.
func (l *labelCheck) check(p *run.Plan) error {
	if !l.read {
		if err := l.load(p.OwnLabels()); err != nil {
			return err
		}
		l.read = true
	}
	for i := range l.sets {
		if err := p.CheckLabels(l.sets[i : i+1]); err != nil {
			return l.file.wrong(l.at[i], "[rescore] %w", err)
		}
	}
	return nil
}

func (l *labelCheck) load(own []claim.LabelSet) error {
	for i, arg := range l.file.rescore.labels {
		if arg == ownLabels {
			continue
		}
		at := l.file.item("rescore.labels", i)
		sets, err := relabel.Load([]string{arg}, own)
		if err != nil {
			return l.file.wrong(at, "[rescore] %s", strings.ReplaceAll(err.Error(), "--labels ", "labels "))
		}
		for _, set := range sets[len(own):] {
			l.sets, l.at = append(l.sets, set), append(l.at, at)
		}
	}
	return nil
}

// placed is an error of a cell, at the place in the file of the setting that is
// to blame.
func (f *File) placed(c Cell, err error) error {
	if errors.As(err, new(*FileError)) {
		return err
	}
	err = fmt.Errorf("cell %s: %w", c.Name, err)
	bad := (*run.UsageError)(nil)
	if !errors.As(err, &bad) || bad.Key == "" {
		return err
	}
	at := bad.Key
	if v, ok := c.Values[bad.Key]; ok {
		at = f.valueOf(bad.Key, v)
	}
	if f.at[at] == (place{}) {
		return err
	}
	return f.wrong(at, "%w", err)
}
