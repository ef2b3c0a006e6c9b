package report_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"candor/harness/report"
	"candor/harness/run"
	"candor/infer"
	"candor/infer/preflight"
	"candor/scoring"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// level is n answers of one confidence, the first of them wrong.
type level struct {
	confidence float64
	n, wrong   int
}

// published is the adversarial split of the published baseline, by levels.
var published = []level{{.946, 140, 16}, {.98, 35, 2}, {.99, 17, 0}}

// answers gives rows of split on images of three claims each.
func answers(split string, levels ...level) []scoring.Row {
	var rows []scoring.Row
	for _, l := range levels {
		for i := range l.n {
			k := len(rows)
			rows = append(rows, scoring.Row{
				ID: fmt.Sprintf("%s/%d", split, k), Image: fmt.Sprintf("%d", k/3), Split: split,
				Outcome: scoring.Answered, Confidence: l.confidence, Correct: i >= l.wrong, Supported: k%2 == 0,
			})
		}
	}
	return rows
}

// with adds n rows of another outcome.
func with(rows []scoring.Row, o scoring.Outcome, n int) []scoring.Row {
	for i := range n {
		rows = append(rows, scoring.Row{ID: fmt.Sprintf("%s-%d", o, i), Image: fmt.Sprintf("%d", i), Split: rows[0].Split, Outcome: o})
	}
	return rows
}

