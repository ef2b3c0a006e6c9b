package run

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"candor/harness/regular"
)

// Names of the files of a run.
const (
	ManifestFile = "run.json"
	TracesFile   = "traces.jsonl"
	ErrorsFile   = "errors.jsonl"
	DrawsFile    = "draws.jsonl" // only of a run that draws more than one answer a task
	SummaryFile  = "summary.json"
	lockFile     = ".lock"
)

// journal appends finished tasks to traces.jsonl. A task is recorded when
// append has returned: its line is then on disk, written and synced together
// with those of other tasks that finished at the same time.
type journal struct {
	file *os.File
	size int64 // of the whole lines, all on disk

	mu      sync.Mutex
	broken  error // of the first write that failed; nothing is written after it
	pending []byte
	waiting []chan error
	writing bool
}

// openJournal reads what the journal in dir holds, drops a last line that was
// torn by a crash, and opens it for appending. A line that check refuses, or a
// second line of a task, is an error: such a journal is not this run's.
func openJournal(dir string, check func(Trace) error) (*journal, []Trace, error) {
	return openLines(filepath.Join(dir, TracesFile), check)
}

// line is what a journal holds one a line.
type line interface {
	name() string // what a line of the file may be called once
	kind() string
}

// openLines is openJournal for lines of any kind.
func openLines[L line](name string, check func(L) error) (*journal, []L, error) {
	if err := regular.Check(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, err
	}
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, nil, err
	}
	lines, whole, err := readLines(f, name, check)
	j := &journal{file: f, size: whole}
	if err == nil {
		err = errors.Join(j.cut(), f.Sync(), syncDir(filepath.Dir(name)))
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return j, lines, nil
}

// cut drops whatever stands after the last whole line, and ends that line if
// a crash left it without its line end.
func (j *journal) cut() error {
	if err := j.file.Truncate(j.size); err != nil {
		return err
	}
	if j.size > 0 {
		last := make([]byte, 1)
		if _, err := j.file.ReadAt(last, j.size-1); err != nil {
			return err
		}
		if last[0] != '\n' {
			n, err := j.file.WriteAt([]byte{'\n'}, j.size)
			j.size += int64(n)
			if err != nil {
				return err
			}
		}
	}
	_, err := j.file.Seek(j.size, io.SeekStart)
	return err
}

// ReadTraces returns the traces of the run in dir, in the order in which they
// were recorded. A torn last line is left out; one that contradicts itself is
// an error that names it.
func ReadTraces(dir string) ([]Trace, error) {
	name := filepath.Join(dir, TracesFile)
	f, err := regular.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	traces, _, err := readTraces(f, name, Trace.consistent)
	return traces, err
}

func readTraces(r io.Reader, name string, check func(Trace) error) (traces []Trace, whole int64, err error) {
	return readLines(r, name, check)
}

// readLines reads whole lines and returns the offset where they end.
func readLines[L line](r io.Reader, name string, check func(L) error) (all []L, whole int64, err error) {
	whole, err = eachLine(r, name, check, func(l L) { all = append(all, l) })
	if err != nil {
		return nil, 0, err
	}
	return all, whole, nil
}

// eachLine hands on one whole line after another, and keeps none.
func eachLine[L line](r io.Reader, name string, check func(L) error, do func(L)) (whole int64, err error) {
	lines := map[string]int{}
	br := bufio.NewReaderSize(r, 1<<20)
	for n := 1; ; n++ {
		line, err := br.ReadBytes('\n')
		last := errors.Is(err, io.EOF)
		if err != nil && !last {
			return 0, fmt.Errorf("%s: %w", name, err)
		}
		if last && len(line) == 0 {
			return whole, nil
		}
		var t L
		if err := json.Unmarshal(line, &t); err != nil {
			if _, peek := br.Peek(1); errors.Is(peek, io.EOF) && !json.Valid(line) {
				return whole, nil // torn by a crash
			}
			return 0, fmt.Errorf("%s:%d: not a %s (%w); the file was changed or damaged, restore it or start a new run", name, n, t.kind(), err)
		}
		if first, twice := lines[t.name()]; twice {
			return 0, fmt.Errorf("%s:%d: %s stands on line %d already; a task is recorded once", name, n, t.name(), first)
		}
		if err := check(t); err != nil {
			return 0, fmt.Errorf("%s:%d: %w; the file was changed or damaged, restore it or start a new run", name, n, err)
		}
		lines[t.name()] = n
		do(t)
		whole += int64(len(line))
	}
}

// append records one line and returns when it is on disk.
func (j *journal) append(l line) error {
	line, err := encodeLine(l)
	if err != nil {
		return err
	}
	done := make(chan error, 1)
	j.mu.Lock()
	j.pending = append(j.pending, line...)
	j.waiting = append(j.waiting, done)
	lead := !j.writing
	if lead {
		j.writing = true
	}
	j.mu.Unlock()
	if lead {
		j.flush()
	}
	return <-done
}

// flush writes and syncs batch after batch until nothing is pending. The
// first of several concurrent appends does it for all.
func (j *journal) flush() {
	for {
		j.mu.Lock()
		batch, waiting, err := j.pending, j.waiting, j.broken
		j.pending, j.waiting = nil, nil
		if len(batch) == 0 {
			j.writing = false
			j.mu.Unlock()
			return
		}
		j.mu.Unlock()
		if err == nil {
			err = j.write(batch)
		}
		for _, w := range waiting {
			w <- err
		}
	}
}

// write puts a batch on disk. A batch that did not get there whole (a full
// disk) is taken back, so that the journal never has a torn line inside.
func (j *journal) write(batch []byte) error {
	_, err := j.file.Write(batch)
	if err == nil {
		err = j.file.Sync()
	}
	if err == nil {
		j.size += int64(len(batch))
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.broken = errors.Join(err, j.cut())
	return j.broken
}

func (j *journal) close() error { return j.file.Close() }

func encodeLine(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}

// syncDir makes the names of new files in dir outlive a crash.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
