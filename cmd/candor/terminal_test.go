package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"candor/infer/ollama/faultserver"
)

// On a terminal a bar shows progress; Ctrl-C ends the run in good order and
// leaves the terminal as it was.
func TestTerminal(t *testing.T) {
	t.Parallel()
	tmux, err := exec.LookPath("tmux")
	if err != nil {
		t.Skip("needs tmux")
	}
	s := faultserver.New(t, faultserver.Latency(50*time.Millisecond))
	dir := t.TempDir()
	if err := writeClaims(filepath.Join(dir, "claims"), 80); err != nil {
		t.Fatal(err)
	}
	script := filepath.Join(dir, "run.sh")
	// The shell outlives the signal, which goes to all that the terminal runs.
	text := fmt.Sprintf("trap : INT\ncd %s\nexport OLLAMA_HOST=%s\nstty -a > before\ncandor eval --config claims.toml --num-tasks 0 --no-preflight --parallel 1 --bootstrap 0 --out out > stdout\necho status $?\nstty -a > after\nsleep 60\n", dir, s.URL)
	if err := os.WriteFile(script, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) string {
		t.Helper()
		out, err := exec.Command(tmux, append([]string{"-S", filepath.Join(dir, "tmux"), "-f", "/dev/null"}, args...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("tmux %v: %v: %s", args, err, out)
		}
		return string(out)
	}
	run("new-session", "-d", "-x", "100", "-y", "30", "sh", script)
	t.Cleanup(func() { run("kill-server") })
	screen := func(want string) {
		t.Helper()
		re, deadline := regexp.MustCompile(want), time.Now().Add(30*time.Second)
		for !re.MatchString(run("capture-pane", "-p")) {
			if time.Now().After(deadline) {
				t.Fatalf("the screen never shows %s but\n%s", want, run("capture-pane", "-p"))
			}
			time.Sleep(20 * time.Millisecond)
		}
	}
	screen(`\d+/240 tasks +\[=+>-+\] +\d+\.\d+ tasks/s, \d+s left`)
	run("send-keys", "C-c")
	screen(`status 130`)
	if last := run("capture-pane", "-p"); !strings.Contains(last, "candor eval --resume out") || !strings.Contains(last, "finishing what is in flight") || strings.Count(last, "[=") > 2 {
		t.Errorf("the screen at the end is\n%s", last)
	}
	before, _ := os.ReadFile(filepath.Join(dir, "before"))
	after, _ := os.ReadFile(filepath.Join(dir, "after"))
	if len(before) == 0 || string(before) != string(after) {
		t.Errorf("the terminal was\n%s\nand is\n%s", before, after)
	}
}
