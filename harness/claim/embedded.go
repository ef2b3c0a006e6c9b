package claim

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
)

// place is a row of a table.
type place struct {
	table int
	row   int64
}

// embedded gives the images that Parquet files hold, or name. Each is read when
// it is opened, from the first row that has it, and none is held. It is safe
// for concurrent use.
type embedded struct {
	tables []*parquetTable
	places map[string][]place
	folder Images // of those that the tables do not hold; noImages without one
	local  bool   // the tables are the user's own, so that their paths may be followed
}

// Open reads an image by its source.
func (e *embedded) Open(ctx context.Context, imageSource string) (data []byte, name string, err error) {
	stem := Stem(imageSource)
	var outside error
	for _, p := range e.places[stem] {
		t := e.tables[p.table]
		data, name, err := e.at(ctx, stem, t, p.row)
		if errors.Is(err, errOutside) { // another row, or the folder, may have it
			outside = cmp.Or(outside, err)
			continue
		}
		if err != nil {
			return nil, "", err
		}
		if data != nil {
			return data, name, nil
		}
	}
	data, name, err = e.folder.Open(ctx, imageSource)
	if outside != nil && (errors.Is(err, ErrNoImages) || errors.Is(err, fs.ErrNotExist)) {
		return nil, "", outside
	}
	if first := e.places[stem]; errors.Is(err, ErrNoImages) && len(first) > 0 {
		return nil, "", &rowlessError{stem, first[0].row, e.tables[first[0].table].name}
	}
	return data, name, err
}

// at is the image of a row, nil if the row has none that is here.
func (e *embedded) at(ctx context.Context, stem string, t *parquetTable, row int64) (data []byte, name string, err error) {
	if t.bytes != "" {
		data, ok, err := t.file.Bytes(ctx, t.bytes, row)
		if err != nil {
			return nil, "", fmt.Errorf("image %s: row %d: %w", stem, row+1, e.told(err))
		}
		if ok && len(data) > 0 {
			return data, fmt.Sprintf("%s (row %d of %s)", stem, row+1, filepath.Base(t.name)), nil
		}
	}
	if t.path == "" {
		return nil, "", nil
	}
	path, ok, err := t.file.Bytes(ctx, t.path, row)
	if err != nil || !ok || len(path) == 0 {
		return nil, "", err
	}
	data, name, err = e.follow(ctx, t, string(path))
	if errors.Is(err, errOutside) {
		err = fmt.Errorf("image %s: row %d of %s: path %.100q %w", stem, row+1, t.name, path, err)
	}
	return data, name, err
}

// errOutside marks a path that a data set may not lead to.
var errOutside = errors.New("is outside the images folder")

// rowlessError is an image that its rows do not hold, nor name a file of that
// is here. It matches fs.ErrNotExist.
type rowlessError struct {
	image string
	row   int64
	table string
}

func (e *rowlessError) Error() string {
	return fmt.Sprintf("image %s: row %d of %s has no bytes and no path to a file: give the folder of the images with --images", e.image, e.row+1, e.table)
}

func (e *rowlessError) Unwrap() error { return fs.ErrNotExist }

// told says of an error in a file from the Hub what mends it.
func (e *embedded) told(err error) error {
	if e.local {
		return err
	}
	return ofCache(err)
}

// follow reads the image at a path that a row names: in the folder of images,
// by its whole name or its last part, or else beside the file or below. A data
// set does not lead to just any file of this machine.
func (e *embedded) follow(ctx context.Context, t *parquetTable, path string) ([]byte, string, error) {
	path = strings.ReplaceAll(path, `\`, "/")
	for _, name := range []string{path, filepath.Base(path)} {
		if !local(Stem(name)) {
			continue
		}
		data, found, err := e.folder.Open(ctx, name)
		if err == nil {
			return data, found, nil
		}
		if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, ErrNoImages) {
			return nil, "", err
		}
	}
	if !local(Stem(path)) {
		return nil, "", errOutside
	}
	if !e.local {
		return nil, "", nil
	}
	path = filepath.Join(filepath.Dir(t.name), filepath.FromSlash(path))
	data, err := ReadImage(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, "", nil
	}
	return data, path, err
}
