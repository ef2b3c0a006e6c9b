package claim_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"candor/harness/claim"
	"candor/harness/hub"
	"candor/harness/hub/hubtest"
)

// published is a Hub with POPE in small under its present name and its old one,
// and a loader of it.
func publishedHub(t *testing.T) (*hubtest.Server, claim.Loader) {
	t.Helper()
	s := hubtest.New(t)
	files, err := hubtest.Folder(filepath.Join(parquets, "pope"))
	if err != nil {
		t.Fatal(err)
	}
	s.Add("lmms-lab-encoder/POPE", files)
	s.Rename("lmms-lab/POPE", "lmms-lab-encoder/POPE")
	c := hub.New(hub.Settings{
		Endpoint: s.URL, Cache: t.TempDir(), MetadataTimeout: 5 * time.Second, DownloadTimeout: 5 * time.Second,
	})
	t.Cleanup(c.Close)
	return s, claim.Loader{Hub: c}
}

func TestLoadFromHub(t *testing.T) {
	s, l := publishedHub(t)
	for _, name := range []string{"lmms-lab-encoder/POPE", "lmms-lab/POPE", "lmms-lab-encoder/POPE:Full", "hf://datasets/lmms-lab-encoder/POPE"} {
		set, err := l.Load(t.Context(), name)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if len(set.Claims) != 54 || len(set.Revision) != 40 || !strings.HasPrefix(set.Name, "lmms-lab-encoder/POPE") {
			t.Errorf("%s: %d claims of %s, revision %s; want 54, its present name and a commit", name, len(set.Claims), set.Name, set.Revision)
		}
		if len(open(t, set, 53)) == 0 {
			t.Errorf("%s: an empty image", name)
		}
	}
	set, err := l.Load(t.Context(), "lmms-lab-encoder/POPE:Full/random")
	if err != nil || len(set.Claims) != 18 || set.Name != "lmms-lab-encoder/POPE:Full/random" {
		t.Errorf("%+v, %v; want one split's 18 claims", set, err)
	}
	if _, err = l.Load(t.Context(), "lmms-lab/other"); !errors.Is(err, hub.ErrNotFound) || !strings.Contains(err.Error(), "no file or folder lmms-lab/other") {
		t.Errorf("error %v; want that it is neither there nor here", err)
	}

	// A path of a row may not lead to just any file of this machine.
	secret := filepath.Join(t.TempDir(), "COCO_val2014_000000310196.jpg")
	if err := os.WriteFile(secret, []byte("secret"), 0o644); err != nil {
		t.Fatal(err)
	}
	paths, err := os.ReadFile(filepath.Join(parquets, "odd", "paths.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	s.Add("org/paths", map[string][]byte{"data/test-00000-of-00001.parquet": paths})
	t.Chdir(filepath.Dir(secret))
	if set, err = l.Load(t.Context(), "org/paths"); err != nil {
		t.Fatal(err)
	}
	if data, _, err := set.Claims[0].Open(t.Context(), set.Images); err == nil {
		t.Errorf("read %q by a path of a data set of the Hub", data)
	}
}

// TestNothingFetched: without a Hub none is asked.
func TestNothingFetched(t *testing.T) {
	for _, name := range []string{"lmms-lab-encoder/POPE", "lmms-lab-encoder/POPE@main:Full"} {
		if _, err := claim.Load(name, ""); !errors.Is(err, claim.ErrHub) {
			t.Errorf("%s: error %v; want ErrHub", name, err)
		}
	}
	// A file that is here comes first, and what ends as files do is one.
	t.Chdir(t.TempDir())
	if err := os.MkdirAll("org", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("org/set", []byte(`{"image": "a.jpg", "claim": "It rains.", "label": "yes"}`), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := claim.Load("org/set", ""); err != nil {
		t.Error(err)
	}
	for _, name := range []string{"org/set.parquet", "org/set.json"} {
		if _, err := claim.Load(name, ""); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: error %v; want that there is no such file", name, err)
		}
	}
}

// A file of the cache that was damaged after it came is named, to be removed,
// whether that shows when it is opened or at an image.
func TestDamagedCache(t *testing.T) {
	for name, spoil := range map[string]func([]byte){
		"the end":  func(b []byte) { copy(b[len(b)-40:], strings.Repeat("\xff", 30)) },
		"the data": func(b []byte) { copy(b[4:], strings.Repeat("\xff", len(b)/2)) },
	} {
		_, l := publishedHub(t)
		set, err := l.Load(t.Context(), "lmms-lab/POPE:Full/random")
		if err != nil || len(set.Cached) != 1 {
			t.Fatalf("%v, %d files", err, len(set.Cached))
		}
		if err := hub.CheckBlob(set.Cached[0], ""); err != nil {
			t.Error(err)
		}
		blob := hub.Blob(set.Cached[0])
		b, err := os.ReadFile(blob)
		if err != nil {
			t.Fatal(err)
		}
		spoil(b)
		if err := os.WriteFile(blob, b, 0o644); err != nil {
			t.Fatal(err)
		}
		again, err := l.Load(t.Context(), "lmms-lab/POPE:Full/random")
		if err == nil {
			_, _, err = again.Claims[0].Open(t.Context(), again.Images)
		}
		if err == nil || !strings.Contains(err.Error(), "remove "+blob+" ") || strings.Count(err.Error(), "its metadata are damaged") > 1 {
			t.Errorf("%s: error %v; want it to name %s", name, err, blob)
		}
		if err := hub.CheckBlob(set.Cached[0], ""); !errors.Is(err, hub.ErrDamaged) || !strings.Contains(err.Error(), blob) {
			t.Errorf("%s: error %v; want that the copy is damaged", name, err)
		}
	}
}
