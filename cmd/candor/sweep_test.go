package main

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"candor/infer/ollama/faultserver"
	"candor/infer/ollama/ollamatest"
)

// A sweep of six cells that is killed at random moments and gone on with by the
// same command ends as one that never was, and asks for nothing again that was
// recorded.
func TestKillSweep(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	data := filepath.Join(root, "claims")
	if err := writeClaims(data, 7); err != nil {
		t.Fatal(err)
	}
	flags, err := os.ReadFile(data + ".toml")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(root, "grid.toml")
	text := string(flags) + "num-tasks = 0\npreflight = false\nbootstrap = 100\nparallel = 1\n[axes]\nreplicate = [0, 1, 2]\nrule = [\"brier\", \"log\"]\n[rescore]\nrule = [\"brier\"]\n"
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	server := func() *faultserver.Server {
		return faultserver.New(t, faultserver.Latency(10*time.Millisecond), faultserver.AbstainEvery(9), faultserver.MalformedEvery(11))
	}
	whole, s := server(), server()
	p := start(t, whole.URL, "sweep", file, "--out", filepath.Join(root, "whole"))
	if status := p.status(2 * time.Minute); status != 0 {
		t.Fatalf("status %d: %s", status, p.err)
	}
	dir := filepath.Join(root, "killed")
	kills := killSweep(t, s.URL, file, dir, 8)
	for _, name := range []string{"sweep.json", "sweep.md"} {
		want, err1 := os.ReadFile(filepath.Join(root, "whole", name))
		got, err2 := os.ReadFile(filepath.Join(dir, name))
		if err := errors.Join(err1, err2); err != nil {
			t.Fatal(err)
		}
		if string(got) != string(want) {
			t.Errorf("%s of the killed sweep differs:\n%s\nwant\n%s", name, got, want)
		}
	}
	// One request may be in flight at a kill, and each start sees whether images
	// arrive by one more; anything beyond was asked again.
	if got, least := len(s.Requests()), len(whole.Requests()); got < least || got > least+2*kills {
		t.Errorf("%d requests with %d kills; an unbroken sweep has %d", got, kills, least)
	}
}

// killSweep kills a sweep so often, then lets it end.
func killSweep(t *testing.T, host, file, dir string, kills int) int {
	t.Helper()
	for i := range kills {
		before := recordedUnder(t, dir)
		more := 1 + rand.IntN(12)
		p := start(t, host, "sweep", file, "--out", dir)
		p.await(fmt.Sprintf("%d tasks", before+more), func() bool { return recordedUnder(t, dir) >= before+more })
		time.Sleep(time.Duration(rand.IntN(15)) * time.Millisecond)
		p.signal(syscall.SIGKILL)
		if p.status(time.Minute) == 0 {
			t.Fatalf("the sweep ended before kill %d: it is too short", i+1)
		}
	}
	p := start(t, host, "sweep", file, "--out", dir)
	if status := p.status(2 * time.Minute); status != 0 {
		t.Fatalf("status %d: %s", status, p.err)
	}
	return kills
}

