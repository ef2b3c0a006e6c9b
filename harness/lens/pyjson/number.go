package pyjson

import (
	"math"
	"strconv"
	"strings"
	"unicode"
)

// parseFloat is float() of a trimmed string: as in Go, but without hexadecimal,
// with a single underscore only between digits, and with the digits of every
// script.
func parseFloat(s string) (float64, bool) {
	s = strings.Map(asciiDigit, s)
	for i, c := range []byte(s) {
		if c == '_' && (i == 0 || i == len(s)-1 || !isDigit(s[i-1]) || !isDigit(s[i+1])) {
			return 0, false
		}
	}
	if strings.ContainsAny(s, "xXpP") {
		return 0, false
	}
	f, err := strconv.ParseFloat(strings.ReplaceAll(s, "_", ""), 64)
	if err != nil && math.IsInf(f, 0) {
		err = nil // 1e999 is inf there
	}
	return f, err == nil
}

// asciiDigit turns a decimal digit of any script into one of ASCII. Unicode has
// them in runs of ten, from nought to nine.
func asciiDigit(r rune) rune {
	if r < 0x80 {
		return r
	}
	for _, run := range unicode.Nd.R16 {
		if lo := rune(run.Lo); r >= lo && r <= rune(run.Hi) {
			return '0' + (r-lo)%10
		}
	}
	for _, run := range unicode.Nd.R32 {
		if lo := rune(run.Lo); r >= lo && r <= rune(run.Hi) {
			return '0' + (r-lo)%10
		}
	}
	return r
}
