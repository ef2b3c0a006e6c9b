package answers

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"candor/scoring"
)

// LineError is a line that cannot be scored.
type LineError struct {
	Name string // of the file
	Line int    // from 1
	Err  error
}

func (e *LineError) Error() string { return fmt.Sprintf("%s:%d: %v", e.Name, e.Line, e.Err) }

func (e *LineError) Unwrap() error { return e.Err }

var byteOrderMark = []byte("\ufeff")

// Read reads all rows of r; name is the file's, for messages. Blank lines, a
// byte order mark and CRLF line ends are passed over, and a line may have any
// length. A bad line is a [*LineError]; a failing reader's own error is
// wrapped.
func Read(r io.Reader, name string) ([]scoring.Row, error) {
	var rows []scoring.Row
	seen := map[[2]string]int{}
	in := bufio.NewReaderSize(r, 1<<16)
	for line := 1; ; line++ {
		text, readErr := in.ReadBytes('\n')
		if readErr != nil && !errors.Is(readErr, io.EOF) {
			return nil, fmt.Errorf("%s: read line %d: %w", name, line, readErr)
		}
		text = bytes.TrimSpace(bytes.TrimPrefix(text, byteOrderMark))
		if len(text) > 0 {
			row, err := parse(text)
			if err == nil {
				err = unique(seen, row, line)
			}
			if err != nil {
				return nil, &LineError{Name: name, Line: line, Err: err}
			}
			rows = append(rows, row)
		}
		if readErr != nil {
			return rows, nil
		}
	}
}

// unique refuses an id that an earlier line of the same split has: a task
// counted twice would narrow every interval. POPE numbers each split anew, so
// an id may recur in another split.
func unique(seen map[[2]string]int, row scoring.Row, line int) error {
	if row.ID == "" {
		return nil
	}
	key := [2]string{row.Split, row.ID}
	if first, twice := seen[key]; twice {
		return fmt.Errorf("id %q is already on line %d: remove one of the two, or give them different ids", row.ID, first)
	}
	seen[key] = line
	return nil
}
