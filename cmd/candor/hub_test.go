package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"candor/harness/hub/hubtest"
)

// popeInSmall is a stand-in of the published data set: its two configurations,
// its column types and its card, with three images.
const popeInSmall = "../../harness/parquet/testdata/pope"

// smallHub has that data set, under its present name and its old one.
func smallHub(s *hubtest.Server) error {
	files, err := hubtest.Folder(popeInSmall)
	if err != nil {
		return err
	}
	s.Add("lmms-lab-encoder/POPE", files)
	s.Rename("lmms-lab/POPE", "lmms-lab-encoder/POPE")
	return nil
}

// hubs are the stand-in Hubs of the scripts, by script.
type hubs map[*script]*hubtest.Server

// command is "hub", which starts one, names it in HF_ENDPOINT, and keeps its
// cache below hf; then "hub refuse STATUS", "hub corrupt" and "hub mend" change
// what it does, "hub token T" whom it serves, "hub moved" publishes a commit
// without the last file's rows, and "hub asked N" counts its requests.
func (h hubs) command(ts *script, neg bool, args []string) {
	if len(args) == 0 {
		s := hubtest.Start()
		ts.Defer(s.Close)
		ts.Check(smallHub(s))
		h[ts] = s
		ts.Setenv("HF_ENDPOINT", s.URL)
		ts.Setenv("HF_HOME", ts.MkAbs("hf"))
		return
	}
	s := h[ts]
	switch args[0] {
	case "refuse":
		var status int
		_, err := fmt.Sscan(args[1], &status)
		ts.Check(err)
		s.Fail(hubtest.Fault{Kind: hubtest.Status, N: status})
	case "corrupt":
		s.Fail(hubtest.Fault{Kind: hubtest.Corrupt, Storage: true})
	case "mend":
		s.Mend()
	case "token":
		s.Protect("lmms-lab-encoder/POPE", args[1])
	case "moved":
		files, err := hubtest.Folder(popeInSmall)
		ts.Check(err)
		files["data/test-00000-of-00003.parquet"] = files["data/test-00001-of-00003.parquet"]
		s.Commit("lmms-lab-encoder/POPE", files)
	case "asked":
		n := len(s.Requests())
		s.Forget()
		if (fmt.Sprint(n) == args[1]) == neg {
			ts.Fatalf("%d requests; asked %v, negated %v", n, args[1:], neg)
		}
	default:
		ts.Fatalf("hub %v is not known", args)
	}
}

// One signal ends a download, and so does kill -9: the next goes on where it
// stopped.
func TestInterruptDownload(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGKILL} {
		s := hubtest.New(t)
		if err := smallHub(s); err != nil {
			t.Fatal(err)
		}
		t.Setenv("HF_ENDPOINT", s.URL)
		t.Setenv("HF_HOME", t.TempDir())
		s.Fail(hubtest.Fault{Kind: hubtest.Stall, N: 5000, Storage: true})
		args := []string{"eval", "--dataset", "lmms-lab-encoder/POPE", "--split", "all", "--partition", "all", "--dry-run"}
		p := start(t, "http://127.0.0.1:1", args...)
		p.await("5000 bytes", func() bool { return partSize(t) == 5000 })
		p.signal(sig)
		want := map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGKILL: -1}[sig]
		if got := p.status(soon); got != want || sig == syscall.SIGINT && !strings.Contains(p.err.String(), "candor: interrupted") {
			t.Errorf("%v: exit status %d; want %d; stderr:\n%s", sig, got, want, p.err)
		}
		s.Mend()
		s.Forget()
		if got := start(t, "http://127.0.0.1:1", args...).status(soon); got != 0 {
			t.Errorf("%v: the next run's exit status is %d", sig, got)
		}
		if !slices.ContainsFunc(s.Requests(), func(r hubtest.Request) bool { return r.Range == "bytes=5000-" }) {
			t.Errorf("%v: no request goes on where the download stopped: %+v", sig, s.Requests())
		}
	}
}

// partSize is how much is here of a file that is being downloaded.
func partSize(t *testing.T) (n int64) {
	t.Helper()
	parts, err := filepath.Glob(filepath.Join(os.Getenv("HF_HOME"), "hub", "*", "blobs", "*.incomplete"))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range parts {
		if info, err := os.Stat(p); err == nil {
			n += info.Size()
		}
	}
	return n
}

// On a terminal a bar shows a download.
func TestTerminalDownload(t *testing.T) {
	t.Parallel()
	s := hubtest.New(t)
	if err := smallHub(s); err != nil {
		t.Fatal(err)
	}
	s.Fail(hubtest.Fault{Kind: hubtest.Slow, N: 100, Storage: true})
	dir := t.TempDir()
	text := fmt.Sprintf("cd %s\nexport HF_ENDPOINT=%s HF_HOME=%s/hf OLLAMA_HOST=http://127.0.0.1:1\ncandor eval --model fake --dataset lmms-lab/POPE --split all --partition all --dry-run > stdout\necho status $?\nsleep 60\n", dir, s.URL, dir)
	if err := os.WriteFile(filepath.Join(dir, "run.sh"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	screen := onTerminal(t, dir)
	screen(`data/test-00000-of-00003\.parquet +\d+\.\d K?[Bb] / 12\.8 KB +\[=*>-+\] +\d+\.\d kB/s, \d+s left`)
	screen(`status 0`)
	if out, err := os.ReadFile(filepath.Join(dir, "stdout")); err != nil || len(out) == 0 {
		t.Errorf("stdout holds %q, %v", out, err)
	}
}
