package parquet

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"io"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/format"
)

// maxZstdWindow is the most that Zstandard may need to look back: 8 MiB do for
// all levels up to 19.
const maxZstdWindow = 32 << 20

// unpack streams what was compressed. Closing it frees what it needed. A Snappy
// block looks so far back, and is so long when unpacked.
func unpack(codec format.CompressionCodec, in *bufio.Reader, back int, length int64) (io.ReadCloser, error) {
	switch codec {
	case format.Uncompressed:
		return io.NopCloser(in), nil
	case format.Snappy:
		return io.NopCloser(newSnappy(in, back, length)), nil
	case format.Lz4Raw:
		return io.NopCloser(newLZ4(in)), nil
	case format.Gzip:
		return gzip.NewReader(in)
	case format.Brotli:
		return io.NopCloser(brotli.NewReader(in)), nil
	case format.Zstd:
		z, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxZstdWindow))
		if err != nil {
			return nil, err
		}
		return z.IOReadCloser(), nil
	}
	return nil, fmt.Errorf("its compression, %s, is not read", codec)
}
