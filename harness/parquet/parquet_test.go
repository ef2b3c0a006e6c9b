package parquet_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"candor/harness/parquet"
)

// recorded are the values of the table of testdata/layouts, by column.
func recorded(t *testing.T) map[string][]any {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "layouts.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all map[string][]any
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.UseNumber()
	if err := dec.Decode(&all); err != nil {
		t.Fatal(err)
	}
	for name, values := range all {
		for i, v := range values {
			all[name][i] = inGo(t, name, v)
		}
	}
	return all
}

// inGo is a recorded value as this package gives it.
func inGo(t *testing.T, column string, v any) any {
	t.Helper()
	switch v := v.(type) {
	case map[string]any:
		b, err := base64.StdEncoding.DecodeString(v["base64"].(string))
		if err != nil {
			t.Fatal(err)
		}
		return b
	case json.Number:
		if column == "number" || column == "single" {
			f, err := v.Float64()
			if err != nil {
				t.Fatal(err)
			}
			return f
		}
		n, err := v.Int64()
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	return v
}

func open(t *testing.T, parts ...string) *parquet.File {
	t.Helper()
	f, err := parquet.Open(filepath.Join(append([]string{"testdata"}, parts...)...))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

// TestLayouts: every file that pyarrow wrote of one table, in each compression,
// page version and encoding, has that table's values, read as rows, one at a
// time and as hashes.
func TestLayouts(t *testing.T) {
	want := recorded(t)
	files, err := filepath.Glob(filepath.Join("testdata", "layouts", "*.parquet"))
	if err != nil || len(files) < 15 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) {
			f := open(t, "layouts", filepath.Base(name))
			var names []string
			for _, c := range f.Columns() {
				names = append(names, c.Name)
			}
			if len(names) != len(want) || f.NumRows() != 40 {
				t.Fatalf("%d rows of columns %v; want 40 of %d", f.NumRows(), names, len(want))
			}
			for row, err := range f.Rows(t.Context(), names...) {
				if err != nil {
					t.Fatal(err)
				}
				for i, c := range names {
					if w := want[c][row.Number]; !reflect.DeepEqual(row.Values[i], w) && !empty(row.Values[i], w) {
						t.Errorf("row %d, column %s: %#v; want %#v", row.Number, c, row.Values[i], w)
					}
				}
			}
			for _, c := range []string{"image.bytes", "image.path", "text"} {
				checkOne(t, f, c, want[c])
			}
		})
	}
}

// empty are bytes of length 0, which are not the same as none.
func empty(got, want any) bool {
	g, ok1 := got.([]byte)
	w, ok2 := want.([]byte)
	return ok1 && ok2 && len(g) == 0 && len(w) == 0
}

// checkOne reads a column of bytes value by value, backwards, and by hash.
func checkOne(t *testing.T, f *parquet.File, column string, want []any) {
	t.Helper()
	for row := f.NumRows() - 1; row >= 0; row-- {
		got, ok, err := f.Bytes(t.Context(), column, row)
		if err != nil {
			t.Fatal(err)
		}
		if w := raw(want[row]); ok != (want[row] != nil) || !bytes.Equal(got, w) {
			t.Errorf("row %d of %s: %q, %v; want %q", row, column, got, ok, w)
		}
	}
	row := 0
	for sum, err := range f.Hashes(t.Context(), column) {
		if err != nil {
			t.Fatal(err)
		}
		w := parquet.Hash(sha256.Sum256(raw(want[row])))
		if want[row] == nil && sum != nil || want[row] != nil && (sum == nil || *sum != w) {
			t.Errorf("row %d of %s: hash %x; want %x", row, column, sum, w)
		}
		row++
	}
	if row != len(want) {
		t.Errorf("%d hashes; want %d", row, len(want))
	}
}

func raw(v any) []byte {
	switch v := v.(type) {
	case []byte:
		return v
	case string:
		return []byte(v)
	}
	return nil
}

func TestColumns(t *testing.T) {
	f := open(t, "layouts", "snappy-1.parquet")
	kinds := map[string]parquet.Kind{}
	for _, c := range f.Columns() {
		kinds[c.Name] = c.Kind
	}
	want := map[string]parquet.Kind{
		"text": parquet.Text, "whole": parquet.Int, "small": parquet.Int, "large": parquet.Int, "number": parquet.Float, "single": parquet.Float,
		"truth": parquet.Bool, "none": parquet.Text, "image.bytes": parquet.Bytes, "image.path": parquet.Text,
	}
	if !reflect.DeepEqual(kinds, want) {
		t.Errorf("columns %v; want %v", kinds, want)
	}
	if c, _ := open(t, "odd", "image-list.parquet").Column("image.list.element"); c == nil || c.Kind != parquet.Nested {
		t.Errorf("a list's column is %+v; want it nested", c)
	}
	if got := open(t, "odd", "class-labels.parquet").Metadata("huggingface"); !strings.Contains(got, `"names": ["no", "yes"]`) {
		t.Errorf("metadata %q; want the names of labels", got)
	}
}

func TestRowsOf(t *testing.T) {
	f := open(t, "layouts", "one-row-groups.parquet")
	if f.NumGroups() != 4 {
		t.Fatalf("%d row groups; want 4", f.NumGroups())
	}
	var got []string
	for row, err := range f.Rows(t.Context(), "whole") {
		if err != nil {
			t.Fatal(err)
		}
		if row.Number%10 == 0 {
			got = append(got, fmt.Sprintf("%d in %d", row.Number, row.Group))
		}
	}
	if want := "[0 in 0 10 in 0 20 in 1 30 in 2]"; fmt.Sprint(got) != want {
		t.Errorf("rows %v; want %v", got, want)
	}
	for names, want := range map[string]string{"nothing": `no column "nothing"`, "image": `no column "image"`} {
		for _, err := range f.Rows(t.Context(), names) {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("column %q: error %v; want %q", names, err, want)
			}
		}
	}
	if _, _, err := f.Bytes(t.Context(), "whole", 0); err == nil || !strings.Contains(err.Error(), "whole numbers; bytes are needed") {
		t.Errorf("error %v; want that it has numbers", err)
	}
	if _, _, err := f.Bytes(t.Context(), "image.bytes", 40); err == nil || !strings.Contains(err.Error(), "no row 41") {
		t.Errorf("error %v; want that there is no such row", err)
	}
	for range f.Rows(t.Context(), "whole") { // a reader may stop early
		break
	}
	for range f.Hashes(t.Context(), "image.bytes") {
		break
	}
}

func TestNoRows(t *testing.T) {
	f := open(t, "odd", "no-rows.parquet")
	for row, err := range f.Rows(t.Context(), "question") {
		t.Errorf("row %+v, error %v; want none", row, err)
	}
	if f.NumRows() != 0 {
		t.Errorf("%d rows", f.NumRows())
	}
}
