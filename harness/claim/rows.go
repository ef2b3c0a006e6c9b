package claim

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// maxRow is the most bytes one row may have; a row is a sentence or two.
const maxRow = 1 << 20

// row is one JSON object of a file and where it stands: "line 3" of JSON
// Lines, "row 3" of an array.
type row struct {
	where  string
	values map[string]json.RawMessage
}

// addRows hands the rows of an open file to add, the n-th from 1, and returns the
// file with its hash. Errors name the file, those of add also the row.
func addRows(name string, in io.Reader, add func(r row, n int) error) (File, error) {
	hash := sha256.New()
	n := 0
	for r, err := range rowsOf(name, io.TeeReader(in, hash)) {
		if err != nil {
			return File{}, fmt.Errorf("%s: %w", name, err)
		}
		n++
		if err := add(r, n); err != nil {
			return File{}, fmt.Errorf("%s: %s: %w", name, r.where, err)
		}
	}
	if n == 0 {
		return File{}, fmt.Errorf("%s: the file holds no rows", name)
	}
	return File{name, hex.EncodeToString(hash.Sum(nil))}, nil
}

// rowsOf reads the rows of a file: a table, if its name says so, else JSON.
func rowsOf(name string, r io.Reader) iter.Seq2[row, error] {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".csv", ".tsv":
		return table(r)
	}
	return rows(name, r)
}

// rows reads a file of JSON Lines or one JSON array of objects; which it is
// shows at its first byte, for POPE's .json files are JSON Lines. A listing, one
// object for the whole file, is a row for each image in it. A byte order mark,
// CRLF and blank lines are fine. It stops after the first error, which says
// where it is.
func rows(name string, r io.Reader) iter.Seq2[row, error] {
	return func(yield func(row, error) bool) {
		in := unmarked(r)
		switch first, above, err := firstByte(in); {
		case errors.Is(err, io.EOF):
			yield(row{}, errors.New("the file is empty"))
		case err != nil:
			yield(row{}, err)
		case first == '[':
			array(in, yield)
		case opensAlone(in):
			wholeObject(in, name, above, yield)
		default:
			lines(in, name, above, yield)
		}
	}
}

// unmarked buffers what is read, behind a byte order mark if there is one.
func unmarked(r io.Reader) *bufio.Reader {
	in := bufio.NewReaderSize(r, 1<<16)
	if head, _ := in.Peek(3); bytes.Equal(head, []byte("\xef\xbb\xbf")) {
		_, _ = in.Discard(3)
	}
	return in
}

// firstByte is the first that is no blank. It consumes the blanks, however many
// there are, and counts the lines that end among them.
func firstByte(in *bufio.Reader) (first byte, above int, err error) {
	for {
		c, err := in.ReadByte()
		switch {
		case err != nil:
			return 0, above, err
		case c == '\n':
			above++
		case c != ' ' && c != '\t' && c != '\r':
			return c, above, in.UnreadByte()
		}
	}
}

// opensAlone tells a first line that is but the brace of an object.
func opensAlone(in *bufio.Reader) bool {
	head, _ := in.Peek(64)
	line, _, ended := bytes.Cut(head, []byte("\n"))
	return ended && string(bytes.TrimSpace(line)) == "{"
}

// lines reads JSON Lines that stand below a number of others.
func lines(in io.Reader, name string, above int, yield func(row, error) bool) {
	sc := bufio.NewScanner(in)
	sc.Buffer(make([]byte, 0, 1<<12), maxRow)
	n := above
	for sc.Scan() {
		n++
		line := bytes.TrimSpace(sc.Bytes())
		if len(line) == 0 {
			continue
		}
		where := fmt.Sprintf("line %d", n)
		fields, err := object(line)
		if err != nil {
			yield(row{}, fmt.Errorf("%s: %w", where, err))
			return
		}
		if isListing(fields) {
			listing(name, fields, yield)
			return
		}
		if !yield(row{where, fields}, nil) {
			return
		}
	}
	err := sc.Err()
	if errors.Is(err, bufio.ErrTooLong) {
		err = fmt.Errorf("longer than %d MiB: each row must be a line of its own, or the file one array", maxRow>>20)
	}
	if err != nil {
		yield(row{}, fmt.Errorf("line %d: %w", n+1, err))
	}
}

func array(in io.Reader, yield func(row, error) bool) {
	dec := json.NewDecoder(in)
	if _, err := dec.Token(); err != nil {
		yield(row{}, err)
		return
	}
	n := 0
	for dec.More() {
		n++
		where := fmt.Sprintf("row %d", n)
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			yield(row{}, fmt.Errorf("%s: %w", where, unexpectedEnd(err)))
			return
		}
		fields, err := object(raw)
		if err != nil {
			yield(row{}, fmt.Errorf("%s: %w", where, err))
			return
		}
		if !yield(row{where, fields}, nil) {
			return
		}
	}
	if _, err := dec.Token(); err != nil {
		yield(row{}, fmt.Errorf("after row %d: %w", n, unexpectedEnd(err)))
		return
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		yield(row{}, fmt.Errorf("after row %d: text after the end of the array", n))
	}
}

func unexpectedEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// object reads one JSON object and nothing after it. A key given twice is an
// error: encoding/json would keep the last and say nothing.
func object(raw []byte) (map[string]json.RawMessage, error) {
	if !utf8.Valid(raw) {
		return nil, errors.New("not UTF-8 text")
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	open, err := dec.Token()
	if err != nil {
		return nil, fmt.Errorf("not JSON: %w", unexpectedEnd(err))
	}
	if open != json.Delim('{') {
		return nil, fmt.Errorf("want a JSON object, found %.40q", raw)
	}
	fields := make(map[string]json.RawMessage)
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, fmt.Errorf("not JSON: %w", unexpectedEnd(err))
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, fmt.Errorf("not JSON: %w", unexpectedEnd(err))
		}
		name, _ := key.(string) // keys of an object are strings
		if _, twice := fields[name]; twice {
			return nil, fmt.Errorf("key %q is given twice", name)
		}
		fields[name] = value
	}
	if _, err := dec.Token(); err != nil {
		return nil, fmt.Errorf("not JSON: %w", unexpectedEnd(err))
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more than one JSON object")
	}
	return fields, nil
}
