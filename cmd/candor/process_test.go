package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// process is candor in a process of its own: this test binary under its name.
type process struct {
	t        *testing.T
	cmd      *exec.Cmd
	out, err *output
	exited   chan struct{}
}

// output is what a process has written so far.
type output struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.Write(b)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.String()
}

// start starts candor against the server at host. It does not outlive the test.
func start(t *testing.T, host string, args ...string) *process {
	t.Helper()
	p := &process{t: t, cmd: exec.Command("candor", args...), out: &output{}, err: &output{}, exited: make(chan struct{})}
	p.cmd.Env = append(os.Environ(), "OLLAMA_HOST="+host)
	p.cmd.Stdout, p.cmd.Stderr = p.out, p.err
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = p.cmd.Wait() // the state tells how it ended
		close(p.exited)
	}()
	t.Cleanup(func() { p.signal(syscall.SIGKILL); <-p.exited })
	return p
}

func (p *process) signal(s syscall.Signal) {
	p.t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil && !errors.Is(err, os.ErrProcessDone) {
		p.t.Fatal(err)
	}
}

// status waits for the end and returns the exit status, -1 for a signal's.
func (p *process) status(within time.Duration) int {
	p.t.Helper()
	select {
	case <-p.exited:
		return p.cmd.ProcessState.ExitCode()
	case <-time.After(within):
		p.t.Fatalf("candor still runs after %v; stderr:\n%s", within, p.err)
		return 0
	}
}

// await waits until ready, at most as long as the process lives, or as the test
// has: how fast the machine is proves nothing.
func (p *process) await(what string, ready func() bool) {
	p.t.Helper()
	within := 10 * time.Minute
	if end, ok := p.t.Deadline(); ok {
		within = time.Until(end) - 10*time.Second // to say what did not come
	}
	deadline := time.After(within)
	for !ready() {
		select {
		case <-p.exited:
			if !ready() {
				p.t.Fatalf("candor ended before %s; stderr:\n%s", what, p.err)
			}
			return
		case <-deadline:
			p.t.Fatalf("no %s after %v; stderr:\n%s", what, within, p.err)
		case <-time.After(2 * time.Millisecond):
		}
	}
}

// wholeLines is the journal of the run in dir up to its last line end, "" if
// there is none yet.
func wholeLines(t *testing.T, dir string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, "traces.jsonl"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return string(b[:bytes.LastIndexByte(b, '\n')+1])
}

func recordedIn(t *testing.T, dir string) int { return strings.Count(wholeLines(t, dir), "\n") }