// On a real engine, with the model whose sampling, vision and cache are real, a
// sweep that is broken off at random moments, by kills and by Ctrl-C, and gone
// on with by the same command, ends as one that never was, byte for byte.
func TestSweepBrokenOnEngine(t *testing.T) {
	root := t.TempDir()
	claims := filepath.Join(root, "claims")
	if err := writeClaims(claims, 3); err != nil {
		t.Fatal(err)
	}
	data := fmt.Sprintf("dataset = %q\nimages = %[1]q\nsplit = \"random\"\npartition = \"all\"\n", claims)
	cells, tasks, stops := "replicate = [0, 1]\nrule = [\"brier\", \"log\"]\n", 3, 2
	if os.Getenv("CANDOR_SLOW") != "" { // 24 cells, on what the model was made for
		data = ""
		cells, tasks, stops = "profile = [\"greedy\", \"qwen3.5-instruct\", \"qwen3.5-instruct-reasoning\"]\nreplicate = [0, 1]\nrule = [\"brier\", \"log\"]\nsplit = [\"adversarial\", \"random\"]\n", 8, 12
	}
	e := ollamatest.Start(t)
	file := filepath.Join(root, "grid.toml")
	text := data + fmt.Sprintf("num-tasks = %d\npreflight = false\nbootstrap = 200\nnum-thread = 1\n[axes]\n%s[rescore]\nrule = [\"brier\", \"log\"]\n", tasks, cells)
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	whole, broken := filepath.Join(root, "whole"), filepath.Join(root, "broken")
	began := time.Now()
	p := start(t, e.URL, "sweep", file, "--out", whole)
	if status := p.status(10 * time.Minute); status != 0 {
		t.Fatalf("status %d: %s", status, p.err)
	}
	total := recordedUnder(t, whole)
	t.Logf("unbroken: %d tasks in %v", total, time.Since(began))
	for i := range stops {
		before := recordedUnder(t, broken)
		more := 1 + rand.IntN(max(1, 2*(total-before)/(stops-i+1)-1))
		p := start(t, e.URL, "sweep", file, "--out", broken)
		p.await(fmt.Sprintf("%d tasks", before+more), func() bool { return recordedUnder(t, broken) >= min(before+more, total-1) })
		time.Sleep(time.Duration(rand.IntN(150)) * time.Millisecond)
		how, want := syscall.SIGKILL, -1
		if i%2 == 1 {
			how, want = syscall.SIGINT, 130
		}
		p.signal(how)
		if got := p.status(time.Minute); got != want && got != 0 {
			t.Fatalf("stop %d: status %d: %s", i+1, got, p.err)
		}
		t.Logf("stop %d, %v, with %d of %d tasks recorded, after %v", i+1, how, recordedUnder(t, broken), total, time.Since(began))
	}
	p = start(t, e.URL, "sweep", file, "--out", broken)
	if status := p.status(10 * time.Minute); status != 0 {
		t.Fatalf("status %d: %s", status, p.err)
	}
	for _, name := range []string{"sweep.json", "sweep.md"} {
		want, err1 := os.ReadFile(filepath.Join(whole, name))
		got, err2 := os.ReadFile(filepath.Join(broken, name))
		if err := errors.Join(err1, err2); err != nil {
			t.Fatal(err)
		}
		if string(got) != string(want) {
			t.Errorf("%s of the broken sweep differs:\n%s\nwant\n%s", name, got, want)
		}
	}
	if got := recordedUnder(t, broken); got != total {
		t.Errorf("%d tasks recorded; an unbroken sweep has %d", got, total)
	}
}

// recordedUnder counts the traces in all cells.
func recordedUnder(t *testing.T, dir string) int {
	t.Helper()
	cells, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	n := 0
	for _, c := range cells {
		if !c.IsDir() {
			continue
		}
		n += recordedIn(t, filepath.Join(dir, c.Name()))
	}
	return n
}

// The help's example runs as it stands, on the real engine.
func TestSweepOfHelp(t *testing.T) {
	e := ollamatest.Start(t)
	text, err := helpFiles.ReadFile("help/sweep.md")
	if err != nil {
		t.Fatal(err)
	}
	var example strings.Builder
	for line := range strings.Lines(string(text)) {
		if body, ok := strings.CutPrefix(line, "    "); ok {
			example.WriteString(body)
		}
	}
	root := t.TempDir()
	file := filepath.Join(root, "example.toml")
	if err := os.WriteFile(file, []byte(example.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	p := start(t, e.URL, "sweep", file, "--out", filepath.Join(root, "out"))
	if status := p.status(5 * time.Minute); status != 0 {
		t.Fatalf("status %d: %s", status, p.err)
	}
	for _, want := range []string{"profile=greedy,rule=brier ", "P(best)", "as if: answers given under brier", "for all 2 at once"} {
		if !strings.Contains(strings.ReplaceAll(p.out.String(), "intervals for all", "for all"), want) {
			t.Errorf("no %q in\n%s", want, p.out)
		}
	}
	if n := recordedUnder(t, filepath.Join(root, "out")); n != 3*12 {
		t.Errorf("%d tasks recorded; want 12 in each of 3 cells", n)
	}
}
