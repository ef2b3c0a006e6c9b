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

// tmux runs a command of the terminal whose socket is in dir.
func tmux(t *testing.T, dir string, args ...string) string {
	t.Helper()
	out, err := exec.Command("tmux", append([]string{"-S", filepath.Join(dir, "tmux"), "-f", "/dev/null"}, args...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("tmux %v: %v: %s", args, err, out)
	}
	return string(out)
}

// onTerminal runs run.sh of dir on a terminal, and returns what waits for
// something to stand on its screen and then returns all that does.
func onTerminal(t *testing.T, dir string) (screen func(want string) string) {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("needs tmux")
	}
	tmux(t, dir, "new-session", "-d", "-x", "100", "-y", "30", "sh", filepath.Join(dir, "run.sh"))
	t.Cleanup(func() { tmux(t, dir, "kill-server") })
	return func(want string) string {
		t.Helper()
		re, deadline := regexp.MustCompile(want), time.Now().Add(30*time.Second)
		for {
			shown := tmux(t, dir, "capture-pane", "-p")
			if re.MatchString(shown) {
				return shown
			}
			if time.Now().After(deadline) {
				t.Fatalf("the screen never shows %s but\n%s", want, shown)
			}
			time.Sleep(20 * time.Millisecond)
		}
	}
}

// On a terminal a bar shows progress; Ctrl-C ends the run in good order and
// leaves the terminal as it was.
func TestTerminal(t *testing.T) {
	t.Parallel()
	s := faultserver.New(t, faultserver.Latency(50*time.Millisecond))
	dir := t.TempDir()
	if err := writeClaims(filepath.Join(dir, "claims"), 80); err != nil {
		t.Fatal(err)
	}
	script := filepath.Join(dir, "run.sh")
	// The shell outlives the signal, which goes to all that the terminal runs.
	text := fmt.Sprintf("trap : INT\ncd %s\nexport OLLAMA_HOST=%s\nstty -a > before\ncandor eval --config claims.toml --num-tasks 0 --no-preflight --parallel 1 --bootstrap 0 --out out > stdout\nstatus=$?\nstty -a > after\necho status $status\nsleep 60\n", dir, s.URL)
	if err := os.WriteFile(script, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	screen := onTerminal(t, dir)
	screen(`\d+/240 tasks +\[=+>-+\] +\d+\.\d+ tasks/s, \d+s left`)
	tmux(t, dir, "send-keys", "C-c")
	if last := screen(`status 130`); !strings.Contains(last, "candor eval --resume out") || !strings.Contains(last, "finishing what is in flight") || strings.Count(last, "[=") > 2 {
		t.Errorf("the screen at the end is\n%s", last)
	}
	before, _ := os.ReadFile(filepath.Join(dir, "before"))
	after, _ := os.ReadFile(filepath.Join(dir, "after"))
	if len(before) == 0 || string(before) != string(after) {
		t.Errorf("the terminal was\n%s\nand is\n%s", before, after)
	}
}
