package export_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"candor/harness/export"
	"candor/harness/run"

	"github.com/parquet-go/parquet-go"
)

// values are the table that a run's traces make, straight from their JSON: by
// row and column, nil for null.
func values(t *testing.T, r *export.Run) []map[string]any {
	t.Helper()
	var out []map[string]any
	for _, tr := range r.Traces {
		b, err := json.Marshal(tr)
		if err != nil {
			t.Fatal(err)
		}
		dec := json.NewDecoder(bytes.NewReader(b))
		dec.UseNumber()
		var whole map[string]any
		if err := dec.Decode(&whole); err != nil {
			t.Fatal(err)
		}
		row := map[string]any{}
		for _, c := range r.Columns() {
			row[c.Name] = typed(t, c, look(r, whole, c.Name))
		}
		out = append(out, row)
	}
	return out
}

// look finds a column's value by the rule of its name.
func look(r *export.Run, trace map[string]any, name string) any {
	at := func(v any, keys ...string) any {
		for _, k := range keys {
			m, _ := v.(map[string]any)
			v = m[k]
		}
		return v
	}
	switch name {
	case "run":
		return r.Name
	case "run_id":
		return r.ID
	case "model":
		return r.Manifest.Config.Model
	case "confidence_consistency_5":
		return at(trace, "confidences", "consistency:5")
	case "endpoint":
		return "http://127.0.0.1:11434"
	}
	if v, ok := trace[name]; ok {
		if s, isText := v.(string); isText && s == "" && name != "text" {
			return nil
		}
		return v
	}
	first, rest, _ := strings.Cut(name, "_")
	switch first {
	case "confidence":
		return at(trace, "confidences", rest)
	case "logprob", "consistency":
		return at(trace, "sources", first, rest)
	}
	return at(trace, first, rest)
}

