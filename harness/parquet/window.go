package parquet

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
)

// Snappy and LZ4 blocks have no decoder that streams, since each is meant to be
// held whole. But few look back further than 64 KiB: LZ4 cannot, and most of
// Snappy's encoders compress 64 KiB at a time. So no more is held than a block
// looks back, which farthest finds out.
const window = 1 << 16

var errPacked = errors.New("its compressed data are damaged")

// windowed unpacks a sequence of literals, bytes that stand as they are, and
// matches, repetitions of what came before.
type windowed struct {
	in     *bufio.Reader
	window int    // how far back a match may reach
	out    []byte // what came last
	read   int    // how much of it was read
	onto   func(*windowed) error
	begun  bool
	nibble int // LZ4: the match that follows the literals, -1 for none

	literal, match, offset int // what is under way
}

// Read unpacks as much as is asked for.
func (w *windowed) Read(p []byte) (int, error) {
	for w.read == len(w.out) {
		if err := w.step(); err != nil {
			return 0, err
		}
	}
	n := copy(p, w.out[w.read:])
	w.read += n
	return n, nil
}

// step unpacks some bytes, or finds out what comes next.
func (w *windowed) step() error {
	if len(w.out) >= 2*w.window { // everything was read: keep what may be repeated
		w.out = append(w.out[:0], w.out[len(w.out)-w.window:]...)
		w.read = len(w.out)
	}
	switch {
	case w.literal > 0:
		n := min(w.literal, window)
		start := len(w.out)
		w.out = append(w.out, make([]byte, n)...)
		w.literal -= n
		_, err := io.ReadFull(w.in, w.out[start:])
		return early(err)
	case w.match > 0:
		if w.offset < 1 || w.offset > len(w.out) {
			return errPacked
		}
		n := min(w.match, window)
		for range n { // byte by byte: a match may reach into itself
			w.out = append(w.out, w.out[len(w.out)-w.offset])
		}
		w.match -= n
		return nil
	}
	return w.onto(w)
}

// early makes the end of input an error.
func early(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// newSnappy unpacks a Snappy block that looks back so far and has that length
// unpacked: the length, then elements whose first byte tells literal or match.
func newSnappy(in *bufio.Reader, back int, length int64) *windowed {
	w := &windowed{in: in, window: max(back, window), onto: (*windowed).snappy}
	w.out = make([]byte, 0, min(int64(2*w.window), length)+window)
	return w
}

func (w *windowed) snappy() error {
	if !w.begun {
		w.begun = true
		_, err := binary.ReadUvarint(w.in) // the page's header tells it too
		return early(err)
	}
	tag, err := w.in.ReadByte()
	if err != nil {
		return err // the end
	}
	switch tag & 3 {
	case 0:
		n := int(tag >> 2)
		if n >= 60 {
			if n, err = w.number(n - 59); err != nil {
				return err
			}
		}
		w.literal = n + 1
		return nil
	case 1:
		low, err := w.number(1)
		w.match, w.offset = 4+int(tag>>2&7), int(tag>>5)<<8|low
		return err
	case 2:
		w.match = 1 + int(tag>>2)
		w.offset, err = w.number(2)
		return err
	default:
		w.match = 1 + int(tag>>2)
		w.offset, err = w.number(4)
		return err
	}
}

// number reads so many bytes, the lowest first.
func (w *windowed) number(bytes int) (int, error) {
	n := 0
	for i := range bytes {
		b, err := w.in.ReadByte()
		if err != nil {
			return 0, early(err)
		}
		n |= int(b) << (8 * i)
	}
	return n, nil
}

// newLZ4 unpacks an LZ4 block: sequences of literals and a match, the last
// without one.
func newLZ4(in *bufio.Reader) *windowed {
	return &windowed{in: in, window: window, onto: (*windowed).lz4, nibble: -1}
}

func (w *windowed) lz4() error {
	const least = 4 // bytes of a match
	if w.nibble >= 0 {
		n := w.nibble
		w.nibble = -1
		if _, err := w.in.Peek(1); err != nil {
			return err // the end
		}
		var err error
		if w.offset, err = w.number(2); err != nil {
			return err
		}
		n, err = w.more(n)
		w.match = n + least
		return err
	}
	token, err := w.in.ReadByte()
	if err != nil {
		return err
	}
	w.nibble = int(token & 15)
	w.literal, err = w.more(int(token >> 4))
	return err
}

// more reads what is added to a length of 15: bytes, as long as they are 255.
func (w *windowed) more(n int) (int, error) {
	for b := byte(255); b == 255 && n >= 15; {
		var err error
		if b, err = w.in.ReadByte(); err != nil {
			return 0, early(err)
		}
		n += int(b)
	}
	return n, nil
}
