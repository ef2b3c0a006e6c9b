package tinyvlm

import (
	"math"
	"testing"
)

func TestHalfBits(t *testing.T) {
	for _, c := range []struct {
		in   float32
		want uint16
	}{
		{0, 0}, {1, 0x3c00}, {-2, 0xc000}, {0.5, 0x3800},
		{65504, 0x7bff},            // the largest finite half
		{65519, 0x7bff},            // still rounds down to it
		{65520, 0x7c00},            // the tie goes to infinity
		{0x1p-14, 0x0400},          // the smallest normal
		{0x1p-24, 0x0001},          // the smallest subnormal
		{0x1p-25, 0x0000},          // half of it: a tie, to even
		{0x1.8p-25, 0x0001},        // more than half of it
		{1 + 0x1p-11, 0x3c00},      // a tie, to even, downwards
		{1 + 0x1.8p-10, 0x3c02},    // a tie, to even, upwards
		{2 - 0x1p-11, 0x4000},      // rounding carries into the exponent
		{0x1p-14 - 0x1p-26, 0x400}, // and from subnormal to normal
		{float32(math.Inf(-1)), 0xfc00},
	} {
		if got := halfBits(c.in); got != c.want {
			t.Errorf("halfBits(%v) = %#04x, want %#04x", c.in, got, c.want)
		}
	}
	if got := halfBits(float32(math.NaN())); got&0x7c00 != 0x7c00 || got&0x3ff == 0 {
		t.Errorf("NaN becomes %#04x", got)
	}
}

// Every finite half is its own image.
func TestHalfBitsOfEveryHalf(t *testing.T) {
	for h := range uint16(0x7c00) {
		mantissa, exponent := float64(h&0x3ff), int(h>>10)
		value := math.Ldexp(mantissa+1024, exponent-25)
		if exponent == 0 {
			value = math.Ldexp(mantissa, -24)
		}
		if got := halfBits(float32(value)); got != h {
			t.Fatalf("halfBits(%v) = %#04x, want %#04x", value, got, h)
		}
		if got := halfBits(float32(-value)); got != h|0x8000 {
			t.Fatalf("halfBits(%v) = %#04x, want %#04x", -value, got, h|0x8000)
		}
	}
}

// A Q8_0 block is a scale, the largest magnitude over 127, and multiples of it.
func TestEncodeQ8(t *testing.T) {
	values := make([]float32, 64) // the second block is all zero
	values[0], values[1], values[2] = 127, -63.6, 0.4
	b := encodeQ8(values)
	if len(b) != 68 {
		t.Fatalf("%d bytes, want 68", len(b))
	}
	// Scale 1 as a half, then 127, -64, 0.
	if string(b[:5]) != "\x00\x3c\x7f\xc0\x00" {
		t.Errorf("block begins % x", b[:5])
	}
	for _, c := range b[34:] {
		if c != 0 {
			t.Fatalf("a block of zeros is % x", b[34:])
		}
	}
}

// The generator has mean 0 and variance 1, and a tensor's stream depends on
// its name and the seed only.
func TestNormal(t *testing.T) {
	const n = 100_000
	s := newSource(1, "x")
	var sum, squares float64
	for range n {
		v := s.normal()
		sum += v
		squares += v * v
	}
	if mean, variance := sum/n, squares/n; math.Abs(mean) > 0.02 || math.Abs(variance-1) > 0.02 {
		t.Errorf("mean %v, variance %v", mean, variance)
	}
	first := newSource(1, "x").normal()
	if first != newSource(1, "x").normal() || first == newSource(2, "x").normal() || first == newSource(1, "y").normal() {
		t.Error("streams are not named by seed and tensor")
	}
}
