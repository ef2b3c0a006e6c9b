package parquet

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/parquet-go/parquet-go/format"
)

// cursor is an open page of values.
type cursor struct {
	page   *page
	levels *runs // nil where no value can be missing
	full   uint32
	in     input // the values, unpacked

	raw   io.Reader // the page as it stands in the file, and its sum
	sum   *crc
	close func() error
}

// openPage begins to read a page.
func (f *File) openPage(group int, c *Column, p *page) (_ *cursor, err error) {
	k := &cursor{page: p, full: uint32(c.levels), sum: &crc{}}
	k.raw = io.NewSectionReader(f.in, p.body, p.size)
	if p.crc != 0 {
		k.raw = io.TeeReader(k.raw, k.sum)
	}
	levels, err := k.levelsBefore(c)
	if err != nil {
		return nil, err
	}
	codec := f.meta.RowGroups[group].Columns[c.index].MetaData.Codec
	if !p.packed {
		codec = format.Uncompressed
	}
	if codec == format.Uncompressed && p.crc == 0 {
		k.close, k.in = func() error { return nil }, newSeeking(f.in, p.body+p.skipBytes+p.levelBytes, p.body+p.size)
		return k, k.begin(c, levels)
	}
	back, err := f.back(p, codec)
	if err != nil {
		return nil, err
	}
	unpacked, err := unpack(codec, buffered(k.raw, p.size), back, p.unpacked)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errPacked, err)
	}
	k.close = unpacked.Close
	k.in = buffered(io.LimitReader(unpacked, p.unpacked-p.levelBytes-p.skipBytes), p.unpacked)
	if err := k.begin(c, levels); err != nil {
		return nil, errors.Join(err, k.close())
	}
	return k, nil
}

// begin reads what stands before the values. levels are those that stood before
// the page's compressed part.
func (k *cursor) begin(c *Column, levels *bytes.Buffer) (err error) {
	if levels == nil && !k.page.dictionary && !k.page.v2 && c.levels > 0 {
		if levels, err = k.levelsWithin(); err != nil {
			return err
		}
	}
	if levels != nil {
		k.levels = &runs{in: levels, width: c.levelBits()}
	}
	return nil
}

// snappiest is the most bytes that Snappy makes of one: 64 of three.
const snappiest = 22

// back is how far back a page looks, which is looked for where it may be far.
func (f *File) back(p *page, codec format.CompressionCodec) (int, error) {
	levels := p.skipBytes + p.levelBytes
	if codec != format.Snappy || p.unpacked-levels <= window {
		return 0, nil
	}
	if p.unpacked > snappiest*p.size {
		return 0, errPacked
	}
	f.mu.Lock()
	back, known := f.looks[p.body]
	f.mu.Unlock()
	if known {
		return back, nil
	}
	back, err := farthest(io.NewSectionReader(f.in, p.body+levels, p.size-levels), p.size-levels)
	if err != nil {
		return 0, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.looks[p.body] = back
	return back, nil
}

// buffered is a reader of n bytes, not all of which are held.
func buffered(r io.Reader, n int64) *bufio.Reader { return bufio.NewReaderSize(r, int(min(n, 1<<15))) }

// levelsBefore reads the levels of a page of version 2.
func (k *cursor) levelsBefore(c *Column) (*bytes.Buffer, error) {
	if !k.page.v2 {
		return nil, nil
	}
	if err := copyN(io.Discard, k.raw, k.page.skipBytes); err != nil {
		return nil, err
	}
	levels := new(bytes.Buffer)
	if err := copyN(levels, k.raw, k.page.levelBytes); err != nil {
		return nil, err
	}
	if c.levels == 0 {
		return nil, nil
	}
	return levels, nil
}

// levelsWithin reads those of version 1, which stand among the values.
func (k *cursor) levelsWithin() (*bytes.Buffer, error) {
	var b bytes.Buffer
	if err := (plainBytes{k.in}).copyNext(&b); err != nil {
		return nil, err
	}
	return &b, nil
}

// here reports whether the next row has a value.
func (k *cursor) here() (bool, error) {
	if k.levels == nil {
		return true, nil
	}
	level, err := k.levels.next()
	if level > k.full {
		return false, errValues
	}
	return level == k.full, err
}

// indices reads places in the dictionary.
func (k *cursor) indices() (*runs, error) {
	width, err := k.in.ReadByte()
	if errors.Is(err, io.EOF) { // all rows are without a value
		return &runs{in: k.in, width: 1}, nil
	}
	if err == nil && width > maxWidth {
		err = errValues
	}
	return &runs{in: k.in, width: int(width)}, err
}

func (k *cursor) indexed() bool {
	return k.page.encoding == format.RLEDictionary || k.page.encoding == format.PlainDictionary
}

// done ends the reading of a page, after checking its sum where one was
// recorded.
func (k *cursor) done(err error) error {
	if closeErr := k.close(); err == nil {
		err = closeErr
	}
	if err != nil || k.page.crc == 0 {
		return err
	}
	if _, err := io.Copy(io.Discard, k.raw); err != nil {
		return err
	}
	if k.sum.sum != uint32(k.page.crc) {
		return fmt.Errorf("the checksum of a page is %08x, and should be %08x", k.sum.sum, uint32(k.page.crc))
	}
	return nil
}

// crc sums what is written to it.
type crc struct{ sum uint32 }

func (c *crc) Write(p []byte) (int, error) {
	c.sum = crc32.Update(c.sum, crc32.IEEETable, p)
	return len(p), nil
}
