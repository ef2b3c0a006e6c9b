package hub_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"candor/harness/hub"
	"candor/harness/hub/hubtest"
)

func TestFaultsThatPass(t *testing.T) {
	later := map[string][]string{"Retry-After": {"7"}}
	for name, faults := range map[string][]hubtest.Fault{
		"a busy Hub":                           {{Kind: hubtest.Status, N: 503, Times: 2}},
		"a busy storage host":                  {{Kind: hubtest.Status, N: 500, Times: 2, Storage: true}},
		"too many requests, without a time":    {{Kind: hubtest.Status, N: 429, Times: 1}},
		"too many requests, with one":          {{Kind: hubtest.Status, N: 429, Times: 1, Header: later}},
		"a signature that ran out":             {{Kind: hubtest.Status, N: 403, Times: 1, Storage: true}},
		"a cut":                                {{Kind: hubtest.Cut, N: 100_000, Times: 1, Storage: true}},
		"a cut at once":                        {{Kind: hubtest.Cut, N: 0, Times: 2, Storage: true}},
		"many cuts that each bring something":  {{Kind: hubtest.Cut, N: 20_000, Times: 12, Storage: true}},
		"a server that ignores Range":          {{Kind: hubtest.Cut, N: 100_000, Times: 1, Storage: true}, {Kind: hubtest.IgnoreRange, Storage: true}},
		"another part than was asked for":      {{Kind: hubtest.Cut, N: 100_000, Times: 1, Storage: true}, {Kind: hubtest.WrongPart, Times: 1, Storage: true}},
		"a range that cannot be met":           {{Kind: hubtest.Cut, N: 100_000, Times: 1, Storage: true}, {Kind: hubtest.Status, N: 416, Times: 1, Storage: true}},
		"no size":                              {{Kind: hubtest.NoSize, Storage: true}},
		"compressed unasked":                   {{Kind: hubtest.Gzip, Storage: true}},
		"compressed unasked, after a cut":      {{Kind: hubtest.Cut, N: 100_000, Times: 1, Storage: true}, {Kind: hubtest.Gzip, Storage: true}},
		"a body that ends early as if by rule": {{Kind: hubtest.Short, N: 10, Times: 1, Storage: true}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			for _, f := range faults {
				b.Fail(f)
			}
			b.must(repo)
			left, _ := filepath.Glob(filepath.Join(b.set.Cache, "*", "blobs", "*.incomplete"))
			if len(left) > 0 {
				t.Errorf("%v is left", left)
			}
		})
	}
}

func TestRetryAfter(t *testing.T) {
	b := newBench(t)
	b.Fail(hubtest.Fault{Kind: hubtest.Status, N: 429, Times: 1, Header: map[string][]string{"Retry-After": {"7"}}})
	b.must(repo)
	if len(b.wait) != 1 || b.wait[0] != 7*time.Second {
		t.Errorf("waited %v; want 7s", b.wait)
	}
	b = newBench(t)
	b.Fail(hubtest.Fault{Kind: hubtest.Status, N: 429, Header: map[string][]string{"Retry-After": {"3600"}}})
	b.fails(repo, "429", "1h0m0s")
	if len(b.wait) != 0 {
		t.Errorf("waited %v for an hour to pass; want to be told", b.wait)
	}
	b = newBench(t)
	b.Fail(hubtest.Fault{Kind: hubtest.Status, N: 503, Header: map[string][]string{"Retry-After": {time.Now().Add(time.Minute).UTC().Format("Mon, 02 Jan 2006 15:04:05 GMT")}}})
	b.fails(repo, "gave up after 3 attempts", "503")
	if len(b.wait) != 2 || b.wait[0] < 50*time.Second || b.wait[0] > time.Minute {
		t.Errorf("waited %v; want twice what is left of a minute", b.wait)
	}
}

// TestResume: a download that a process left goes on where it stopped.
func TestResume(t *testing.T) {
	b := newBench(t)
	b.Fail(hubtest.Fault{Kind: hubtest.Cut, N: 50_000, Times: 1, Storage: true})
	b.Fail(hubtest.Fault{Kind: hubtest.Status, N: 500, Storage: true})
	b.fails(repo, "gave up after 4 attempts", "data/test-00000-of-00002.parquet", "500")
	left, _ := filepath.Glob(filepath.Join(b.set.Cache, "*", "blobs", "*.incomplete"))
	if len(left) != 1 {
		t.Fatalf("%v is left; want one file", left)
	}
	b.Mend()
	b.Forget()
	b.must(repo)
	var ranges []string
	for _, r := range b.Requests() {
		if r.Storage {
			ranges = append(ranges, r.Range)
		}
	}
	if fmt.Sprint(ranges) != "[bytes=50000- ]" {
		t.Errorf("ranges %q; want the first from byte 50000 on, the second whole", ranges)
	}
}

