package claim

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestLoad(t *testing.T) {
	row := `{"question_id": 1, "image": "a.jpg", "text": "Is there a dog in the image?", "label": "yes"}`
	dir := write(t, map[string]string{
		"set/coco_pope_random.json": row, "set/coco_pope_popular.json": row, "set/other.json": row,
		"own[1]/mine.jsonl": row, "empty/readme.txt": "", "a,b_random.json": row,
		"com,ma/c,d_popular.json": row,
	})
	at := func(name string) string { return filepath.Join(dir, name) }
	tests := map[string]int{
		at("set"):                       2, // POPE's files and no other
		at("own[1]"):                    1,
		at("set/coco_pope_random.json"): 1,
		at("a,b_random.json"):           1, // a comma of its own
		at("a,b_random.json") + "," + at("com,ma/c,d_popular.json"):      2,
		at("set/coco_pope_random.json") + ", " + at("own[1]/mine.jsonl"): 2,
	}
	for spec, want := range tests {
		set, err := Load(spec, "")
		if err != nil || len(set.Claims) != want {
			t.Errorf("Load(%q): %v; want %d claims", spec, err, want)
		}
	}
	if set, err := Load("demo", ""); err != nil || set.Name != "demo" || len(set.Splits()) != 3 {
		t.Errorf("demo: %v", err)
	}
}

// Each row is a list as it is given and the paths in it, where the folder holds
// "a", "a,b" and "c".
func TestSplitList(t *testing.T) {
	t.Chdir(write(t, map[string]string{"a": "", "a,b": "", "c": ""}))
	for spec, want := range map[string][]string{
		"":          nil,
		" , ,":      nil,
		"a":         {"a"},
		"a, c ":     {"a", "c"},
		"a,b":       {"a,b"}, // one path, though a is one too
		"a,b,c":     {"a,b", "c"},
		"c,a,b":     {"c", "a,b"},
		"a,c":       {"a", "c"},
		"x,a,b,,y":  {"x", "a,b", "y"}, // what is not there stands by itself
		"b,a":       {"b", "a"},
		" a,b , c,": {"a,b", "c"},
	} {
		if got := SplitList(spec); !slices.Equal(got, want) {
			t.Errorf("SplitList(%q) is %q; want %q", spec, got, want)
		}
	}
}

// Each row is the files of a set and what it is called.
func TestName(t *testing.T) {
	row := `{"claim": "A dog.", "image": "a.jpg", "label": "yes"}`
	dir := t.TempDir()
	for names, want := range map[string]string{
		"mine.jsonl": "mine",
		"coco_pope_random.json,coco_pope_popular.json,coco_pope_adversarial.json": "coco_pope (3 files)",
		"a.json,b.jsonl":                                  "a and 1 more",
		"aéx_random.json,aéy.json":                        "aé (2 files)",
		"a/random.json,b/popular.json,c/adversarial.json": "random and 2 more",
	} {
		var paths []string
		for name := range strings.SplitSeq(names, ",") {
			path := filepath.Join(dir, name)
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(row), 0o644)); err != nil {
				t.Fatal(err)
			}
			paths = append(paths, path)
		}
		set, err := LoadPOPE(paths, "")
		if err != nil || set.Name != want {
			t.Errorf("%s: %v; %+v", names, err, set)
		}
	}
}

func TestLoadRefuses(t *testing.T) {
	if _, err := Load("lmms-lab/POPE", ""); !errors.Is(err, ErrHub) || !strings.Contains(err.Error(), "lmms-lab/POPE") {
		t.Errorf("Hub: %v", err)
	}
	dir := t.TempDir()
	for _, spec := range []string{filepath.Join(dir, "no.json"), "data/no.json", filepath.Join(dir, "a.json") + "," + dir} {
		if _, err := Load(spec, ""); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("Load(%q): %v; want not found", spec, err)
		}
	}
	for _, spec := range []string{"", dir, ", ,", "pope"} {
		if _, err := Load(spec, ""); err == nil {
			t.Errorf("Load(%q) loaded something", spec)
		}
	}
}
