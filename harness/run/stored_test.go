package run_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"candor/harness/run"
	"candor/scoring"
)

// stored writes the files of a run of four tasks, of which two have traces,
// one is in error, and one is missing.
func stored(t *testing.T, traces, errors string) string {
	t.Helper()
	dir := t.TempDir()
	manifest, err := json.Marshal(run.Manifest{Tasks: 4, Config: run.DefaultConfig()})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{run.ManifestFile: string(manifest), run.TracesFile: traces, run.ErrorsFile: errors} {
		if text == "" {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const (
	traceOne = `{"task_id":"random/1","split":"random","image_source":"a","label":"SUPPORTED","verdict":"SUPPORTED","confidence":0.9,"outcome":"answered","answered":1,"correct":1,"confidence_sum":0.9,"brier_sum":0.01}` + "\n"
	traceTwo = `{"task_id":"random/2","split":"random","image_source":"a","label":"REFUTED","verdict":"ABSTAIN","confidence":null,"outcome":"abstained","abstained":1}` + "\n"
	failOne  = `{"task_id":"random/1","class":"retry"}` + "\n"
	failFour = `{"task_id":"popular/4","class":"retry"}` + "\n"
)

// A run is read as it stands: errors that were asked again do not count, torn
// last lines are no lines, and nothing in the directory changes.
func TestReadStored(t *testing.T) {
	dir := stored(t, traceOne+traceTwo+`{"task_id":"ran`, failOne+failFour+`{"task_`)
	before := contents(t, dir)
	s, err := run.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := []scoring.Row{
		{ID: "random/1", Image: "a", Split: "random", Outcome: scoring.Answered, Confidence: 0.9, Correct: true, Supported: true, Label: "SUPPORTED"},
		{ID: "random/2", Image: "a", Split: "random", Outcome: scoring.Abstained, Label: "REFUTED"},
		{ID: "popular/4", Split: "popular", Outcome: scoring.Errored},
	}
	same := func(a, b scoring.Row) bool {
		a.Sources, b.Sources = nil, nil
		x, _ := json.Marshal(a)
		y, _ := json.Marshal(b)
		return string(x) == string(y)
	}
	if rows := s.Rows(); !slices.EqualFunc(rows, want, same) {
		t.Errorf("%+v\nwant\n%+v", rows, want)
	}
	if s.Missing() != 1 || len(s.Circumstances()) == 0 || s.Circumstances()[0].Code != "partial" {
		t.Errorf("%d missing, %v", s.Missing(), s.Circumstances())
	}
	if after := contents(t, dir); after != before {
		t.Errorf("reading changed the files:\n%s\nwas\n%s", after, before)
	}
}

func contents(t *testing.T, dir string) string {
	t.Helper()
	var out strings.Builder
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		out.WriteString(e.Name() + ":\n" + string(b) + "\n")
	}
	return out.String()
}

// Each row is a directory that is no run to read, and what is said.
func TestReadStoredRefuses(t *testing.T) {
	for _, row := range []struct{ name, dir, want string }{
		{"no run", t.TempDir(), "is no run: it has no run.json"},
		{"a damaged line inside", stored(t, "nonsense\n"+traceOne, ""), "traces.jsonl:1: not a trace"},
		{"a task twice", stored(t, traceOne+traceOne, ""), "task random/1 stands on line 1 already"},
		{"a line that contradicts itself", stored(t, traceTwo+strings.Replace(traceOne, "0.9", "9", 1), ""), "traces.jsonl:2: outcome answered, but no confidence in [0, 1]"},
		{"a damaged error", stored(t, traceOne, "nonsense\n"+failFour), "errors.jsonl:1: not a task's error"},
	} {
		if _, err := run.Read(row.dir); err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: %v; want %q", row.name, err, row.want)
		}
	}
	// What stands there but is no manifest is damage, not a mistake.
	for _, text := range []string{"", "{", "null", "[]", `"x"`, "{}", `{"config":null}`, `{"config":7}`, `{"tasks":4}`} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, run.ManifestFile), []byte(text))
		_, err := run.LoadManifest(dir)
		if !errors.As(err, new(*run.DamagedError)) || !strings.Contains(err.Error(), "run.json: ") {
			t.Errorf("%q: %v; want damage, named", text, err)
		}
	}
	// A run killed before its first answer has no traces yet.
	if s, err := run.Read(stored(t, "", "")); err != nil || len(s.Rows()) != 0 || s.Missing() != 4 {
		t.Errorf("no traces: %v", err)
	}
}
