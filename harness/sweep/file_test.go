package sweep_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"candor/harness/run"
	"candor/harness/sweep"
)

// Each mistake is a usage error that says where it stands, what it is, and what
// to do or what would be right.
func TestMistakes(t *testing.T) {
	for name, row := range map[string]struct{ text, at, says string }{
		// The text itself.
		"no TOML":             {"model = \"a\"\nsplit = [\n", "f.toml:2:10:", "this is no TOML: array is incomplete; write KEY = VALUE"},
		"no value":            {"model =\n", "f.toml:1:8:", "this is no TOML"},
		"an open text":        {"x = 1\nmodel = \"a\n", "f.toml:2:11:", "this is no TOML"},
		"no text":             {"model = qwen\n", "f.toml:1:9:", "texts in quotes"},
		"a key twice":         {"seed = 1\nseed = 2\n", "f.toml:2:1:", "key seed is already defined; keep one of the two"},
		"a table twice":       {"[axes]\nseed = [1]\n[axes]\nsplit = [\"all\"]\n", "f.toml:3:2:", "axes already exists; keep one of the two"},
		"a key both ways":     {"num-tasks = 1\nnum_tasks = 2\n", "f.toml:2:1:", "num-tasks and num_tasks are the same key; keep one"},
		"an axis both ways":   {"[axes]\ntop_p = [1]\ntop-p = [1]\n", "f.toml:3:1:", "are the same key"},
		"a filter both ways":  {"[axes]\ntop_p = [1]\n[[exclude]]\ntop-p = 1\ntop_p = 1\n", "f.toml:5:1:", "are the same key"},
		"an inline key twice": {"rescore = { rule = \"log\", rule = \"log\" }\n", "f.toml:1:1:", "keep one of the two"},
		// Keys.
		"unknown setting":     {"model = \"a\"\n  num-taks = 1\n", "f.toml:2:3:", `the nearest is "num-tasks"`},
		"unknown, underscore": {"num_taks = 1\n", "f.toml:1:1:", `the nearest is "num-tasks"`},
		"unknown table":       {"[axis]\nseed = [1]\n", "f.toml:1:2:", `the nearest is "axes"`},
		"unknown axis":        {"[axes]\nreplicat = [1]\n", "f.toml:2:1:", `the nearest is "replicate"`},
		"no axis of its kind": {"[axes]\nbins = [1]\n", "f.toml:2:1:", "bins can be no axis; set it once for all cells, above [axes]"},
		"unknown in a filter": {"[axes]\nseed = [1]\n[[exclude]]\nseed = 1\n[[exclude]]\nsed = 1\n", "f.toml:6:1:", `exclude names "sed", which is no axis of this sweep; the nearest is "seed"`},
		"a filter of no axis": {"split = \"all\"\n[axes]\nseed = [1]\n[[exclude]]\nsplit = \"all\"\n", "f.toml:5:1:", "no axis of this sweep"},
		"a filter, no axes":   {"[[exclude]]\nseed = 1\n", "f.toml:2:1:", "there are no axes; add [axes] or take the exclude out"},
		"unknown in rescore":  {"[rescore]\nrules = [\"log\"]\n", "f.toml:2:1:", `the nearest is "rule"`},
		"a whole too large":   {"num-tasks = 99999999999999999999999\n", "f.toml:1:13:", "this number is beyond what a computer's numbers hold"},
		"a number too large":  {"temperature = 1e400\n", "f.toml:1:15:", "this number is beyond"},
		"of the command line": {"[axes]\nseed = [1]\nout = [\"x\"]\n", "f.toml:3:1:", "out stands on the command line, not in the file: candor sweep FILE --out DIR"},
		"for a run alone":     {"resume = true\n", "f.toml:1:1:", "the same candor sweep FILE goes on"},
		"a form of output":    {"json = true\n", "f.toml:1:1:", "candor sweep FILE --json"},
		"unknown inline":      {"rescore = { rulez = 1 }\n", "f.toml:1:13:", `the nearest is "rule"`},
		// Types.
		"text for a number":    {"num-tasks = \"many\"\n", "f.toml:1:1:", "num-tasks: a text cannot be used where a whole number is wanted, as in num-tasks = 100"},
		"number for a text":    {"model = 3\n", "f.toml:1:1:", `a number cannot be used where a text is wanted, as in model = "qwen3.5:4b"`},
		"text for a truth":     {"[axes]\nthink = [\"yes\"]\n", "f.toml:2:10:", "as in think = [false]"},
		"fraction for a whole": {"[axes]\nseed = [1, 1.5]\n", "f.toml:2:12:", "1.5 cannot be used where a whole number is wanted"},
		"a date":               {"temperature = 1979-05-27\n", "f.toml:1:1:", "where a number is wanted"},
		"a date for a whole":   {"[axes]\nseed = [1, 2024-01-01]\n", "f.toml:2:12:", "a date or time cannot be used where a whole number is wanted"},
		"a date for a text":    {"model = 2024-01-01T00:00:00Z\n", "f.toml:1:1:", "a date or time cannot be used where a text is wanted; a text stands in quotes"},
		"a table for a list":   {"confidence = { a = 1 }\n", "f.toml:1:1:", "a table cannot be used where a list is wanted"},
		"no list":              {"[axes]\nseed = 3\n", "f.toml:2:1:", "axis seed is a list of one value or more, as seed = [0]"},
		"empty list":           {"[axes]\nseed = []\n", "f.toml:2:1:", "axis seed is empty; give it a list of one value or more, or leave it out"},
		"a list in a list":     {"[axes]\nseed = [[1]]\n", "f.toml:2:10:", "where a whole number is wanted"},
		"axes no table":        {"axes = 3\n", "f.toml:1:1:", "is a table"},
		"rescore no table":     {"rescore = 3\n", "f.toml:1:1:", "is a table"},
		"exclude a table":      {"[axes]\nseed = [1]\n[exclude]\nseed = 1\n", "f.toml:3:2:", "[[exclude]], in double brackets"},
		"exclude of numbers":   {"exclude = [1]\n", "f.toml:1:12:", "a table of values"},
		"type in a filter":     {"[axes]\nseed = [1]\n[[exclude]]\nseed = \"1\"\n", "f.toml:4:1:", "where a whole number is wanted"},
		"infinite":             {"temperature = inf\n", "f.toml:1:1:", "cannot be used"},
		"baseline a number":    {"baseline = 1\n", "f.toml:1:1:", "the name of a cell"},
		// The grid.
		"axis and setting":     {"seed = 1\n[axes]\nseed = [1]\n", "f.toml:1:1:", "is an axis too; keep one of them"},
		"a value twice":        {"[axes]\nseed = [1, 2, 1]\n", "f.toml:2:15:", "axis seed has 1 twice, which makes the same cell twice; take one out"},
		"a value twice, else":  {"[axes]\nconfidence = [\"verbal,logprob\", [\"verbal\", \"logprob\"]]\n", "f.toml:", "twice"},
		"filter of nothing":    {"[axes]\nseed = [1, 2]\n[[exclude]]\nseed = 3\n", "f.toml:4:1:", "excludes no combination: 3 is no value of axis seed, which has: 1, 2"},
		"filter of an empty":   {"[axes]\nseed = [1, 2]\n[[exclude]]\nseed = []\n", "f.toml:4:1:", "excludes no combination"},
		"all excluded":         {"[axes]\nseed = [1]\n[[exclude]]\nseed = 1\n", "f.toml:3:3:", "no cell is left: every combination is excluded; take an [[exclude]] out"},
		"too many":             {"[axes]\nseed = [" + many(101) + "]\nreplicate = [" + many(101) + "]\n", "f.toml:", "more than 10000 combinations"},
		"unknown baseline":     {"baseline = \"seed=3\"\n[axes]\nseed = [1, 2]\n", "f.toml:1:1:", "seed=1, seed=2"},
		"unknown metric":       {"rank-by = \"acuracy\"\n", "f.toml:1:1:", `the nearest is "accuracy"`},
		"a metric of no sense": {"rank_by = \"abstain_rate\"\n", "f.toml:1:1:", "neither better high nor low"},
		// What cells may not be.
		"bad payoff of a cell":   {"[axes]\nabstain-reward = [0.8, 0.7]\n", "f.toml:2:24: cell abstain-reward=0.7:", "(0.75, 1)"},
		"bad payoff, set":        {"abstain-reward = 0.7\n", "f.toml:1:1: cell all:", "(0.75, 1)"},
		"payoff and rule":        {"[axes]\nrule = [\"brier\", \"log\"]\nabstain-reward = [0.8]\n", "f.toml:3:19: cell rule=log,abstain-reward=0.8:", "leave the combination out by an [[exclude]]"},
		"unknown profile":        {"[axes]\nprofile = [\"greedy\", \"greedyy\"]\n", "f.toml:2:22: cell profile=greedyy:", `unknown profile "greedyy"; known: greedy, `},
		"unknown profile, set":   {"profile = \"qwen3.5-instrukt\"\n[axes]\nseed = [1, 2]\n", "f.toml:1:1: cell seed=1:", `the nearest is "qwen3.5-instruct" (and 1 more cells)`},
		"unknown rule":           {"[axes]\nrule = [\"brier\", \"lug\"]\n", "f.toml:2:18: cell rule=lug:", "lug"},
		"out of range":           {"[axes]\nreplicate = [0]\ntop-p = [1, 1.5]\n", "f.toml:3:13:", "top_p is 1.5; it must be in (0, 1]"},
		"two that do not meet":   {"[axes]\ntemperature = [0, 1]\nconfidence = [\"verbal\", \"consistency:3\"]\n", "f.toml:1:2: cell temperature=0,confidence=consistency-3:", "leave the combination out"},
		"bad payoff, rescored":   {"[rescore]\nrule = [\"log\"]\nabstain-reward = [0.8]\n", "f.toml:3:19:", "0.92474"},
		"bad rule, rescored":     {"[rescore]\nrule = [\"lug\"]\n", "f.toml:2:9:", "neither brier nor log"},
		"rule twice, rescored":   {"[rescore]\nrule = [\"log\", \"log\"]\n", "f.toml:2:16:", "[rescore] rule has log twice"},
		"payoff twice, rescored": {"[rescore]\nabstain-reward = [0.8, 0.80]\n", "f.toml:2:24:", "[rescore] abstain-reward has 0.8 twice"},
		"labels twice, rescored": {"[rescore]\nlabels = [\"a=x\", \"a=y\"]\n", "f.toml:2:18:", "[rescore] labels have a twice"},
		"labels called own":      {"[rescore]\nlabels = \"own=x\"\n", "f.toml:2:1:", "give the file's another name"},
	} {
		f, err := sweep.Parse("f.toml", []byte(row.text))
		if err == nil {
			_, err = f.Cells(func(c *run.Config, _ func(string) bool) { c.Model = "m" })
		}
		if !errors.As(err, new(*run.UsageError)) || !errors.As(err, new(*sweep.FileError)) || !strings.HasPrefix(err.Error(), row.at) || !strings.Contains(err.Error(), row.says) {
			t.Errorf("%s: %v; want %q … %q", name, err, row.at, row.says)
		}
	}
}

