package tinyvlm

import (
	"hash/fnv"
	"math/rand/v2"
)

// source draws the values of one tensor. Each tensor has its own stream, named
// by the tensor, so that no tensor's values depend on the order of building.
type source struct{ pcg *rand.PCG }

func newSource(seed uint64, name string) source {
	h := fnv.New64a()
	h.Write([]byte(name))
	return source{rand.NewPCG(seed, h.Sum64())}
}

// normal is close to a standard normal variate: the sum of twelve uniform ones
// less six (Irwin and Hall), taken in integers. It is used instead of
// rand.NormFloat64 because compilers may fuse that one's multiplications and
// additions on some platforms, which would change bits.
func (s source) normal() float64 {
	var sum int64
	for range 3 {
		bits := s.pcg.Uint64()
		for range 4 {
			sum += int64(bits & 0xffff)
			bits >>= 16
		}
	}
	const mean = 12 * 0xffff / 2
	return float64(sum-mean) / 0x1p16
}

// uniform is in [0, 1).
func (s source) uniform() float64 {
	return float64(s.pcg.Uint64()>>11) / 0x1p53
}
