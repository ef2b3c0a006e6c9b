package verify

import (
	"strconv"
	"strings"
)

// readNumeral reads a confidence. A decimal literal is rounded to the nearest
// float64, and a percentage is first shifted by two places in its text, so that
// 53.3% is 0.533 exactly. The range is checked after rounding. A literal too
// large for a float64 is out of range: it is finite as written.
func readNumeral(s string) (v float64, reason string) {
	body, percent := cutPercent(s)
	d, ok := readDecimal(body)
	switch {
	case ok:
		v = d.value(percent)
	case isNotFinite(body):
		return 0, ReasonNotFinite
	default:
		return 0, ReasonNonNumeric
	}
	switch {
	case v < 0 || v > 1:
		return 0, ReasonOutOfRange
	case v == 0:
		return 0, "" // also for -0
	}
	return v, ""
}

// isNumeral tells whether s is something readNumeral knows for a number, finite
// or not.
func isNumeral(s string) bool {
	_, reason := readNumeral(s)
	return reason != ReasonNonNumeric
}

func cutPercent(s string) (body string, percent bool) {
	for _, sign := range [...]string{"%", fullWidthSign} {
		if body, ok := strings.CutSuffix(s, sign); ok {
			return strings.TrimSpace(body), true
		}
	}
	return s, false
}

// decimal is a decimal literal in its parts.
type decimal struct {
	mantissa, exponent string // without the e; "" for no exponent
	json               bool   // JSON allows this spelling
}

// readDecimal takes s apart if it is a decimal literal: a sign or none, digits
// with at most one point among, before or after them, and an exponent or none.
func readDecimal(s string) (d decimal, ok bool) {
	unsigned := strings.TrimPrefix(s, "-")
	if u, plus := strings.CutPrefix(s, "+"); plus {
		unsigned = u
	}
	whole := digits(unsigned)
	rest := unsigned[len(whole):]
	fraction, point := "", strings.HasPrefix(rest, ".")
	if point {
		fraction = digits(rest[1:])
		rest = rest[1+len(fraction):]
	}
	if whole+fraction == "" {
		return d, false
	}
	d.mantissa = s[:len(s)-len(rest)]
	if rest != "" {
		if d.exponent, ok = readExponent(rest); !ok {
			return d, false
		}
	}
	d.json = !strings.HasPrefix(s, "+") && whole != "" && (whole[0] != '0' || len(whole) == 1) &&
		(!point || fraction != "")
	return d, true
}

// readExponent takes the e off an exponent.
func readExponent(s string) (exponent string, ok bool) {
	if s[0] != 'e' && s[0] != 'E' {
		return "", false
	}
	unsigned := s[1:]
	if unsigned != "" && (unsigned[0] == '+' || unsigned[0] == '-') {
		unsigned = unsigned[1:]
	}
	return s[1:], unsigned != "" && digits(unsigned) == unsigned
}

func (d decimal) value(percent bool) float64 {
	text := d.mantissa + "e0"
	if d.exponent != "" {
		text = d.mantissa + "e" + d.exponent
	}
	if percent {
		// Atoi caps what does not fit, which is as good as infinite.
		e, _ := strconv.Atoi(d.exponent)
		text = d.mantissa + "e" + strconv.Itoa(max(e, -1<<30)-2)
	}
	v, _ := strconv.ParseFloat(text, 64) // out of a float64's range: an infinity or zero
	return v
}

func digits(s string) string {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return s[:n]
}

// isNotFinite tells whether s is NaN, infinite or hexadecimal, as any language
// writes them.
func isNotFinite(s string) bool {
	s = upperASCII(s)
	if u := strings.TrimPrefix(s, "-"); u != s {
		s = u
	} else {
		s = strings.TrimPrefix(s, "+")
	}
	switch s {
	case "NAN", "INF", "INFINITY":
		return true
	}
	return isHex(s)
}

// isHex tells whether s is a hexadecimal literal, with or without a point and a
// binary exponent.
func isHex(s string) bool {
	body, ok := strings.CutPrefix(s, "0X")
	if !ok {
		return false
	}
	mantissa, exponent, scaled := strings.Cut(body, "P")
	exponent = strings.TrimLeft(exponent, "+-")
	if scaled && (exponent == "" || digits(exponent) != exponent) {
		return false
	}
	seen := false
	for i := range len(mantissa) {
		isDigit := hexDigit(mantissa[i]) >= 0
		if !isDigit && mantissa[i] != '.' && mantissa[i] != '_' {
			return false
		}
		seen = seen || isDigit
	}
	return seen
}
