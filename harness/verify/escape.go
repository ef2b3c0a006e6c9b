package verify

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// maxKey bounds how much of a key is decoded: no key that matters is longer,
// even with every letter escaped.
const maxKey = 6 * len("confidence")

// cutEscape is escapeLen's answer for an escape the text ends in.
const cutEscape = -1

// escapeLen is the length of the JSON escape that s begins with, 0 if it is
// none, or cutEscape.
func escapeLen(s string) int {
	if len(s) < 2 {
		return cutEscape
	}
	if s[1] != 'u' {
		if strings.IndexByte(`"\/bfnrt`, s[1]) < 0 {
			return 0
		}
		return 2
	}
	for i := 2; i < 6; i++ {
		if i == len(s) {
			return cutEscape
		}
		if hexDigit(s[i]) < 0 {
			return 0
		}
	}
	return 6
}

func badEscape(n int) outcome {
	if n == cutEscape {
		return endOfText
	}
	return failed
}

// unescape decodes the inside of a JSON string whose escapes are legal, or
// returns "" if it is longer than limit. A lone surrogate becomes U+FFFD.
func unescape(s string, limit int) string {
	if len(s) > limit {
		return ""
	}
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		if s[i] != '\\' {
			b.WriteByte(s[i])
			i++
			continue
		}
		r, n := escaped(s[i:])
		b.WriteRune(r)
		i += n
	}
	return b.String()
}

// escaped decodes the escape, or the pair of surrogate escapes, that s begins
// with.
func escaped(s string) (r rune, n int) {
	switch s[1] {
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	case 'u':
		r = hexRune(s[2:6])
		if !utf16.IsSurrogate(r) {
			return r, 6
		}
		if len(s) >= 12 && s[6] == '\\' && s[7] == 'u' {
			if both := utf16.DecodeRune(r, hexRune(s[8:12])); both != utf8.RuneError {
				return both, 12
			}
		}
		return utf8.RuneError, 6
	}
	return rune(s[1]), 2
}

func hexRune(s string) rune {
	var r rune
	for i := range len(s) {
		r = r<<4 | rune(hexDigit(s[i]))
	}
	return r
}

func hexDigit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}
