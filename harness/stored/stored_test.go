package stored_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"candor/harness/answers"
	"candor/harness/run"
	"candor/harness/stored"
	"candor/scoring"
)

const line = `{"task_id":"random/1","split":"random","image_source":"a","label":"SUPPORTED","verdict":"SUPPORTED","confidence":0.9,"outcome":"answered","correct":1,"confidences":{}}` + "\n"

// trace is the line with the indicators that a run writes beside it.
var trace = strings.Replace(line, `"confidences":{}`, `"answered":1,"confidence_sum":0.9,"brier_sum":0.01`, 1)

// write makes a directory with these files.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// A run by its directory and its own traces as a file are the same rows; only
// the run tells under what they were given.
func TestRunAndFile(t *testing.T) {
	m := run.Manifest{Tasks: 2, Config: run.DefaultConfig()}
	m.Config.Rule, m.Config.Abstain, m.Config.Seed = "log", new(.95), 7
	text, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	dir := write(t, map[string]string{run.ManifestFile: string(text), run.TracesFile: trace})
	ran, err := stored.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	file, err := stored.Read(filepath.Join(dir, run.TracesFile))
	if err != nil {
		t.Fatal(err)
	}
	a, b := ran.Rows[0], file.Rows[0]
	if len(ran.Rows) != 1 || len(file.Rows) != 1 || a.ID != b.ID || a.Image != b.Image || a.Split != b.Split || a.Label != b.Label || a.Outcome != b.Outcome || a.Confidence != b.Confidence || a.Correct != b.Correct {
		t.Errorf("run %+v, file %+v", ran.Rows, file.Rows)
	}
	if ran.GivenUnder() != "log, 0.95" || !strings.Contains(file.GivenUnder(), "does not tell") || ran.Seed() != 7 || file.Seed() != 0 {
		t.Errorf("%s; %s; %d, %d", ran.GivenUnder(), file.GivenUnder(), ran.Seed(), file.Seed())
	}
	if len(ran.Circumstances()) == 0 || ran.Circumstances()[0].Code != "partial" || file.Circumstances() != nil {
		t.Errorf("%v; %v", ran.Circumstances(), file.Circumstances())
	}
	if pay, err := file.Payment("", nil); err != nil || pay.Rule.Name() != "brier" || pay.Abstain != .8 {
		t.Errorf("%+v %v", pay, err)
	}
}

// A summary says what is odd about its file, and names a file without answers.
func TestInherit(t *testing.T) {
	dir := write(t, map[string]string{"empty.jsonl": "", "odd.jsonl": strings.Replace(line, `"confidence"`, `"conf"`, 1)})
	for name, want := range map[string]string{
		"empty.jsonl": "no answers in " + filepath.Join(dir, "empty.jsonl"),
		"odd.jsonl":   `none of 1 task was answered: calibration is undefined; 1 row has no "confidence" and counts as malformed; keys seen instead: conf, correct`,
	} {
		a, err := stored.Read(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		pay, err := a.Payment("", nil)
		if err != nil {
			t.Fatal(err)
		}
		s, err := scoring.Summarize(t.Context(), a.Rows, pay, scoring.Options{})
		if err != nil {
			t.Fatal(err)
		}
		a.Inherit(s)
		var got []string
		for _, w := range s.Warnings {
			got = append(got, w.Message)
		}
		if text := strings.Join(got, "; "); text != want || !s.Complete {
			t.Errorf("%s: %q, complete %v; want %q", name, text, s.Complete, want)
		}
	}
}

// Each row is a path that cannot be read, and the kind of error.
func TestUnreadable(t *testing.T) {
	dir := write(t, map[string]string{"bad.jsonl": `{"label":"maybe"}`})
	if _, err := stored.Read(filepath.Join(dir, "nosuch")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("nothing there: %v", err)
	}
	if _, err := stored.Read(dir); err == nil || !strings.Contains(err.Error(), "is no run") {
		t.Errorf("a directory that is no run: %v", err)
	}
	if _, err := stored.Read(filepath.Join(dir, "bad.jsonl")); !errors.As(err, new(*answers.LineError)) {
		t.Errorf("a bad line: %v", err)
	}
}
