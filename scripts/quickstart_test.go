package scripts

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// standIn is a go command that builds a candor which only notes how it was
// called, and then does what the test wants.
const standIn = `#!/usr/bin/env bash
[[ $1 != list ]] || exit 0
[[ $1 == build ]] || exit 1 # nothing else is made: the model is part of candor
cat > candor << 'END'
#!/usr/bin/env bash
echo "$OLLAMA_HOST candor $*" >> calls
[[ ! -e act ]] || . ./act
END
chmod +x candor
`

// quickstarts is a tree with the scripts, the stand-in and a server that
// answers, so that what the script says and asks for can be seen in no time.
type quickstarts struct {
	*shell
	dir, host string
}

func newQuickstarts(t *testing.T) *quickstarts {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintln(w, `{"version":"1.2.3"}`)
	}))
	t.Cleanup(server.Close)
	q := &quickstarts{dir: t.TempDir(), host: server.URL}
	tools := toolFolder(t, "chmod", "curl")
	q.shell = newShell(t, "OLLAMA_HOST="+q.host, "PATH="+tools)
	q.write(filepath.Join(tools, "go"), standIn)
	q.write("go.mod", "module m\n\ngo 1.26\n")
	for _, script := range []string{"quickstart.sh", "common.sh", "ollama.sh", "engine.sh", "server.sh"} {
		q.write("scripts/"+script, readFile(t, script))
	}
	return q
}

// write writes a file of the tree, or elsewhere if its path is absolute.
func (q *quickstarts) write(name, text string) {
	q.t.Helper()
	if !filepath.IsAbs(name) {
		name = filepath.Join(q.dir, name)
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		q.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o755); err != nil {
		q.t.Fatal(err)
	}
}

func (q *quickstarts) command() *exec.Cmd {
	c := exec.Command(filepath.Join(q.dir, "scripts", "quickstart.sh"))
	c.Env = q.env
	return c
}

// start runs the quickstart and returns its standard error and exit status.
func (q *quickstarts) start() (stderr string, status int) {
	q.t.Helper()
	var text strings.Builder
	c := q.command()
	c.Stderr = &text
	_ = c.Run() // its status is looked at by the caller
	return text.String(), c.ProcessState.ExitCode()
}

func (q *quickstarts) calls() string {
	text, _ := os.ReadFile(filepath.Join(q.dir, "calls")) // none: candor was not called
	return string(text)
}

// Each row is a state of runs/quickstart and an end of candor, and what the
// script must ask for and say.
func TestQuickstart(t *testing.T) {
	const unfinished, whole, lacking = `{
  "state": "interrupted"
}`, `{
  "state": "finished"
}`, `{
  "complete": false,
  "by_split": {
    "random": {
    "complete": true
    }
  }
}`
	for _, c := range []struct {
		name, manifest, summary, act string
		status                       int
		asks, says                   string
	}{
		{"a first one ends with what next", "", "", "", 0, "--out runs/quickstart", "export OLLAMA_HOST=$(scripts/ollama.sh start)"},
		{"one that was interrupted goes on", unfinished, "", "", 0, "--resume runs/quickstart", "going on with"},
		{"so does one with tasks in error", whole, lacking, "", 0, "--resume runs/quickstart", "going on with"},
		{"an interrupted one says how to go on", "", "", "exit 130", 130, "--out", "run scripts/quickstart.sh again"},
		{"one of other settings", unfinished, "", "exit 2", 2, "--num-tasks 300", "rm -r runs/quickstart"},
		{"one that failed under way", unfinished, "", "exit 1", 1, "--resume", "run scripts/quickstart.sh again"},
	} {
		q := newQuickstarts(t)
		for name, text := range map[string]string{"runs/quickstart/run.json": c.manifest, "runs/quickstart/summary.json": c.summary, "act": c.act} {
			if text != "" {
				q.write(name, text)
			}
		}
		stderr, status := q.start()
		if status != c.status || !strings.Contains(stderr, c.says) {
			t.Errorf("%s: status %d, said %q", c.name, status, stderr)
		}
		if calls := q.calls(); !strings.HasPrefix(calls, q.host+" candor eval ") || !strings.Contains(calls, c.asks) || strings.Contains(calls, "--model") {
			t.Errorf("%s: called %q", c.name, calls)
		}
	}
}

// A finished run is shown without a server: none is looked for.
func TestQuickstartShows(t *testing.T) {
	q := newQuickstarts(t)
	q.write("runs/quickstart/run.json", "{\n  \"state\": \"finished\"\n}")
	q.write("runs/quickstart/summary.json", "{\n  \"complete\": true\n}")
	q.write("scripts/ollama.sh", "exit 1")
	stderr, status := q.start()
	if status != 0 || !strings.HasSuffix(q.calls(), "candor eval --resume runs/quickstart\n") {
		t.Errorf("status %d, called %q, said %q", status, q.calls(), stderr)
	}
}

// While one is at work a second one does not touch its run; a request to end
// reaches candor, and the advice comes last.
func TestQuickstartTwice(t *testing.T) {
	q := newQuickstarts(t)
	q.write("act", "trap 'exit 130' TERM; echo ready; for i in {1..400}; do sleep 0.05; done")
	var stderr strings.Builder
	first := q.command()
	first.Stderr = &stderr
	stdout, err := first.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	guard := time.AfterFunc(30*time.Second, func() { _ = first.Process.Kill() })
	defer guard.Stop()
	if _, err := stdout.Read(make([]byte, 16)); err != nil {
		t.Errorf("candor was not started: %v", err)
	}
	if said, status := q.start(); status != 1 || !strings.Contains(said, "remove runs/quickstart") {
		t.Errorf("the second: status %d, said %q", status, said)
	}
	if err := first.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	_ = first.Wait() // its status is looked at next
	if status := first.ProcessState.ExitCode(); status != 130 || !strings.HasSuffix(stderr.String(), "run scripts/quickstart.sh again to go on\n") {
		t.Errorf("the first: status %d, said %q", status, stderr.String())
	}
	if n := strings.Count(q.calls(), "\n"); n != 1 {
		t.Errorf("candor was called %d times", n)
	}
}
