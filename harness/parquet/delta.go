package parquet

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
)

// deltas reads DELTA_BINARY_PACKED: whole numbers as differences, in blocks of
// small blocks that each have a width of their own.
type deltas struct {
	in    input
	left  uint64 // numbers in all
	block uint64 // numbers of a block
	minis int    // small blocks of a block

	last   int64
	least  int64 // difference of the block
	widths []byte
	mini   runs   // the small block under way
	inMini uint64 // numbers left in it
	begun  bool
}

// maxMinis is the most small blocks of a block: writers use 4.
const maxMinis = 1 << 10

func newDeltas(in input) (*deltas, error) {
	d := &deltas{in: in}
	var head [3]uint64
	for i := range head {
		var err error
		if head[i], err = binary.ReadUvarint(in); err != nil {
			return nil, early(err)
		}
	}
	first, err := binary.ReadVarint(in)
	if err != nil {
		return nil, early(err)
	}
	d.block, d.left, d.last = head[0], head[2], first
	if head[1] == 0 || head[1] > maxMinis || d.block > 1<<20 || d.block%head[1] != 0 || d.block/head[1]%8 != 0 {
		return nil, errValues
	}
	d.minis = int(head[1])
	return d, nil
}

// int is the next number.
func (d *deltas) int() (int64, error) {
	if d.left == 0 {
		return 0, errValues
	}
	d.left--
	if !d.begun {
		d.begun = true
		return d.last, nil
	}
	for d.inMini == 0 {
		if err := d.nextMini(); err != nil {
			return 0, early(err)
		}
	}
	d.inMini--
	delta, err := d.wide()
	d.last += d.least + delta
	return d.last, err
}

// wide reads one packed difference; they may have 64 bits.
func (d *deltas) wide() (int64, error) {
	low := d.mini.width
	if low <= maxWidth {
		v, err := d.mini.next()
		return int64(v), err
	}
	var v uint64
	for i := range low {
		if d.mini.have == 0 {
			b, err := d.in.ReadByte()
			if err != nil {
				return 0, early(err)
			}
			d.mini.bits, d.mini.have = uint64(b), 8
		}
		v |= d.mini.bits & 1 << i
		d.mini.bits >>= 1
		d.mini.have--
	}
	return int64(v), nil
}

func (d *deltas) nextMini() error {
	if len(d.widths) == 0 {
		var err error
		if d.least, err = binary.ReadVarint(d.in); err != nil {
			return err
		}
		d.widths = make([]byte, d.minis)
		if _, err := io.ReadFull(d.in, d.widths); err != nil {
			return err
		}
	}
	width := int(d.widths[0])
	d.widths = d.widths[1:]
	if width > 64 {
		return errValues
	}
	d.inMini = d.block / uint64(d.minis)
	d.mini = runs{in: d.in, width: width, left: d.inMini, packed: true}
	return nil
}

// end reads the rest of the last small block, behind which other data begin:
// it is written in full.
func (d *deltas) end() error {
	for ; d.inMini > 0; d.inMini-- {
		if _, err := d.wide(); err != nil {
			return err
		}
	}
	return nil
}

// maxDeltas is how many lengths of one page are held.
const maxDeltas = 1 << 22

// lengths reads all of a list of lengths that others stand behind.
func lengths(in input) ([]int64, error) {
	d, err := newDeltas(in)
	if err != nil {
		return nil, err
	}
	if d.left > maxDeltas {
		return nil, fmt.Errorf("a page of %d values, which is more than are read", d.left)
	}
	var all []int64
	for d.left > 0 {
		n, err := d.int()
		if err != nil {
			return nil, err
		}
		if n < 0 || n > maxValue {
			return nil, errValues
		}
		all = append(all, n)
	}
	return all, d.end()
}

// deltaLengths reads DELTA_LENGTH_BYTE_ARRAY: all lengths, then all bytes.
type deltaLengths struct {
	in      input
	lengths []int64
}

func (d *deltaLengths) copyNext(w io.Writer) error {
	if len(d.lengths) == 0 {
		return errValues
	}
	n := d.lengths[0]
	d.lengths = d.lengths[1:]
	return copyN(w, d.in, n)
}

// deltaStrings reads DELTA_BYTE_ARRAY: each value is a beginning of the one
// before and a rest.
type deltaStrings struct {
	shared []int64
	rests  deltaLengths
	last   bytes.Buffer
}

func (d *deltaStrings) copyNext(w io.Writer) error {
	if len(d.shared) == 0 || d.shared[0] > int64(d.last.Len()) {
		return errValues
	}
	d.last.Truncate(int(d.shared[0]))
	d.shared = d.shared[1:]
	if err := d.rests.copyNext(&d.last); err != nil {
		return err
	}
	if d.last.Len() > maxValue {
		return errValues
	}
	_, err := w.Write(d.last.Bytes())
	return err
}
