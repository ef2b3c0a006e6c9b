package hub_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"candor/harness/hub"
	"candor/harness/hub/hubtest"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const repo = "org/set"

// content is bytes that look like nothing else.
func content(n int, seed byte) []byte {
	b := make([]byte, n)
	_, _ = rand.NewChaCha8([32]byte{seed}).Read(b) // never fails
	return b
}

const card = "---\nconfigs:\n- config_name: default\n  data_files:\n  - split: test\n    path: data/test-*\n- config_name: Full\n  data_files:\n  - split: random\n    path: Full/random-*\n---\n# A set\n"

// published are files as the published set has them, three and one.
func published() map[string][]byte {
	return map[string][]byte{
		"README.md":                          []byte(card),
		".gitattributes":                     []byte("*.parquet filter=lfs\n"),
		"data/test-00000-of-00002.parquet":   content(300_000, 1),
		"data/test-00001-of-00002.parquet":   content(200_000, 2),
		"Full/random-00000-of-00001.parquet": content(100_000, 3),
	}
}

// bench is a Hub with the published set, and a client with a cache of its own.
type bench struct {
	*hubtest.Server
	t    *testing.T
	set  hub.Settings
	told told
	wait []time.Duration
}

func newBench(t *testing.T) *bench {
	b := &bench{Server: hubtest.New(t), t: t}
	b.Add(repo, published())
	b.set = hub.Settings{
		Endpoint: b.URL, Cache: filepath.Join(t.TempDir(), "hub"),
		MetadataTimeout: 5 * time.Second, DownloadTimeout: 5 * time.Second,
	}
	return b
}

func (b *bench) get(name string) (*hub.Dataset, error) {
	b.t.Helper()
	n, err := hub.ParseName(name)
	if err != nil {
		b.t.Fatal(err)
	}
	c := hub.New(b.set, hub.WithProgress(&b.told), hub.WithRetry(hub.Retry{Attempts: 4, First: time.Millisecond, Max: 2 * time.Millisecond}),
		hub.WithSleep(func(ctx context.Context, d time.Duration) error { b.wait = append(b.wait, d); return ctx.Err() }))
	defer c.Close()
	return c.Dataset(b.t.Context(), n)
}

// must fetches and compares every file with what the Hub has.
func (b *bench) must(name string) *hub.Dataset {
	b.t.Helper()
	d, err := b.get(name)
	if err != nil {
		b.t.Fatalf("%s: %v", name, err)
	}
	for _, f := range d.Files {
		got, err := os.ReadFile(f.Path)
		if err != nil || !bytes.Equal(got, published()[f.Name]) {
			b.t.Errorf("%s: file %s: %d bytes, error %v; want the %d published", name, f.Name, len(got), err, len(published()[f.Name]))
		}
	}
	return d
}

func (b *bench) fails(name string, words ...string) error {
	b.t.Helper()
	d, err := b.get(name)
	if err == nil {
		b.t.Fatalf("%s: %+v; want an error with %q", name, d, words)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			b.t.Errorf("%s: error %q; want %q in it", name, err, w)
		}
	}
	return err
}

// told records what a user would be shown.
type told struct {
	mu       sync.Mutex
	notes    []string
	advanced []int64
	open     int
}

func (t *told) Started(string, int64, int64) { t.mu.Lock(); t.open++; t.mu.Unlock() }
func (t *told) Finished(string)              { t.mu.Lock(); t.open--; t.mu.Unlock() }
func (t *told) Advanced(_ string, n int64) {
	t.mu.Lock()
	t.advanced = append(t.advanced, n)
	t.mu.Unlock()
}
func (t *told) Note(s string) { t.mu.Lock(); t.notes = append(t.notes, s); t.mu.Unlock() }

// asked counts requests.
func (b *bench) asked(method string, storage bool) (n int) {
	for _, r := range b.Requests() {
		if r.Method == method && r.Storage == storage {
			n++
		}
	}
	return n
}

