package parquet

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"github.com/parquet-go/parquet-go/format"
)

// maxValue is the most bytes one value may have.
const maxValue = 256 << 20

// input is a stream of bytes.
type input interface {
	io.Reader
	io.ByteReader
}

// byteValues reads values of bytes one after another.
type byteValues interface {
	// copyNext writes the next one; to io.Discard in order to pass it over.
	copyNext(w io.Writer) error
}

// numbers reads whole numbers, numbers and truth values one after another.
type numbers interface{ next() (any, error) }

// copyN copies a value of n bytes. Its memory grows as bytes come: a length
// that is not true costs nothing. What is only passed over need not be read.
func copyN(w io.Writer, in io.Reader, n int64) error {
	if s, ok := in.(*seeking); ok && w == io.Discard {
		return s.skip(n)
	}
	_, err := io.CopyN(w, in, n)
	return early(err)
}

// seeking reads a part of a file, some of which may be passed over.
type seeking struct {
	*bufio.Reader
	part *io.SectionReader
}

func newSeeking(in io.ReaderAt, from, to int64) *seeking {
	part := io.NewSectionReader(in, from, to-from)
	return &seeking{buffered(part, to-from), part}
}

func (s *seeking) skip(n int64) error {
	held := int64(s.Buffered())
	if n <= held {
		_, err := s.Discard(int(n))
		return err
	}
	at, err := s.part.Seek(n-held, io.SeekCurrent)
	if err == nil && at > s.part.Size() {
		err = io.ErrUnexpectedEOF
	}
	s.Reset(s.part)
	return err
}

// newBytes reads byte values in an encoding that has them in the page itself.
func newBytes(e format.Encoding, in input) (byteValues, error) {
	switch e {
	case format.Plain:
		return plainBytes{in}, nil
	case format.DeltaLengthByteArray:
		all, err := lengths(in)
		return &deltaLengths{in, all}, err
	case format.DeltaByteArray:
		shared, err := lengths(in)
		if err != nil {
			return nil, err
		}
		rests, err := lengths(in)
		return &deltaStrings{shared: shared, rests: deltaLengths{in, rests}}, err
	}
	return nil, fmt.Errorf("its encoding, %s, is not read", e)
}

// plainBytes are values behind their lengths.
type plainBytes struct{ in input }

func (p plainBytes) copyNext(w io.Writer) error {
	var head [4]byte
	if _, err := io.ReadFull(p.in, head[:]); err != nil {
		return early(err)
	}
	n := binary.LittleEndian.Uint32(head[:])
	if n > maxValue {
		return fmt.Errorf("%w: one of %d bytes", errValues, n)
	}
	return copyN(w, p.in, int64(n))
}

// newNumbers reads numbers in an encoding that has them in the page itself.
func newNumbers(c *Column, e format.Encoding, in input) (numbers, error) {
	whole := c.physical == format.Int32 || c.physical == format.Int64
	switch {
	case e == format.Plain && c.physical == format.Boolean:
		// One bit each, the lowest first, which is one packed stretch.
		return truths{&runs{in: in, width: 1, left: math.MaxInt64, packed: true}}, nil
	case e == format.RLE && c.physical == format.Boolean:
		_, err := io.CopyN(io.Discard, in, 4) // their length, which the page tells too
		return truths{&runs{in: in, width: 1}}, early(err)
	case e == format.Plain:
		return plainNumbers{in, c.physical}, nil
	case e == format.DeltaBinaryPacked && whole:
		d, err := newDeltas(in)
		return wholes{d}, err
	}
	return nil, fmt.Errorf("its encoding, %s, is not read", e)
}

type plainNumbers struct {
	in   input
	kind format.Type
}

func (p plainNumbers) next() (any, error) {
	var b [8]byte
	size := 8
	if p.kind == format.Int32 || p.kind == format.Float {
		size = 4
	}
	if _, err := io.ReadFull(p.in, b[:size]); err != nil {
		return nil, early(err)
	}
	switch p.kind {
	case format.Int32:
		return int64(int32(binary.LittleEndian.Uint32(b[:]))), nil
	case format.Int64:
		return int64(binary.LittleEndian.Uint64(b[:])), nil
	case format.Float:
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(b[:]))), nil
	}
	return math.Float64frombits(binary.LittleEndian.Uint64(b[:])), nil
}

type truths struct{ *runs }

func (t truths) next() (any, error) { v, err := t.runs.next(); return v == 1, err }

type wholes struct{ *deltas }

func (w wholes) next() (any, error) { return w.int() }

// take is a byte value, in memory of its own.
func take(v byteValues) ([]byte, error) {
	var b bytes.Buffer
	if err := v.copyNext(&b); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