func TestResumeOfWhatIsSpoilt(t *testing.T) {
	for name, left := range map[string]int{"a bad beginning": 40_000, "as long as the file": 300_000, "longer than the file": 400_000} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			part := filepath.Join(b.set.Cache, "datasets--org--set", "blobs", hubtest.File{Content: content(300_000, 1), Large: true}.Hash()+".incomplete")
			if err := os.MkdirAll(filepath.Dir(part), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(part, make([]byte, left), 0o644); err != nil {
				t.Fatal(err)
			}
			b.must(repo)
		})
	}
}

func TestWrongHash(t *testing.T) {
	b := newBench(t)
	b.Fail(hubtest.Fault{Kind: hubtest.Corrupt, Storage: true})
	want := hubtest.File{Content: content(300_000, 1), Large: true}.Hash()
	err := b.fails(repo, "data/test-00000-of-00002.parquet", want, "removed")
	var h *hub.HashError
	if !errors.As(err, &h) || h.File != "data/test-00000-of-00002.parquet" || h.Want != want || h.Got == want {
		t.Errorf("error %#v; want a HashError of that file", err)
	}
	left, _ := filepath.Glob(filepath.Join(b.set.Cache, "*", "blobs", want+"*"))
	if len(left) > 0 {
		t.Errorf("%v is left of a bad download", left)
	}
	b.set.Offline = true
	b.fails(repo, "not in the cache")
	b.set.Offline = false
	b.Mend()
	b.must(repo)

	// A small file is checked too, against git's hash.
	b = newBench(t)
	b.Rename("x/y", repo)
	bad := b.Add("org/bad", published())
	commit := bad.Revisions["main"]
	f := bad.Commits[commit]["README.md"]
	b.Fail(hubtest.Fault{Kind: hubtest.Status, N: 200, Times: 1, Path: "README.md", Header: map[string][]string{"Etag": {`"` + f.Hash() + `"`}, "Content-Length": {fmt.Sprint(len(card))}}})
	bad.Commits[commit]["README.md"] = hubtest.File{Content: []byte(strings.Replace(card, "test", "tess", 1))}
	b.fails("org/bad", "README.md", f.Hash())
}

func TestSizeDiffers(t *testing.T) {
	b := newBench(t)
	b.Fail(hubtest.Fault{Kind: hubtest.Short, N: 10, Storage: true})
	b.fails(repo, "cut after 299990 of 300000 bytes")
}

// TestStall: a server that sends nothing more is given up, and asked again.
func TestStall(t *testing.T) {
	b := newBench(t)
	b.set.DownloadTimeout = 100 * time.Millisecond
	b.Fail(hubtest.Fault{Kind: hubtest.Stall, N: 1000, Times: 1, Storage: true})
	b.must(repo)
	b = newBench(t)
	b.set.DownloadTimeout = 50 * time.Millisecond
	b.Fail(hubtest.Fault{Kind: hubtest.Stall, N: 0, Storage: true})
	b.fails(repo, "nothing came any more")
}

func TestInterrupted(t *testing.T) {
	b := newBench(t)
	b.Fail(hubtest.Fault{Kind: hubtest.Stall, N: 1000, Storage: true})
	ctx, cancel := context.WithCancel(t.Context())
	c := hub.New(b.set, hub.WithProgress(cancelling{cancel}))
	defer c.Close()
	n, _ := hub.ParseName(repo)
	if _, err := c.Dataset(ctx, n); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v; want that it was cancelled", err)
	}
}

type cancelling struct{ cancel func() }

func (c cancelling) Advanced(_ string, n int64) {
	if n > 0 {
		c.cancel()
	}
}
func (cancelling) Started(string, int64, int64) {}
func (cancelling) Finished(string)              {}
func (cancelling) Note(string)                  {}

// TestTruncatedInCache: a blob that is shorter than the Hub says is downloaded
// again.
func TestTruncatedInCache(t *testing.T) {
	b := newBench(t)
	d := b.must(repo)
	if err := os.Truncate(d.Files[0].Path, 100); err != nil {
		t.Fatal(err)
	}
	b.must(repo)
}

func TestWithoutLinks(t *testing.T) {
	b := newBench(t)
	b.set.NoLinks = true
	d := b.must(repo)
	if info, err := os.Lstat(d.Files[0].Path); err != nil || !info.Mode().IsRegular() {
		t.Errorf("%s: %v, %v; want a file", d.Files[0].Path, info.Mode(), err)
	}
	b.set.Offline = true
	b.must(repo)
}

func TestLayout(t *testing.T) {
	b := newBench(t)
	d := b.must(repo)
	at := filepath.Join(b.set.Cache, "datasets--org--set")
	link, err := os.Readlink(filepath.Join(at, "snapshots", d.Commit, "data", "test-00000-of-00002.parquet"))
	want := filepath.Join("..", "..", "..", "blobs", hubtest.File{Content: content(300_000, 1), Large: true}.Hash())
	if err != nil || link != want {
		t.Errorf("link %q, %v; want %q", link, err, want)
	}
	link, err = os.Readlink(filepath.Join(at, "snapshots", d.Commit, "README.md"))
	if want := filepath.Join("..", "..", "blobs", hubtest.File{Content: []byte(card)}.Hash()); err != nil || link != want {
		t.Errorf("link %q, %v; want %q", link, err, want)
	}
	ref, err := os.ReadFile(filepath.Join(at, "refs", "main"))
	if err != nil || string(ref) != d.Commit {
		t.Errorf("refs/main holds %q, %v; want %s", ref, err, d.Commit)
	}
	if tag, err := os.ReadFile(filepath.Join(b.set.Cache, "CACHEDIR.TAG")); err != nil || !strings.HasPrefix(string(tag), "Signature: 8a477f597d28d172789f06886806bc55") {
		t.Errorf("CACHEDIR.TAG holds %q, %v", tag, err)
	}
	stray, _ := filepath.Glob(filepath.Join(at, ".candor-*"))
	if len(stray) > 0 {
		t.Errorf("%v is left", stray)
	}
}