// many is so many numbers with commas between.
func many(n int) string {
	texts := make([]string, n)
	for i := range texts {
		texts[i] = fmt.Sprint(i)
	}
	return strings.Join(texts, ", ")
}

// Keys may have underscores for hyphens everywhere.
func TestUnderscores(t *testing.T) {
	f, err := sweep.Parse("f.toml", []byte(`
num_tasks = 7
rank_by = "ece_debiased"
[axes]
abstain_reward = [0.8, 0.9]
repeat_last_n = [0, 64]
[[exclude]]
abstain_reward = 0.8
repeat_last_n = 0
[rescore]
abstain_reward = 0.95
`))
	if err != nil {
		t.Fatal(err)
	}
	cells, err := f.Cells(func(c *run.Config, given func(string) bool) {
		c.Model = "m"
		if !given("num-tasks") || !given("repeat-last-n") || given("num-thread") {
			t.Error("what is given is not told")
		}
	})
	if err != nil || len(cells) != 3 {
		t.Fatalf("%d cells, %v; want 3", len(cells), err)
	}
	if c := cells[0]; c.Config.NumTasks != 7 || c.Values["abstain-reward"] == nil {
		t.Errorf("%+v", c)
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
	f, err = sweep.Parse("f.toml", []byte(`
model = "a"
temperature = 1
presence-penalty = 0
baseline = "seed=1,profile=qwen3.5-thinking-precise" # the same run as the other, in another order
[axes]
profile = ["qwen3.5-thinking", "qwen3.5-thinking-precise"]
seed = [1, 2]
`))
	if err != nil {
		t.Fatal(err)
	}
	if cells, err = f.Cells(nil); err != nil || len(cells) != 2 || len(cells[0].Same) != 1 || cells[0].Same[0] != "profile=qwen3.5-thinking-precise,seed=1" {
		t.Errorf("%+v, %v; want 2 cells: equal ones are one", cells, err)
	}
}

// Some editors begin a file by a byte order mark; places are counted without.
func TestByteOrderMark(t *testing.T) {
	if _, err := sweep.Parse("f.toml", []byte("\ufeffseed = 1\n")); err != nil {
		t.Error(err)
	}
	if _, err := sweep.Parse("f.toml", []byte("\ufeffsed = 1\n")); err == nil || !strings.HasPrefix(err.Error(), "f.toml:1:1:") {
		t.Error(err)
	}
}
