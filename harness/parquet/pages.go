package parquet

import (
	"errors"
	"fmt"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// page is where a page lies and what is in it.
type page struct {
	dictionary bool
	body       int64 // where its bytes begin
	size       int64 // how many they are, compressed
	unpacked   int64 // how many they are then
	crc        int32 // of its bytes; 0 where none was recorded
	encoding   format.Encoding
	values     int64 // how many: of a data page its rows, since no lists are read
	from       int64 // the first of them, counted in the row group

	// Of version 2, whose levels stand before the values, not compressed.
	v2         bool
	levelBytes int64 // of definition levels
	skipBytes  int64 // of repetition levels before them
	packed     bool  // the values are compressed
}

// A page header has some tens of bytes, more where statistics quote values.
const (
	headerWindow = 1 << 10
	maxHeader    = 1 << 20
	maxPages     = 1 << 20 // of one column in one row group
)

// pagesOf finds the pages of a column in a row group, by their headers alone.
func (f *File) pagesOf(group int, c *Column) ([]page, error) {
	key := [2]int{group, c.index}
	f.mu.Lock()
	pages, ok := f.pages[key]
	f.mu.Unlock()
	if ok {
		return pages, nil
	}
	pages, err := f.walk(group, c)
	if err != nil {
		return nil, f.damaged(group, c.Name, err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.pages[key] = pages
	return pages, nil
}

// walk reads one header after another until all rows are accounted for.
func (f *File) walk(group int, c *Column) ([]page, error) {
	g := &f.meta.RowGroups[group]
	m := &g.Columns[c.index].MetaData
	if g.NumRows == 0 {
		return nil, nil
	}
	if g.Columns[c.index].FilePath != "" {
		return nil, errors.New("its pages lie in another file, which is not read")
	}
	at, end, err := f.extent(m)
	if err != nil {
		return nil, err
	}
	var pages []page
	rows := int64(0)
	for rows < g.NumRows {
		if at >= end {
			return nil, fmt.Errorf("it has %d of the %d rows", rows, g.NumRows)
		}
		p, err := f.header(at, end)
		if err == nil && (p.dictionary && len(pages) > 0 || len(pages) == maxPages) {
			err = errors.New("it is out of place")
		}
		if err == nil && !p.dictionary && p.values > g.NumRows-rows {
			err = fmt.Errorf("it has %d rows where %d are left", p.values, g.NumRows-rows)
		}
		if err != nil {
			return nil, fmt.Errorf("page %d: %w", len(pages)+1, err)
		}
		if !p.dictionary {
			p.from = rows
			rows += p.values
		}
		pages = append(pages, p)
		at = p.body + p.size
	}
	return pages, nil
}

// extent is where the pages of a column begin and end. A dictionary stands
// before all others, but not every writer says where.
func (f *File) extent(m *format.ColumnMetaData) (from, to int64, err error) {
	from = m.DataPageOffset
	if d := m.DictionaryPageOffset; d > 0 && d < from {
		from = d
	}
	if from < magicLength || m.TotalCompressedSize < 0 || from > f.end || m.TotalCompressedSize > f.end-from {
		return 0, 0, fmt.Errorf("%w: its pages lie outside the file", errMetadata)
	}
	return from, from + m.TotalCompressedSize, nil
}

// header reads the header of the page at a place.
func (f *File) header(at, end int64) (page, error) {
	for window := int64(headerWindow); ; window *= 8 {
		b := make([]byte, min(window, end-at))
		if _, err := f.in.ReadAt(b, at); err != nil {
			return page{}, err
		}
		n, err := scan(b)
		if errors.Is(err, errIncomplete) && int64(len(b)) == window && window < maxHeader {
			continue
		}
		if err != nil {
			return page{}, fmt.Errorf("its header is damaged: %w", err)
		}
		var h format.PageHeader
		if err := thrift.Unmarshal(&thrift.CompactProtocol{}, b[:n], &h); err != nil {
			return page{}, fmt.Errorf("its header is damaged: %w", err)
		}
		p, err := understood(&h)
		p.body = at + int64(n)
		if err == nil && p.size > end-p.body {
			err = fmt.Errorf("its header is damaged: it has %d bytes where %d are left", p.size, end-p.body)
		}
		return p, err
	}
}

// understood takes from a header what is needed, and refuses what cannot be.
func understood(h *format.PageHeader) (page, error) {
	p := page{size: int64(h.CompressedPageSize), unpacked: int64(h.UncompressedPageSize), crc: h.CRC, packed: true}
	switch d, v2 := &h.DataPageHeader, &h.DataPageHeaderV2; {
	case h.Type == format.DictionaryPage && h.DictionaryPageHeader.Valid:
		p.dictionary, p.encoding, p.values = true, h.DictionaryPageHeader.V.Encoding, int64(h.DictionaryPageHeader.V.NumValues)
	case h.Type == format.DataPage && d.Valid:
		p.encoding, p.values = d.V.Encoding, int64(d.V.NumValues)
	case h.Type == format.DataPageV2 && v2.Valid:
		p.v2, p.encoding, p.values = true, v2.V.Encoding, int64(v2.V.NumValues)
		p.skipBytes, p.levelBytes = int64(v2.V.RepetitionLevelsByteLength), int64(v2.V.DefinitionLevelsByteLength)
		p.packed = !v2.V.IsCompressed.Valid || v2.V.IsCompressed.V
	default:
		return p, fmt.Errorf("its header is damaged: a page of kind %d", h.Type)
	}
	if min(p.size, p.unpacked, p.values, p.skipBytes, p.levelBytes) < 0 || p.skipBytes+p.levelBytes > p.size {
		return p, errors.New("its header is damaged: a length is not possible")
	}
	return p, nil
}
