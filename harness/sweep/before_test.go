package sweep_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"candor/harness/run"
	"candor/harness/sweep"
	"candor/infer/ollama/faultserver"
)

// Each row is what only the data can tell to be wrong; it is said before
// anything is asked, with its place in the file where that has one.
func TestBeforeAsking(t *testing.T) {
	b := newBed(t)
	label := func(name, image string) string {
		b.write(name, `{"question_id":0,"split":"random","image":"`+image+`.png","text":"Is there a dog in the image?","label":"no"}`+"\n")
		return filepath.Join(b.dir, name)
	}
	other, nobodys := label("other.json", "77"), filepath.Join(b.dir, "nobodys.json")
	b.write("nobodys.json", `{"question_id":0,"split":"elsewhere","image":"0.png","text":"Is there a dog in the image?","label":"no"}`+"\n")
	for name, row := range map[string]struct{ text, at, says string }{
		"no such label set": {"[rescore]\nlabels = [\"own\", \"nope\"]\n", "f.toml:2:18:", "[rescore] labels nope: no label set of that name comes with the data; give labels nope=FILE"},
		"no such file":      {"[rescore]\nlabels = \"x=/nonexistent\"\n", "f.toml:2:1:", "/nonexistent"},
		"of another image":  {"[rescore]\nlabels = ['x=" + other + "']\n", "f.toml:2:11:", "about image 77"},
		"of other splits":   {"[rescore]\nlabels = ['x=" + nobodys + "']\n", "f.toml:2:11:", "none of the 20 tasks has a label there"},
		"of a cell":         {"labels = \"nope\"\n[axes]\nseed = [1]\n", "f.toml:1:1: cell seed=1:", "no label set of that name"},
		"no such split":     {"[axes]\nsplit = [\"random\", \"nope\"]\n", "f.toml:2:20: cell split=nope:", "it has popular, random"},
		"no such prompt":    {"[axes]\nprompt = [\"../../x\"]\n", "f.toml:2:11: cell prompt=x:", "../../x"},
	} {
		f, err := sweep.Parse("f.toml", []byte(row.text))
		if err != nil {
			t.Fatal(err)
		}
		_, err = f.Plan(t.Context(), b.cells(f), filepath.Join(b.dir, "out"), b.deps)
		if !errors.As(err, new(*run.UsageError)) || !strings.HasPrefix(err.Error(), row.at) || !strings.Contains(err.Error(), row.says) {
			t.Errorf("%s: %v; want %q … %q", name, err, row.at, row.says)
		}
	}
	f, err := sweep.Parse("f.toml", []byte("[rescore]\nlabels = [\"own\"]\n"))
	if err != nil {
		t.Fatal(err)
	}
	b.write("file", "")
	_, err = f.Plan(t.Context(), b.cells(f), filepath.Join(b.dir, "file"), b.deps)
	if !errors.As(err, new(*run.UsageError)) || !strings.Contains(err.Error(), "is a file: name a directory for the cells") {
		t.Errorf("cells in a file: %v", err)
	}
}

// cells are those of a file, all tasks of one split of the bed's data each.
func (b *bed) cells(f *sweep.File) []sweep.Cell {
	b.Helper()
	cells, err := f.Cells(func(c *run.Config, given func(string) bool) {
		c.Model, c.Dataset, c.Images, c.Partition, c.NumTasks = faultserver.Model, b.dir, b.dir, "all", 0
		if !given("split") {
			c.Split = "random"
		}
	})
	if err != nil {
		b.Fatal(err)
	}
	return cells
}

// The table calls the data's labels own, and so may a file; no other are added.
func TestOwnLabels(t *testing.T) {
	table, _ := newBed(t).sweep("own", 0, "[rescore]\nlabels = [\"own\"]\n")
	if len(table.Rescored) != 1 || len(table.Rescored[0].ByLabels) != 0 || !strings.Contains(table.Markdown(), "| own |") {
		t.Errorf("%+v", table.Rescored)
	}
}

// While a cell is asked again nothing of the earlier state is under the table's
// name, whether that ends well or not; after it nothing else is.
func TestStale(t *testing.T) {
	b := newBed(t)
	const text = "[axes]\nrule = [\"brier\", \"log\"]\n"
	b.sweep("stale", 0, text)
	dir := filepath.Join(b.dir, "stale")
	b.write(filepath.Join("stale", sweep.PageFile), "a page")
	if err := os.RemoveAll(filepath.Join(dir, "rule=log")); err != nil {
		t.Fatal(err)
	}
	f, err := sweep.Parse("stale.toml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	stop := make(chan struct{})
	deps := b.deps
	deps.Stop = stop
	s := faultserver.New(t)
	cells, err := f.Cells(func(c *run.Config, _ func(string) bool) {
		c.Model, c.Hosts, c.Dataset, c.Images, c.Partition, c.Split, c.NumTasks = faultserver.Model, []string{s.URL}, b.dir, b.dir, "all", "random", 3
		c.Preflight, c.Parallel, c.Bootstrap = false, "1", 0
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Run(t.Context(), cells, dir, deps, stopping{stop: stop}); !errors.Is(err, run.ErrInterrupted) {
		t.Fatal(err)
	}
	for _, name := range []string{sweep.ResultFile, sweep.TableFile, sweep.PageFile} {
		if _, err := os.Stat(filepath.Join(dir, name)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := os.Stat(filepath.Join(dir, name+sweep.Stale)); err != nil {
			t.Error(err)
		}
	}
	if _, err := f.Run(t.Context(), cells, dir, b.deps, quiet{}); err != nil {
		t.Fatal(err)
	}
	if _, err := sweep.Load(dir); err != nil {
		t.Error(err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*"+sweep.Stale)); len(left) > 0 || err != nil {
		t.Errorf("left: %v, %v", left, err)
	}
}

// stopping interrupts a sweep when its first cell is taken up.
type stopping struct {
	quiet
	stop chan struct{}
}

func (s stopping) Cell(int, []run.Trace) { close(s.stop) }
