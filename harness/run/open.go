package run

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"candor/scoring"

	"github.com/gofrs/flock"
)

// openedRun is a run's directory, locked for this process.
type openedRun struct {
	dir     string
	lock    *flock.Flock
	journal *journal
	draws   *journal // nil where a task is one draw

	mu       sync.Mutex
	manifest Manifest
	recorded map[string]bool
	earlier  []Trace              // of earlier sessions, where their answers may be taken over
	drawn    map[string][]Draw    // of tasks without a trace, from earlier sessions
	failed   map[string]TaskError // tasks in error, not recorded since
	stale    map[string]TaskError // those of earlier sessions, still to be asked again
	session  int                  // asked and recorded in this session
	errMu    sync.Mutex           // one writer of errors.jsonl
	health   health
}

// openRun makes the directory of a new run, or takes up an old one.
func openRun(dir string, resume bool, p *Plan, s *servers, deps Dependencies) (*openedRun, error) {
	if err := readyDir(dir, resume); err != nil {
		return nil, err
	}
	l, err := lock(dir)
	if err != nil {
		return nil, err
	}
	if err := readyDir(dir, resume); err != nil { // another may have made a run there meanwhile
		return nil, errors.Join(err, l.Unlock())
	}
	r := &openedRun{dir: dir, lock: l, recorded: map[string]bool{}, failed: map[string]TaskError{}}
	if err := r.load(resume, p, s, deps); err != nil {
		return nil, errors.Join(err, r.close())
	}
	return r, nil
}

// readyDir refuses to write over a run, and to resume what is none.
func readyDir(dir string, resume bool) error {
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return usagef("%s is a file: a run is a directory, new or there", dir)
	}
	_, err := os.Stat(filepath.Join(dir, ManifestFile))
	switch {
	case err == nil && !resume:
		return usagef("%s holds a run already; go on with it by --resume %s, or give another --out", dir, dir)
	case errors.Is(err, fs.ErrNotExist) && resume:
		return usagef("%s is no run: it has no %s", dir, ManifestFile)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if left, err := os.Stat(filepath.Join(dir, TracesFile)); err == nil && left.Size() > 0 && !resume {
		return usagef("%s holds %s of a run whose %s is gone; nobody knows what it was asked under, give another --out", dir, TracesFile, ManifestFile)
	}
	return os.MkdirAll(dir, 0o755)
}

func (r *openedRun) load(resume bool, p *Plan, s *servers, deps Dependencies) error {
	essence := p.essence(s.identity)
	r.manifest = Manifest{Hashed: essence, ConfigHash: hashOf(essence)}
	if resume {
		m, err := LoadManifest(r.dir)
		if err != nil {
			return err
		}
		before := len(m.ServerChanges)
		if err := m.adopt(essence, p.Config.AcceptServer, deps.Now().UTC()); err != nil {
			return err
		}
		if len(m.ServerChanges) > before {
			m.Preflight, m.Questioned, m.TextTokens = nil, nil, nil // another server: question it anew
		}
		r.manifest = m
	}
	if err := r.read(p); err != nil {
		return err
	}
	if resume && len(r.missing(p)) == 0 {
		return r.reread(p)
	}
	r.describe(p, s, deps)
	if resume {
		return nil
	}
	r.manifest.State = Running // a kill before the first answer leaves a run to resume
	return r.manifest.save(r.dir)
}

// read takes up what the run's files hold already.
func (r *openedRun) read(p *Plan) error {
	keep := map[string]bool{}
	for _, t := range p.Tasks {
		keep[t.ID] = true
	}
	var err error
	if r.stale, err = openErrors(r.dir, keep); err != nil {
		return err
	}
	var traces []Trace
	if r.journal, traces, err = openJournal(r.dir, p.check()); err != nil {
		return err
	}
	if p.greedy() {
		r.earlier = traces
	}
	for _, t := range traces {
		r.recorded[t.TaskID] = true
		delete(r.stale, t.TaskID)
	}
	return r.readDraws(p)
}