// TestReadOnly: a cache that cannot be written still serves what it has.
func TestReadOnly(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root may write everywhere")
	}
	b := newBench(t)
	b.must(repo)
	for _, dir := range []string{"datasets--org--set", "datasets--org--set/refs"} {
		dir = filepath.Join(b.set.Cache, dir)
		if err := os.Chmod(dir, 0o555); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.Chmod(dir, 0o755) })
	}
	b.must(repo)
}

func TestNotAFolder(t *testing.T) {
	b := newBench(t)
	if err := os.WriteFile(b.set.Cache, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	b.fails(repo, "cache")
}

// TestBadListing: names of files that would be written elsewhere are refused.
func TestBadListing(t *testing.T) {
	for _, name := range []string{"../../../evil.parquet", "/etc/evil.parquet", "a/../../evil.parquet", `..\evil.parquet`, "a//b.parquet"} {
		b := newBench(t)
		b.Add("org/evil", map[string][]byte{name: content(10, 1)})
		b.fails("org/evil", "no name of a file in it")
		if files, _ := filepath.Glob(filepath.Join(filepath.Dir(b.set.Cache), "*")); len(files) > 0 {
			t.Errorf("%q: wrote %v", name, files)
		}
	}
}

// TestTwoAtOnce: two processes, here two clients, download a file once.
func TestTwoAtOnce(t *testing.T) {
	b := newBench(t)
	n, _ := hub.ParseName(repo)
	errs := make(chan error, 4)
	for range cap(errs) {
		go func() {
			c := hub.New(b.set)
			defer c.Close()
			_, err := c.Dataset(t.Context(), n)
			errs <- err
		}()
	}
	for range cap(errs) {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	if n := b.asked("GET", true); n != 2 {
		t.Errorf("%d downloads; want 2", n)
	}
	b.set.Offline = true
	b.must(repo)
}

// TestNoRoom: a file that does not fit is refused before it is begun.
func TestNoRoom(t *testing.T) {
	b := newBench(t)
	b.Fail(hubtest.Fault{Kind: hubtest.Status, N: 302, Path: "/data/", Header: map[string][]string{
		"X-Linked-Etag": {strings.Repeat("a", 64)}, "X-Linked-Size": {"9000000000000000000"}, "Location": {b.Storage + "/x"},
	}})
	err := b.fails(repo, "data/test-00000-of-00002.parquet", "no room left in the cache "+b.set.Cache, "9000000000001 MB more", "HF_HOME")
	if !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("error %v; want ENOSPC in it", err)
	}
	if n := b.asked("GET", true); n != 0 {
		t.Errorf("%d downloads", n)
	}
}

// TestOddRedirects: what leads nowhere, in a circle or out of encryption ends
// with an error that says so.
func TestOddRedirects(t *testing.T) {
	for location, want := range map[string]string{
		"file:///etc/passwd": "no web address", "/api/datasets/org/set/revision/main": "more than 10 redirects", "http://[::1": "failed to parse Location",
	} {
		b := newBench(t)
		b.Fail(hubtest.Fault{Kind: hubtest.Status, N: 307, Header: map[string][]string{"Location": {location}}})
		b.fails(repo, want)
	}
}

// TestNoHub: what answers, but not as a Hub, is told apart from one.
func TestNoHub(t *testing.T) {
	b := newBench(t)
	b.Fail(hubtest.Fault{Kind: hubtest.Status, N: 200, Path: "/api/"})
	b.fails(repo, "does not answer as a Hub does", "HF_ENDPOINT")
	b.Mend()
	b.Fail(hubtest.Fault{Kind: hubtest.Status, N: 200, Path: "README.md"})
	b.fails(repo, "names no hash", "README.md")
}

// TestMirror: a stand-in for the Hub that lists a set's files only as a tree.
func TestMirror(t *testing.T) {
	b := newBench(t)
	b.Fail(hubtest.Fault{Kind: hubtest.Status, N: 404, Path: "/revision/"})
	d := b.must(repo)
	if want := b.Server.Repo(repo).Revisions["main"]; d.Commit != want || len(d.Files) != 2 {
		t.Errorf("%+v; want two files of commit %s", d, want)
	}
	b.Fail(hubtest.Fault{Kind: hubtest.Status, N: 404, Path: "/tree/"})
	b.set.Cache = t.TempDir()
	b.fails(repo, "/revision/main answers 404")
}
