package hub_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"candor/harness/hub"
	"candor/harness/hub/hubtest"
)

// peer is the Hub's own library, in the version of
// scripts/record/hub.txt: CANDOR_PEERS names a Python interpreter
// that has it, as "scripts/record.sh python" prints it.
type peer struct {
	*bench
	python string
	home   string
	env    []string
}

func newPeer(t *testing.T, env ...string) *peer {
	python := os.Getenv("CANDOR_PEERS")
	if python == "" {
		t.Skip("needs CANDOR_PEERS, a Python interpreter with huggingface_hub")
	}
	p := &peer{bench: newBench(t), python: python, home: t.TempDir(), env: env}
	files, err := hubtest.Folder(filepath.Join("..", "parquet", "testdata", "pope"))
	if err != nil {
		t.Fatal(err)
	}
	p.Add(repo, files)
	p.Rename("old-org/set", repo)
	p.set.Cache = filepath.Join(p.home, "hub")
	return p
}

// do runs an action of scripts/record/hub.py.
func (p *peer) do(into any, args ...string) {
	p.t.Helper()
	out, err := p.try(args...)
	if err != nil {
		p.t.Fatalf("hub.py %v: %v", args, err)
	}
	if err := json.Unmarshal(out, into); err != nil {
		p.t.Fatalf("hub.py %v: %v: %s", args, err, out)
	}
}

func (p *peer) try(args ...string) ([]byte, error) {
	cmd := exec.Command(p.python, append([]string{filepath.Join("..", "..", "scripts", "record", "hub.py")}, args...)...)
	cmd.Env = append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + p.home, "HF_HOME=" + p.home, "HF_ENDPOINT=" + p.URL,
		"HF_HUB_DISABLE_TELEMETRY=1", "HF_HUB_DISABLE_UPDATE_CHECK=1", "HF_HUB_DISABLE_PROGRESS_BARS=1",
	}, p.env...)
	out, err := cmd.Output()
	if exit, ok := err.(*exec.ExitError); ok {
		p.t.Logf("%s\nafter %+v", exit.Stderr, p.Requests())
	}
	return out, err
}

// same compares what Candor has with what the Hub holds.
func (p *peer) same(d *hub.Dataset, err error, config string) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
	if len(d.Files) != 3 || d.Config != config {
		p.t.Fatalf("%+v; want three files of %s", d, config)
	}
	for _, f := range d.Files {
		got, err := os.ReadFile(f.Path)
		if want := p.Server.Repo(repo).Commits[d.Commit][f.Name].Content; err != nil || string(got) != string(want) {
			p.t.Errorf("%s: %d bytes, %v; want %d", f.Name, len(got), err, len(want))
		}
	}
}

const dataFiles = "data/test-00000-of-00003.parquet data/test-00001-of-00003.parquet data/test-00002-of-00003.parquet"

// TestPeersWrite: what huggingface_hub and datasets download, Candor reads
// without asking.
func TestPeersWrite(t *testing.T) {
	for name, write := range map[string]func(p *peer) string{
		"all of it":       func(p *peer) string { var out any; p.do(&out, "snapshot", repo); return repo },
		"by the old name": func(p *peer) string { var out any; p.do(&out, "snapshot", "old-org/set"); return "old-org/set" },
		"the data files": func(p *peer) string {
			var out any
			p.do(&out, append([]string{"files", repo}, strings.Fields(dataFiles)...)...)
			return repo
		},
		"by datasets": func(p *peer) string { var out any; p.do(&out, "load", repo, "default"); return repo },
		"by commit": func(p *peer) string {
			var out any
			r := repo + "@" + p.Server.Repo(repo).Revisions["main"]
			p.do(&out, "snapshot", r)
			return r
		},
		"of another branch": func(p *peer) string {
			var out any
			r := p.branch("refs/convert/parquet")
			p.do(&out, "snapshot", r)
			return r
		},
		"without links": func(p *peer) string {
			var out any
			p.env = []string{"HF_HUB_DISABLE_SYMLINKS=1"}
			p.do(&out, "snapshot", repo)
			return repo
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPeer(t)
			asked := write(p)
			p.set.Offline = true
			p.Forget()
			d, err := p.get(asked)
			p.same(d, err, "default")
			if n := len(p.Requests()); n != 0 {
				t.Errorf("%d requests", n)
			}
			// Online, only which commit it is is asked.
			p.set.Offline = false
			d, err = p.get(asked)
			p.same(d, err, "default")
			if n := p.asked("GET", true); n != 0 {
				t.Errorf("%d downloads of what is here", n)
			}
		})
	}
}

