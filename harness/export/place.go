package export

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"candor/harness/regular"

	"github.com/google/renameio/v2"
)

// ExistsError is something that stands where the export would, and is no older
// export of the same run.
type ExistsError struct {
	Name string // of the file or folder
	Why  string // what it is instead
}

// Error says what stands there and what to do.
func (e *ExistsError) Error() string {
	return fmt.Sprintf("%s is there already, and %s; move it away, or name another place with --out", e.Name, e.Why)
}

// held is what an older export holds: of which run, and how many of its traces.
type held struct {
	run    string
	traces int
}

// mine tells whether what stands at name may be replaced by an export of r.
func (r *Run) mine(name string, h held, err error) error {
	switch {
	case err != nil:
		return &ExistsError{name, "is no export in this form (" + err.Error() + ")"}
	case h.run != r.ID:
		return &ExistsError{name, "is of another run"}
	case h.traces > len(r.Traces):
		return &ExistsError{name, fmt.Sprintf("holds %d traces of this run, of which %s has only %d", h.traces, r.Dir, len(r.Traces))}
	}
	return nil
}

// writeFile writes an export of one file. look reads what an older one holds.
func (r *Run) writeFile(name string, look func(*os.File) (held, error), write func(io.Writer) error) error {
	f, err := regular.Open(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := hasFolder(name); err != nil {
			return err
		}
	case errors.As(err, new(*regular.NotFileError)):
		return &ExistsError{name, "is no file"}
	case err != nil:
		return err
	default:
		h, err := look(f)
		f.Close()
		if err := r.mine(name, h, err); err != nil {
			return err
		}
	}
	// Where a link leads, the file is replaced, not the link.
	if to, err := filepath.EvalSymlinks(name); err == nil {
		name = to
	}
	part, err := renameio.NewPendingFile(name, renameio.WithPermissions(0o644))
	if err != nil {
		return err
	}
	defer part.Cleanup() //nolint:errcheck // of what was not kept
	if err := write(part); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return part.CloseAtomicallyReplace()
}

// hasFolder refuses a place in a folder that does not exist.
func hasFolder(name string) error {
	if _, err := os.Stat(filepath.Dir(name)); err != nil {
		return fmt.Errorf("%s cannot be written: %w; make that folder first", name, err)
	}
	return nil
}
