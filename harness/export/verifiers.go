package export

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"candor/harness/regular"
)

// Verifiers is a run folder as verifiers v1 keeps it, in a form that releases
// 0.3.1 and 0.4.0 both read: the configuration (configs/eval.json, and again in
// configs/resolved, where the newer looks), and traces.jsonl, one episode a
// task. tasks.jsonl and candor_claims.py are the tasks as a taskset, by which
// --resume finds that every episode is there. Images are not in it.
type Verifiers struct {
	Out string // "": beside the run
}

// The files of the folder.
const (
	episodesFile = "traces.jsonl"
	tasksFile    = "tasks.jsonl"
	configFile   = "configs/eval.json"
	resolvedFile = "configs/resolved/eval.json"
	taskset      = "candor_claims"
)

//go:embed candor_claims.py
var tasksetCode []byte

// Export writes the folder.
func (v Verifiers) Export(ctx context.Context, r *Run) (string, error) {
	name := r.beside(v.Out, "-verifiers")
	files, err := r.verifiersFiles(ctx, filepath.Base(name))
	if err != nil {
		return name, err
	}
	return name, r.writeFolder(name, files)
}

func (r *Run) verifiersFiles(ctx context.Context, base string) (map[string][]byte, error) {
	var episodes, tasks bytes.Buffer
	asked, err := r.questions()
	if err != nil {
		return nil, err
	}
	for i := range r.Traces {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		e, err := r.episode(i, asked)
		if err != nil {
			return nil, err
		}
		if err := errors.Join(line(&episodes, e), line(&tasks, e.Task.Data)); err != nil {
			return nil, err
		}
	}
	config, err := json.MarshalIndent(r.evalConfig(base), "", "  ")
	if err != nil {
		return nil, err
	}
	config = append(config, '\n')
	return map[string][]byte{
		configFile: config, resolvedFile: config, episodesFile: episodes.Bytes(), tasksFile: tasks.Bytes(), taskset + ".py": tasksetCode,
	}, nil
}

// line appends a line of JSON with "<" and the like as they are.
func line(to *bytes.Buffer, v any) error {
	enc := json.NewEncoder(to)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// writeFolder writes an export of several files: beside its place first, then
// all at once under its name.
func (r *Run) writeFolder(name string, files map[string][]byte) error {
	_, err := os.Lstat(name)
	there := err == nil
	switch {
	case there:
		h, err := lookFolder(name)
		if err := r.mine(name, h, err); err != nil {
			return err
		}
	case !errors.Is(err, fs.ErrNotExist):
		return err
	default:
		if err := hasFolder(name); err != nil {
			return err
		}
	}
	part, err := os.MkdirTemp(filepath.Dir(name), "."+filepath.Base(name)+"-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(part) //nolint:errcheck // of what was not kept, or replaced
	whole := filepath.Join(part, "new")
	for _, file := range sorted(files) {
		at := filepath.Join(whole, filepath.FromSlash(file))
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(at, files[file], 0o644); err != nil {
			return err
		}
	}
	if there {
		if err := os.Rename(name, filepath.Join(part, "old")); err != nil {
			return err
		}
	}
	if err := os.Rename(whole, name); err != nil {
		if there { // put back what was there
			err = errors.Join(err, os.Rename(filepath.Join(part, "old"), name))
		}
		return err
	}
	return nil
}

func sorted(files map[string][]byte) []string {
	var names []string
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// lookFolder reads whose export a folder is. What else lies in it, such as the
// logs of a resumption, is somebody's work.
func lookFolder(name string) (held, error) {
	entries, err := os.ReadDir(name)
	if err != nil {
		return held{}, err
	}
	known := []string{"configs", episodesFile, tasksFile, taskset + ".py", "__pycache__"}
	for _, e := range entries {
		if !slices.Contains(known, e.Name()) {
			return held{}, fmt.Errorf("it holds %s", e.Name())
		}
	}
	b, err := regular.ReadFile(filepath.Join(name, episodesFile))
	if err != nil {
		return held{}, err
	}
	var h held
	for row := range bytes.Lines(b) {
		var e struct {
			Run struct{ ID string }
		}
		if err := json.Unmarshal(row, &e); err != nil {
			return held{}, err
		}
		if h.traces > 0 && e.Run.ID != h.run {
			return held{}, errors.New("it has episodes of several runs")
		}
		h.run = e.Run.ID
		h.traces++
	}
	return h, nil
}
