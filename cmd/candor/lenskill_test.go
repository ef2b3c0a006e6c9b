package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// slowly is an agent that takes its time, and always answers alike.
const slowly = `exec:while read l; do sleep 0.02; echo '{"values": [9, 8, 7]}'; done`

// A measurement that is killed, or interrupted, goes on with its journal, and
// ends in the report of an unbroken one but for times; its replay is the same to
// the byte.
func TestLensKilled(t *testing.T) {
	dir := t.TempDir()
	journal := filepath.Join(dir, "j.jsonl")
	measure := func(journal string) *process {
		return start(t, "", "lens", "local:number-sort", "--agent", slowly, "--journal", journal, "--json")
	}
	lines := func() int {
		text, _ := os.ReadFile(journal) // there may be none yet
		return bytes.Count(text, []byte("\n"))
	}
	p := measure(journal)
	p.await("6 lines in the journal", func() bool { return lines() >= 6 })
	p.signal(syscall.SIGKILL)
	if got := p.status(soon); got != -1 {
		t.Fatalf("exit status %d after a kill", got)
	}
	killed := lines()
	p = measure(journal)
	p.await("8 more lines", func() bool { return lines() >= killed+8 })
	p.signal(syscall.SIGINT)
	if got := p.status(soon); got != 130 || !strings.Contains(p.err.String(), "go on with the same command and --journal "+journal) {
		t.Errorf("exit status %d after Ctrl-C; want 130; stderr:\n%s", got, p.err)
	}
	if p.out.String() != "" {
		t.Errorf("a report of what was interrupted:\n%s", p.out)
	}
	before := lines()
	whole, unbroken := measure(journal), measure(filepath.Join(dir, "other.jsonl"))
	for _, p := range []*process{whole, unbroken} {
		if got := p.status(time.Minute); got != 0 {
			t.Fatalf("exit status %d; stderr:\n%s", got, p.err)
		}
	}
	if before <= killed || lines() <= before {
		t.Errorf("%d, then %d, then %d lines in the journal", killed, before, lines())
	}
	if a, b := timeless(whole.out.String()), timeless(unbroken.out.String()); a != b {
		t.Errorf("resumed:\n%s\nunbroken:\n%s", a, b)
	}
	replayed := start(t, "", "lens", "--replay", journal, "--json")
	if got := replayed.status(time.Minute); got != 0 || replayed.out.String() != whole.out.String() {
		t.Errorf("exit status %d; replayed:\n%s\nmeasured:\n%s", got, replayed.out, whole.out)
	}
}

var times = regexp.MustCompile(`"(seconds|timestamp)": [^\n]*`)

func timeless(report string) string { return times.ReplaceAllString(report, "") }

// On a terminal a line says how far a measurement is, and stays.
func TestLensOnTerminal(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	script := "cd " + dir + "\ncandor lens local:number-sort --agent \"" + strings.NewReplacer(`"`, `\"`).Replace(slowly) + "\" --journal j.jsonl > report.txt\necho status $?\nsleep 100\n"
	if err := os.WriteFile(filepath.Join(dir, "run.sh"), []byte(script), 0o644); err != nil {
		t.Fatal(err)
	}
	screen := onTerminal(t, dir)
	screen(`\d+ episodes, \d+ of policies, [1-9]\d* answers?, 0 opinions`)
	last := screen(`status 0`)
	if !strings.Contains(last, "10 episodes, ") || strings.Count(last, "of policies") != 1 {
		t.Errorf("the line of progress does not stay, or more than once:\n%s", last)
	}
}
