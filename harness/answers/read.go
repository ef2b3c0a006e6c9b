package answers

import (
	"bufio"
	"bytes"
	"encoding/json"
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
// length. Warnings tell of rows that are malformed by a key or a verdict of
// another spelling, and of a file without rows. A bad line is a [*LineError]; a
// failing reader's own error is wrapped.
func Read(r io.Reader, name string) ([]scoring.Row, []scoring.Warning, error) {
	var rows []scoring.Row
	var odd oddities
	seen := map[[2]string]int{}
	in := bufio.NewReaderSize(r, 1<<16)
	for line := 1; ; line++ {
		text, readErr := in.ReadBytes('\n')
		if readErr != nil && !errors.Is(readErr, io.EOF) {
			return nil, nil, fmt.Errorf("%s: read line %d: %w", name, line, readErr)
		}
		text = bytes.TrimSpace(bytes.TrimPrefix(text, byteOrderMark))
		if len(text) > 0 {
			row, keys, err := parse(text)
			if err == nil {
				err = unique(seen, row, line)
			}
			if err != nil {
				if len(rows) == 0 && opens(text, in) {
					err = fmt.Errorf("%w: %s", err, oneDocument)
				}
				return nil, nil, &LineError{Name: name, Line: line, Err: err}
			}
			odd.note(keys, row)
			rows = append(rows, row)
		}
		if readErr != nil {
			return rows, warnings(rows, odd, name), nil
		}
	}
}

func warnings(rows []scoring.Row, odd oddities, name string) []scoring.Warning {
	if len(rows) == 0 {
		return []scoring.Warning{{Code: scoring.WarnNoTasks, Message: "no answers in " + name}}
	}
	return odd.warnings()
}

const oneDocument = "this looks like one JSON document over several lines, but one answer a line is wanted (JSON Lines); to score a run, name its directory or its traces.jsonl"

// opens reports whether a file's first line only opens what a later one closes,
// as that of a run's summary.json does.
func opens(text []byte, rest *bufio.Reader) bool {
	var whole json.RawMessage
	err := json.NewDecoder(bytes.NewReader(text)).Decode(&whole)
	_, end := rest.Peek(1)
	return errors.Is(err, io.ErrUnexpectedEOF) && end == nil
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
