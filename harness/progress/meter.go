// Package progress counts a run while it goes: how much is done, how fast, how
// busy the servers are kept, what went wrong, and what the answers so far are
// worth. It keeps figures and draws nothing; several runs one after another, a
// sweep's, may feed one Meter.
package progress

import (
	"cmp"
	"maps"
	"slices"
	"sync"
	"time"

	"candor/harness/run"
	"candor/infer"
	"candor/infer/load"
)

// Meter is fed what run.Observer is told, and run.Dependencies.InFlight. It may
// be used from several goroutines. Its clock starts with the first request, so
// that what comes before, such as the preflight, slows no rate.
type Meter struct {
	now func() time.Time

	mu       sync.Mutex
	running  bool
	start    time.Time
	total    int
	earlier  int // recorded before
	recorded int
	free     int // of those, recorded before the first request
	answered int
	tokens   int
	reward   float64
	errors   map[infer.Class]int
	servers  map[string]*server
}

// server is an endpoint under load; its clock is the Meter's.
type server struct {
	occupancy *load.Occupancy
	since     time.Duration
}

// NewMeter counts by a clock.
func NewMeter(now func() time.Time) *Meter {
	return &Meter{now: now, errors: map[infer.Class]int{}, servers: map[string]*server{}}
}

// Started tells of a run of total tasks, done of them recorded earlier.
func (m *Meter) Started(done, total int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.earlier += done
	m.total += total
}

// InFlight tells that the requests in flight at an endpoint, where at most
// limit are, changed by so many.
func (m *Meter) InFlight(endpoint string, limit, by int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.running {
		m.running, m.start, m.free = true, m.now(), m.recorded
	}
	at := m.now().Sub(m.start)
	s := m.servers[endpoint]
	if s == nil {
		s = &server{load.NewOccupancy(infer.Served(limit), at), at}
		m.servers[endpoint] = s
	}
	s.occupancy.Step(at, by)
}

// Recorded counts a finished task.
func (m *Meter) Recorded(t run.Trace) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.recorded++
	m.answered += t.Answered
	m.reward += t.Reward
	m.tokens += t.OutputTokens
}

// Failed counts a task that ended in error.
func (m *Meter) Failed(e run.TaskError) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.errors[e.Class]++
}

// Snapshot is where things stand. A rate, share or mean of nothing is 0.
type Snapshot struct {
	Done, Total int // tasks recorded, those of earlier sessions included
	Earlier     int
	Recorded    int // in this session: what Reward and Coverage are of
	// Rates are since the first request: tasks that ended, in whatever way, and
	// generated tokens.
	TasksPerSecond, TokensPerSecond float64
	Left                            time.Duration // at that rate; 0 while there is none
	// Busy is the share of the time with as many requests in flight as the
	// server serves at once, or more; the mean over servers, by their time.
	Busy             float64
	Reward, Coverage float64
	Errors           []ErrorCount // by falling number
	Endpoints        []string     // asked so far, sorted
}

// ErrorCount is how many tasks ended in an error of a class.
type ErrorCount struct {
	Class infer.Class
	Count int
}

// Failed is the number of tasks in error.
func (s Snapshot) Failed() int {
	n := 0
	for _, e := range s.Errors {
		n += e.Count
	}
	return n
}

// Snapshot returns where things stand now.
func (m *Meter) Snapshot() Snapshot {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := Snapshot{
		Done: m.earlier + m.recorded, Total: m.total, Earlier: m.earlier, Recorded: m.recorded,
		Endpoints: slices.Sorted(maps.Keys(m.servers)),
	}
	for class, n := range m.errors {
		s.Errors = append(s.Errors, ErrorCount{class, n})
	}
	slices.SortFunc(s.Errors, func(a, b ErrorCount) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Class, b.Class))
	})
	if m.recorded > 0 {
		s.Reward = m.reward / float64(m.recorded)
		s.Coverage = float64(m.answered) / float64(m.recorded)
	}
	if m.running {
		m.rates(&s, m.now().Sub(m.start))
	}
	return s
}

func (m *Meter) rates(s *Snapshot, took time.Duration) {
	if took <= 0 {
		return
	}
	ended := m.recorded - m.free + s.Failed()
	s.TasksPerSecond = float64(ended) / took.Seconds()
	s.TokensPerSecond = float64(m.tokens) / took.Seconds()
	if left := s.Total - s.Done - s.Failed(); ended > 0 && left > 0 {
		s.Left = time.Duration(float64(left) / float64(ended) * float64(took))
	}
	var busy, whole float64
	for _, v := range m.servers {
		share, _ := v.occupancy.Until(took)
		busy += share * float64(took-v.since)
		whole += float64(took - v.since)
	}
	if whole > 0 {
		s.Busy = busy / whole
	}
}
