package report_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"candor/harness/calibrate"
	"candor/harness/compare"
	"candor/harness/report"
	"candor/harness/rescore"
	"candor/harness/stored"
	"candor/scoring"
)

// better is the published answers with some of the wrong ones put right and
// some abstained from.
func better() []scoring.Row {
	rows := answers("adversarial", published...)
	for i := range rows {
		switch {
		case i%5 == 0:
			rows[i].Correct = true
		case i%17 == 0:
			rows[i] = scoring.Row{ID: rows[i].ID, Image: rows[i].Image, Split: rows[i].Split, Outcome: scoring.Abstained}
		}
	}
	return rows
}

// unlabelled clears what answers() leaves open: a label that follows from the
// verdict would differ where better() puts an answer right.
func unlabelled(rows []scoring.Row) []scoring.Row {
	for i := range rows {
		if rows[i].Outcome == scoring.Answered {
			rows[i].Label = "REFUTED"
		}
	}
	return rows
}

func compared(t *testing.T, others ...[]scoring.Row) *compare.Result {
	t.Helper()
	base := unlabelled(answers("adversarial", published...))
	base[3].Outcome = scoring.Errored
	var all []*stored.Answers
	for i, rows := range others {
		all = append(all, &stored.Answers{Name: fmt.Sprintf("runs/after%d", i), Rows: unlabelled(rows)})
	}
	r, err := compare.Answers(context.Background(), &stored.Answers{Name: "runs/before", Rows: base}, all, compare.Request{Options: scoring.Options{Bootstrap: 100}})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func rescored(t *testing.T, grid bool, rule string) *rescore.Result {
	t.Helper()
	rows := with(with(answers("adversarial", published...), scoring.Abstained, 2), scoring.Malformed, 6)
	r, err := rescore.Rescore(context.Background(), &stored.Answers{Name: "answers.jsonl", Rows: rows}, rescore.Request{Rule: rule, Grid: grid, Options: scoring.Options{Bootstrap: 100, FloorDraws: 100}})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func calibrated(t *testing.T) *calibrate.Result {
	t.Helper()
	train, eval := answers("train", level{.9, 60, 20}, level{.7, 60, 25}, level{.99, 60, 5}), answers("eval", level{.9, 30, 8}, level{.7, 30, 12})
	for i := range train {
		train[i].Image = "train" + train[i].Image
	}
	r, err := calibrate.Apply(context.Background(), &stored.Answers{Name: "train.jsonl", Rows: train}, &stored.Answers{Name: "eval.jsonl", Rows: eval},
		calibrate.Request{Maps: []string{"platt", "isotonic"}, Options: scoring.Options{Bootstrap: 100, FloorDraws: 100}})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The printed tables are compared with what a person has looked at.
func TestStoredGolden(t *testing.T) {
	for name, print := range map[string]func(b *bytes.Buffer) error{
		"compare": func(b *bytes.Buffer) error { return report.Compare(b, compared(t, better())) },
		"compare_many": func(b *bytes.Buffer) error {
			return report.Compare(b, compared(t, better(), answers("adversarial", published...)))
		},
		"rescore":      func(b *bytes.Buffer) error { return report.Rescore(b, rescored(t, false, ""), 15) },
		"rescore_log":  func(b *bytes.Buffer) error { return report.Rescore(b, rescored(t, false, "log"), 15) },
		"rescore_grid": func(b *bytes.Buffer) error { return report.Rescore(b, rescored(t, true, ""), 15) },
		"calibrate":    func(b *bytes.Buffer) error { return report.Calibrate(b, calibrated(t)) },
	} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			if err := print(&b); err != nil {
				t.Fatal(err)
			}
			golden(t, name, b.String())
			readable(t, b.String())
			if told := strings.Contains(b.String(), "as if: answers given under a rule"); told != (name == "rescore_log") {
				t.Errorf("told under what the answers were given: %v", told)
			}
		})
	}
}

// Nothing to compare is told as that, not as a figure.
func TestCompareNothing(t *testing.T) {
	none := &stored.Answers{Name: "none"}
	r, err := compare.Answers(context.Background(), none, []*stored.Answers{none}, compare.Request{Options: scoring.Options{Bootstrap: 10}})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := report.Compare(&b, r); err != nil {
		t.Fatal(err)
	}
	readable(t, b.String())
	if !strings.Contains(b.String(), "no task to compare") {
		t.Error(b.String())
	}
}

// An error of the writer is returned by these reports too.
func TestStoredWriterFails(t *testing.T) {
	full := errors.New("disk full")
	for name, err := range map[string]error{
		"compare": report.Compare(failing{full}, compared(t, better())), "rescore": report.Rescore(failing{full}, rescored(t, false, ""), 15),
		"calibrate": report.Calibrate(failing{full}, calibrated(t)),
	} {
		if !errors.Is(err, full) {
			t.Errorf("%s returned %v; want the writer's error", name, err)
		}
	}
}
