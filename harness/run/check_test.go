package run_test

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"candor/harness/run"
	"candor/infer/ollama/faultserver"
)

// A trace that was damaged and is still a line of JSON is refused on resume,
// naming the line and what is wrong, before anything is asked; where the line
// alone shows it, also when the run is only read. Each row changes one key of
// a line of that outcome.
func TestDamagedTrace(t *testing.T) {
	b := newBench(t, faultserver.AbstainEvery(4), faultserver.MalformedEvery(5))
	b.cfg.Parallel = "1"
	b.run()
	name := filepath.Join(b.dir, run.TracesFile)
	whole := read(t, name)
	lines := bytes.SplitAfter(whole, []byte("\n"))
	lines = lines[:len(lines)-2] // the last task is missing, so there is something to ask
	for _, tt := range []struct {
		outcome, key, value, want string
		shows                     bool // by the line alone
	}{
		{"answered", "outcome", `"error"`, `outcome "error" is not`, true},
		{"answered", "outcome", `""`, `outcome "" is not`, true},
		{"answered", "outcome", `"abstained"`, "outcome abstained, but", true},
		{"answered", "outcome", `"malformed"`, "outcome malformed, but", true},
		{"answered", "verdict", `null`, `but verdict "null"`, true},
		{"answered", "verdict", `"ABSTAIN"`, `but verdict "ABSTAIN"`, true},
		{"answered", "verdict", `"MAYBE"`, `but verdict "MAYBE"`, true},
		{"answered", "verdict", `"supported"`, `but verdict "supported"`, true},
		{"answered", "confidence", `null`, "no confidence in [0, 1]", true},
		{"answered", "confidence", `1.5`, "no confidence in [0, 1]", true},
		{"answered", "confidence", `-0.5`, "no confidence in [0, 1]", true},
		{"answered", "confidence", `0.123`, "confidence_sum is", true},
		{"answered", "correct", `7`, "correct is 7", true},
		{"answered", "answered", `0`, "answered is 0", true},
		{"answered", "abstained", `1`, "abstained is 1", true},
		{"answered", "malformed", `1`, "malformed is 1", true},
		{"answered", "confidence_sum", `0.001`, "confidence_sum is", true},
		{"answered", "brier_sum", `0.999`, "brier_sum is", true},
		{"answered", "needed_repair", `2`, "needed_repair is 2", true},
		{"answered", "reason", `"truncated"`, `reason "truncated"`, true},
		{"answered", "label", `"yes"`, `label is "yes"`, true},
		{"answered", "reward", `0.5001`, "reward is 0.5001", false},
		{"answered", "claim", `"There is a hat in the image."`, "claim is", false},
		{"answered", "claim_key", `"x"`, "claim_key is", false},
		{"answered", "image_source", `"other"`, `image_source is "other"`, false},
		{"answered", "question_id", `"999"`, `question_id is "999"`, false},
		{"answered", "split", `"popular"`, `split is "popular"`, false},
		{"answered", "task_id", `"popular/1"`, `task "popular/1" is not of this run`, false},
		{"abstained", "verdict", `"SUPPORTED"`, "outcome abstained, but", true},
		{"abstained", "confidence", `0.5`, "outcome abstained, but", true},
		{"abstained", "correct", `1`, "correct is 1", true},
		{"abstained", "reward", `0`, "reward is 0", false},
		{"malformed", "verdict", `"REFUTED"`, "outcome malformed, but", true},
		{"malformed", "confidence", `0.5`, "outcome malformed, but", true},
		{"malformed", "reason", `""`, `reason ""`, true},
		{"malformed", "reward", `0.8`, "reward is 0.8", false},
	} {
		at := slices.IndexFunc(lines, func(l []byte) bool { return bytes.Contains(l, []byte(`"outcome":"`+tt.outcome+`"`)) })
		if at < 0 {
			t.Fatalf("no %s task", tt.outcome)
		}
		damaged := slices.Clone(lines)
		damaged[at] = replaced(t, lines[at], tt.key, tt.value)
		write(t, name, bytes.Join(damaged, nil))
		before := len(b.server.Requests())
		b.fails(true, fmt.Sprintf("%s:%d: ", run.TracesFile, at+1), tt.want)
		if len(b.server.Requests()) != before || !bytes.Equal(read(t, name), bytes.Join(damaged, nil)) {
			t.Errorf("%s %s: it asked, or changed the file", tt.key, tt.value)
		}
		_, err := run.Read(b.dir)
		if tt.shows != (err != nil && strings.Contains(err.Error(), fmt.Sprintf("%s:%d: ", run.TracesFile, at+1))) {
			t.Errorf("%s %s: reading it says %v", tt.key, tt.value, err)
		}
	}
	// The label and what follows from it: only the data tell.
	at := slices.IndexFunc(lines, func(l []byte) bool { return bytes.Contains(l, []byte(`"outcome":"malformed"`)) })
	damaged := slices.Clone(lines)
	other := `"SUPPORTED"`
	if bytes.Contains(lines[at], []byte(`"label":"SUPPORTED"`)) {
		other = `"REFUTED"`
	}
	damaged[at] = replaced(t, lines[at], "label", other)
	write(t, name, bytes.Join(damaged, nil))
	if err := b.fails(true, "label is "+other); errors.As(err, new(*run.UsageError)) {
		t.Error("damage is a mistake of the command line")
	}
	write(t, name, bytes.Join(lines, nil))
	b.complete(b.resume())
}

// replaced gives a key of a line another value.
func replaced(t *testing.T, line []byte, key, value string) []byte {
	t.Helper()
	pattern := regexp.MustCompile(`"` + key + `":("[^"]*"|[^,}]*)`)
	if !pattern.Match(line) {
		t.Fatalf("no %s in %s", key, line)
	}
	first := pattern.FindIndex(line)
	return slices.Concat(line[:first[0]], []byte(`"`+key+`":`+value), line[first[1]:])
}
