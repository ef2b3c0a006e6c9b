package run_test

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"candor/harness/hub"
	"candor/harness/run"
)

// Runs that share their data read them once: the second is asked although the
// files are gone, under another rule and on other images; without sharing it
// could not be.
func TestShared(t *testing.T) {
	first := newBench(t)
	first.cfg.NumTasks = 12 // of 24: the other images are prepared for the second
	shared := &run.Shared{}
	first.deps.Shared = shared
	if _, err := shared.Plan(t.Context(), first.cfg, nil, nil); err != nil {
		t.Fatal(err)
	}
	first.cfg.NumTasks = 0
	first.run()
	if err := errors.Join(os.Remove(first.cfg.Dataset), os.RemoveAll(first.cfg.Images)); err != nil {
		t.Fatal(err)
	}
	second := first.again()
	second.cfg.Rule, second.cfg.NumTasks = "log", 12
	if got := second.run(); got.Summary.N != 12 {
		t.Errorf("%d tasks; want 12", got.Summary.N)
	}
	alone := first.again()
	alone.deps.Shared = nil
	alone.fails(false, "no such file")
	if err := shared.Close(); err != nil {
		t.Fatal(err)
	}
	again := first.again()
	again.fails(false, "no such file") // what was kept is given back
}

// hubOf notes which revision is fetched, and has none.
type hubOf struct{ asked []string }

func (h *hubOf) Dataset(_ context.Context, n hub.Name) (*hub.Dataset, error) {
	h.asked = append(h.asked, n.Repo+" "+n.Revision)
	return nil, hub.ErrNotFound
}

// The first commit that is pinned is taken of its data set, and of no other.
func TestPin(t *testing.T) {
	h, shared, cfg := &hubOf{}, &run.Shared{}, run.DefaultConfig()
	cfg.Model = "m"
	one, two := strings.Repeat("1", 40), strings.Repeat("2", 40)
	shared.Pin("a/b", "")
	shared.Pin("a/b", one)
	shared.Pin("a/b", two)
	for _, cfg.Dataset = range []string{"a/b", "c/d"} {
		if _, err := shared.Plan(t.Context(), cfg, h, nil); !errors.Is(err, hub.ErrNotFound) {
			t.Error(err)
		}
	}
	if want := []string{"a/b " + one, "c/d " + hub.MainRevision}; !slices.Equal(h.asked, want) {
		t.Errorf("fetched %v; want %v", h.asked, want)
	}
}
