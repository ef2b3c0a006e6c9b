package claim

import (
	"fmt"
	"slices"
	"strings"

	"candor/harness/edits"
	"candor/harness/parquet"
)

// checkColumns finds before any row is read what every row would fail for.
func (t *parquetTable) checkColumns() error {
	scalar := []parquet.Kind{parquet.Text, parquet.Int, parquet.Bool}
	seen := make(map[string]bool)
	for _, c := range t.file.Columns() {
		if seen[c.Name] {
			return fmt.Errorf("column %q is given twice: which of the two is meant is not known", c.Name)
		}
		seen[c.Name] = true
	}
	if err := t.need([]string{"claim", "text", "question"}, parquet.Text); err != nil {
		return err
	}
	if err := t.need([]string{"label", "answer"}, scalar...); err != nil {
		return err
	}
	for _, id := range []string{"question_id", "id", "split", "category", "object"} {
		if err := t.kinds(id, parquet.Text, parquet.Int, parquet.Bool); err != nil {
			return err
		}
	}
	return t.need([]string{"image", "image_source", "image.bytes", "image.path", "file_name"}, parquet.Text, parquet.Bytes)
}

// need wants one of some columns, and all of them that there are to be of the
// kinds that can be used.
func (t *parquetTable) need(names []string, kinds ...parquet.Kind) error {
	found := false
	for _, name := range names {
		if err := t.kinds(name, kinds...); err != nil {
			return err
		}
		if _, ok := t.file.Column(name); ok {
			found = true
		}
	}
	if found {
		return nil
	}
	have := t.top()
	return fmt.Errorf("it has no column %s; the nearest is %q (it has %s)",
		strings.Join(quotedAll(names), " or "), nearest(names, have), strings.Join(have, ", "))
}

// kinds refuses a column of another kind, or of lists; none at all is fine.
func (t *parquetTable) kinds(name string, kinds ...parquet.Kind) error {
	for _, c := range t.file.Columns() {
		if c.Name == name && !slices.Contains(kinds, c.Kind) {
			return fmt.Errorf("column %s is %s; %s is needed", name, c.Kind, either(kinds))
		}
		if c.Kind == parquet.Nested && strings.HasPrefix(c.Name, name+".") {
			return fmt.Errorf("column %s is a list; one value a row is needed", name)
		}
	}
	return nil
}

func either(kinds []parquet.Kind) string {
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = k.String()
	}
	return strings.Join(names, " or ")
}

// top are the names of the table's columns, of a structure its own.
func (t *parquetTable) top() []string {
	var names []string
	for _, c := range t.file.Columns() {
		name, _, _ := strings.Cut(c.Name, ".")
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

func quotedAll(names []string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = fmt.Sprintf("%q", n)
	}
	return out
}

// nearest is the one of have that least must be changed in to be one of wanted.
func nearest(wanted, have []string) string {
	best, least := "", 1<<30
	for _, w := range wanted {
		for _, h := range have {
			if d := edits.Distance(strings.ToLower(w), strings.ToLower(h)); d < least {
				best, least = h, d
			}
		}
	}
	return best
}
