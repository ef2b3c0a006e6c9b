package parquet_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"testing"

	"candor/harness/parquet"

	peer "github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
)

// TestFarBack: parquet-go's Snappy repeats bytes from however far back in a
// page, which few others do.
func TestFarBack(t *testing.T) {
	type row struct {
		Name  string `parquet:"name"`
		Image struct {
			Bytes []byte `parquet:"bytes,optional"`
		} `parquet:"image,optional"`
	}
	noise := rand.NewChaCha8([32]byte{7})
	images := make([][]byte, 4)
	for i := range images {
		images[i] = make([]byte, 150_000+1000*i)
		_, _ = noise.Read(images[i]) // never fails
	}
	for _, codec := range []compress.Codec{&peer.Snappy, &peer.Zstd, &peer.Lz4Raw, &peer.Gzip, &peer.Brotli} {
		var file bytes.Buffer
		w := peer.NewGenericWriter[row](&file, peer.Compression(codec), peer.PageBufferSize(64<<20))
		for i := range 12 {
			var r row
			r.Name, r.Image.Bytes = fmt.Sprint(i), images[i*7%4]
			if _, err := w.Write([]row{r}); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		f, err := parquet.New("go", bytes.NewReader(file.Bytes()), int64(file.Len()))
		if err != nil {
			t.Fatal(err)
		}
		checkFar(t, f, codec.String(), images)
	}
}

func checkFar(t *testing.T, f *parquet.File, codec string, images [][]byte) {
	t.Helper()
	ctx := context.Background()
	for i := range int64(12) {
		got, ok, err := f.Bytes(ctx, "image.bytes", i)
		if want := images[i*7%4]; err != nil || !ok || !bytes.Equal(got, want) {
			t.Fatalf("%s: row %d: %d bytes, %v, %v; want %d", codec, i, len(got), ok, err, len(want))
		}
	}
	i := 0
	for sum, err := range f.Hashes(ctx, "image.bytes") {
		if err != nil {
			t.Fatalf("%s: %v", codec, err)
		}
		if want := parquet.Hash(sha256.Sum256(images[i*7%4])); *sum != want {
			t.Errorf("%s: row %d: another hash", codec, i)
		}
		i++
	}
	for row, err := range f.Rows(ctx, "image.bytes", "name") {
		if err != nil || !bytes.Equal(row.Values[0].([]byte), images[row.Number*7%4]) || row.Values[1] != fmt.Sprint(row.Number) {
			t.Fatalf("%s: row %d: %v", codec, row.Number, err)
		}
	}
}
