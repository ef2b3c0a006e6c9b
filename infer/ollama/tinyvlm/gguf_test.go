package tinyvlm

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"testing"
)

// parsed is what the reader below makes of a GGUF file: an independent reading
// of the format, against which the writer is tested.
type parsed struct {
	metadata map[string]any
	tensors  map[string]parsedTensor
}

type parsedTensor struct {
	shape    []uint64
	encoding uint32
	data     []byte
}

type reader struct {
	t    *testing.T
	b    []byte
	next int
}

func (r *reader) bytes(n uint64) []byte {
	r.t.Helper()
	if uint64(len(r.b)-r.next) < n {
		r.t.Fatalf("file ends at %d, %d bytes wanted at %d", len(r.b), n, r.next)
	}
	r.next += int(n)
	return r.b[r.next-int(n) : r.next]
}

func (r *reader) u32() uint32    { return binary.LittleEndian.Uint32(r.bytes(4)) }
func (r *reader) u64() uint64    { return binary.LittleEndian.Uint64(r.bytes(8)) }
func (r *reader) string() string { return string(r.bytes(r.u64())) }

func (r *reader) value(kind uint32) any {
	switch kind {
	case 4:
		return r.u32()
	case 5:
		return int32(r.u32())
	case 6:
		return math.Float32frombits(r.u32())
	case 7:
		return r.bytes(1)[0] == 1
	case 8:
		return r.string()
	case 9:
		element := r.u32()
		list := []any{}
		for range r.u64() {
			list = append(list, r.value(element))
		}
		return list
	case 10:
		return r.u64()
	}
	r.t.Fatalf("value of unknown type %d at %d", kind, r.next)
	return nil
}

// bytesPerBlock gives block length and size of the encodings in use.
var bytesPerBlock = map[uint32][2]uint64{0: {1, 4}, 1: {1, 2}, 8: {32, 34}}

func parse(t *testing.T, b []byte) parsed {
	t.Helper()
	r := &reader{t: t, b: b}
	if magic, version := string(r.bytes(4)), r.u32(); magic != "GGUF" || version != 3 {
		t.Fatalf("magic %q, version %d", magic, version)
	}
	tensors, pairs := r.u64(), r.u64()
	p := parsed{metadata: map[string]any{}, tensors: map[string]parsedTensor{}}
	for range pairs {
		key := r.string()
		p.metadata[key] = r.value(r.u32())
	}
	offsets := map[string]uint64{}
	for range tensors {
		name := r.string()
		var shape []uint64
		for range r.u32() {
			shape = append(shape, r.u64())
		}
		p.tensors[name] = parsedTensor{shape: shape, encoding: r.u32()}
		offsets[name] = r.u64()
	}
	start := (uint64(r.next) + 31) / 32 * 32
	var end uint64
	for name, tensor := range p.tensors {
		block, ok := bytesPerBlock[tensor.encoding]
		if !ok || offsets[name]%32 != 0 {
			t.Fatalf("%s: encoding %d at %d", name, tensor.encoding, offsets[name])
		}
		from := start + offsets[name]
		to := from + size(tensor.shape)/block[0]*block[1]
		if to > uint64(len(b)) {
			t.Fatalf("%s lies beyond the end of the file", name)
		}
		tensor.data = b[from:to]
		p.tensors[name] = tensor
		end = max(end, (to+31)/32*32)
	}
	if end != uint64(len(b)) {
		t.Fatalf("file has %d bytes, its tensors end at %d", len(b), end)
	}
	return p
}

// Every kind of value and every encoding survives writing and reading.
func TestWriteTo(t *testing.T) {
	f := file{
		metadata: map[string]any{
			"u32": uint32(7), "u64": uint64(1) << 40, "f32": float32(0.5), "yes": true, "no": false,
			"text": "ä b", "i32s": []int32{-1, 2}, "u32s": []uint32{3}, "f32s": []float32{1.5, -2}, "texts": []string{"", "x"},
		},
		tensors: []tensor{
			{name: "b", encoding: f16, shape: []uint64{3, 1}, data: f16.encode([]float32{1, 2, 3})},
			{name: "a", encoding: f32, shape: []uint64{2}, data: f32.encode([]float32{-1, 4})},
		},
	}
	var b writeBuffer
	n, err := f.writeTo(&b)
	if err != nil || n != int64(len(b)) {
		t.Fatalf("wrote %d of %d bytes: %v", n, len(b), err)
	}
	p := parse(t, b)
	want := map[string]any{
		"u32": uint32(7), "u64": uint64(1) << 40, "f32": float32(0.5), "yes": true, "no": false,
		"text": "ä b", "i32s": []any{int32(-1), int32(2)}, "u32s": []any{uint32(3)},
		"f32s": []any{float32(1.5), float32(-2)}, "texts": []any{"", "x"},
	}
	if got, want := fmt.Sprintf("%#v", p.metadata), fmt.Sprintf("%#v", want); got != want {
		t.Errorf("metadata\n got %s\nwant %s", got, want)
	}
	if got := p.tensors["a"].data; math.Float32frombits(binary.LittleEndian.Uint32(got[4:])) != 4 {
		t.Errorf("tensor a holds % x", got)
	}
	if got := p.tensors["b"].data; string(got) != "\x00\x3c\x00\x40\x00\x42" {
		t.Errorf("tensor b holds % x", got)
	}
}

// A value of a type that GGUF writing does not cover is an error, and so is a
// writer that fails, wherever it does.
func TestWriteToErrors(t *testing.T) {
	if _, err := (&file{metadata: map[string]any{"x": 1i}}).writeTo(io.Discard); err == nil {
		t.Error("a complex number was written")
	}
	for _, room := range []int{0, 100, 800_000} {
		if _, err := Write(&fullDisk{room}, Config{Architecture: "qwen35", Seed: 1}); err == nil {
			t.Errorf("no error from a disk with room for %d bytes", room)
		}
	}
}

type writeBuffer []byte

func (w *writeBuffer) Write(b []byte) (int, error) {
	*w = append(*w, b...)
	return len(b), nil
}

// fullDisk fails when its room is used up.
type fullDisk struct{ room int }

func (w *fullDisk) Write(b []byte) (int, error) {
	if w.room -= len(b); w.room < 0 {
		return 0, io.ErrShortWrite
	}
	return len(b), nil
}
