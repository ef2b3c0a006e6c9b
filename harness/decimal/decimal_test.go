package decimal

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

func zeros(n int) string { return strings.Repeat("0", n) }
func nines(n int) string { return strings.Repeat("9", n) }

// Each row is a literal and its value; the long ones are those that strconv
// alone gets wrong.
func TestFloat64(t *testing.T) {
	for _, c := range []struct {
		literal string
		shift   int
		want    float64
	}{
		{"0", 0, 0},
		{"1", 0, 1},
		{"0.9", 0, .9},
		{".9", 0, .9},
		{"9.", -1, .9},
		{"+00.90", 0, .9},
		{"-0.25e+1", 0, -2.5},
		{"53.3", -2, .533}, // 53.3/100 is 0.5329999999999999
		{"9500e-2", -2, .95},
		{"5e-324", 0, 5e-324},
		{"2.5e-324", 0, 5e-324}, // above half the smallest
		{"2.4e-324", 0, 0},
		{"1e-999", 0, 0},
		{"1e999", 0, math.Inf(1)},
		{"-1e999", 0, math.Inf(-1)},
		{"0e999", 0, 0},
		{zeros(5000) + "." + zeros(5000) + "e9999999999999999999", 0, 0},
		// Integer parts beyond strconv's eight hundred digits.
		{"1" + zeros(800) + "e-800", 0, 1},
		{"1" + zeros(800) + "e-798", -2, 1},
		{"9" + zeros(801) + ".000e-802", 0, .9},
		{nines(20_000) + "e-20000", 0, 1},
		{nines(20_000) + "e-19998", -2, 1},
		{zeros(20_000) + "1" + zeros(20_000) + "e-20001", 0, .1},
		// Exponents beyond its ten thousand.
		{"0." + zeros(200_000) + "9e200000", 0, .9},
		{"0." + zeros(200_000) + "9e200002", -2, .9},
		{"7" + zeros(200_000) + "e-200001", 0, .7},
		{"0." + zeros(12_345) + "1e12345", 0, .1},
		// Exponents of no bound.
		{"1e" + nines(1000), 0, math.Inf(1)},
		{"1e-" + nines(1000), 0, 0},
		{"1e-" + nines(1000), 2, 0},
		{"1e" + zeros(1000) + "1", -1, 1},
		{"1e9223372036854775807", 0, math.Inf(1)},
		{"1e-9223372036854775808", 0, 0},
		{"1e18446744073709551617", 0, math.Inf(1)}, // 1 modulo 2⁶⁴
	} {
		l, ok := Parse(c.literal)
		if got := l.Float64(c.shift); !ok || got != c.want {
			t.Errorf("%.30s… of %d bytes, shifted by %d: %v, want %v", c.literal, len(c.literal), c.shift, got, c.want)
		}
	}
}

// Each row is what a spelling is: no literal, a literal, or one of JSON's.
func TestParse(t *testing.T) {
	const no, literal, json = 0, 1, 2
	for s, want := range map[string]int{
		"0": json, "-0": json, "10": json, "0.10": json, "1e5": json, "1E+05": json, "-1.5e-7": json,
		".5": literal, "5.": literal, "-.5": literal, "+5": literal, "05": literal, "00": literal, "5.e1": literal,
		"": no, ".": no, "-": no, "+-1": no, "--1": no, "1.2.3": no, "e5": no, "1e": no, "1e+": no, "1e+-5": no,
		"1e5.0": no, "1_0": no, "0x1": no, "NaN": no, "1 ": no, " 1": no, "1,0": no, "١": no, "1e5e": no, "1p3": no,
	} {
		l, ok := Parse(s)
		if ok != (want != no) || l.JSON() != (want == json) {
			t.Errorf("%q: literal %v, JSON's %v", s, ok, l.JSON())
		}
	}
}

// On random literals, short and long, and on those a hair off the middle between
// two float64, the value is that of exact arithmetic.
func TestFloat64AgreesWithExactArithmetic(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for i := range 3000 {
		s := random(rng)
		if i%3 == 0 {
			s = nearMiddle(rng)
		}
		shift := rng.IntN(2) * -2
		exact, ok := new(big.Rat).SetString(fmt.Sprintf("%se%d", s, shift))
		if e := strings.IndexByte(s, 'e'); e >= 0 {
			exact, ok = new(big.Rat).SetString(s)
			exact.Mul(exact, big.NewRat(1, int64(math.Pow10(-shift))))
		}
		if !ok {
			t.Fatalf("math/big does not read %q", s)
		}
		want, _ := exact.Float64()
		l, ok := Parse(s)
		if got := l.Float64(shift); !ok || got != want {
			t.Fatalf("%q shifted by %d: %v, want %v", s, shift, got, want)
		}
	}
}

// random is a literal whose value is mostly of the size of a probability.
func random(rng *rand.Rand) string {
	length := [...]int{1, 5, 17, 40, 795, 800, 805, 2000}[rng.IntN(8)]
	whole, fraction := randomDigits(rng, length), randomDigits(rng, rng.IntN(length+1))
	s := whole + "." + fraction
	if rng.IntN(8) == 0 {
		return "-" + s
	}
	return fmt.Sprintf("%se%d", s, rng.IntN(8)-4-length)
}

// randomDigits come in runs, so that there are long ones of 0 and of 9.
func randomDigits(rng *rand.Rand, n int) string {
	var b strings.Builder
	for b.Len() < n {
		digit := string(rune('0' + rng.IntN(10)))
		b.WriteString(strings.Repeat(digit, min(n-b.Len(), 1+rng.IntN(1+n/2))))
	}
	return b.String()
}

// nearMiddle is the number halfway between two neighbouring float64, or one
// above or below it by less than strconv's digits show.
func nearMiddle(rng *rand.Rand) string {
	low := math.Ldexp(rng.Float64(), -rng.IntN(1080))
	middle := new(big.Rat).SetFloat64(low)
	middle.Add(middle, new(big.Rat).SetFloat64(math.Nextafter(low, 1)))
	s := middle.Quo(middle, big.NewRat(2, 1)).FloatString(1100) // exact: at most 1075 places
	tail := randomDigits(rng, rng.IntN(900))
	switch rng.IntN(3) {
	case 0:
		return s
	case 1:
		return s + tail + "1"
	}
	above := new(big.Rat)
	above.SetString("1e-1150")
	below, _ := new(big.Rat).SetString(s)
	return below.Sub(below, above).FloatString(1150) + tail
}

// A megabyte of digits takes milliseconds; in quadratic time it would be
// minutes.
func TestLinearTime(t *testing.T) {
	for _, s := range []string{nines(1 << 20), "0." + nines(1<<20), zeros(1<<20) + "1", "1e" + nines(1<<20), "0." + zeros(1<<20) + "1"} {
		start := time.Now()
		l, ok := Parse(s)
		l.Float64(0)
		if d := time.Since(start); !ok || d > time.Second {
			t.Errorf("%.5s…: %v", s, d)
		}
	}
}

func ExampleLiteral_Float64() {
	percentage, _ := Parse("53.3")
	long, _ := Parse("1" + strings.Repeat("0", 800) + "e-800")
	fmt.Println(percentage.Float64(-2), long.Float64(0))
	// Output: 0.533 1
}
