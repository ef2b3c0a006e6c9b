package parquet

import (
	"encoding/binary"
	"errors"
	"io"
)

var errValues = errors.New("its values are damaged")

// runs reads numbers of a few bits each in the RLE/bit-packing hybrid: runs of
// one number, and stretches of packed ones.
type runs struct {
	in    io.ByteReader
	width int

	left   uint64 // of the run or stretch
	packed bool
	value  uint32 // that the run repeats
	bits   uint64 // read, not yet used
	have   int    // how many
}

const maxWidth = 32

// next is the next number.
func (r *runs) next() (uint32, error) {
	for r.left == 0 {
		if err := r.begin(); err != nil {
			return 0, early(err)
		}
	}
	r.left--
	if !r.packed {
		return r.value, nil
	}
	for r.have < r.width {
		b, err := r.in.ReadByte()
		if err != nil {
			return 0, early(err)
		}
		r.bits |= uint64(b) << r.have
		r.have += 8
	}
	v := uint32(r.bits & (1<<r.width - 1))
	r.bits >>= r.width
	r.have -= r.width
	return v, nil
}

func (r *runs) begin() error {
	if r.width == 0 { // one number, zero, needs no bits
		r.left, r.packed, r.value = 1<<62, false, 0
		return nil
	}
	head, err := binary.ReadUvarint(r.in)
	if err != nil {
		return err
	}
	if r.packed = head&1 == 1; r.packed {
		r.left, r.bits, r.have = head>>1*8, 0, 0
		return nil
	}
	r.left, r.value = head>>1, 0
	for i := range (r.width + 7) / 8 {
		b, err := r.in.ReadByte()
		if err != nil {
			return err
		}
		r.value |= uint32(b) << (8 * i)
	}
	return nil
}
