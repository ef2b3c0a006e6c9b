// Package decimal reads decimal literals of any length, exactly rounded.
//
// A model may write a probability with thousands of digits, and strconv, which
// reads every literal of a sane length, miscounts some of those: it drops digits
// of an integer part beyond the eight hundredth, and caps exponents that leading
// zeros would make up for. So a literal is first brought into the form
// 0.d₁d₂…×10ⁿ in its text, with d₁ not 0.
package decimal

import (
	"strconv"
	"strings"
)

// Literal is a decimal literal in its parts.
type Literal struct {
	negative        bool
	whole, fraction string // digits before and after the point
	exponent        string // with its sign; "" for none
	json            bool
}

// Parse takes s apart if it is a decimal literal: a sign or none, digits with at
// most one point among, before or after them, and an exponent or none.
func Parse(s string) (l Literal, ok bool) {
	unsigned, plus := strings.CutPrefix(s, "+")
	if !plus {
		unsigned, l.negative = strings.CutPrefix(s, "-")
	}
	l.whole = digits(unsigned)
	rest, point := strings.CutPrefix(unsigned[len(l.whole):], ".")
	if point {
		l.fraction = digits(rest)
		rest = rest[len(l.fraction):]
	}
	if l.whole == "" && l.fraction == "" {
		return Literal{}, false
	}
	if rest != "" {
		if l.exponent, ok = cutExponent(rest); !ok {
			return Literal{}, false
		}
	}
	l.json = !plus && l.whole != "" && (l.whole[0] != '0' || len(l.whole) == 1) && (!point || l.fraction != "")
	return l, true
}

// JSON tells whether JSON allows the literal as it is spelled.
func (l Literal) JSON() bool { return l.json }

// maxDigits is how many significant digits are kept. No number halfway between
// two neighbouring float64 has more than 768, so one digit that is not 0, in
// place of all further ones, leaves the literal on the same side of each.
const maxDigits = 799

// Float64 is the float64 nearest to the literal times ten to the power of shift,
// ties to even; zero or infinite, with the literal's sign, if the value is too
// small or too large for any.
func (l Literal) Float64(shift int) float64 {
	significant, point := l.significant()
	if significant == "" {
		return l.signed(0)
	}
	if len(significant) > maxDigits {
		significant = significant[:maxDigits] + "1"
	}
	// Beyond some hundreds all exponents are alike.
	exponent := max(-1000, min(1000, point+power(l.exponent)+int64(shift)))
	v, _ := strconv.ParseFloat("0."+significant+"e"+strconv.FormatInt(exponent, 10), 64) // its error: v is infinite
	return l.signed(v)
}

// significant returns the digits from the first to the last that is not 0, and
// where the point is, counted from before the first.
func (l Literal) significant() (kept string, point int64) {
	whole, fraction := strings.TrimLeft(l.whole, "0"), l.fraction
	point = int64(len(whole))
	if whole == "" {
		fraction = strings.TrimLeft(l.fraction, "0")
		point = int64(len(fraction)) - int64(len(l.fraction))
	}
	return strings.TrimRight(whole+fraction, "0"), point
}

func (l Literal) signed(v float64) float64 {
	if l.negative {
		return -v
	}
	return v
}

// power reads an exponent. One that no text's digits could make up for is cut to
// a size that can still be added to.
func power(exponent string) int64 {
	const most = 1 << 58
	unsigned := strings.TrimLeft(exponent, "+-")
	n := int64(0)
	for i := 0; i < len(unsigned) && n < most; i++ {
		n = min(n*10+int64(unsigned[i]-'0'), most)
	}
	if strings.HasPrefix(exponent, "-") {
		return -n
	}
	return n
}

// cutExponent takes the e off an exponent.
func cutExponent(s string) (exponent string, ok bool) {
	if s[0] != 'e' && s[0] != 'E' {
		return "", false
	}
	unsigned := s[1:]
	if unsigned != "" && (unsigned[0] == '+' || unsigned[0] == '-') {
		unsigned = unsigned[1:]
	}
	return s[1:], unsigned != "" && digits(unsigned) == unsigned
}

func digits(s string) string {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return s[:n]
}
