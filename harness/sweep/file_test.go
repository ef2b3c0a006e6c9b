package sweep_test

import (
	"errors"
	"strings"
	"testing"

	"candor/harness/run"
	"candor/harness/sweep"
)

// Each mistake is a usage error that says where it stands and what it is.
func TestMistakes(t *testing.T) {
	for name, row := range map[string]struct{ text, at, says string }{
		"no TOML":              {"model = \"a\"\nsplit = [\n", "f.toml:", ""},
		"no value":             {"model =\n", "f.toml:1:", ""},
		"a key twice":          {"seed = 1\nseed = 2\n", "f.toml:", "seed"},
		"unknown setting":      {"model = \"a\"\n  num-taks = 1\n", "f.toml:2:3:", `the nearest is "num-tasks"`},
		"unknown axis":         {"[axes]\nreplicat = [1]\n", "f.toml:2:1:", `the nearest is "replicate"`},
		"no axis of its kind":  {"[axes]\nbins = [1]\n", "f.toml:2:1:", "unknown key"},
		"unknown in a filter":  {"[axes]\nseed = [1]\n[[exclude]]\nseed = 1\n[[exclude]]\nsed = 1\n", "f.toml:6:1:", `the nearest is "seed"`},
		"unknown in rescore":   {"[rescore]\nrules = [\"log\"]\n", "f.toml:2:1:", `the nearest is "rule"`},
		"unknown inline":       {"rescore = { rulez = 1 }\n", "f.toml:1:13:", `the nearest is "rule"`},
		"text for a number":    {"num-tasks = \"many\"\n", "f.toml:1:1:", "a whole number is wanted"},
		"fraction for a whole": {"[axes]\nseed = [1, 1.5]\n", "f.toml:2:1:", "a whole number is wanted"},
		"no list":              {"[axes]\nseed = 3\n", "f.toml:2:1:", "a list of one value or more"},
		"empty list":           {"[axes]\nseed = []\n", "f.toml:2:1:", "a list of one value or more"},
		"axes no table":        {"axes = 3\n", "f.toml:1:1:", "is a table"},
		"infinite":             {"temperature = inf\n", "f.toml:1:1:", "cannot be used"},
		"axis and setting":     {"seed = 1\n[axes]\nseed = [1]\n", "f.toml:1:1:", "is an axis too"},
		"filter of nothing":    {"[axes]\nseed = [1, 2]\n[[exclude]]\nseed = 3\n", "f.toml:3:3:", "excludes no combination"},
		"all excluded":         {"[axes]\nseed = [1]\n[[exclude]]\nseed = 1\n", "f.toml:", "every combination is excluded"},
		"unknown baseline":     {"baseline = \"seed=3\"\n[axes]\nseed = [1, 2]\n", "f.toml:1:1:", "seed=1, seed=2"},
		"bad payoff of a cell": {"[axes]\nabstain-reward = [0.8, 0.7]\n", "f.toml: cell abstain-reward=0.7:", "(0.75, 1)"},
		"unknown profile":      {"[axes]\nprofile = [\"greedyy\"]\n", "f.toml: cell profile=greedyy:", "unknown profile"},
		"bad payoff, rescored": {"[rescore]\nrule = [\"log\"]\nabstain-reward = [0.8]\n", "f.toml:3:1:", "0.92474"},
		"bad rule, rescored":   {"[rescore]\nrule = [\"lug\"]\n", "f.toml:2:1:", "neither brier nor log"},
	} {
		f, err := sweep.Parse("f.toml", []byte(row.text))
		if err == nil {
			_, err = f.Cells(func(c *run.Config, _ func(string) bool) { c.Model = "m" })
		}
		if !errors.As(err, new(*run.UsageError)) || !strings.HasPrefix(err.Error(), row.at) || !strings.Contains(err.Error(), row.says) {
			t.Errorf("%s: %v; want %q … %q", name, err, row.at, row.says)
		}
	}
}

// Combinations that come to the same run are one cell, names are readable and
// do not depend on the order of the axes, and cells of one model follow each
// other.
func TestCells(t *testing.T) {
	f, err := sweep.Parse("f.toml", []byte(`
[axes]
think = [false, true]
model = ["b/x:1", "a"]
profile = ["qwen3.5-instruct", "qwen3.5-thinking"]
[[exclude]]
think = true
profile = ["qwen3.5-instruct"]
`))
	if err != nil {
		t.Fatal(err)
	}
	cells, err := f.Cells(nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"model=a,profile=qwen3.5-instruct,think=false", "model=a,profile=qwen3.5-thinking,think=false", "model=a,profile=qwen3.5-thinking,think=true",
		"model=b-x-1,profile=qwen3.5-instruct,think=false", "model=b-x-1,profile=qwen3.5-thinking,think=false", "model=b-x-1,profile=qwen3.5-thinking,think=true",
	}
	var got []string
	for _, c := range cells {
		got = append(got, c.Name)
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("cells\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	f, err = sweep.Parse("f.toml", []byte("model = \"a\"\n[axes]\ntemperature = [0.7, 0.2, 0.7]\nabstain-reward = [0.8]\nrule = [\"brier\"]\ntop-p = [0.8, 0.80]\n"))
	if err != nil {
		t.Fatal(err)
	}
	if cells, err = f.Cells(nil); err != nil || len(cells) != 2 {
		t.Errorf("%d cells, %v; want 2: equal ones are one", len(cells), err)
	}
}
