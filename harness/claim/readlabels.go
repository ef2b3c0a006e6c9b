package claim

import (
	"fmt"
	"slices"
	"strings"

	"candor/harness/regular"
)

// ReadLabels reads a label set: a file, several with commas between, or a
// folder that holds coco_repope_*.json or, if none, other data files. Its rows
// are those of a data set, of which only question_id and label (and split,
// where the file's name does not tell it) are needed; image and text, where
// they are given, must be those of the claim, see Join. RePOPE's files have
// all of them, and lack the rows that were ambiguous.
//
// A row that is not understood, any other label than yes or no (or SUPPORTED,
// REFUTED, true, false), and a question_id twice in a split are errors that
// name file and line.
func ReadLabels(name, spec string) (LabelSet, error) {
	l := LabelSet{Name: name, Labels: make(map[string]Label), rows: make(map[string]labelled)}
	paths, err := dataFiles(spec, "coco_repope_*.json")
	if err != nil {
		return LabelSet{}, err
	}
	if slices.ContainsFunc(paths, isParquet) {
		return l.ofSet(paths)
	}
	var files []File
	for _, p := range paths {
		f, err := l.file(p)
		if err != nil {
			return LabelSet{}, err
		}
		files = append(files, f)
	}
	l.Revision = revision(files)
	return l, nil
}

// ofSet takes the labels of a whole data set, which Parquet files are.
func (l LabelSet) ofSet(paths []string) (LabelSet, error) {
	set, err := LoadPOPE(paths, "")
	if err != nil {
		return LabelSet{}, err
	}
	l.Revision = set.Revision
	for _, c := range set.Claims {
		l.Labels[c.ID] = c.Label
		l.rows[c.ID] = labelled{where: set.Name + ": " + c.ID, image: c.ImageSource, text: c.Text}
	}
	return l, nil
}

// file adds a file's labels.
func (l *LabelSet) file(name string) (File, error) {
	f, err := regular.Open(name)
	if err != nil {
		return File{}, fmt.Errorf("label file: %w", err)
	}
	defer f.Close()
	return addRows(name, f, func(r row, n int) error { return l.add(name, r, n) })
}

func (l *LabelSet) add(file string, r row, n int) error {
	f := fields{row: r}
	c := Claim{QuestionID: f.id(), Split: f.split(), Question: f.question(), Text: f.claim()}
	image, label := f.image(), f.label()
	if err := f.check(); err != nil {
		return err
	}
	c.number(n, splitOf(file))
	if err := c.checkKeys(); err != nil {
		return err
	}
	if c.Text == "" {
		c.Text, _, _ = Sentence(c.Question)
	}
	known, err := ParseLabel(label)
	if err != nil {
		return err
	}
	id := c.Split + "/" + c.QuestionID
	if first, twice := l.rows[id]; twice {
		return fmt.Errorf("question_id %s of split %s is already at %s", c.QuestionID, c.Split, first.where)
	}
	row := labelled{where: file + ": " + r.where, text: c.Text}
	if strings.TrimSpace(image) != "" {
		row.image = Stem(image)
	}
	l.Labels[id], l.rows[id] = known, row
	return nil
}
