package claim

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"unicode/utf8"
)

// table reads a file of comma-separated values, or of tabs or semicolons as
// its first line shows, which names the columns. Quotes, line breaks inside
// them, a byte order mark and CRLF are fine. Rows are named by the line they
// begin on. It stops after the first error, which says where it is.
func table(r io.Reader) iter.Seq2[row, error] {
	return func(yield func(row, error) bool) {
		in := unmarked(r)
		cr := csv.NewReader(in)
		cr.Comma = separator(in)
		columns, err := header(cr)
		if err != nil {
			yield(row{}, err)
			return
		}
		for {
			cells, err := cr.Read()
			if errors.Is(err, io.EOF) {
				return
			}
			if err == nil {
				err = text(cells)
			}
			where := fmt.Sprintf("line %d", lineOf(cr, cells, err))
			if err != nil {
				yield(row{}, inTable(where, err))
				return
			}
			if !yield(row{where, named(columns, cells)}, nil) {
				return
			}
		}
	}
}

// lineOf is where a row begins, whether or not it could be read.
func lineOf(cr *csv.Reader, cells []string, err error) int {
	var wrong *csv.ParseError
	switch {
	case errors.As(err, &wrong):
		return wrong.StartLine
	case len(cells) > 0:
		line, _ := cr.FieldPos(0)
		return line
	}
	return 1 // nothing was read, as when the disk fails
}

// separator is the one that the first line has most of; a comma if it has none.
func separator(in *bufio.Reader) rune {
	head, _ := in.Peek(1 << 12)
	first, _, _ := bytes.Cut(bytes.TrimLeft(head, " \r\n"), []byte("\n"))
	best, most := ',', 0
	for _, c := range ",;\t" {
		if n := bytes.Count(first, []byte(string(c))); n > most {
			best, most = c, n
		}
	}
	return best
}

// header reads the names of the columns.
func header(cr *csv.Reader) ([]string, error) {
	columns, err := cr.Read()
	if errors.Is(err, io.EOF) {
		return nil, errors.New("the file is empty")
	}
	if err == nil {
		err = text(columns)
	}
	if err != nil {
		return nil, inTable("line 1", err)
	}
	seen := make(map[string]bool)
	for i, c := range columns {
		columns[i] = strings.TrimSpace(c)
		if columns[i] != "" && seen[columns[i]] {
			return nil, fmt.Errorf("line 1: column %q is given twice", columns[i])
		}
		seen[columns[i]] = true
	}
	if !seen["label"] && !seen["answer"] {
		return nil, fmt.Errorf("line 1: no column \"label\" or \"answer\" among %.200q: the first line must name the columns", columns)
	}
	return columns, nil
}

// named gives cells the names of their columns; empty cells are left out.
func named(columns, cells []string) map[string]json.RawMessage {
	of := make(map[string]string)
	for i, cell := range cells {
		of[columns[i]] = cell
	}
	return texts(of)
}

// text refuses what is no UTF-8, which a spreadsheet writes unless told.
func text(cells []string) error {
	for _, c := range cells {
		if !utf8.ValidString(c) {
			return errors.New("not UTF-8 text: save the table as CSV UTF-8")
		}
	}
	return nil
}

// inTable says where an error is, once.
func inTable(where string, err error) error {
	if bad := new(csv.ParseError); errors.As(err, &bad) {
		return fmt.Errorf("line %d: %w", bad.Line, bad.Err)
	}
	return fmt.Errorf("%s: %w", where, err)
}
