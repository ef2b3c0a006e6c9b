package run

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"

	"candor/harness/regular"
)

// openErrors reads the tasks that ended in error before, the last error of
// each, of those in keep. A last line torn by a crash is cut off the file, so
// that the next one does not run into it.
func openErrors(dir string, keep map[string]bool) (map[string]TaskError, error) {
	name := filepath.Join(dir, ErrorsFile)
	data, err := regular.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return map[string]TaskError{}, nil
	}
	if err != nil {
		return nil, err
	}
	whole := bytes.LastIndexByte(data, '\n') + 1
	if whole < len(data) {
		if err := os.Truncate(name, int64(whole)); err != nil {
			return nil, err
		}
	}
	errs, err := parseErrors(name, data[:whole])
	maps.DeleteFunc(errs, func(id string, _ TaskError) bool { return !keep[id] })
	return errs, err
}

// readErrors reads the tasks that ended in error, the last error of each, and
// changes nothing. A torn last line is left out; no file is no errors.
func readErrors(name string) (map[string]TaskError, error) {
	data, err := regular.ReadFile(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return parseErrors(name, data[:bytes.LastIndexByte(data, '\n')+1])
}

// parseErrors reads whole lines, the last one of each task.
func parseErrors(name string, data []byte) (map[string]TaskError, error) {
	errs := map[string]TaskError{}
	n := 0
	for line := range bytes.Lines(data) {
		n++
		var e TaskError
		if err := json.Unmarshal(line, &e); err != nil {
			return nil, fmt.Errorf("%s:%d: not a task's error (%w); move the file away to go on without it", name, n, err)
		}
		errs[e.TaskID] = e
	}
	return errs, nil
}

// appendError adds one line to errors.jsonl, whole or not at all.
func appendError(dir string, e TaskError) error {
	line, err := encodeLine(e)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(dir, ErrorsFile), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil {
		return errors.Join(err, f.Close())
	}
	_, err = f.Write(line)
	if err == nil {
		err = f.Sync()
	}
	if err != nil {
		err = errors.Join(err, f.Truncate(info.Size()))
	}
	return errors.Join(err, f.Close())
}
