package publish_test

import (
	"context"
	"encoding/csv"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"candor/harness/publish"
	"candor/harness/run"
	"candor/harness/stored"
	"candor/scoring"
)

var update = flag.Bool("update", false, "rewrite the golden file")

// answered is a file of answers of every kind.
const answered = `{"id": "1", "image": "a.jpg", "label": "SUPPORTED", "verdict": "SUPPORTED", "confidence": 0.9}
{"id": "2", "image": "a.jpg", "label": "REFUTED", "verdict": "SUPPORTED", "confidence": 0.8}
{"id": "3", "image": "b.jpg", "label": "REFUTED", "verdict": "REFUTED", "confidence": 0.95}
{"id": "4", "image": "b.jpg", "label": "SUPPORTED", "verdict": "ABSTAIN"}
{"id": "5", "image": "c.jpg", "label": "SUPPORTED", "verdict": null}
`

func options(*stored.Answers) scoring.Options {
	return scoring.Options{Bootstrap: 0, FloorDraws: 100}
}

// The Markdown is compared with what a person has looked at, the file's name in
// it plain text; the CSV reads back with every figure in its place.
func TestText(t *testing.T) {
	t.Chdir(t.TempDir())
	const name = "a|b`<b>[x](y).jsonl"
	if err := os.WriteFile(name, []byte(answered), 0o644); err != nil {
		t.Fatal(err)
	}
	written, err := publish.Reports(context.Background(), publish.Request{Runs: []string{name}, Out: "out", Formats: []string{"markdown", "csv"}, Options: options})
	if err != nil || len(written) != 2 {
		t.Fatalf("wrote %v: %v", written, err)
	}
	got, err := os.ReadFile(written[0])
	if err != nil {
		t.Fatal(err)
	}
	golden(t, string(got))
	if !strings.Contains(string(got), "a\\|b\\`&lt;b&gt;\\[x\\](y).jsonl") {
		t.Error("the name is not plain text")
	}
	f, err := os.Open(written[1])
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	figures := map[string]string{}
	for _, r := range rows {
		if r[0] == name {
			figures[r[2]] = r[3]
		}
	}
	if figures["answered"] != "3" || figures["coverage"] != "0.6" || figures["blind_accuracy"] != "" {
		t.Errorf("read back: %v", figures)
	}
}

// Figures of what was not answered are not there, and that is told; where
// nothing else was asked for it is an error.
func TestUndrawn(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("none.jsonl", []byte(`{"id": "1", "image": "a.jpg", "label": "SUPPORTED", "verdict": "ABSTAIN"}`+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	var told []string
	req := publish.Request{Runs: []string{"none.jsonl"}, Out: "out", Formats: []string{"html", "svg", "png"}, Options: options, Tell: func(text string) { told = append(told, text) }}
	written, err := publish.Reports(context.Background(), req)
	if err != nil || len(written) != 1 || len(told) != 2 || !strings.Contains(told[0], "no svg is written of none.jsonl: nothing was answered") {
		t.Errorf("wrote %v, told %q: %v", written, told, err)
	}
	told, req.Formats = nil, []string{"png"}
	if written, err = publish.Reports(context.Background(), req); err == nil || len(written)+len(told) > 0 {
		t.Errorf("wrote %v, told %q: %v", written, told, err)
	}
	req.Formats, req.Out = []string{"html", "csv"}, "none.jsonl"
	if _, err = publish.Reports(context.Background(), req); !errors.As(err, new(*run.UsageError)) || !strings.Contains(err.Error(), "--out none.jsonl is a file") {
		t.Errorf("a file for a folder: %v", err)
	}
}

// What cannot be met is a mistake of the command line, before any run is read.
func TestRefused(t *testing.T) {
	for _, req := range []publish.Request{
		{},                         // no run
		{Runs: []string{"a", "b"}}, // several, and no place
		{Runs: []string{"a"}, Formats: []string{"pdf"}},               // no such format
		{Runs: []string{"a"}, Formats: []string{"svg"}, Out: "x.svg"}, // several files into one
	} {
		if _, err := publish.Reports(context.Background(), req); !errors.As(err, new(*run.UsageError)) {
			t.Errorf("%v: %v; want a usage error", req.Runs, err)
		}
	}
}

var goldenFile, _ = filepath.Abs(filepath.Join("testdata", "report.md"))

func golden(t *testing.T, got string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(goldenFile), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(goldenFile, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(goldenFile)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("got:\n%s\nlook at it and run with -update", got)
	}
}
