package hub_test

import (
	"encoding/json"
	"flag"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"candor/harness/hub/hubtest"
)

var update = flag.Bool("update", false, "record anew the caches that huggingface_hub writes (needs CANDOR_PEERS)")

// recordedFile has the cache that huggingface_hub wrote of the tiny set, with
// links and without: path → "-> target" of a link, or "= content" of a file.
const recordedFile = "testdata/python-caches.json"

// tiny is a data set of two files, one of them large.
func tiny() map[string][]byte {
	return map[string][]byte{"README.md": []byte("# Tiny\n"), "data/test-00000-of-00001.parquet": []byte("PAR1, or so")}
}

func described(t *testing.T, root string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		if d.Type()&fs.ModeSymlink != 0 {
			target, err := os.Readlink(path)
			found[name] = "-> " + target
			return err
		}
		b, err := os.ReadFile(path)
		found[name] = "= " + string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// rebuild makes a cache as it was described.
func rebuild(t *testing.T, root string, files map[string]string) {
	t.Helper()
	for name, what := range files {
		at := filepath.Join(root, name)
		if target, ok := strings.CutPrefix(what, "-> "); ok {
			if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(target, at); err != nil {
				t.Fatal(err)
			}
			continue
		}
		write(t, at, strings.TrimPrefix(what, "= "))
	}
}

func recorded(t *testing.T) (caches map[string]map[string]string) {
	t.Helper()
	b, err := os.ReadFile(recordedFile)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &caches); err != nil {
		t.Fatal(err)
	}
	return caches
}

// TestPeersRecording: the recording is what the library writes.
func TestPeersRecording(t *testing.T) {
	now := map[string]map[string]string{}
	for kind, env := range map[string][]string{"links": nil, "copies": {"HF_HUB_DISABLE_SYMLINKS=1"}} {
		p := newPeer(t, env...)
		p.Add("org/tiny", tiny())
		var out any
		p.do(&out, "snapshot", "org/tiny")
		now[kind] = described(t, p.set.Cache)
	}
	if *update {
		b, err := json.MarshalIndent(now, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		write(t, recordedFile, string(b)+"\n")
	}
	if want := recorded(t); !reflect.DeepEqual(now, want) {
		t.Errorf("the library writes %v; recorded is %v: -update records it anew", now, want)
	}
}

// TestReadRecorded: caches that the library wrote are read offline.
func TestReadRecorded(t *testing.T) {
	for kind, files := range recorded(t) {
		b := newBench(t)
		rebuild(t, b.set.Cache, files)
		b.set.Offline = true
		d, err := b.get("org/tiny")
		if err != nil || len(d.Files) != 1 || d.Files[0].Split != "test" {
			t.Fatalf("%s: %+v, %v; want its one file", kind, d, err)
		}
		if got, err := os.ReadFile(d.Files[0].Path); err != nil || string(got) != string(tiny()["data/test-00000-of-00001.parquet"]) {
			t.Errorf("%s: %q, %v", kind, got, err)
		}
		// Its list of files tells that one is missing.
		if err := os.Remove(d.Files[0].Path); err != nil {
			t.Fatal(err)
		}
		b.fails("org/tiny", "data/test-00000-of-00001.parquet of commit", "is not there")
	}
}

// TestWriteAsRecorded: Candor writes what the library does, but for the list of
// all files and, without links, a copy where the library moves the content.
func TestWriteAsRecorded(t *testing.T) {
	caches := recorded(t)
	b := newBench(t)
	b.Add("org/tiny", tiny())
	if _, err := b.get("org/tiny"); err != nil {
		t.Fatal(err)
	}
	got, want := described(t, b.set.Cache), caches["links"]
	for _, files := range []map[string]string{got, want} {
		maps.DeleteFunc(files, func(name, _ string) bool { return strings.Contains(name, "/trees/") || name == "CACHEDIR.TAG" })
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the cache is\n%v\nwant\n%v", got, want)
	}
	commit := b.Server.Repo("org/tiny").Revisions["main"]
	b.set.NoLinks, b.set.Cache = true, t.TempDir()
	if _, err := b.get("org/tiny"); err != nil {
		t.Fatal(err)
	}
	got = described(t, b.set.Cache)
	for name, what := range caches["copies"] {
		if strings.Contains(name, "/snapshots/"+commit) && got[name] != what {
			t.Errorf("%s is %q; want %q", name, got[name], what)
		}
	}
}

// TestUnverifiable: a stand-in for the Hub that names files by something else
// than their hash is believed, as the library believes it.
func TestUnverifiable(t *testing.T) {
	b := newBench(t)
	b.Add("org/other", tiny())
	for _, etag := range []string{`W/"5d41402a-17"`, `"d41d8cd98f00b204e9800998ecf8427e"`} {
		b.set.Cache = t.TempDir()
		b.Fail(hubtest.Fault{Kind: hubtest.Status, N: 200, Path: "README.md", Times: 1, Header: map[string][]string{"Etag": {etag}, "Content-Length": {"7"}}})
		if _, err := b.get("org/other"); err != nil {
			t.Errorf("ETag %s: %v", etag, err)
		}
		b.Mend()
	}
	// One that would be no name of a file is not.
	b.set.Cache = t.TempDir()
	b.Fail(hubtest.Fault{Kind: hubtest.Status, N: 200, Path: "README.md", Header: map[string][]string{"Etag": {`"../../x"`}}})
	b.fails("org/other", "names no hash", "README.md")
}
