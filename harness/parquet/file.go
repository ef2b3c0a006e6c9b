package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"candor/harness/regular"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// File is an open Parquet file. It is safe for concurrent use.
type File struct {
	name    string
	in      io.ReaderAt
	closer  io.Closer
	end     int64 // where the pages end and the metadata begin
	meta    format.FileMetaData
	columns []Column
	first   []int64 // first row of each row group

	mu    sync.Mutex
	pages map[[2]int][]page // row group, column → its pages, once they were looked for
	looks map[int64]int     // where a page begins → how far back it looks, likewise
}

// maxFooter is the most bytes of metadata that are read: a data set of 9000
// rows has some 100 kB.
const maxFooter = 64 << 20

const magicLength = 4

// Open opens a file and reads its metadata.
func Open(name string) (*File, error) {
	f, err := regular.Open(name)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	p, err := New(name, f, info.Size())
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	p.closer = f
	return p, nil
}

// New reads the metadata of a file of size bytes. The name is for messages.
func New(name string, in io.ReaderAt, size int64) (*File, error) {
	f := &File{name: name, in: in, closer: io.NopCloser(nil), pages: make(map[[2]int][]page), looks: make(map[int64]int)}
	footer, err := f.footer(size)
	if err == nil {
		err = f.decode(footer)
	}
	if err != nil {
		return nil, f.damaged(-1, "", err)
	}
	return f, nil
}

// Close closes the file.
func (f *File) Close() error { return f.closer.Close() }

// NumRows is the number of rows.
func (f *File) NumRows() int64 { return f.meta.NumRows }

// NumGroups is the number of row groups.
func (f *File) NumGroups() int { return len(f.meta.RowGroups) }

// Columns lists the columns of values, in the file's order.
func (f *File) Columns() []Column { return f.columns }

// Column finds a column by its name.
func (f *File) Column(name string) (*Column, bool) {
	for i := range f.columns {
		if f.columns[i].Name == name {
			return &f.columns[i], true
		}
	}
	return nil, false
}

// Metadata is the text that a program that wrote the file left under a key, ""
// for none.
func (f *File) Metadata(key string) string {
	for _, kv := range f.meta.KeyValueMetadata {
		if kv.Key == key {
			return kv.Value
		}
	}
	return ""
}

// footer reads the metadata as they stand at the file's end: metadata, their
// length in 4 bytes, and the mark that the file begins with too.
func (f *File) footer(size int64) ([]byte, error) {
	const tail = 4 + magicLength
	var head, last [tail]byte
	if size < magicLength+tail {
		return nil, fmt.Errorf("it has %d bytes, too few for a Parquet file", size)
	}
	if _, err := f.in.ReadAt(head[:magicLength], 0); err != nil {
		return nil, err
	}
	if _, err := f.in.ReadAt(last[:], size-tail); err != nil {
		return nil, err
	}
	switch begins, ends := string(head[:magicLength]), string(last[4:]); {
	case begins == "PARE" || ends == "PARE":
		return nil, errors.New("it is encrypted, which is not read")
	case strings.HasPrefix(begins, "vers"):
		return nil, errors.New("it is the pointer of Git LFS to a file that was not fetched: run git lfs pull")
	case begins != "PAR1":
		return nil, fmt.Errorf("it is no Parquet file: it begins with %q", begins)
	case ends != "PAR1":
		return nil, errors.New("it is cut off: its end is missing")
	}
	length := int64(binary.LittleEndian.Uint32(last[:4]))
	if f.end = size - tail - length; f.end < magicLength {
		return nil, fmt.Errorf("%w: they claim %d bytes of %d", errMetadata, length, size)
	}
	if length > maxFooter {
		return nil, fmt.Errorf("its metadata have %d bytes; at most %d are read", length, maxFooter)
	}
	footer := make([]byte, length)
	_, err := f.in.ReadAt(footer, f.end)
	return footer, err
}

func (f *File) decode(footer []byte) error {
	n, err := scan(footer)
	if err != nil {
		return inMetadata(err)
	}
	if err := thrift.Unmarshal(&thrift.CompactProtocol{}, footer[:n], &f.meta); err != nil {
		return inMetadata(err)
	}
	if f.meta.EncryptionAlgorithm.Value != nil {
		return errors.New("it is encrypted, which is not read")
	}
	if f.columns, err = flatten(f.meta.Schema); err != nil {
		return err
	}
	rows := int64(0)
	for i, g := range f.meta.RowGroups {
		f.first = append(f.first, rows)
		if g.NumRows < 0 || len(g.Columns) != len(f.columns) {
			return fmt.Errorf("%w: row group %d has %d rows and %d columns, the schema has %d", errMetadata, i+1, g.NumRows, len(g.Columns), len(f.columns))
		}
		if rows += g.NumRows; rows < 0 {
			return fmt.Errorf("%w: too many rows", errMetadata)
		}
	}
	if rows != f.meta.NumRows {
		return fmt.Errorf("%w: %d rows, and %d in the row groups", errMetadata, f.meta.NumRows, rows)
	}
	return nil
}

// inMetadata says once what is damaged.
func inMetadata(err error) error {
	if errors.Is(err, errMetadata) {
		return err
	}
	return fmt.Errorf("%w: %w", errMetadata, err)
}

// locate is the row group of a row and its place there.
func (f *File) locate(row int64) (group int, at int64, err error) {
	if row < 0 || row >= f.meta.NumRows {
		return 0, 0, fmt.Errorf("%s: there is no row %d: it has %d", f.name, row+1, f.meta.NumRows)
	}
	for group+1 < len(f.first) && f.first[group+1] <= row {
		group++
	}
	return group, row - f.first[group], nil
}

// CorruptError is a file that is damaged, or of a form that is not read.
type CorruptError struct {
	File   string
	Group  int    // the row group, from 0; -1 for the file as a whole
	Column string // "" for all
	Err    error
}

// Error says where the fault is.
func (e *CorruptError) Error() string {
	s := e.File
	if e.Group >= 0 {
		s += fmt.Sprintf(": row group %d", e.Group+1)
	}
	if e.Column != "" {
		s += ", column " + e.Column
	}
	return s + ": " + e.Err.Error()
}

// Unwrap returns the fault itself.
func (e *CorruptError) Unwrap() error { return e.Err }

// damaged says where an error happened, unless it already does.
func (f *File) damaged(group int, column string, err error) error {
	if err == nil || errors.As(err, new(*CorruptError)) {
		return err
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.New("it ends early")
	}
	return &CorruptError{File: f.name, Group: group, Column: column, Err: err}
}
