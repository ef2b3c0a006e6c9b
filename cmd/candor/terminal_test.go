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
		re, deadline := regexp.MustCompile(want), time.Now().Add(2*time.Minute)
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

// terminalRun starts a run in a shell on a terminal of so many columns: a
// server that takes latency an answer, and a model of that name.
func terminalRun(t *testing.T, columns int, name string, setting string, opts ...faultserver.Option) (dir string, screen func(want string) string) {
	t.Helper()
	s := faultserver.New(t, append(opts, faultserver.Models(name))...)
	dir = t.TempDir()
	if err := writeClaims(filepath.Join(dir, "claims"), 80); err != nil {
		t.Fatal(err)
	}
	// An interactive shell, so that its prompt shows whether it can be used after.
	text := fmt.Sprintf("cd %s\nexport OLLAMA_HOST=%s PS1='ready> '\n%s\nstty -a > before\ncandor eval --config claims.toml --model '%s' --num-tasks 0 --no-preflight --parallel 1 --bootstrap 0 --out out > stdout\necho status $?\nstty -a > after\n", dir, s.URL, setting, name)
	if err := os.WriteFile(filepath.Join(dir, "job.sh"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "run.sh"), []byte("export PS1='ready> '\nexec sh -i\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	screen = onTerminal(t, dir)
	resize(t, dir, columns)
	screen(`ready>`)
	tmux(t, dir, "send-keys", "trap : INT; . "+filepath.Join(dir, "job.sh"), "Enter")
	return dir, screen
}

func resize(t *testing.T, dir string, columns int) {
	t.Helper()
	tmux(t, dir, "resize-window", "-x", fmt.Sprint(columns), "-y", "40")
}

// usable checks that the shell takes a command and its prompt stands at the
// beginning of a line, that the cursor is shown, and that the terminal is set
// as it was.
func usable(t *testing.T, dir string, screen func(string) string) {
	t.Helper()
	screen(`ready>\s*$`)
	tmux(t, dir, "send-keys", "echo us''able", "Enter")
	screen(`(?m)^ready> echo us[\s\S]*?^usable`)
	if flag := strings.TrimSpace(tmux(t, dir, "display-message", "-p", "#{cursor_flag}")); flag != "1" {
		t.Errorf("the cursor is hidden: %q", flag)
	}
	before, _ := os.ReadFile(filepath.Join(dir, "before"))
	after, _ := os.ReadFile(filepath.Join(dir, "after"))
	size := regexp.MustCompile(`columns \d+`) // of the window, which some tests change
	if len(before) == 0 || size.ReplaceAllString(string(before), "") != size.ReplaceAllString(string(after), "") {
		t.Errorf("the terminal was\n%s\nand is\n%s", before, after)
	}
}

// The tests of the terminal run one after another: so many programs starting at
// once take longer than a screen is waited for.

// In windows of any width all figures are shown, once, a name that is too long
// is cut, and Ctrl-C ends the run in good order.
func TestTerminal(t *testing.T) {
	long := "a-model-of-a-name-that-is-longer-than-" + strings.Repeat("most-windows-are-wide-", 8)
	for _, tt := range []struct {
		columns int
		want    string // of the figures
	}{
		{20, `(?m)^\d+/240 tasks\n\d+\.\d+ tasks/s\n\S+ left\nreward \d\.\d+\ncoverage \d+%\n`},
		{40, `(?m)^\d+/240 tasks  \d+\.\d+ tasks/s  \S+ left\nreward \d\.\d+  coverage \d+%\n`},
		{80, `(?m)^\d+/240 tasks  \[=*-+\]  \d+\.\d+ tasks/s  \S+ left\nreward \d\.\d+  coverage \d+%  \S+ tokens/s  server busy \d+%\n`},
		{200, `(?m)^\d+/240 tasks  \[=*-+\]  \d+\.\d+ tasks/s  \S+ left\nreward \d\.\d+  coverage \d+%  \S+ tokens/s  server busy \d+%`},
	} {
		t.Run(fmt.Sprint(tt.columns), func(t *testing.T) {
			dir, screen := terminalRun(t, tt.columns, long, "", faultserver.Latency(100*time.Millisecond))
			shown := screen(tt.want)
			if n := strings.Count(shown, "a-model-of-a-name"); tt.columns > 40 && n < 1 || !strings.Contains(shown, "…") && tt.columns < 200 {
				t.Errorf("the name is not there, or not cut:\n%s", shown)
			}
			tmux(t, dir, "send-keys", "C-c")
			last := screen(`status 130`)
			flat := strings.Join(strings.Fields(last), "") // however it was wrapped
			if !strings.Contains(flat, "candoreval--resumeout") || !strings.Contains(flat, "finishingwhatisinflight") {
				t.Errorf("the screen at the end is\n%s", last)
			}
			if n := len(regexp.MustCompile(`(?m)^\d+/240 tasks`).FindAllString(last, -1)); n != 1 {
				t.Errorf("the figures are there %d times:\n%s", n, last)
			}
			usable(t, dir, screen)
		})
	}
}

// A window that is made narrower and wider under way keeps one set of figures,
// and nothing of older ones.
func TestTerminalResized(t *testing.T) {
	dir, screen := terminalRun(t, 200, faultserver.Model, "", faultserver.Latency(100*time.Millisecond))
	screen(`server busy`)
	for _, columns := range []int{80, 40, 20, 60, 200, 30, 100} {
		resize(t, dir, columns)
		time.Sleep(2 * redraw)
		shown := screen(`server busy \d+%`)
		for _, figure := range []string{`\d+/240 tasks`, `tasks/s`, `reward`, `coverage`, `server busy`} {
			if n := len(regexp.MustCompile(figure).FindAllString(shown, -1)); n != 1 {
				t.Errorf("%d columns: %s is there %d times:\n%s", columns, figure, n, shown)
			}
		}
		// tmux moves out of a narrower window what no longer has a place above the
		// cursor's row; there nobody can write.
		if shown = tmux(t, dir, "capture-pane", "-p", "-S", "-"); !strings.Contains(strings.Join(strings.Fields(shown), ""), "80imagesdecodedcandor:240taskstoask,0recordedalready") {
			t.Errorf("%d columns: what stood above is gone:\n%s", columns, shown)
		}
	}
	tmux(t, dir, "send-keys", "C-c")
	screen(`status 130`)
	usable(t, dir, screen)
}

// A second Ctrl-C does not wait for a server that hangs, and leaves the
// terminal as well as the first.
func TestTerminalTwice(t *testing.T) {
	dir, screen := terminalRun(t, 80, faultserver.Model, "", faultserver.On(faultserver.After(5, nil), faultserver.Hang()))
	screen(`(?m)^\d+/240 tasks`)
	tmux(t, dir, "send-keys", "C-c")
	screen(`once more to stop at once`)
	tmux(t, dir, "send-keys", "C-c")
	screen(`status 130`)
	usable(t, dir, screen)
}

// Errors stand above the figures, which count them by class.
func TestTerminalErrors(t *testing.T) {
	dir, screen := terminalRun(t, 100, faultserver.Model, "", faultserver.Latency(50*time.Millisecond),
		faultserver.On(faultserver.Every(7, faultserver.After(3, nil)), faultserver.Status(400, "no \x1b[2Jthanks")))
	shown := screen(`in error: \d+ task`)
	if !strings.Contains(shown, "thanks") || !strings.Contains(shown, "tasks to ask") {
		t.Errorf("the message is not there, or has wiped the screen:\n%s", shown)
	}
	tmux(t, dir, "send-keys", "C-c")
	screen(`status 130`)
	usable(t, dir, screen)
}

// Stopped and continued, the run draws below what the shell wrote meanwhile.
func TestTerminalStopped(t *testing.T) {
	dir, screen := terminalRun(t, 100, faultserver.Model, "", faultserver.Latency(100*time.Millisecond))
	screen(`server busy`)
	tmux(t, dir, "send-keys", "C-z")
	screen(`ready>\s*$`)
	tmux(t, dir, "send-keys", "echo be''tween; fg", "Enter")
	screen(`(?s)\nbetween.*server busy`)
	tmux(t, dir, "send-keys", "C-c")
	screen(`--resume[\s\S]*ready>\s*$`)
	tmux(t, dir, "send-keys", "echo us''able", "Enter")
	if last := screen(`(?m)^usable`); !strings.Contains(last, "between") {
		t.Errorf("what the shell wrote is gone:\n%s", last)
	}
}

// A dumb terminal is written plain lines, without a single escape; no colour is
// ever used, whatever NO_COLOR says.
func TestTerminalPlain(t *testing.T) {
	for name, tt := range map[string]struct {
		setting string
		escapes bool
	}{
		"dumb":     {"export TERM=dumb", false},
		"no color": {"export NO_COLOR=1", true},
		"color":    {"unset NO_COLOR", true},
	} {
		t.Run(name, func(t *testing.T) {
			s := faultserver.New(t, faultserver.Latency(20*time.Millisecond))
			dir := t.TempDir()
			if err := writeClaims(filepath.Join(dir, "claims"), 10); err != nil {
				t.Fatal(err)
			}
			text := fmt.Sprintf("cd %s\nexport OLLAMA_HOST=%s\n%s\ncandor eval --config claims.toml --num-tasks 0 --no-preflight --parallel 1 --bootstrap 0 --out out > stdout\necho status $?\nsleep 60\n", dir, s.URL, tt.setting)
			if err := os.WriteFile(filepath.Join(dir, "run.sh"), []byte("sleep 1\n"+text), 0o644); err != nil {
				t.Fatal(err)
			}
			screen := onTerminal(t, dir)
			tmux(t, dir, "pipe-pane", "cat > "+filepath.Join(dir, "raw"))
			shown := screen(`status 0`)
			raw, err := os.ReadFile(filepath.Join(dir, "raw"))
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(shown, "30/30 tasks") {
				t.Errorf("the last figures are not there:\n%s", shown)
			}
			if got := strings.Contains(string(raw), "\x1b"); got != tt.escapes {
				t.Errorf("escapes written: %v; want %v:\n%q", got, tt.escapes, raw)
			}
			if colour := regexp.MustCompile("\x1b\\[[0-9;]*m").FindString(string(raw)); colour != "" {
				t.Errorf("a colour was set: %q", colour)
			}
		})
	}
}

// A sweep keeps one set of figures and a table of the cells that ended, in
// windows that change; Ctrl-C ends it in good order, and the same command goes
// on with it.
func TestTerminalSweep(t *testing.T) {
	s := faultserver.New(t, faultserver.Latency(100*time.Millisecond), faultserver.AbstainEvery(7))
	dir := t.TempDir()
	if err := writeClaims(filepath.Join(dir, "claims"), 10); err != nil {
		t.Fatal(err)
	}
	flags, err := os.ReadFile(filepath.Join(dir, "claims.toml"))
	if err != nil {
		t.Fatal(err)
	}
	grid := string(flags) + "num-tasks = 0\npreflight = false\nbootstrap = 50\nparallel = 1\n[axes]\nreplicate = [0, 1, 2]\nrule = [\"brier\", \"log\"]\nprofile = [\"qwen3.5-instruct-reasoning\"]\n"
	job := fmt.Sprintf("cd %s\nexport OLLAMA_HOST=%s PS1='ready> '\nstty -a > before\ncandor sweep grid.toml > stdout\necho status $?\nstty -a > after\n", dir, s.URL)
	for name, text := range map[string]string{"grid.toml": grid, "job.sh": job, "run.sh": "export PS1='ready> '\nexec sh -i\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	screen := onTerminal(t, dir)
	resize(t, dir, 100)
	screen(`ready>`)
	tmux(t, dir, "send-keys", "trap : INT; . "+filepath.Join(dir, "job.sh"), "Enter")
	shown := screen(`(?m)^\d/6 cells done, now profile=qwen3.5-instruct-reasoning,rule=\w+,replicate=\d\n\d+/180 tasks  \[=*-+\]  \S+ tasks/s  \S+ left\nreward \d\.\d{3} \(\d\.\d{3}–\d\.\d{3}\)  coverage \d+%  \S+ tokens/s  server busy \d+%\nreward, 95 %        cell\n\d\.\d{3}  \d\.\d{3}–\d\.\d{3}  profile=qwen3.5-instruct-reasoning,rule=\w+,replicate=\d\n`)
	for _, columns := range []int{60, 30, 100} {
		resize(t, dir, columns)
		time.Sleep(2 * redraw)
		shown = screen(`coverage \d+%[\s\S]*95 %        cell`)
		for _, figure := range []string{`\d+/6 cells`, `\d+/180 tasks`, `tasks/s`, `coverage`, `server busy`, `95 %        cell`} {
			if n := len(regexp.MustCompile(figure).FindAllString(shown, -1)); n != 1 {
				t.Errorf("%d columns: %s is there %d times:\n%s", columns, figure, n, shown)
			}
		}
	}
	tmux(t, dir, "send-keys", "C-c")
	last := screen(`status 130`)
	if !strings.Contains(strings.Join(strings.Fields(last), ""), "Goonwith:candorsweepgrid.toml") {
		t.Errorf("the screen at the end is\n%s", last)
	}
	usable(t, dir, screen)
	tmux(t, dir, "clear-history")
	tmux(t, dir, "send-keys", "clear; . "+filepath.Join(dir, "job.sh"), "Enter")
	if shown = screen(`status 0`); !regexp.MustCompile(`6/6 cells done[\s\S]*180/180 tasks`).MatchString(shown) {
		t.Errorf("the screen at the end is\n%s", shown)
	}
	out, err := os.ReadFile(filepath.Join(dir, "stdout"))
	if err != nil || !strings.Contains(string(out), "P(best)") {
		t.Errorf("%v: %s", err, out)
	}
}
