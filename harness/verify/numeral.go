package verify

import (
	"strings"

	"candor/harness/decimal"
)

// readNumeral reads a confidence. A decimal literal is rounded to the nearest
// float64, and a percentage is first shifted by two places in its text, so that
// 53.3% is 0.533 exactly. The range is checked after rounding. A literal too
// large for a float64 is out of range: it is finite as written.
func readNumeral(s string) (v float64, reason string) {
	body, percent := cutPercent(s)
	d, ok := decimal.Parse(body)
	switch {
	case ok && percent:
		v = d.Float64(-2)
	case ok:
		v = d.Float64(0)
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
	for _, sign := range [...]string{"%", fullWidthPercent} {
		if body, ok := strings.CutSuffix(s, sign); ok {
			return strings.TrimSpace(body), true
		}
	}
	return s, false
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
	if scaled && (exponent == "" || strings.Trim(exponent, "0123456789") != "") {
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