func summarize(t *testing.T, rows []scoring.Row, bootstrap int) scoring.Summary {
	t.Helper()
	pay, err := scoring.NewPayment(scoring.Brier{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := scoring.Summarize(context.Background(), rows, pay, scoring.Options{Bootstrap: bootstrap, FloorDraws: 500})
	if err != nil {
		t.Fatal(err)
	}
	return *s
}

// oneAmbiguous is rows under a label set that passes over one task, which was
// answered, and of whose figures some replicates leave AUROC undefined: nearly
// all that it keeps is right.
func oneAmbiguous(t *testing.T, rows []scoring.Row) map[string]*scoring.Summary {
	t.Helper()
	pay, err := scoring.NewPayment(scoring.Brier{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	by := func(r scoring.Row) (string, bool) {
		right := map[bool]string{true: "SUPPORTED", false: "REFUTED"}
		if r.ID == rows[0].ID {
			return "", true
		}
		return right[r.Supported != (r.ID == rows[1].ID || r.ID == rows[2].ID)], true
	}
	s, err := scoring.SummarizeUnder(t.Context(), rows, by, pay, scoring.Options{Bootstrap: 200, FloorDraws: 500})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(s.Warnings, func(w scoring.Warning) bool { return w.Code == scoring.WarnUndefined }) {
		t.Fatalf("no replicate is undefined: %v", s.Warnings)
	}
	return map[string]*scoring.Summary{"corrected": s}
}

// relabelled is rows under two other label sets: one turns every ninth label
// and passes over what was abstained from and every twentieth task; the other
// is of one split alone.
func relabelled(t *testing.T, rows []scoring.Row) map[string]*scoring.Summary {
	t.Helper()
	at := map[string]int{}
	for i := range rows {
		rows[i].Label = "REFUTED"
		if rows[i].Outcome == scoring.Answered && rows[i].Supported == rows[i].Correct {
			rows[i].Label = "SUPPORTED"
		}
		at[rows[i].ID] = i
	}
	out := map[string]*scoring.Summary{}
	for name, by := range map[string]scoring.Labelling{
		"repope": func(r scoring.Row) (string, bool) {
			i := at[r.ID]
			switch {
			case i%20 == 3 || r.Outcome == scoring.Abstained && i%3 > 0:
				return "", true
			case i%9 == 0:
				return map[string]string{"SUPPORTED": "REFUTED", "REFUTED": "SUPPORTED"}[r.Label], true
			}
			return r.Label, true
		},
		"mine": func(r scoring.Row) (string, bool) {
			if r.Split != "random" {
				return "", false
			}
			return r.Label, true
		},
	} {
		pay, err := scoring.NewPayment(scoring.Brier{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if out[name], err = scoring.SummarizeUnder(t.Context(), rows, by, pay, scoring.Options{Bootstrap: 200, FloorDraws: 500}); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// result is a run of tasks whose rows are these.
func result(t *testing.T, tasks int, rows []scoring.Row, warnings ...scoring.Warning) run.Result {
	options, err := infer.Profile(infer.DefaultProfile)
	if err != nil {
		t.Fatal(err)
	}
	rate, tokens := 3.25, 41.5
	r := run.Result{
		Dir: "runs/example",
		Manifest: run.Manifest{
			State: run.Finished, Config: run.DefaultConfig(), Options: options, Tasks: tasks,
			Dataset: run.DatasetInfo{Name: "demo", Split: "adversarial", Partition: "eval", Images: 67},
			Model:   infer.Identity{Model: "qwen3.5:4b", ServerVersion: "0.24.0", Architecture: "qwen35", ParameterSize: "4.7B", Quantization: "Q4_K_M"},
		},
		Summary: run.Summary{
			Summary: summarize(t, rows, 200),
			Throughput: run.Throughput{
				TasksPerSecond: &rate, OutputTokensPerS: &tokens, Retried: 1,
				LatencySeconds: map[string]float64{"p50": .31, "p90": .5, "p99": 1.25},
			},
		},
	}
	r.Summary.Warnings = append(r.Summary.Warnings, warnings...)
	return r
}

// The printed report is compared with what a person has looked at.
func TestRunGolden(t *testing.T) {
	plain := with(with(answers("adversarial", published...), scoring.Abstained, 2), scoring.Malformed, 6)
	splits := append(answers("random", level{.9, 40, 2}, level{.6, 20, 9}), answers("popular", level{.9, 30, 4}, level{.7, 30, 8})...)
	splits = append(splits, with(answers("adversarial", level{.9, 50, 12}), scoring.Abstained, 10)...)
	var scattered []level
	for i := range 40 {
		scattered = append(scattered, level{.5 + float64(i)/80, 1 + i%5, i % 2})
	}
	tests := []struct {
		name    string
		result  run.Result
		change  func(*run.Result)
		reasons map[string]int
	}{
		{"plain", result(t, 200, plain), func(r *run.Result) {
			r.Manifest.Preflight = &preflight.Report{Residency: infer.Residency{Loaded: true, Size: 100, SizeVRAM: 60}}
		}, map[string]int{"out_of_range": 2, "no_object": 4}},
		{"errors", result(t, 203, with(plain, scoring.Errored, 3)), nil, nil},
		{"partial", result(t, 500, plain, scoring.Warning{Code: "partial", Message: "PARTIAL: 200 of 500 tasks are recorded; figures and intervals are over those"}),
			func(r *run.Result) {
				r.Manifest.State = run.Interrupted
				run.Blind{Reason: "there are no train claims to fit it on"}.Mark(&r.Summary.Summary)
			}, nil},
		{"no_answers", result(t, 4, nil), func(r *run.Result) {
			rows := []scoring.Row{{ID: "a", Image: "1", Outcome: scoring.Malformed}, {ID: "b", Image: "1", Outcome: scoring.Abstained}, {ID: "c", Image: "2", Outcome: scoring.Malformed}, {ID: "d", Image: "3", Outcome: scoring.Malformed}}
			r.Summary.Summary = summarize(t, rows, 200)
			r.Summary.Throughput = run.Throughput{}
		}, map[string]int{"truncated": 1, "no_object": 1, "missing_confidence": 1}},
		{"no_tasks", result(t, 4, nil), func(r *run.Result) { r.Manifest.State, r.Summary.Throughput = run.Failed, run.Throughput{} }, nil},
		{"splits", result(t, 180, splits), func(r *run.Result) {
			r.Manifest.Dataset.Split = "all"
			r.Manifest.Model = infer.Identity{Model: "candor-micro", ServerVersion: "0.24.0", Architecture: "qwen35", ParameterSize: "2.34M", Quantization: "F16", Embedded: true}
			run.Blind{Accuracy: new(.71), BySplit: map[string]float64{"adversarial": .55, "popular": .93, "random": .65}}.Mark(&r.Summary.Summary)
		}, nil},
		{"labels", result(t, 180, splits), func(r *run.Result) {
			r.Summary.Throughput.Cached = 40
			r.Summary.ByLabels = relabelled(t, splits)
		}, nil},
		{"labels_one", result(t, 180, splits), func(r *run.Result) {
			r.Summary.ByLabels = oneAmbiguous(t, splits)
		}, nil},
		{"random_weights", result(t, 120, answers("adversarial", scattered...), scoring.Warning{Code: "random_weights", Message: "candor-tiny-qwen35 has random weights: its figures mean nothing, they only show that everything works"}),
			func(r *run.Result) {
				r.Manifest.Model = infer.Identity{Model: "candor-tiny-qwen35", ServerVersion: "0.24.0", Architecture: "qwen35", RandomWeights: true}
				r.Manifest.Preflight = &preflight.Report{Residency: infer.Residency{Loaded: true, Size: 100}}
			}, nil},
		{"no_intervals", result(t, 192, nil), func(r *run.Result) {
			r.Summary.Summary = summarize(t, answers("adversarial", published...), 0)
		}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.change != nil {
				tt.change(&tt.result)
			}
			var b bytes.Buffer
			if err := report.Run(&b, tt.result, tt.reasons); err != nil {
				t.Fatal(err)
			}
			golden(t, "run_"+tt.name, b.String())
			readable(t, b.String())
			// However little there is to report, how ECE was made is said.
			s := tt.result.Summary
			effective := 0
			if s.ECEBins != nil {
				effective = *s.ECEBins
			}
			for _, want := range []string{"equal-mass", "15 asked", fmt.Sprintf("%d in effect", effective), "equal confidences share a bin", fmt.Sprintf("n = %d answered", s.Answered)} {
				if !strings.Contains(b.String(), want) {
					t.Errorf("the report does not say %q", want)
				}
			}
		})
	}
}

// The bins asked for are those that are told, and the floor follows the ECE.
func TestScore(t *testing.T) {
	s := summarize(t, answers("", published...), 0)
	var b bytes.Buffer
	if err := report.Score(&b, &s, 7, map[string]int{"a": 5, "b": 4, "c": 6, "d": 3, "e": 2, "f": 1}); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	if !strings.Contains(text, "7 asked, 3 in effect") {
		t.Errorf("bins are not told in\n%s", text)
	}
	if !strings.Contains(text, "\nmalformed: 6 c, 5 a, 4 b, 3 d, 3 for other reasons\n") {
		t.Errorf("reasons are not told in\n%s", text)
	}
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, "ECE  ") && !strings.Contains(lines[i+1], "its floor") {
			t.Errorf("after the ECE stands %q; want its floor", lines[i+1])
		}
	}
	if strings.Contains(text, "Run ") || strings.Contains(text, "Speed") {
		t.Errorf("answers of no run are reported as one:\n%s", text)
	}
}

// An error of the writer is returned, not lost.
func TestWriterFails(t *testing.T) {
	full := errors.New("disk full")
	s := summarize(t, nil, 0)
	for name, err := range map[string]error{
		"run": report.Run(failing{full}, result(t, 0, nil), nil), "score": report.Score(failing{full}, &s, 15, nil),
		"doctor": report.Doctor(failing{full}, "http://127.0.0.1:1", preflight.Report{}),
	} {
		if !errors.Is(err, full) {
			t.Errorf("%s returned %v; want the writer's error", name, err)
		}
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// golden compares text with testdata/NAME.golden.
func golden(t *testing.T, name, text string) {
	t.Helper()
	file := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if text != string(want) {
		t.Errorf("printed\n%s\nwant\n%s\n(-update rewrites %s after you have looked at it)", text, want, file)
	}
}

// readable holds for every report: no blanks at a line's end, no figure that
// is not one, and no line wider than a terminal, warnings aside.
func readable(t *testing.T, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if strings.TrimRight(line, " ") != line {
			t.Errorf("blanks end the line %q", line)
		}
		if n := utf8.RuneCountInString(line); n > 100 && !strings.HasPrefix(line, "! ") && !strings.HasPrefix(line, "    ") {
			t.Errorf("%d columns: %q", n, line)
		}
		if strings.Contains(line, "NaN") || strings.Contains(line, "%!") {
			t.Errorf("no text for a person: %q", line)
		}
	}
}