// branch makes another name of the newest commit.
func (p *peer) branch(name string) string {
	r := p.Server.Repo(repo)
	r.Revisions[name] = r.Revisions["main"]
	return repo + "@" + name
}

// TestPeersPart: of a part of a set that was downloaded, or listed as more than
// is here, Candor says that it is one.
func TestPeersPart(t *testing.T) {
	p := newPeer(t)
	var out any
	p.do(&out, append([]string{"files", repo}, strings.Fields(dataFiles)[:2]...)...)
	p.set.Offline = true
	p.fails(repo, "2 of the 3 files")
}

// TestPeersRead: what Candor downloads, huggingface_hub reads without asking,
// finds nothing wrong with, and does not download again.
func TestPeersRead(t *testing.T) {
	for name, c := range map[string]struct {
		asked   string
		noLinks bool
	}{
		"by name": {asked: repo}, "by the old name": {asked: "old-org/set"}, "of another branch": {asked: "branch"},
		"without links": {asked: repo, noLinks: true},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPeer(t)
			if c.asked == "branch" {
				c.asked = p.branch("refs/pr/1")
			}
			p.set.NoLinks = c.noLinks
			d, err := p.get(c.asked)
			p.same(d, err, "default")
			p.Forget()

			var cached map[string]struct{ Path, SHA256 string }
			p.env = []string{"HF_HUB_OFFLINE=1"}
			p.do(&cached, append([]string{"cached", c.asked, "README.md"}, strings.Fields(dataFiles)...)...)
			for _, f := range d.Files {
				content, err := os.ReadFile(f.Path)
				sum := sha256.Sum256(content)
				if got := cached[f.Name]; err != nil || got.Path != f.Path || got.SHA256 != hex.EncodeToString(sum[:]) {
					t.Errorf("%s: the library reads %+v; want %s, %x (%v)", f.Name, got, f.Path, sum, err)
				}
			}
			if n := len(p.Requests()); n != 0 {
				t.Errorf("%d requests offline", n)
			}
			var scan struct {
				Warnings []string
				Repos    map[string]map[string][2][]string
			}
			p.do(&scan, "scan", repo)
			name, revision, _ := strings.Cut(c.asked, "@")
			if revision == "" {
				revision = "main"
			}
			found := scan.Repos[name][d.Commit]
			if len(scan.Warnings) > 0 || len(scan.Repos) != 1 || !slices.Contains(append(found[0], found[1]...), revision) {
				t.Errorf("the library finds %+v; want one data set, its revision %s and no complaint", scan, revision)
			}
			p.env = nil
			var again map[string]any
			p.do(&again, append([]string{"files", c.asked}, strings.Fields(dataFiles)...)...)
			if n := p.asked("GET", true); n != 0 {
				t.Errorf("the library downloads %d files that are here", n)
			}
		})
	}
}

// TestPeersLoad: datasets loads what Candor cached, and downloads nothing.
func TestPeersLoad(t *testing.T) {
	p := newPeer(t)
	for _, c := range []string{"default", "Full"} {
		d, err := p.get(repo + ":" + c)
		p.same(d, err, c)
	}
	p.Forget()
	var rows map[string]int
	p.do(&rows, "load", repo, "Full")
	if len(rows) != 3 || rows["random"] != 18 {
		t.Errorf("datasets loads %v; want 18 rows in each of three splits", rows)
	}
	p.do(&rows, "load", repo, "default")
	if rows["test"] != 54 {
		t.Errorf("datasets loads %v; want 54 rows of split test", rows)
	}
	if n := p.asked("GET", true); n != 0 {
		t.Errorf("datasets downloads %d files that are here", n)
	}
}

// TestPeersAtOnce: Candor and the library download into one cache at the same
// time; each file comes once, and both find it.
func TestPeersAtOnce(t *testing.T) {
	p := newPeer(t)
	p.Fail(hubtest.Fault{Kind: hubtest.Slow, N: 50, Storage: true})
	done := make(chan error, 1)
	go func() {
		_, err := p.try(append([]string{"files", repo}, strings.Fields(dataFiles)...)...)
		done <- err
	}()
	d, err := p.get(repo)
	p.same(d, err, "default")
	if err := <-done; err != nil {
		t.Error(err)
	}
	if n := p.asked("GET", true); n != 3 {
		t.Errorf("%d downloads; want 3", n)
	}
}
