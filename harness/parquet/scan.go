package parquet

import (
	"encoding/binary"
	"errors"
)

// Bounds on metadata, far above what any real file has.
const (
	maxNesting = 32
	// maxStructs is how many structures lists may hold: decoded, each may take
	// half a kilobyte where it took a few bytes in the file.
	maxStructs = 500_000
)

var errMetadata = errors.New("its metadata are damaged")

// scan checks a structure in Thrift's compact protocol, of which b is the
// beginning, and returns how many bytes it has. It is what makes it safe to hand
// them to a decoder that allocates as many items as a list claims to hold.
// Incomplete input is errIncomplete.
func scan(b []byte) (int, error) {
	s := scanner{b: b}
	err := s.structure(0)
	return s.at, err
}

var errIncomplete = errors.New("its metadata end early")

type scanner struct {
	b       []byte
	at      int
	structs int
}

// Types of the compact protocol.
const (
	thriftTrue   = 1
	thriftFalse  = 2
	thriftI8     = 3
	thriftI16    = 4
	thriftI32    = 5
	thriftI64    = 6
	thriftDouble = 7
	thriftBinary = 8
	thriftList   = 9
	thriftSet    = 10
	thriftMap    = 11
	thriftStruct = 12
)

func (s *scanner) byte() (byte, error) {
	if s.at >= len(s.b) {
		return 0, errIncomplete
	}
	s.at++
	return s.b[s.at-1], nil
}

func (s *scanner) varint() (uint64, error) {
	v, n := binary.Uvarint(s.b[s.at:])
	switch {
	case n == 0:
		return 0, errIncomplete
	case n < 0:
		return 0, errMetadata
	}
	s.at += n
	return v, nil
}

func (s *scanner) skip(n uint64) error {
	if n > uint64(len(s.b)-s.at) {
		return errIncomplete
	}
	s.at += int(n)
	return nil
}

func (s *scanner) structure(depth int) error {
	if depth > maxNesting {
		return errMetadata
	}
	for {
		head, err := s.byte()
		if err != nil {
			return err
		}
		if head == 0 {
			return nil
		}
		if head>>4 == 0 { // the field's number follows
			if _, err := s.varint(); err != nil {
				return err
			}
		}
		if t := head & 15; t != thriftTrue && t != thriftFalse { // those are their value
			if err := s.value(t, depth); err != nil {
				return err
			}
		}
	}
}

func (s *scanner) value(t byte, depth int) error {
	switch t {
	case thriftTrue, thriftFalse, thriftI8:
		return s.skip(1)
	case thriftI16, thriftI32, thriftI64:
		_, err := s.varint()
		return err
	case thriftDouble:
		return s.skip(8)
	case thriftBinary:
		n, err := s.varint()
		if err != nil {
			return err
		}
		return s.skip(n)
	case thriftList, thriftSet:
		return s.list(depth)
	case thriftMap:
		return s.pairs(depth)
	case thriftStruct:
		return s.structure(depth + 1)
	}
	return errMetadata
}

func (s *scanner) list(depth int) error {
	head, err := s.byte()
	if err != nil {
		return err
	}
	n := uint64(head >> 4)
	if n == 15 {
		if n, err = s.varint(); err != nil {
			return err
		}
	}
	return s.items(n, head&15, depth)
}

// items checks n values of one type. Each takes a byte at least, so that n
// beyond what is left is damage, or the rest is yet to be read.
func (s *scanner) items(n uint64, t byte, depth int) error {
	if n > uint64(len(s.b)-s.at) {
		return errIncomplete
	}
	if t == thriftStruct {
		if s.structs += int(n); s.structs > maxStructs {
			return errMetadata
		}
	}
	if depth++; depth > maxNesting {
		return errMetadata
	}
	for range n {
		if err := s.value(t, depth); err != nil {
			return err
		}
	}
	return nil
}

func (s *scanner) pairs(depth int) error {
	n, err := s.varint()
	if err != nil || n == 0 {
		return err
	}
	types, err := s.byte()
	if err != nil {
		return err
	}
	if n > uint64(len(s.b)-s.at) {
		return errIncomplete
	}
	for range n {
		if err := s.value(types>>4, depth+1); err != nil {
			return err
		}
		if err := s.value(types&15, depth+1); err != nil {
			return err
		}
	}
	return nil
}
