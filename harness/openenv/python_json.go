package openenv

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// A decodeError is a place in a text that is no JSON, told in the words of
// Python's decoder: clients and their logs know these.
type decodeError struct {
	what string
	at   int // in characters
	line int
	col  int

	// digits is how many an integer has that is too long to be read; all else is
	// zero then. Python does not take that for a mistake in the JSON.
	digits int
}

func (e *decodeError) Error() string {
	if e.digits > 0 {
		return fmt.Sprintf("Exceeds the limit (%d digits) for integer string conversion: value has %d digits; "+
			"use sys.set_int_max_str_digits() to increase the limit", maxDigits, e.digits)
	}
	return fmt.Sprintf("%s: line %d column %d (char %d)", e.what, e.line, e.col, e.at)
}

// maxDepth is how deep values may be nested, as for encoding/json.
const maxDepth = 10000

// whyNoJSON finds out where a text that encoding/json refuses goes wrong.
func whyNoJSON(input []byte) *decodeError {
	d := &decoding{text: input}
	if len(input) >= 3 && string(input[:3]) == "\uFEFF" {
		return d.fail("Unexpected UTF-8 BOM (decode using utf-8-sig)", 0)
	}
	at, err := d.value(d.blanks(0), 0)
	if err != nil {
		return err
	}
	return d.fail("Extra data", d.blanks(at))
}

// decoding walks a text and returns, of each piece, the place behind it.
type decoding struct{ text []byte }

func (d *decoding) fail(what string, at int) *decodeError {
	at = min(at, len(d.text))
	e := &decodeError{what: what, line: 1, col: 1, at: utf8.RuneCount(d.text[:at])}
	for i := 0; i < at; {
		r, size := utf8.DecodeRune(d.text[i:])
		i += size
		e.col++
		if r == '\n' {
			e.line, e.col = e.line+1, 1
		}
	}
	return e
}

// peek is the byte at a place, 0 behind the end.
func (d *decoding) peek(at int) byte {
	if at < len(d.text) {
		return d.text[at]
	}
	return 0
}

func (d *decoding) blanks(at int) int {
	for at < len(d.text) {
		switch d.text[at] {
		case ' ', '\t', '\n', '\r':
			at++
		default:
			return at
		}
	}
	return at
}

func (d *decoding) value(at, depth int) (int, *decodeError) {
	if depth > maxDepth {
		return 0, d.fail("Nested too deeply", at)
	}
	if end := d.word(at); end > at {
		return end, nil
	}
	switch c := d.peek(at); {
	case c == '"':
		return d.str(at)
	case c == '{':
		return d.object(at, depth)
	case c == '[':
		return d.array(at, depth)
	case c == '-' || c >= '0' && c <= '9':
		return d.number(at)
	}
	return 0, d.fail("Expecting value", at)
}

// word reads a word that Python takes for a value, those that are no JSON too.
func (d *decoding) word(at int) int {
	for _, word := range []string{"null", "true", "false", "NaN", "Infinity", "-Infinity"} {
		if bytes.HasPrefix(d.text[at:], []byte(word)) {
			return at + len(word)
		}
	}
	return at
}

func (d *decoding) object(at, depth int) (int, *decodeError) {
	at = d.blanks(at + 1)
	if d.peek(at) == '}' {
		return at + 1, nil
	}
	for {
		if d.peek(at) != '"' {
			return 0, d.fail("Expecting property name enclosed in double quotes", at)
		}
		end, err := d.str(at)
		if err != nil {
			return 0, err
		}
		if at = d.blanks(end); d.peek(at) != ':' {
			return 0, d.fail("Expecting ':' delimiter", at)
		}
		if at, err = d.value(d.blanks(at+1), depth+1); err != nil {
			return 0, err
		}
		at = d.blanks(at)
		switch d.peek(at) {
		case '}':
			return at + 1, nil
		case ',':
			at = d.blanks(at + 1)
		default:
			return 0, d.fail("Expecting ',' delimiter", at)
		}
	}
}

