package claim

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"candor/harness/parquet"
)

// CheckImages finds image sources whose rows hold different pictures: only one
// of them would be asked about. Only a Parquet file can hold such. The images
// of these sources are hashed as they stream by, in a dictionary once, and none
// is held; where each has but one row nothing is read. The error names each
// source, the files and the rows.
func CheckImages(ctx context.Context, images Images, sources []string) error {
	e, ok := images.(*embedded)
	if !ok {
		return nil
	}
	k := &check{embedded: e, wanted: make(map[string]bool), first: make(map[string]sight), told: make(map[string]bool)}
	for _, s := range sources {
		if s = Stem(s); len(e.places[s]) > 1 {
			k.wanted[s] = true
		}
	}
	for i, t := range e.tables {
		if err := k.table(ctx, i, t); err != nil {
			return err
		}
	}
	return k.refusal()
}

// sight is a picture and where it was seen first.
type sight struct {
	hash parquet.Hash
	place
}

type check struct {
	*embedded
	wanted map[string]bool
	first  map[string]sight // by source
	told   map[string]bool  // sources of several pictures
	lines  []string
}

// has tells whether a table has rows of any image that is looked for.
func (k *check) has(t *parquetTable) bool {
	for _, s := range t.images {
		if k.wanted[s] {
			return true
		}
	}
	return false
}

func (k *check) table(ctx context.Context, at int, t *parquetTable) error {
	if t.named || !k.has(t) {
		return nil
	}
	held := make([]bool, len(t.images)) // rows with bytes
	if t.bytes != "" {
		row := int64(0)
		for sum, err := range t.file.Hashes(ctx, t.bytes) {
			if err != nil {
				return k.embedded.told(err)
			}
			if sum != nil && *sum != parquet.Hash(sha256.Sum256(nil)) {
				held[row] = true
				k.see(t.images[row], sight{*sum, place{at, row}})
			}
			row++
		}
	}
	if t.path == "" {
		return nil
	}
	return k.paths(ctx, at, t, held)
}

// paths looks at the rows without bytes: files of other names may be other
// pictures.
func (k *check) paths(ctx context.Context, at int, t *parquetTable, held []bool) error {
	type of struct{ source, path string }
	seen := make(map[of]bool)
	for r, err := range t.file.Rows(ctx, t.path) {
		if err != nil {
			return k.embedded.told(err)
		}
		path, _ := r.Values[0].(string)
		source := t.images[r.Number]
		if held[r.Number] || path == "" || !k.wanted[source] || seen[of{source, path}] {
			continue
		}
		seen[of{source, path}] = true
		data, _, err := k.follow(ctx, t, path)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil && data != nil { // what cannot be read is told where it is opened
			k.see(source, sight{sha256.Sum256(data), place{at, r.Number}})
		}
	}
	return nil
}

func (k *check) see(source string, s sight) {
	first, known := k.first[source]
	switch {
	case !k.wanted[source]:
	case !known:
		k.first[source] = s
	case first.hash != s.hash && !k.told[source]:
		k.told[source] = true
		k.lines = append(k.lines, fmt.Sprintf("image %s: %s and %s", source, k.where(first.place), k.where(s.place)))
	}
}

func (k *check) where(p place) string {
	return fmt.Sprintf("row %d of %s", p.row+1, filepath.Base(k.tables[p.table].name))
}

// refusal names at most five sources.
func (k *check) refusal() error {
	const most = 5
	n := len(k.lines)
	if n == 0 {
		return nil
	}
	if n > most {
		k.lines = append(k.lines[:most], fmt.Sprintf("and %d more", n-most))
	}
	return fmt.Errorf("%w, so that it is not known which one a claim is about:\n  %s\ngive each picture an image_source of its own", ErrSeveralPictures, strings.Join(k.lines, "\n  "))
}

// ErrSeveralPictures is the error for rows of one image source that hold
// different pictures.
var ErrSeveralPictures = errors.New("rows of one image_source hold different pictures")
