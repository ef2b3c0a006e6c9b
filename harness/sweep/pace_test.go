package sweep

import (
	"testing"

	"candor/harness/run"
)

// Each row is a cell, and how long what it lacks takes: by its own rate, else by
// that of cells of the same model, thinking and sources of confidence.
func TestEstimate(t *testing.T) {
	cell := func(change func(*run.Config), tasks, recorded int, asked pace) Planned {
		c := run.DefaultConfig()
		c.Model = "a"
		change(&c)
		return Planned{Cell: Cell{Config: c}, Tasks: tasks, Recorded: recorded, pace: asked}
	}
	same := func(*run.Config) {}
	cells := []Planned{
		cell(same, 10, 5, pace{5, 10}), // 2 s a task
		cell(same, 10, 10, pace{10, 40}),
		cell(same, 12, 0, pace{}), // by both: 50 s of 15 tasks
		cell(func(c *run.Config) { c.Rule, c.Profile = "log", "greedy" }, 3, 0, pace{}),
		cell(func(c *run.Config) { c.Model = "b" }, 10, 0, pace{}),
		cell(func(c *run.Config) { c.Profile = "qwen3.5-thinking" }, 10, 0, pace{}),
		cell(func(c *run.Config) { c.Confidence = []string{"verbal", "consistency:5"} }, 10, 0, pace{}),
	}
	estimate(cells)
	for i, want := range []*float64{new(10.), new(0.), new(40.), new(10.), nil, nil, nil} {
		got := cells[i].Seconds
		if (got == nil) != (want == nil) || got != nil && *got != *want {
			t.Errorf("cell %d: %v; want %v", i, figure(got), figure(want))
		}
	}
}

// A run's pace is that of all its sessions.
func TestPaceOf(t *testing.T) {
	s := &run.Stored{Manifest: run.Manifest{Sessions: []run.Session{{Tasks: 3, Seconds: 6}, {Tasks: 1, Seconds: 1}}}}
	if p := paceOf(s); p != (pace{4, 7}) {
		t.Errorf("%+v; want 4 tasks in 7 s", p)
	}
}
