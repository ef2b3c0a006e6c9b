package parquet

import (
	"encoding/binary"
	"io"
)

// farthest is how far back the matches of a Snappy block reach. It looks at the
// elements alone and passes over the bytes of literals, of which blocks of
// images are made.
func farthest(in io.ReaderAt, size int64) (int, error) {
	s := elements{in: in, size: size}
	head, err := s.bytes(binary.MaxVarintLen64)
	if err != nil {
		return 0, err
	}
	_, n := binary.Uvarint(head)
	if n <= 0 {
		return 0, errPacked
	}
	s.at = int64(n)
	far := 0
	for s.at < size {
		b, err := s.bytes(5)
		if err != nil {
			return 0, err
		}
		offset, length, literal := element(b)
		if length == 0 || int64(length) > size-s.at {
			return 0, errPacked
		}
		s.at += int64(length) + literal
		far = max(far, offset)
	}
	return far, nil
}

// element reads the head of one: how far back it reaches, its own length, and
// that of the literal behind it. A length of 0 is none.
func element(b []byte) (offset, length int, literal int64) {
	tag := b[0]
	length = [...]int{1, 2, 3, 5}[tag&3]
	extra := 0
	if n := int(tag >> 2); tag&3 == 0 && n >= 60 {
		extra = n - 59
		length += extra
	}
	if length > len(b) {
		return 0, 0, 0
	}
	number := func(n int) (v int64) {
		for i := range n {
			v |= int64(b[1+i]) << (8 * i)
		}
		return v
	}
	switch tag & 3 {
	case 0:
		literal = int64(tag>>2) + 1
		if extra > 0 {
			literal = number(extra) + 1
		}
	case 1:
		offset = int(tag>>5)<<8 | int(b[1])
	default:
		offset = int(number(length - 1))
	}
	return offset, length, literal
}

// elements gives the bytes at a place, through a buffer.
type elements struct {
	in    io.ReaderAt
	size  int64
	at    int64
	held  []byte
	start int64 // of what is held
	space [512]byte
}

// bytes are up to n bytes at the place, fewer at the end.
func (s *elements) bytes(n int) ([]byte, error) {
	want := min(int64(n), s.size-s.at)
	if s.at < s.start || s.at+want > s.start+int64(len(s.held)) {
		s.start, s.held = s.at, s.space[:min(int64(len(s.space)), s.size-s.at)]
		if _, err := s.in.ReadAt(s.held, s.at); err != nil {
			return nil, early(err)
		}
	}
	return s.held[s.at-s.start:][:want], nil
}
