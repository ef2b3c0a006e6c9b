package tinyvlm

import (
	"encoding/binary"
	"fmt"
	"math"
)

// encoding is ggml's number for how a tensor's values are stored.
type encoding uint32

const (
	f32  encoding = 0
	f16  encoding = 1
	q8_0 encoding = 8 // blocks of 32 values: a half-precision scale, then 32 signed bytes
)

const q8Block = 32

// encode stores values; it panics on a shape that the encoding cannot hold,
// since shapes are fixed in this package.
func (e encoding) encode(values []float32) []byte {
	switch e {
	case f32:
		b := make([]byte, 0, 4*len(values))
		for _, v := range values {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
		}
		return b
	case f16:
		b := make([]byte, 0, 2*len(values))
		for _, v := range values {
			b = binary.LittleEndian.AppendUint16(b, halfBits(v))
		}
		return b
	case q8_0:
		return encodeQ8(values)
	}
	panic(fmt.Sprintf("tinyvlm: no encoder for ggml type %d", e))
}

func encodeQ8(values []float32) []byte {
	if len(values)%q8Block != 0 {
		panic(fmt.Sprintf("tinyvlm: %d values are no whole number of Q8_0 blocks", len(values)))
	}
	b := make([]byte, 0, len(values)/q8Block*(2+q8Block))
	for i := 0; i < len(values); i += q8Block {
		block := values[i : i+q8Block]
		var largest float32
		for _, v := range block {
			largest = max(largest, float32(math.Abs(float64(v))))
		}
		scale := largest / 127
		b = binary.LittleEndian.AppendUint16(b, halfBits(scale))
		for _, v := range block {
			var q int8
			if scale > 0 {
				q = int8(math.RoundToEven(float64(v / scale)))
			}
			b = append(b, byte(q))
		}
	}
	return b
}

// halfBits is f as an IEEE 754 half-precision number, rounded to nearest with
// ties to even; what is too large becomes infinite.
func halfBits(f float32) uint16 {
	const smallestNormal = 0x1p-14
	sign := uint16(math.Float32bits(f) >> 16 & 0x8000)
	a := math.Abs(float64(f))
	switch {
	case math.IsNaN(a):
		return sign | 0x7e00
	case a >= 65520: // halfway between the largest finite half and the next step
		return sign | 0x7c00
	case a < smallestNormal:
		// Subnormal steps are 2^-24 wide; 1024 of them carry into the first
		// normal number by themselves.
		return sign | uint16(math.RoundToEven(a*0x1p24))
	}
	fraction, exponent := math.Frexp(a) // a = fraction · 2^exponent, fraction in [½, 1)
	mantissa := uint16(math.RoundToEven(fraction * 0x1p11))
	// mantissa is in [1024, 2048]: its leading bit adds one to the exponent
	// field, and a carry out of rounding one more.
	return sign | (uint16(exponent+13)<<10 + mantissa)
}
