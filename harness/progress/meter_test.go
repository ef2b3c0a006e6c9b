package progress

import (
	"math"
	"testing"
	"time"

	"candor/harness/run"
	"candor/infer"

	"github.com/google/go-cmp/cmp"
)

// clock is moved by hand.
type clock struct{ at time.Time }

func (c *clock) now() time.Time       { return c.at }
func (c *clock) pass(d time.Duration) { c.at = c.at.Add(d) }
func answer(reward float64) run.Trace {
	return run.Trace{Answered: 1, Reward: reward, OutputTokens: 20}
}
func failure(c infer.Class) run.TaskError { return run.TaskError{Class: c} }

func TestMeter(t *testing.T) {
	c := &clock{at: time.Unix(1e9, 0)}
	m := NewMeter(c.now)
	if diff := cmp.Diff(Snapshot{}, m.Snapshot()); diff != "" {
		t.Errorf("before anything:\n%s", diff)
	}
	m.Started(10, 30)
	c.pass(time.Hour) // the preflight, which slows no rate
	m.InFlight("http://b", 2, 1)
	m.InFlight("http://a", 2, 1)
	c.pass(4 * time.Second)
	m.Recorded(answer(1))
	m.InFlight("http://a", 2, -1)
	c.pass(4 * time.Second)
	m.Recorded(run.Trace{Abstained: 1, Reward: .5, OutputTokens: 20})
	m.Failed(failure(infer.ClassTask))
	m.Failed(failure(infer.ClassRetry))
	m.Failed(failure(infer.ClassTask))
	want := Snapshot{
		Done: 12, Total: 30, Earlier: 10, Recorded: 2,
		TasksPerSecond: 5. / 8, TokensPerSecond: 5, Left: 24 * time.Second, // 15 tasks
		Busy:   .75, // b all the time, a half of it
		Reward: .75, Coverage: .5,
		Errors:    []ErrorCount{{infer.ClassTask, 2}, {infer.ClassRetry, 1}},
		Endpoints: []string{"http://a", "http://b"},
	}
	if diff := cmp.Diff(want, m.Snapshot()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// What takes over an earlier answer before anything is asked makes no rate.
func TestMeterTakenOver(t *testing.T) {
	c := &clock{at: time.Unix(1e9, 0)}
	m := NewMeter(c.now)
	m.Started(0, 10)
	for range 5 {
		m.Recorded(run.Trace{Answered: 1, Reward: 1, Cached: true})
	}
	m.InFlight("http://a", 1, 1)
	c.pass(2 * time.Second)
	if s := m.Snapshot(); s.Done != 5 || s.TasksPerSecond != 0 || s.Left != 0 {
		t.Errorf("%+v: nothing was asked", s)
	}
	m.Recorded(answer(1))
	if s := m.Snapshot(); s.TasksPerSecond != .5 || s.Left != 8*time.Second {
		t.Errorf("%v tasks/s, %v left; want .5 and 8 s", s.TasksPerSecond, s.Left)
	}
}

// A sweep's runs are one count; a clock that stands still or goes back makes no
// rate of it.
func TestMeterSeveralRuns(t *testing.T) {
	c := &clock{at: time.Unix(1e9, 0)}
	m := NewMeter(c.now)
	m.Started(0, 3)
	m.Started(2, 4)
	m.InFlight("http://a", 4, 3) // of 4 one waits: three are served
	m.Recorded(answer(1))
	for _, d := range []time.Duration{0, -time.Second} {
		c.pass(d)
		if s := m.Snapshot(); s.Done != 3 || s.Total != 7 || s.TasksPerSecond != 0 || math.IsNaN(s.Busy) {
			t.Errorf("after %v: %+v", d, s)
		}
	}
	c.pass(3 * time.Second)
	if s := m.Snapshot(); s.Busy != 1 {
		t.Errorf("busy %v with as many in flight as are served", s.Busy)
	}
}
