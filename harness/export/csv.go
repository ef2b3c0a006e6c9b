package export

import (
	"bufio"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
)

// CSV is the table of a run's traces as RFC 4180 has it, but with lines that
// end in a single line feed: UTF-8, a header, a field in quotes only where it
// must be. Null is an empty field; of the columns that are never null only
// "text" can be empty too. Reals have a point or an exponent, integers neither.
type CSV struct {
	Out string // "": beside the run
	// Spreadsheet is for opening the file in one: it begins with a byte order
	// mark, and a text that would be taken for a formula begins with "'".
	Spreadsheet bool
}

// Export writes the file.
func (c CSV) Export(ctx context.Context, r *Run) (string, error) {
	name := r.beside(c.Out, ".csv")
	return name, r.writeFile(name, r.lookCSV, func(w io.Writer) error { return c.write(ctx, w, r) })
}

const byteOrderMark = "\uFEFF"

func (c CSV) write(ctx context.Context, w io.Writer, r *Run) error {
	buffered := bufio.NewWriter(w)
	if c.Spreadsheet {
		buffered.WriteString(byteOrderMark) // its error is Flush's
	}
	out, columns := csv.NewWriter(buffered), r.Columns()
	if err := out.Write(names(columns)); err != nil {
		return err
	}
	fields := make([]string, len(columns))
	for i := range r.Traces {
		if err := ctx.Err(); err != nil {
			return err
		}
		for k, col := range columns {
			fields[k] = c.field(col.value(&r.Traces[i]))
		}
		if err := out.Write(fields); err != nil {
			return err
		}
	}
	out.Flush()
	return errors.Join(out.Error(), buffered.Flush())
}

func (c CSV) field(v any) string {
	switch v := v.(type) {
	case string:
		if c.Spreadsheet && v != "" && strings.ContainsRune("=+-@\t\r\n", rune(v[0])) {
			return "'" + v
		}
		return v
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		s := strconv.FormatFloat(v, 'g', -1, 64)
		if !strings.ContainsAny(s, ".e") {
			s += ".0" // else a column of whole numbers would be read as integers
		}
		return s
	case bool:
		return strconv.FormatBool(v)
	}
	return ""
}

func names(columns []Column) []string {
	out := make([]string, len(columns))
	for i, c := range columns {
		out[i] = c.Name
	}
	return out
}

// lookCSV reads whose export a file is: its columns are ours, and every row is
// of one run.
func (r *Run) lookCSV(f *os.File) (held, error) {
	buffered := bufio.NewReader(f)
	if mark, _ := buffered.Peek(len(byteOrderMark)); string(mark) == byteOrderMark {
		buffered.Discard(len(mark)) //nolint:errcheck // it was there to peek at
	}
	in := csv.NewReader(buffered)
	in.ReuseRecord = true
	header, err := in.Read()
	if err != nil {
		return held{}, err
	}
	ours := names(r.Columns())
	for _, name := range header {
		if !slices.Contains(ours, name) {
			return held{}, fmt.Errorf("it has a column %q", name)
		}
	}
	at := slices.Index(header, "run_id")
	if at < 0 {
		return held{}, errors.New("it has no column run_id")
	}
	var h held
	for {
		row, err := in.Read()
		switch {
		case errors.Is(err, io.EOF):
			return h, nil
		case err != nil:
			return held{}, err
		case h.traces > 0 && row[at] != h.run:
			return held{}, errors.New("it has rows of several runs")
		}
		h.run = strings.Clone(row[at])
		h.traces++
	}
}
