package main

import (
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"candor/harness/run"
	"candor/infer/ollama/faultserver"
)

// soon is more than an orderly end takes on a busy machine, and far less than
// the run or the hanging request would.
const soon = 20 * time.Second

// One signal lets what is in flight finish: every request that reached the
// server is recorded, the status is 130, and the way to resume is told.
func TestInterruptOnce(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			// All but the first tasks wait until the signal has been heard: then
			// some are in flight, whatever the machine's speed.
			heard := make(chan struct{})
			let := sync.OnceFunc(func() { close(heard) })
			s := faultserver.New(t, faultserver.On(faultserver.After(8, nil), faultserver.Change(func(*faultserver.Request, *faultserver.Reply) { <-heard })))
			t.Cleanup(let)
			data := filepath.Join(t.TempDir(), "claims")
			if err := writeClaims(data, 20); err != nil {
				t.Fatal(err)
			}
			dir := filepath.Join(t.TempDir(), "out")
			p := start(t, s.URL, "eval", "--config", data+".toml", "--no-preflight", "--parallel", "3", "--bootstrap", "0", "--num-tasks", "0", "--out", dir)
			p.await("5 traces, and 3 tasks in flight", func() bool { return recordedIn(t, dir) >= 5 && len(s.Requests()) == 11 })
			p.signal(sig)
			p.await("an answer to the signal", func() bool { return strings.Contains(p.err.String(), "finishing what is in flight") })
			let()
			if got := p.status(soon); got != 130 {
				t.Errorf("exit status %d; want 130; stderr:\n%s", got, p.err)
			}
			if asked, recorded := len(withImage(s)), recordedIn(t, dir); asked != recorded || recorded != 10 {
				t.Errorf("%d tasks were asked and %d answers recorded; what is in flight is finished, and nothing else begun", asked, recorded)
			}
			if !strings.Contains(p.err.String(), "candor eval --resume "+dir) {
				t.Errorf("stderr does not say how to go on:\n%s", p.err)
			}
			if !strings.Contains(p.out.String(), "interrupted, PARTIAL: ") {
				t.Errorf("the summary is not marked partial:\n%s", p.out)
			}
			if m, err := run.LoadManifest(dir); err != nil || m.State != run.Interrupted {
				t.Errorf("the manifest says %q, %v; want interrupted", m.State, err)
			}
		})
	}
}

// withImage are a server's requests for tasks; the prompt's text is counted by
// one without an image.
func withImage(s *faultserver.Server) (of []*faultserver.Request) {
	for _, r := range s.Requests() {
		if r.ImageSHA256 != "" {
			of = append(of, r)
		}
	}
	return of
}

// The second signal does not wait for a server that hangs.
func TestInterruptTwice(t *testing.T) {
	t.Parallel()
	task := func(r *faultserver.Request) bool { return r.ImageSHA256 != "" }
	s := faultserver.New(t, faultserver.On(faultserver.After(5, task), faultserver.Hang()))
	data := filepath.Join(t.TempDir(), "claims")
	if err := writeClaims(data, 5); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "out")
	p := start(t, s.URL, "eval", "--config", data+".toml", "--no-preflight", "--parallel", "2", "--bootstrap", "0", "--out", dir)
	p.await("a hanging request", func() bool { return len(withImage(s)) >= 7 && recordedIn(t, dir) == 5 })
	p.signal(syscall.SIGINT)
	p.await("an answer to the signal", func() bool { return strings.Contains(p.err.String(), "once more to stop at once") })
	select {
	case <-p.exited:
		t.Fatalf("one signal ended a run with a request in flight; stderr:\n%s", p.err)
	case <-time.After(200 * time.Millisecond):
	}
	p.signal(syscall.SIGTERM)
	if got := p.status(soon); got != 130 {
		t.Errorf("exit status %d; want 130; stderr:\n%s", got, p.err)
	}
	if n := recordedIn(t, dir); n != 5 {
		t.Errorf("%d answers recorded; want the 5 that came", n)
	}
	if !strings.Contains(p.err.String(), "--resume "+dir) {
		t.Errorf("stderr does not say how to go on:\n%s", p.err)
	}
}

// While the server is questioned one signal is enough: no answer is at stake.
func TestInterruptPreflight(t *testing.T) {
	t.Parallel()
	s := faultserver.New(t, faultserver.On(faultserver.Always, faultserver.Hang()))
	data := filepath.Join(t.TempDir(), "claims")
	if err := writeClaims(data, 5); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"eval", "--config", data + ".toml", "--bootstrap", "0", "--out", filepath.Join(t.TempDir(), "out")},
		{"doctor", "--model", "fake"},
	} {
		before := len(s.Requests())
		p := start(t, s.URL, args...)
		p.await("a hanging request", func() bool { return len(s.Requests()) > before })
		p.signal(syscall.SIGINT)
		if got := p.status(soon); got != 130 {
			t.Errorf("%s: exit status %d; want 130; stderr:\n%s", args[0], got, p.err)
		}
	}
}

// Reading from a terminal ends with Ctrl-C.
func TestInterruptReading(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"score", "parse"} {
		cmd := exec.Command("candor", command, "-")
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		guard := time.AfterFunc(soon, func() { cmd.Process.Kill() })
		defer guard.Stop()
		// More than a pipe holds: when it is written, candor is reading.
		if _, err := io.WriteString(in, strings.Repeat("\n", 1<<18)); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, out); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // the state tells how it ended
		if got := cmd.ProcessState.ExitCode(); got != 130 {
			t.Errorf("%s: exit status %d; want 130", command, got)
		}
	}
}