// typed is a JSON value as its column's kind.
func typed(t *testing.T, c export.Column, v any) any {
	n, isNumber := v.(json.Number)
	if !isNumber {
		return v
	}
	if c.Kind == export.Integer {
		i, err := n.Int64()
		if err != nil {
			t.Fatal(err)
		}
		return i
	}
	f, err := n.Float64()
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// Every value of every trace stands in the CSV, and its bytes do not change
// unnoticed.
func TestCSV(t *testing.T) {
	dir := oddRun(t)
	r, name := read(t, dir), write(t, export.CSV{}, dir)
	if name != dir+".csv" {
		t.Errorf("it lies at %s", name)
	}
	golden(t, name, "odd.csv")
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	in := csv.NewReader(bytes.NewReader(b))
	rows, err := in.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range values(t, r) {
		for k, c := range r.Columns() {
			text := "" // of null
			switch v := want[c.Name].(type) {
			case nil:
			case string:
				text = strings.ReplaceAll(v, "\r\n", "\n") // what encoding/csv makes of it
			default:
				text = strings.TrimSuffix(rows[i+1][k], ".0")
				if text != fmt.Sprint(v) {
					t.Errorf("row %d: %s is %s; want %v", i, c.Name, text, v)
				}
				continue
			}
			if rows[i+1][k] != text {
				t.Errorf("row %d: %s is %q; want %q", i, c.Name, rows[i+1][k], text)
			}
		}
	}
	if bytes.Contains(b, []byte("pass-word")) {
		t.Error("it holds a password")
	}
	if !bytes.Contains(b, []byte("two\nlines, \r\nthree\rfour")) {
		t.Error("line ends inside a text were changed")
	}
}

// For a spreadsheet nothing begins as a formula does, and the rest is the same.
func TestSpreadsheet(t *testing.T) {
	dir := oddRun(t)
	plain := write(t, export.CSV{}, dir)
	safe := write(t, export.CSV{Out: filepath.Join(t.TempDir(), "safe.csv"), Spreadsheet: true}, dir)
	a, _ := os.ReadFile(plain)
	b, _ := os.ReadFile(safe)
	mine, marked := bytes.CutPrefix(b, []byte("\uFEFF"))
	if !marked {
		t.Error("no byte order mark")
	}
	was, err := csv.NewReader(bytes.NewReader(a)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	is, err := csv.NewReader(bytes.NewReader(mine)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	changed := 0
	for i := range was {
		for k := range was[i] {
			if was[i][k] == is[i][k] {
				if strings.HasPrefix(is[i][k], "=") || strings.HasPrefix(is[i][k], "@") {
					t.Errorf("%q is a formula", is[i][k])
				}
				continue
			}
			changed++
			if is[i][k] != "'"+was[i][k] || !strings.ContainsAny(was[i][k][:1], "=+-@\t\r\n") {
				t.Errorf("%q became %q", was[i][k], is[i][k])
			}
		}
	}
	if changed != 3 {
		t.Errorf("%d texts were changed; want those of =1+1, -0 and @", changed)
	}
}

// Every value of every trace stands in the Parquet file with its type, and its
// bytes do not change unnoticed.
func TestParquet(t *testing.T) {
	dir := oddRun(t)
	r, name := read(t, dir), write(t, export.Parquet{}, dir)
	golden(t, name, "odd.parquet")
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, _ := f.Stat()
	file, err := parquet.OpenFile(f, info.Size())
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[parquet.Kind]export.Kind{parquet.ByteArray: export.Text, parquet.Int64: export.Integer, parquet.Double: export.Real, parquet.Boolean: export.Boolean}
	fields := file.Schema().Fields()
	for i, c := range r.Columns() {
		if g := fields[i]; g.Name() != c.Name || kinds[g.Type().Kind()] != c.Kind || g.Optional() != c.Nullable {
			t.Errorf("column %d is %s %s, optional %v; want %+v", i, g.Name(), g.Type(), g.Optional(), c)
		}
	}
	rows := parquet.NewReader(file)
	buf := make([]parquet.Row, 1)
	for i, want := range values(t, r) {
		if n, err := rows.ReadRows(buf); n != 1 {
			t.Fatalf("row %d: %v", i, err)
		}
		for k, c := range r.Columns() {
			if got := goValue(buf[0][k]); !reflect.DeepEqual(got, want[c.Name]) {
				t.Errorf("row %d: %s is %#v; want %#v", i, c.Name, got, want[c.Name])
			}
		}
	}
}

func goValue(v parquet.Value) any {
	switch {
	case v.IsNull():
		return nil
	case v.Kind() == parquet.ByteArray:
		return string(v.ByteArray())
	case v.Kind() == parquet.Int64:
		return v.Int64()
	case v.Kind() == parquet.Double:
		return v.Double()
	}
	return v.Boolean()
}

// The real pandas and DuckDB read the same values and types from both files,
// the CSV in the way that the manual tells. CANDOR_PEERS_TABLES names a Python
// interpreter that has them, as "scripts/record.sh tables" prints it.
func TestPeersTables(t *testing.T) {
	python := os.Getenv("CANDOR_PEERS_TABLES")
	if python == "" {
		t.Skip("needs CANDOR_PEERS_TABLES, a Python interpreter with pandas and DuckDB")
	}
	dir := oddRun(t)
	r := read(t, dir)
	kinds := map[string]export.Kind{}
	for _, c := range r.Columns() {
		kinds[c.Name] = c.Kind
	}
	told, err := json.Marshal(kinds)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), python, filepath.Join("..", "..", "scripts", "record", "tables.py"), write(t, export.CSV{}, dir), write(t, export.Parquet{}, dir))
	cmd.Stdin, cmd.Stderr = bytes.NewReader(told), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var seen map[string]struct {
		Kinds map[string]export.Kind
		Order []string
		Rows  []map[string]any
	}
	dec := json.NewDecoder(bytes.NewReader(out))
	dec.UseNumber()
	if err := dec.Decode(&seen); err != nil {
		t.Fatal(err)
	}
	if len(seen) != 4 {
		t.Fatalf("%d readings; want pandas and DuckDB of CSV and Parquet", len(seen))
	}
	for reader, table := range seen {
		if len(table.Rows) != len(odd) || !reflect.DeepEqual(table.Kinds, kinds) {
			t.Errorf("%s: %d rows of %v; want %d of %v", reader, len(table.Rows), table.Kinds, len(odd), kinds)
			continue
		}
		for i, want := range values(t, r) {
			for k, c := range r.Columns() {
				if table.Order[k] != c.Name {
					t.Errorf("%s: column %d is %s; want %s", reader, k, table.Order[k], c.Name)
				}
				w := want[c.Name]
				if w == "" && strings.HasSuffix(reader, "csv") {
					w = nil // the manual says so of "text"
				}
				if got := typed(t, c, table.Rows[i][c.Name]); !reflect.DeepEqual(got, w) {
					t.Errorf("%s: row %d: %s is %#v; want %#v", reader, i, c.Name, got, w)
				}
			}
		}
	}
}

// Each row is what stands where the export would, and what is wrong with it; ""
// if it may be replaced.
func TestReplace(t *testing.T) {
	for _, form := range []struct {
		name string
		to   func(out string) export.Format
	}{
		{"csv", func(out string) export.Format { return export.CSV{Out: out} }},
		{"parquet", func(out string) export.Format { return export.Parquet{Out: out} }},
	} {
		dir := oddRun(t)
		r := read(t, dir)
		older, other, later := *r, *r, *r
		older.Stored = &run.Stored{Dir: r.Dir, Manifest: r.Manifest, Traces: r.Traces[:3]}
		other.ID = strings.Repeat("0", 32)
		later.Stored = &run.Stored{Dir: r.Dir, Manifest: r.Manifest, Traces: append(append([]run.Trace{}, r.Traces...), r.Traces[0])}
		for _, row := range []struct {
			what  string
			there func(name string) error
			want  string
		}{
			{"nothing", func(string) error { return nil }, ""},
			{"the same export", func(name string) error { return exported(form.to(name), r) }, ""},
			{"one of before the run went on", func(name string) error { return exported(form.to(name), &older) }, ""},
			{"one of another run", func(name string) error { return exported(form.to(name), &other) }, "is of another run"},
			{"one with more of the run", func(name string) error { return exported(form.to(name), &later) }, "has only"},
			{"another file", func(name string) error { return os.WriteFile(name, []byte("a,b\n1,2\n"), 0o644) }, "is no export in this form"},
			{"an empty file", func(name string) error { return os.WriteFile(name, nil, 0o644) }, "is no export in this form"},
			{"a folder", func(name string) error { return os.Mkdir(name, 0o755) }, "is no file"},
		} {
			out := filepath.Join(t.TempDir(), "out")
			if err := row.there(out); err != nil {
				t.Fatal(err)
			}
			before, _ := os.ReadFile(out)
			err := exported(form.to(out), r)
			after, _ := os.ReadFile(out)
			left, _ := os.ReadDir(filepath.Dir(out))
			switch {
			case len(left) != 1:
				t.Errorf("%s over %s: %v is left", form.name, row.what, left)
			case row.want == "" && err != nil:
				t.Errorf("%s over %s: %v", form.name, row.what, err)
			case row.want != "" && (err == nil || !strings.Contains(err.Error(), row.want) || !bytes.Equal(before, after)):
				t.Errorf("%s over %s: %v, changed %v; want one that says %q", form.name, row.what, err, !bytes.Equal(before, after), row.want)
			}
		}
		if err := exported(form.to(filepath.Join(dir, "no", "out")), r); err == nil || !strings.Contains(err.Error(), "make that folder first") {
			t.Errorf("%s into a folder that is not there: %v", form.name, err)
		}
	}
}

func exported(f export.Format, r *export.Run) error {
	_, err := f.Export(context.Background(), r)
	return err
}

// An interrupted export leaves nothing.
func TestCancelled(t *testing.T) {
	dir := oddRun(t)
	r := read(t, dir)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, f := range []export.Format{export.CSV{}, export.Parquet{}} {
		if _, err := f.Export(ctx, r); err == nil {
			t.Errorf("%T: no error", f)
		}
	}
	if left, _ := os.ReadDir(filepath.Dir(dir)); len(left) != 1 {
		t.Errorf("%v is left", left)
	}
}

// A run keeps its ID while it goes on and where it is moved, and one made anew
// has another.
func TestID(t *testing.T) {
	dir := oddRun(t)
	first := read(t, dir).ID
	moved := filepath.Join(t.TempDir(), "moved")
	if err := os.CopyFS(moved, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	if id := read(t, moved).ID; id != first {
		t.Errorf("moved: %s; was %s", id, first)
	}
	r := read(t, dir)
	r.Traces[0].Durations.Total += 1e-9
	again := filepath.Join(t.TempDir(), "again")
	writeRun(t, again, r.Manifest, r.Traces)
	if id := read(t, again).ID; id == first || len(id) != 32 {
		t.Errorf("another run has ID %s, too", id)
	}
	writeRun(t, again, r.Manifest, nil)
	if _, err := export.Read(again); err == nil || !strings.Contains(err.Error(), "nothing to export") {
		t.Errorf("no answers: %v", err)
	}
}
