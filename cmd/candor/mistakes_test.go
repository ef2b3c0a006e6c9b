package main

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"candor/harness/run"
)

// A negative number belongs to the flag before it, and to nothing else.
func TestNegatives(t *testing.T) {
	for args, want := range map[string]string{
		"eval --num-tasks -3":       "eval --num-tasks=-3",
		"--temperature -.5 --json":  "--temperature=-.5 --json",
		"--num-tasks=4 -3":          "--num-tasks=4 -3",
		"score - --json":            "score - --json",
		"-3 --seed -1e3":            "-3 --seed=-1e3",
		"--seed 3 --out -x":         "--seed 3 --out -x",
		"score -- --strange -3 -- ": "score -- --strange -3 -- ",
	} {
		if got := negatives(strings.Split(args, " ")); !slices.Equal(got, strings.Split(want, " ")) {
			t.Errorf("%q became %q; want %q", args, got, want)
		}
	}
}

// How to go on is told by the name that candor was called by, as a shell takes
// it, each way that a run may end.
func TestConclude(t *testing.T) {
	finished := run.Result{Dir: "runs/a b"}
	one := finished
	one.Summary.Errors = 1
	for _, row := range []struct {
		name, called string
		result       run.Result
		err          error
		status       exitStatus
		want         string
	}{
		{"interrupted", "./candor", run.Result{Dir: "runs/x"}, run.ErrInterrupted, exitInterrupted, "Go on with: ./candor eval --resume runs/x\n"},
		{"failed", "candor", finished, errors.New("disk full"), exitFailed, "candor: disk full\ncandor: nothing recorded is lost. When that is mended: candor eval --resume 'runs/a b'\n"},
		{"refused", "it's/candor", finished, &run.UsageError{Err: errors.New("no")}, exitUsage, `: 'it'\''s/candor' eval --resume 'runs/a b'` + "\n"},
		{"one error", "./candor", one, nil, exitErrors, "candor: 1 task ended in error (see runs/a b/errors.jsonl). To ask again: ./candor eval --resume 'runs/a b'\n"},
	} {
		var told bytes.Buffer
		err := (&evalCmd{}).conclude(console{name: row.called, err: &told}, row.result, row.err)
		if err != row.status || !strings.HasSuffix(told.String(), row.want) {
			t.Errorf("%s: %v, %q; want %v, …%q", row.name, err, told.String(), row.status, row.want)
		}
	}
	broken := errors.New("no such model")
	if err := (&evalCmd{}).conclude(console{}, run.Result{}, broken); err != broken {
		t.Errorf("a run that did not start: %v", err)
	}
	if err := (&evalCmd{}).conclude(console{}, finished, nil); err != nil {
		t.Errorf("a run that is done: %v", err)
	}
}
