package parquet_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"candor/harness/parquet"
)

func load(t testing.TB, parts ...string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(append([]string{"testdata"}, parts...)...))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// everything reads all of a file in each way there is, up to so many rows.
func everything(ctx context.Context, data []byte, rows int64) (values [][]any, err error) {
	f, err := parquet.New("x.parquet", bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	for _, c := range f.Columns() {
		if c.Kind == parquet.Nested || c.Kind == parquet.Other {
			continue
		}
		var column []any
		for row, err := range f.Rows(ctx, c.Name) {
			if err != nil {
				return nil, err
			}
			if column = append(column, row.Values[0]); int64(len(column)) >= rows {
				break
			}
		}
		values = append(values, column)
		if c.Kind != parquet.Bytes && c.Kind != parquet.Text {
			continue
		}
		n := int64(0)
		for _, err := range f.Hashes(ctx, c.Name) {
			if err != nil {
				return nil, err
			}
			if n++; n >= rows {
				break
			}
		}
		for row := int64(0); row < min(rows, f.NumRows()); row += 13 {
			if _, _, err := f.Bytes(ctx, c.Name, row); err != nil {
				return nil, err
			}
		}
	}
	return values, nil
}

func TestNotParquet(t *testing.T) {
	whole := load(t, "pope", "data", "test-00000-of-00003.parquet")
	with := func(at int, text string) []byte {
		b := bytes.Clone(whole)
		copy(b[len(b)+at:], text)
		return b
	}
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"empty":                 {nil, "too few for a Parquet file"},
		"short":                 {[]byte("PAR1PAR1"), "too few"},
		"a web page":            {[]byte("<!DOCTYPE html><html><body>Not found</body></html>"), `no Parquet file: it begins with "<!DO"`},
		"Git LFS pointer":       {[]byte("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n"), "git lfs pull"},
		"JSON Lines":            {[]byte(`{"question_id": 1, "text": "Is there a dog?"}`), "no Parquet file"},
		"without its beginning": {whole[100:], "no Parquet file"},
		"encrypted":             {with(-4, "PARE"), "encrypted"},
		"metadata too long":     {with(-8, "\xff\xff\xff\x7f"), "metadata are damaged: they claim 2147483647 bytes"},
		"metadata too short":    {with(-8, "\x10\x00\x00\x00"), "metadata are damaged"},
		"no metadata":           {with(-8, "\x00\x00\x00\x00"), "metadata are damaged"},
	} {
		_, err := parquet.New("set.parquet", bytes.NewReader(c.data), int64(len(c.data)))
		var corrupt *parquet.CorruptError
		if !errors.As(err, &corrupt) || !strings.Contains(err.Error(), "set.parquet: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v; want a CorruptError with %q that names the file", name, err, c.want)
		}
	}
}

// TestCut: a file that ends early is refused as such, wherever it ends.
func TestCut(t *testing.T) {
	whole := load(t, "layouts", "zstd-1.parquet")
	for n := range len(whole) {
		if _, err := everything(t.Context(), whole[:n], 100); err == nil {
			t.Fatalf("the first %d of %d bytes are read without an error", n, len(whole))
		}
	}
	_, err := parquet.New("x", bytes.NewReader(whole), int64(len(whole)-100))
	if err == nil || !strings.Contains(err.Error(), "it is cut off: its end is missing") {
		t.Errorf("error %v; want that it is cut off", err)
	}
}

// TestFlipped: no changed byte makes the reader fail in another way than by an
// error. Where pages have checksums, a change of a page is always found.
func TestFlipped(t *testing.T) {
	for name, step := range map[string]int{"checksums": 5, "snappy-1": 19, "lz4-1": 19, "zstd-2": 19, "delta-1": 19, "gzip-2": 19, "brotli-1": 19} {
		whole := load(t, "layouts", name+".parquet")
		want, err := everything(t.Context(), whole, 100)
		if err != nil {
			t.Fatal(err)
		}
		pages := len(whole) - 8 - int(binary.LittleEndian.Uint32(whole[len(whole)-8:]))
		for at := 4; at < len(whole); at += step {
			b := bytes.Clone(whole)
			b[at] ^= 1 << (at % 8)
			got, err := everything(t.Context(), b, 100)
			if name == "checksums" && at < pages && err == nil && !reflect.DeepEqual(got, want) {
				t.Errorf("%s: byte %d changed, and other values are read without an error", name, at)
			}
		}
	}
}

func TestErrorsSayWhere(t *testing.T) {
	// The second row group's image bytes, which lie before its other columns' end.
	whole := load(t, "layouts", "checksums.parquet")
	f, err := parquet.New("x.parquet", bytes.NewReader(whole), int64(len(whole)))
	if err != nil {
		t.Fatal(err)
	}
	for at := 4; at < len(whole); at++ {
		b := bytes.Clone(whole)
		b[at] ^= 0x40
		_, err := everything(t.Context(), b, 100)
		if err != nil && strings.Contains(err.Error(), "checksum") {
			if !strings.HasPrefix(err.Error(), "x.parquet: row group 1, column ") {
				t.Fatalf("error %q; want file, row group and column", err)
			}
			return
		}
	}
	t.Errorf("no changed byte of %d row groups is found by a checksum", f.NumGroups())
}

// FuzzRead: whatever the bytes, reading ends in values or an error, and takes no
// more memory than is there to be read.
func FuzzRead(f *testing.F) {
	for _, pattern := range []string{"layouts/*.parquet", "odd/*.parquet", "pope/*/*.parquet"} {
		names, err := filepath.Glob(filepath.Join("testdata", pattern))
		if err != nil {
			f.Fatal(err)
		}
		for _, n := range names {
			b, err := os.ReadFile(n)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(b)
		}
	}
	// A list that claims 2147483647 row groups.
	claim := []byte("PAR1\x15\x02\x19\x1c\x48\x01r\x15\x00\x00\x16\x00\x19\xfc\xff\xff\xff\xff\x07\x00")
	claim = binary.LittleEndian.AppendUint32(claim, uint32(len(claim)-4))
	f.Add(append(claim, "PAR1"...))
	f.Fuzz(func(t *testing.T, data []byte) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := everything(t.Context(), data, 14)
		runtime.ReadMemStats(&after)
		if grown := after.TotalAlloc - before.TotalAlloc; grown > 1<<30 {
			t.Errorf("%d bytes made it allocate %d", len(data), grown)
		}
		if err != nil && fmt.Sprint(err) == "" {
			t.Error("an error without words")
		}
	})
}