func TestDataset(t *testing.T) {
	b := newBench(t)
	d := b.must(repo)
	if d.Repo != repo || d.Config != "default" || len(d.Commit) != 40 || len(d.Files) != 2 ||
		d.Files[0].Name != "data/test-00000-of-00002.parquet" || d.Files[0].Split != "test" {
		t.Errorf("dataset %+v; want the default configuration's two files, of split test", d)
	}
	if b.told.open != 0 || len(b.told.advanced) == 0 {
		t.Errorf("%d files are open for the progress bar, and it moved %d times", b.told.open, len(b.told.advanced))
	}
	if n := b.asked("GET", true); n != 2 {
		t.Errorf("%d downloads of large files; want 2: the other configuration is not needed", n)
	}

	// The second time the Hub is asked one thing: which commit it is now.
	b.Forget()
	b.must(repo)
	if r := b.Requests(); len(r) != 1 {
		t.Errorf("requests %+v; want one", r)
	}
	// A commit is never asked about again.
	b.Forget()
	b.must(repo + "@" + d.Commit)
	if r := b.Requests(); len(r) != 0 {
		t.Errorf("requests %+v; want none", r)
	}
	// A new commit of which one file changed downloads that file.
	changed := published()
	changed["data/test-00000-of-00002.parquet"] = content(1000, 9)
	b.Commit(repo, changed)
	b.Forget()
	after, err := b.get(repo)
	if err != nil || after.Commit == d.Commit || b.asked("GET", true) != 1 {
		t.Errorf("after a new commit: %+v, %v, %d downloads; want one", after, err, b.asked("GET", true))
	}
}

func TestConfigurationAndSplit(t *testing.T) {
	b := newBench(t)
	if d := b.must(repo + ":Full"); len(d.Files) != 1 || d.Files[0].Split != "random" || d.Config != "Full" {
		t.Errorf("dataset %+v; want Full's one file", d)
	}
	if d := b.must(repo + ":default/test"); len(d.Files) != 2 {
		t.Errorf("dataset %+v; want two files", d)
	}
	b.fails(repo+":full", `no configuration "full"`, "default, Full")
	b.fails(repo+":Full/test", `no split "test"`, "random")
}

func TestRenamed(t *testing.T) {
	b := newBench(t)
	b.Rename("old-org/set", repo)
	d := b.must("old-org/set")
	if d.Repo != repo {
		t.Errorf("name %q; want the new one", d.Repo)
	}
	if !strings.Contains(strings.Join(b.told.notes, "\n"), "is now org/set") {
		t.Errorf("notes %q; want the new name told", b.told.notes)
	}
	// huggingface_hub keeps files under the name that was asked for; so do we.
	if _, err := os.Stat(filepath.Join(b.set.Cache, "datasets--old-org--set", "refs", "main")); err != nil {
		t.Error(err)
	}
	b.set.Offline = true
	b.must("old-org/set")
	b.fails(repo, "not in the cache", "it has old-org/set", "HF_HUB_OFFLINE")
}

// TestRenamedShares: what is here under the new name is not downloaded again
// under the old one.
func TestRenamedShares(t *testing.T) {
	b := newBench(t)
	b.Rename("old-org/set", repo)
	b.must(repo)
	b.Forget()
	b.must("old-org/set")
	if n := b.asked("GET", true); n != 0 {
		t.Errorf("%d downloads; want none", n)
	}
}

func TestToken(t *testing.T) {
	b := newBench(t)
	const secret = "hf_secret"
	b.Add("org/private", published()).Token = secret
	b.fails("org/private", "not found", "HF_TOKEN", "org/private")

	b.set.Token = "hf_other"
	err := b.fails("org/private", "token")
	if !errors.Is(err, hub.ErrToken) {
		t.Errorf("error %v; want ErrToken", err)
	}
	b.set.Token = secret
	b.Forget()
	b.must("org/private")
	for _, r := range b.Requests() {
		if want := map[bool]string{false: "Bearer " + secret, true: ""}[r.Storage]; r.Authorization != want {
			t.Errorf("%s %s: Authorization %q; want %q", r.Method, r.Path, r.Authorization, want)
		}
	}
	for _, shown := range []string{fmt.Sprintf("%v %+v %#v %s", b.set, b.set, b.set, b.set.Token)} {
		if strings.Contains(shown, secret) {
			t.Errorf("settings print the token: %s", shown)
		}
	}
}

