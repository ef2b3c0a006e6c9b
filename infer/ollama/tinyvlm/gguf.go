package tinyvlm

import (
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// The file format is GGUF version 3, little-endian, as described in
// https://github.com/ggml-org/ggml/blob/master/docs/gguf.md.
const (
	ggufMagic     = "GGUF"
	ggufVersion   = 3
	ggufAlignment = 32 // of every tensor's data; the format's default
)

// Type numbers of metadata values.
const (
	typeUint32  uint32 = 4
	typeInt32   uint32 = 5
	typeFloat32 uint32 = 6
	typeBool    uint32 = 7
	typeString  uint32 = 8
	typeArray   uint32 = 9
	typeUint64  uint32 = 10
)

// file is a GGUF file in the making.
type file struct {
	metadata map[string]any
	tensors  []tensor
}

type tensor struct {
	name     string
	encoding encoding
	shape    []uint64 // fastest-varying dimension first
	data     []byte
}

// writeTo writes header, metadata and tensors, both sorted by name.
func (f *file) writeTo(w io.Writer) (int64, error) {
	tensors := slices.SortedFunc(slices.Values(f.tensors), func(a, b tensor) int {
		return strings.Compare(a.name, b.name)
	})
	header, err := f.header(tensors)
	if err != nil {
		return 0, err
	}
	var written int64
	put := func(b []byte) {
		if err == nil {
			var n int
			n, err = w.Write(b)
			written += int64(n)
		}
	}
	put(padded(header))
	for _, t := range tensors {
		put(padded(t.data))
	}
	return written, err
}

func (f *file) header(tensors []tensor) ([]byte, error) {
	b := []byte(ggufMagic)
	b = binary.LittleEndian.AppendUint32(b, ggufVersion)
	b = binary.LittleEndian.AppendUint64(b, uint64(len(tensors)))
	b = binary.LittleEndian.AppendUint64(b, uint64(len(f.metadata)))
	for _, key := range slices.Sorted(maps.Keys(f.metadata)) {
		var err error
		if b, err = appendValue(appendString(b, key), f.metadata[key]); err != nil {
			return nil, fmt.Errorf("metadata %s: %w", key, err)
		}
	}
	var offset uint64
	for _, t := range tensors {
		b = appendString(b, t.name)
		b = binary.LittleEndian.AppendUint32(b, uint32(len(t.shape)))
		for _, d := range t.shape {
			b = binary.LittleEndian.AppendUint64(b, d)
		}
		b = binary.LittleEndian.AppendUint32(b, uint32(t.encoding))
		b = binary.LittleEndian.AppendUint64(b, offset)
		offset += uint64(len(padded(t.data)))
	}
	return b, nil
}

// appendValue appends the type number of v and v itself.
func appendValue(b []byte, v any) ([]byte, error) {
	switch v := v.(type) {
	case uint32:
		return binary.Append(appendType(b, typeUint32), binary.LittleEndian, v)
	case uint64:
		return binary.Append(appendType(b, typeUint64), binary.LittleEndian, v)
	case float32:
		return binary.Append(appendType(b, typeFloat32), binary.LittleEndian, v)
	case bool:
		return binary.Append(appendType(b, typeBool), binary.LittleEndian, v)
	case string:
		return appendString(appendType(b, typeString), v), nil
	case []int32:
		return binary.Append(appendArray(b, typeInt32, len(v)), binary.LittleEndian, v)
	case []uint32:
		return binary.Append(appendArray(b, typeUint32, len(v)), binary.LittleEndian, v)
	case []float32:
		return binary.Append(appendArray(b, typeFloat32, len(v)), binary.LittleEndian, v)
	case []string:
		b = appendArray(b, typeString, len(v))
		for _, s := range v {
			b = appendString(b, s)
		}
		return b, nil
	}
	return nil, fmt.Errorf("no GGUF type for %T", v)
}

func appendType(b []byte, t uint32) []byte {
	return binary.LittleEndian.AppendUint32(b, t)
}

func appendArray(b []byte, element uint32, n int) []byte {
	b = appendType(appendType(b, typeArray), element)
	return binary.LittleEndian.AppendUint64(b, uint64(n))
}

func appendString(b []byte, s string) []byte {
	b = binary.LittleEndian.AppendUint64(b, uint64(len(s)))
	return append(b, s...)
}

// padded extends b with zeros to a whole number of alignment units.
func padded(b []byte) []byte {
	if rest := len(b) % ggufAlignment; rest != 0 {
		b = append(b[:len(b):len(b)], make([]byte, ggufAlignment-rest)...)
	}
	return b
}
