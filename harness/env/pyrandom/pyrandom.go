// Package pyrandom draws the numbers that CPython's random.Random draws from
// the same seed, so that an environment written in Python keeps its episodes
// when it is played here. It is the 32-bit Mersenne Twister MT19937, seeded by
// init_by_array, with Python's way (version 2, unchanged since Python 3.2) of
// making integers below a bound and shuffles of its words.
//
// It is for compatibility. It is not a source of secrets.
package pyrandom

import (
	"crypto/sha512"
	"fmt"
	"math"
	"math/big"
)

// Random is a sequence of numbers. It is not safe for concurrent use.
type Random struct {
	state [words]uint32
	next  int // index of the word to be given next; words: they are used up
}

// New is random.Random(seed) of an integer of any size. The sign does not
// matter: CPython seeds with the absolute value.
func New(seed *big.Int) *Random {
	bytes := new(big.Int).Abs(seed).Bytes()
	key := make([]uint32, max(1, (len(bytes)+3)/4)) // 0 is one word, too
	for i := range bytes {
		// Of the bytes the first are the highest, of the words the last.
		key[i/4] |= uint32(bytes[len(bytes)-1-i]) << (i % 4 * 8)
	}
	r := &Random{next: words}
	r.seedByArray(key)
	return r
}

// FromString is random.Random(seed) of a string: its UTF-8 bytes and their
// SHA-512 are the integer.
func FromString(seed string) *Random {
	sum := sha512.Sum512([]byte(seed))
	return New(new(big.Int).SetBytes(append([]byte(seed), sum[:]...)))
}

// FromFloat is random.Random(seed) of a float, which Python seeds with the 64
// bits of the float's hash. A whole number from 0 to below 2⁶¹ − 1 is the seed
// that the integer is. For NaN, which Python seeds by chance, it is 0.
func FromFloat(seed float64) *Random {
	switch {
	case math.IsNaN(seed):
		return New(new(big.Int))
	case math.IsInf(seed, 0): // whose hash is made of the digits of π
		signed := int64(math.Copysign(314159, seed))
		return New(new(big.Int).SetUint64(uint64(signed)))
	}
	value, _ := new(big.Float).SetFloat64(seed).Rat(nil)
	return New(new(big.Int).SetUint64(uint64(hash(value))))
}

// hash is Python's of a rational number: the value modulo the prime 2⁶¹ − 1,
// with its sign. The denominator must not be a multiple of that.
func hash(value *big.Rat) int64 {
	prime := big.NewInt(1<<61 - 1)
	residue := new(big.Int).ModInverse(value.Denom(), prime)
	residue.Mul(residue, new(big.Int).Abs(value.Num())).Mod(residue, prime)
	switch signed := residue.Int64() * int64(value.Sign()); signed {
	case -1: // by which C functions tell an error
		return -2
	default:
		return signed
	}
}

// Bits is getrandbits(k): an integer of k random bits, k ≥ 0.
func (r *Random) Bits(k int) *big.Int {
	if k < 0 {
		panic(fmt.Sprintf("pyrandom: %d bits", k))
	}
	value := new(big.Int)
	for at := 0; at < k; at += 32 { // the lowest word first
		word := r.word()
		if k-at < 32 {
			word >>= 32 - (k - at)
		}
		value.Or(value, new(big.Int).Lsh(big.NewInt(int64(word)), uint(at)))
	}
	return value
}

// Below is _randbelow(n), as randrange(n): an integer in [0, n). It panics if
// n ≤ 0.
func (r *Random) Below(n int64) int64 {
	if n <= 0 {
		panic(fmt.Sprintf("pyrandom: no integer is in [0, %d)", n))
	}
	for length := big.NewInt(n).BitLen(); ; {
		if value := r.Bits(length).Int64(); value < n && value >= 0 {
			return value
		}
	}
}

// Int is randint(a, b): an integer in [a, b]. It panics if b < a, or if there
// are 2⁶³ of them or more.
func (r *Random) Int(a, b int64) int64 { return a + r.Below(b-a+1) }

// Shuffle is shuffle(x): it puts a slice into random order.
func Shuffle[T any](r *Random, x []T) {
	for i := len(x) - 1; i > 0; i-- {
		j := r.Below(int64(i) + 1)
		x[i], x[j] = x[j], x[i]
	}
}