// TestTokenStaysAtHome: a redirect away and back again gets no token.
func TestTokenStaysAtHome(t *testing.T) {
	b := newBench(t)
	b.set.Token = "hf_secret"
	away := hubtest.New(t)
	away.Add(repo, published())
	b.Rename(repo, repo) // never reached: the fault comes first
	b.Fail(hubtest.Fault{Kind: hubtest.Status, N: 307, Path: "/api/", Header: map[string][]string{"Location": {away.URL + "/api/datasets/org/set/revision/main"}}})
	b.Fail(hubtest.Fault{Kind: hubtest.Status, N: 302, Path: "/resolve/", Header: map[string][]string{"Location": {away.URL + "/datasets/org/set/resolve/main/README.md"}}})
	_, _ = b.get(repo)
	if len(away.Requests()) == 0 {
		t.Fatal("the redirect was not followed")
	}
	for _, r := range away.Requests() {
		if r.Authorization != "" {
			t.Errorf("%s %s was sent the token", r.Method, r.Path)
		}
	}
}

func TestGated(t *testing.T) {
	b := newBench(t)
	b.Add("org/gated", published()).Gated = true
	err := b.fails("org/gated", "accept its terms at "+b.URL+"/datasets/org/gated", "HF_TOKEN")
	if !errors.Is(err, hub.ErrGated) {
		t.Errorf("error %v; want ErrGated", err)
	}
	b.set.Token = "hf_x"
	b.fails("org/gated", "for the account of this token", b.URL+"/datasets/org/gated")
}

func TestNotThere(t *testing.T) {
	b := newBench(t)
	for name, words := range map[string][]string{
		"org/nothing":             {"not found", "name is right"},
		repo + "@nothing":         {"no revision", "nothing"},
		repo + "@refs/pr/7":       {"no revision", "refs/pr/7"},
		repo + ":default/nothing": {"no split"},
	} {
		err := b.fails(name, words...)
		if strings.Contains(name, ":") == errors.Is(err, hub.ErrNotFound) {
			t.Errorf("%s: error %v; ErrNotFound is %v", name, err, errors.Is(err, hub.ErrNotFound))
		}
	}
	b.set.Endpoint = b.Storage // answers, but is no Hub
	b.fails(repo, "403")
}

func TestRevisions(t *testing.T) {
	b := newBench(t)
	r := b.Add("org/tagged", published())
	commit := r.Revisions["main"]
	r.Revisions["v1.0"], r.Revisions["refs/convert/parquet"] = commit, commit
	for _, revision := range []string{"main", "v1.0", "refs/convert/parquet", commit} {
		if d := b.must("org/tagged@" + revision); d.Commit != commit {
			t.Errorf("%s is commit %s; want %s", revision, d.Commit, commit)
		}
	}
	got, err := os.ReadFile(filepath.Join(b.set.Cache, "datasets--org--tagged", "refs", "refs", "convert", "parquet"))
	if err != nil || string(got) != commit {
		t.Errorf("ref holds %q, %v; want the commit and nothing else", got, err)
	}
}

func TestOffline(t *testing.T) {
	b := newBench(t)
	b.set.Offline = true
	err := b.fails(repo, "not in the cache", "HF_HUB_OFFLINE")
	if !errors.Is(err, hub.ErrNotCached) || len(b.Requests()) != 0 {
		t.Errorf("error %v after %d requests; want ErrNotCached without any", err, len(b.Requests()))
	}
	b.set.Offline = false
	want := b.must(repo)
	b.set.Offline = true
	b.Forget()
	got := b.must(repo)
	if got.Commit != want.Commit || len(b.Requests()) != 0 {
		t.Errorf("offline: commit %s after %d requests; want %s without any", got.Commit, len(b.Requests()), want.Commit)
	}
	// The other configuration is not here, and a part of this one is not all.
	b.fails(repo+":Full", "not in the cache", "random")
	if err := os.Remove(got.Files[1].Path); err != nil {
		t.Fatal(err)
	}
	b.fails(repo, "1 of the 2 files")
}

// TestHubAway: what is cached serves where the Hub does not answer, and a user
// is told.
func TestHubAway(t *testing.T) {
	for _, status := range []int{500, 503, 429, 401, 403} {
		b := newBench(t)
		b.must(repo)
		b.Fail(hubtest.Fault{Kind: hubtest.Status, N: status})
		b.must(repo)
		if n := strings.Join(b.told.notes, "\n"); !strings.Contains(n, "read from the cache, commit ") {
			t.Errorf("status %d: notes %q; want the cache told", status, n)
		}
		b.fails(repo+":Full", fmt.Sprint(status))
	}
	b := newBench(t)
	b.must(repo)
	b.Close()
	b.must(repo)
	b.fails("org/other", "cannot be reached")
}