func (d *decoding) array(at, depth int) (int, *decodeError) {
	at = d.blanks(at + 1)
	if d.peek(at) == ']' {
		return at + 1, nil
	}
	for {
		var err *decodeError
		if at, err = d.value(at, depth+1); err != nil {
			return 0, err
		}
		at = d.blanks(at)
		switch d.peek(at) {
		case ']':
			return at + 1, nil
		case ',':
			at = d.blanks(at + 1)
		default:
			return 0, d.fail("Expecting ',' delimiter", at)
		}
	}
}

func (d *decoding) str(start int) (int, *decodeError) {
	for at := start + 1; at < len(d.text); at++ {
		switch c := d.text[at]; {
		case c == '"':
			return at + 1, nil
		case c < 0x20:
			return 0, d.fail("Invalid control character at", at)
		case c == '\\':
			at++
			if at >= len(d.text) {
				break
			}
			switch d.text[at] {
			case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
			case 'u':
				for i := 1; i <= 4; i++ {
					if !isHex(d.peek(at + i)) {
						return 0, d.fail(`Invalid \uXXXX escape`, at)
					}
				}
				at += 4
			default:
				return 0, d.fail(`Invalid \escape`, at-1)
			}
		}
	}
	return 0, d.fail("Unterminated string starting at", start)
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

// number reads as much of a number as there is: the rest is someone else's
// mistake.
func (d *decoding) number(start int) (int, *decodeError) {
	at := start
	if d.peek(at) == '-' {
		at++
	}
	switch c := d.peek(at); {
	case c == '0':
		at++
	case c >= '1' && c <= '9':
		at = d.digits(at)
	default:
		return 0, d.fail("Expecting value", start)
	}
	if d.peek(at) == '.' {
		if end := d.digits(at + 1); end > at+1 {
			at = end
		}
	}
	if c := d.peek(at); c == 'e' || c == 'E' {
		exponent := at + 1
		if c := d.peek(exponent); c == '+' || c == '-' {
			exponent++
		}
		if end := d.digits(exponent); end > exponent {
			at = end
		}
	}
	return at, nil
}

func (d *decoding) digits(at int) int {
	for c := d.peek(at); c >= '0' && c <= '9'; c = d.peek(at) {
		at++
	}
	return at
}

// readJSON makes JSON of what Python reads as JSON. What Python would not read
// is an error, very long integers among it.
func readJSON(input []byte) (json.RawMessage, *decodeError) {
	if !json.Valid(input) {
		changed := withoutNaN(input, beyond)
		if !json.Valid(changed) {
			return nil, whyNoJSON(input)
		}
		input = changed
	}
	if digits := longInteger(input); digits > 0 {
		return nil, &decodeError{digits: digits}
	}
	return input, nil
}

// beyond puts numbers that are too large for a float for the infinities and NaN.
// No check takes them for finite, and they are told as null.
func beyond(word string) string {
	if word[0] == '-' {
		return "-1e999"
	}
	return "1e999"
}

// withoutNaN puts something else for NaN and the infinities outside of strings,
// which clients written in Python send.
func withoutNaN(input []byte, instead func(word string) string) []byte {
	out := make([]byte, 0, len(input))
	for i := 0; i < len(input); {
		end := i + 1
		switch c := input[i]; c {
		case '"':
			end = len(input) - len(afterString(input[i:]))
		case 'N', 'I', '-':
			d := decoding{input}
			if word := d.word(i); word > i {
				out, i = append(out, instead(string(input[i:word]))...), word
				continue
			}
		}
		out, i = append(out, input[i:end]...), end
	}
	return out
}

// longInteger is how many digits the first integer of a JSON text has that is
// longer than Python reads one; 0 if there is none.
func longInteger(text []byte) int {
	for rest := text; len(rest) > maxDigits; {
		size := 1
		switch c := rest[0]; {
		case c == '"':
			size = len(rest) - len(afterString(rest))
		case '0' <= c && c <= '9':
			size = len(rest) - len(bytes.TrimLeft(rest, "+-.0123456789eE"))
			if size > maxDigits && !bytes.ContainsAny(rest[:size], ".eE") {
				return size
			}
		}
		rest = rest[size:]
	}
	return 0
}