// readDraws takes up the draws of tasks that an earlier session did not end.
func (r *openedRun) readDraws(p *Plan) error {
	if p.sources().draws == 0 {
		return nil
	}
	var draws []Draw
	var err error
	if r.draws, draws, err = openLines(filepath.Join(r.dir, DrawsFile), p.checkDraw()); err != nil {
		return err
	}
	r.drawn = map[string][]Draw{}
	for _, d := range draws {
		if !r.recorded[d.TaskID] {
			r.drawn[d.TaskID] = append(r.drawn[d.TaskID], d)
		}
	}
	return nil
}

// reread restores the manifest of a run that lacks nothing: this server was
// not asked, and has no part in it. What does not touch the answers follows
// the new configuration.
func (r *openedRun) reread(p *Plan) error {
	m, err := LoadManifest(r.dir)
	m.Config.Bins, m.Config.Bootstrap, m.Blind = p.Config.Bins, p.Config.Bootstrap, p.Blind
	m.Config.Labels = p.Config.Labels
	m.Labels, m.Warnings = p.labelsInfo(), p.relabelled(m.Warnings)
	r.manifest = m
	return err
}

// describe fills in what the manifest says of this plan and these servers.
func (r *openedRun) describe(p *Plan, s *servers, deps Dependencies) {
	m := &r.manifest
	m.Candor, m.Config, m.Model, m.Options = deps.Version, p.Config, s.identity, p.Options
	m.Dataset = DatasetInfo{Name: p.Dataset, Revision: p.Revision, Split: p.Config.Split, Partition: p.Config.Partition, Images: len(p.images.names), Files: p.dataFiles()}
	m.Labels = p.labelsInfo()
	m.Prompt = PromptInfo{Version: p.Prompt.Version(), Hash: p.Prompt.Hash()}
	m.Tasks, m.Blind, m.Warnings, m.Endpoints = len(p.Tasks), p.Blind, append([]scoring.Warning{}, p.Warnings...), nil
	for _, b := range s.backends {
		m.Endpoints = append(m.Endpoints, b.Endpoint())
	}
	if m.ServerChanges == nil {
		m.ServerChanges = []ServerChange{}
	}
	if m.Questioned == nil {
		m.Questioned = []string{}
	}
	if m.EndpointFaults == nil {
		m.EndpointFaults = []EndpointFault{}
	}
	if m.Sessions == nil {
		m.Sessions = []Session{}
	}
}

// missing lists the plan's tasks that have no trace, in order.
func (r *openedRun) missing(p *Plan) []Task {
	if len(r.recorded) == 0 {
		return p.Tasks
	}
	var todo []Task
	for _, t := range p.Tasks {
		if !r.recorded[t.ID] {
			todo = append(todo, t)
		}
	}
	return todo
}

// record puts a trace on disk.
func (r *openedRun) record(t Trace) error {
	if err := r.journal.append(t); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.recorded[t.TaskID] = true
	delete(r.failed, t.TaskID)
	if !t.Cached {
		r.session++
	}
	return nil
}

// recordDraw puts a draw on disk, where a task is several.
func (r *openedRun) recordDraw(d Draw) error {
	if r.draws == nil {
		return nil
	}
	return r.draws.append(d)
}

// drawing is a task's draws so far, of so many in all.
func (r *openedRun) drawing(task string, of int) *drawing {
	d := &drawing{of: make([]*Draw, of), left: of}
	for _, known := range r.drawn[task] {
		d.add(known)
	}
	return d
}

func (r *openedRun) recordError(e TaskError) error {
	r.errMu.Lock()
	defer r.errMu.Unlock()
	if err := appendError(r.dir, e); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failed[e.TaskID] = e
	return nil
}

func (r *openedRun) has(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.recorded[id]
}

// done counts the tasks that need no more asking in this session.
func (r *openedRun) done() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.recorded) + len(r.failed)
}

func (r *openedRun) endSession(start, end time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.manifest.Sessions = append(r.manifest.Sessions, Session{Started: start.UTC(), Seconds: end.Sub(start).Seconds(), Tasks: r.session})
}

func (r *openedRun) close() error {
	var err error
	if r.journal != nil {
		err = r.journal.close()
	}
	if r.draws != nil {
		err = errors.Join(err, r.draws.close())
	}
	return errors.Join(err, r.lock.Unlock())
}
