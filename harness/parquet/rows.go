package parquet

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/parquet-go/parquet-go/format"
)

// Row is some values of one row.
type Row struct {
	Number int64 // in the file, from 0
	Group  int   // its row group, from 0
	// Values are those of the columns that were asked for: string, []byte,
	// int64, float64, bool, or nil where there is none.
	Values []any
}

// maxText is the most bytes of a small column's page and dictionary.
const maxText = 256 << 20

// Rows reads the named columns of all rows. No other column is touched. It
// stops after the first error, or when ctx ends.
func (f *File) Rows(ctx context.Context, names ...string) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		columns, err := f.wanted(names)
		if err != nil {
			yield(Row{}, err)
			return
		}
		for group := range f.meta.RowGroups {
			if !f.rowsOf(ctx, group, columns, yield) {
				return
			}
		}
	}
}

func (f *File) wanted(names []string) ([]*Column, error) {
	columns := make([]*Column, len(names))
	for i, name := range names {
		c, ok := f.Column(name)
		switch {
		case !ok:
			return nil, fmt.Errorf("%s: it has no column %q", f.name, name)
		case c.Kind == Nested || c.Kind == Other:
			return nil, fmt.Errorf("%s: column %s is %s", f.name, name, c.Kind)
		}
		columns[i] = c
	}
	return columns, nil
}

// rowsOf yields the rows of one row group, and reports whether to go on.
func (f *File) rowsOf(ctx context.Context, group int, columns []*Column, yield func(Row, error) bool) bool {
	readers := make([]*columnReader, len(columns))
	defer func() {
		for _, r := range readers {
			if r != nil {
				r.stop()
			}
		}
	}()
	for i, c := range columns {
		pages, err := f.pagesOf(group, c)
		if err != nil {
			yield(Row{}, err)
			return false
		}
		readers[i] = &columnReader{f: f, group: group, column: c, pages: pages}
	}
	for n := range f.meta.RowGroups[group].NumRows {
		row := Row{Number: f.first[group] + n, Group: group, Values: make([]any, len(columns))}
		err := ctx.Err()
		for i := 0; i < len(readers) && err == nil; i++ {
			row.Values[i], err = readers[i].next()
		}
		if !yield(row, err) || err != nil {
			return false
		}
	}
	// The sums of the last pages.
	for _, r := range readers {
		if err := r.finish(nil); err != nil {
			yield(Row{}, f.damaged(group, r.column.Name, err))
			return false
		}
	}
	return true
}

// columnReader reads a column of one row group from end to end.
type columnReader struct {
	f      *File
	group  int
	column *Column
	pages  []page // those not begun

	dictionary []any
	at         *cursor // the page under way, nil for none
	left       int64   // rows of it
	value      func() (any, error)
}

// next is the value of the next row.
func (r *columnReader) next() (any, error) {
	v, err := r.try()
	return v, r.f.damaged(r.group, r.column.Name, err)
}

func (r *columnReader) try() (any, error) {
	for r.left == 0 {
		if err := r.finish(nil); err != nil {
			return nil, err
		}
		if err := r.open(); err != nil {
			return nil, err
		}
	}
	r.left--
	here, err := r.at.here()
	if err != nil || !here {
		return nil, err
	}
	return r.value()
}

// finish ends the page under way.
func (r *columnReader) finish(err error) error {
	if r.at == nil {
		return err
	}
	at := r.at
	r.at = nil
	return at.done(err)
}

// errStopped ends a page that need not be read to its end.
var errStopped = errors.New("stopped")

func (r *columnReader) stop() { _ = r.finish(errStopped) }

// open begins the next page.
func (r *columnReader) open() error {
	if len(r.pages) == 0 {
		return errValues
	}
	p := &r.pages[0]
	r.pages = r.pages[1:]
	if p.unpacked > maxText {
		return fmt.Errorf("a page of %d bytes; of a column that is read row by row at most %d are", p.unpacked, maxText)
	}
	k, err := r.f.openPage(r.group, r.column, p)
	if err != nil {
		return err
	}
	if p.dictionary {
		return k.done(r.readDictionary(k))
	}
	r.at, r.left = k, p.values
	r.value, err = r.values(k)
	return err
}

// values is how the values of a page are read.
func (r *columnReader) values(k *cursor) (func() (any, error), error) {
	if !k.indexed() {
		return plain(r.column, k.page.encoding, k.in)
	}
	indices, err := k.indices()
	return func() (any, error) {
		i, err := indices.next()
		if err == nil && int64(i) >= int64(len(r.dictionary)) {
			err = errValues
		}
		if err != nil {
			return nil, err
		}
		return r.dictionary[i], nil
	}, err
}

func (r *columnReader) readDictionary(k *cursor) error {
	value, err := plain(r.column, format.Plain, k.in) // whatever older writers call it
	if err != nil {
		return err
	}
	for range k.page.values { // each takes bytes of the page, so a false number ends soon
		v, err := value()
		if err != nil {
			return err
		}
		r.dictionary = append(r.dictionary, v)
	}
	return nil
}

// plain reads values that stand in the page itself.
func plain(c *Column, e format.Encoding, in input) (func() (any, error), error) {
	if c.Kind != Text && c.Kind != Bytes {
		n, err := newNumbers(c, e, in)
		if err != nil {
			return nil, err
		}
		return n.next, nil
	}
	b, err := newBytes(e, in)
	if err != nil {
		return nil, err
	}
	return func() (any, error) {
		v, err := take(b)
		if c.Kind == Text {
			return string(v), err
		}
		return v, err
	}, nil
}
