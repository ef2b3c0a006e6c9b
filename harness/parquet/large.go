package parquet

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"iter"

	"github.com/parquet-go/parquet-go/format"
)

// Bytes is the value that a column of bytes or text has in a row, nil and false
// where it has none. It reads the page that holds it up to there, and holds
// nothing but the value.
func (f *File) Bytes(ctx context.Context, name string, row int64) (value []byte, ok bool, err error) {
	c, err := f.byteColumn(name)
	if err != nil {
		return nil, false, err
	}
	group, at, err := f.locate(row)
	if err != nil {
		return nil, false, err
	}
	if err := ctx.Err(); err != nil {
		return nil, false, err
	}
	pages, err := f.pagesOf(group, c)
	if err != nil {
		return nil, false, err
	}
	for i := range pages {
		if p := &pages[i]; !p.dictionary && at < p.from+p.values {
			value, ok, err = f.one(group, c, pages, p, at-p.from)
			return value, ok, f.damaged(group, c.Name, err)
		}
	}
	return nil, false, f.damaged(group, c.Name, errValues)
}

func (f *File) byteColumn(name string) (*Column, error) {
	c, ok := f.Column(name)
	if !ok {
		return nil, fmt.Errorf("%s: it has no column %q", f.name, name)
	}
	if c.Kind != Bytes && c.Kind != Text {
		return nil, fmt.Errorf("%s: column %s is %s; bytes are needed", f.name, name, c.Kind)
	}
	return c, nil
}

// one reads one value of a page.
func (f *File) one(group int, c *Column, pages []page, p *page, at int64) (value []byte, ok bool, err error) {
	k, err := f.openPage(group, c, p)
	if err != nil {
		return nil, false, err
	}
	before := int64(0) // values before it: rows without one have none
	for i := range at + 1 {
		if ok, err = k.here(); err != nil {
			return nil, false, k.done(err)
		}
		if ok && i < at {
			before++
		}
	}
	switch {
	case !ok:
		return nil, false, k.done(nil)
	case k.indexed():
		index, err := k.index(before)
		if err = k.done(err); err != nil {
			return nil, false, err
		}
		value, err = f.entry(group, c, pages, index)
		return value, true, err
	}
	value, err = nth(p.encoding, k.in, before)
	return value, true, k.done(err)
}

// index is the place in the dictionary of the value behind so many others.
func (k *cursor) index(before int64) (index int64, err error) {
	indices, err := k.indices()
	for i := int64(0); i <= before && err == nil; i++ {
		var n uint32
		n, err = indices.next()
		index = int64(n)
	}
	return index, err
}

// entry is a value of the dictionary.
func (f *File) entry(group int, c *Column, pages []page, index int64) ([]byte, error) {
	if len(pages) == 0 || !pages[0].dictionary || index >= pages[0].values {
		return nil, errValues
	}
	k, err := f.openPage(group, c, &pages[0])
	if err != nil {
		return nil, err
	}
	value, err := nth(format.Plain, k.in, index)
	return value, k.done(err)
}

// nth is the value behind so many others.
func nth(e format.Encoding, in input, before int64) ([]byte, error) {
	values, err := newBytes(e, in)
	if err != nil {
		return nil, err
	}
	for range before {
		if err := values.copyNext(io.Discard); err != nil {
			return nil, err
		}
	}
	return take(values)
}

// Hash is the sha256 of a value.
type Hash [sha256.Size]byte

// Hashes reads a column of bytes or text in all rows and gives the hash of each
// value, nil where there is none: so equal images are found without holding
// any. It stops after the first error, or when ctx ends.
func (f *File) Hashes(ctx context.Context, name string) iter.Seq2[*Hash, error] {
	return func(yield func(*Hash, error) bool) {
		c, err := f.byteColumn(name)
		if err != nil {
			yield(nil, err)
			return
		}
		for group := range f.meta.RowGroups {
			pages, err := f.pagesOf(group, c)
			h := hasher{f: f, group: group, column: c}
			for i := 0; i < len(pages) && err == nil; i++ {
				if err = ctx.Err(); err == nil {
					err = h.page(&pages[i], yield)
				}
			}
			if err == errStopped {
				return
			}
			if err != nil {
				yield(nil, f.damaged(group, name, err))
				return
			}
		}
	}
}

type hasher struct {
	f          *File
	group      int
	column     *Column
	dictionary []Hash
}

func (h *hasher) page(p *page, yield func(*Hash, error) bool) error {
	k, err := h.f.openPage(h.group, h.column, p)
	if err != nil {
		return err
	}
	if p.dictionary {
		return k.done(h.readDictionary(k))
	}
	next, err := h.values(k)
	for i := int64(0); i < p.values && err == nil; i++ {
		var here bool
		if here, err = k.here(); err != nil {
			break
		}
		var sum *Hash
		if here {
			if sum, err = next(); err != nil {
				break
			}
		}
		if !yield(sum, nil) {
			err = errStopped
		}
	}
	return k.done(err)
}

func (h *hasher) values(k *cursor) (func() (*Hash, error), error) {
	if !k.indexed() {
		values, err := newBytes(k.page.encoding, k.in)
		return func() (*Hash, error) { return hash(values) }, err
	}
	indices, err := k.indices()
	return func() (*Hash, error) {
		i, err := indices.next()
		if err == nil && int64(i) >= int64(len(h.dictionary)) {
			err = errValues
		}
		if err != nil {
			return nil, err
		}
		return &h.dictionary[i], nil
	}, err
}

func (h *hasher) readDictionary(k *cursor) error {
	values := plainBytes{k.in}
	for range k.page.values {
		sum, err := hash(values)
		if err != nil {
			return err
		}
		h.dictionary = append(h.dictionary, *sum)
	}
	return nil
}

func hash(v byteValues) (*Hash, error) {
	sum := sha256.New()
	if err := v.copyNext(sum); err != nil {
		return nil, err
	}
	out := Hash(sum.Sum(nil))
	return &out, nil
}
