package run

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"candor/scoring"
)

func trace(n int) Trace {
	return Trace{TaskID: fmt.Sprintf("random/%d", n), Label: "REFUTED", Outcome: scoring.Malformed, Malformed: 1, Reason: "no_object", Claim: "There is a “dog” <in> the image.\n", Text: strings.Repeat("x", 50), Confidences: map[string]float64{"verbal": .5}}
}

// names takes the first n traces and no others.
func names(n int) func(Trace) error {
	keep := map[string]bool{}
	for i := range n {
		keep[trace(i).TaskID] = true
	}
	return func(t Trace) error {
		if !keep[t.TaskID] {
			return errors.New("another task")
		}
		return t.consistent()
	}
}

// recorded makes a journal of n traces in a new directory.
func recorded(t *testing.T, n int) (dir string) {
	t.Helper()
	dir = t.TempDir()
	j, _, err := openJournal(dir, names(n))
	if err != nil {
		t.Fatal(err)
	}
	defer j.close()
	for i := range n {
		if err := j.append(trace(i)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func contents(t *testing.T, dir string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, TracesFile))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// A last line torn at any byte is dropped, the lines before it stay as they
// are, and what is appended next stands on a line of its own.
func TestJournalTorn(t *testing.T) {
	dir := recorded(t, 3)
	whole := contents(t, dir)
	last := bytes.LastIndexByte(whole[:len(whole)-1], '\n') + 1
	for cut := last; cut <= len(whole); cut++ {
		want, end := 2, last
		if cut >= len(whole)-1 { // whole, with or without its line end
			want, end = 3, cut
		}
		traces, at, err := readTraces(bytes.NewReader(whole[:cut]), TracesFile, names(3))
		if err != nil || len(traces) != want || at != int64(end) {
			t.Fatalf("cut at %d: %d traces up to %d, %v", cut-last, len(traces), at, err)
		}
		if inside := cut - last; inside > 3 && cut < len(whole)-3 && inside%23 != 0 {
			continue // the disk is slow
		}
		if err := os.WriteFile(filepath.Join(dir, TracesFile), whole[:cut], 0o644); err != nil {
			t.Fatal(err)
		}
		j, traces, err := openJournal(dir, names(3))
		if err != nil {
			t.Fatalf("cut at %d: %v", cut-last, err)
		}
		if len(traces) != want {
			t.Fatalf("cut at %d: %d traces", cut-last, len(traces))
		}
		if want == 2 {
			if err := j.append(trace(2)); err != nil {
				t.Fatal(err)
			}
		}
		if err := j.close(); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(contents(t, dir), whole) {
			t.Fatalf("cut at %d: the journal is\n%s", cut-last, contents(t, dir))
		}
	}
}

// Many tasks that finish at once all stand on whole lines.
func TestJournalConcurrent(t *testing.T) {
	dir := t.TempDir()
	j, _, err := openJournal(dir, names(200))
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for i := range 200 {
		wg.Go(func() {
			if err := j.append(trace(i)); err != nil {
				t.Error(err)
			}
			if !bytes.Contains(contents(t, dir), fmt.Appendf(nil, `"random/%d"`, i)) {
				t.Error("append returned before its line was written")
			}
		})
	}
	wg.Wait()
	if err := j.close(); err != nil {
		t.Fatal(err)
	}
	traces, err := ReadTraces(dir)
	if err != nil || len(traces) != 200 {
		t.Errorf("%d traces, %v", len(traces), err)
	}
}

// A file that takes no more bytes, as on a full disk, ends the journal at its
// last whole line: every append from then on fails, and a later session goes
// on without loss.
func TestJournalFull(t *testing.T) {
	if !inChild(t) {
		return
	}
	dir := recorded(t, 4)
	size := len(contents(t, dir)) // four lines of about this
	for _, extra := range []int{1, 100, size / 3} {
		limited(t, uint64(size+extra), func() {
			j, traces, err := openJournal(dir, names(9))
			if err != nil || len(traces) != 4 {
				t.Fatalf("%d traces, %v", len(traces), err)
			}
			failed := 0
			for i := 4; i < 9; i++ {
				if err := j.append(trace(i)); err != nil {
					failed++
					if !errors.Is(err, syscall.EFBIG) {
						t.Errorf("error %v", err)
					}
				} else if failed > 0 {
					t.Error("it writes again after a failure")
				}
			}
			if failed == 0 {
				t.Error("the limit was not met")
			}
			if err := j.close(); err != nil {
				t.Fatal(err)
			}
		})
		data := contents(t, dir)
		if traces, err := ReadTraces(dir); err != nil || len(traces) < 4 || data[len(data)-1] != '\n' || bytes.Count(data, []byte("\n")) != len(traces) {
			t.Fatalf("%d traces, %v\n%s", len(traces), err, data)
		}
		if err := os.Truncate(filepath.Join(dir, TracesFile), int64(size)); err != nil {
			t.Fatal(err)
		}
	}
}

// inChild runs the calling test again in a process of its own, whose limits
// are nobody else's, and reports whether this is that process.
func inChild(t *testing.T) bool {
	t.Helper()
	const name = "CANDOR_TEST_CHILD"
	if os.Getenv(name) != "" {
		return true
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), name+"=1")
	out, err := cmd.CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte("--- PASS: "+t.Name())) {
		t.Errorf("%v\n%s", err, out)
	}
	return false
}

// limited runs f while no file may grow beyond size bytes.
func limited(t *testing.T, size uint64, f func()) {
	t.Helper()
	var was syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &was); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: size, Max: was.Max}); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &was); err != nil {
			t.Fatal(err)
		}
	}()
	f()
}

// A journal that cannot be written at all says so at once, and for ever.
func TestJournalClosed(t *testing.T) {
	dir := recorded(t, 2)
	before := contents(t, dir)
	j, _, err := openJournal(dir, names(4))
	if err != nil {
		t.Fatal(err)
	}
	if err := j.close(); err != nil {
		t.Fatal(err)
	}
	for i := 2; i < 4; i++ {
		if err := j.append(trace(i)); !errors.Is(err, os.ErrClosed) {
			t.Errorf("error %v", err)
		}
	}
	if !bytes.Equal(contents(t, dir), before) {
		t.Error("the journal changed")
	}
}

// Errors on a full disk are whole lines or none.
func TestErrorsFull(t *testing.T) {
	if !inChild(t) {
		return
	}
	dir := t.TempDir()
	if err := appendError(dir, TaskError{TaskID: "random/1"}); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, ErrorsFile)
	before, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	limited(t, uint64(len(before)+5), func() {
		if err := appendError(dir, TaskError{TaskID: "random/2"}); !errors.Is(err, syscall.EFBIG) {
			t.Errorf("error %v", err)
		}
	})
	if after, err := os.ReadFile(name); err != nil || !bytes.Equal(after, before) {
		t.Errorf("%q, %v", after, err)
	}
}

// The tokens that a claim may be short of another's are bounded by the bytes
// in which they differ.
func TestUnshared(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want int
	}{
		{"There is a dog in the image.", "There is a skateboard in the image.", 3 + 2},
		{"same", "same", 0 + 2},
		{"aaa", "aa", 1 + 2}, // beginning and end do not count twice
		{"", "anything", 0 + 2},
		{"anything", "", 8 + 2},
	} {
		if got := unshared(tt.a, tt.b); got != tt.want {
			t.Errorf("unshared(%q, %q) is %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}
