package openenv

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// maxTold is how much of a value, in letters, is told where a message names
// it, so that an answer is not as long as a hostile message.
const maxTold = 200

// pythonStr is what Python's str makes of a JSON value; of a long one, its
// beginning.
func pythonStr(raw json.RawMessage) string {
	if kindOf(raw) == kindString {
		return abridged(text(raw))
	}
	return abridged(pythonRepr(raw, utf8.UTFMax*maxTold))
}

// abridged is the beginning of a long text.
func abridged(s string) string {
	letters := 0
	for i := range s {
		if letters == maxTold {
			return s[:i] + "…"
		}
		letters++
	}
	return s
}

// pythonRepr is what Python's repr makes of a JSON value, but that it shows all
// of equal keys, or the beginning of that: it may end anywhere behind limit
// bytes. However deep the value, it is read once and copied at most once.
func pythonRepr(raw json.RawMessage, limit int) string {
	p := &pythonWriter{from: decoding{raw}, limit: limit}
	p.value(0)
	return p.out.String()
}

// pythonWriter writes values until there is more than its limit. The text it
// reads is valid.
type pythonWriter struct {
	from  decoding
	out   strings.Builder
	limit int
}

// value writes the value at a place and returns the place behind it, the end
// of all if enough is written.
func (p *pythonWriter) value(at int) int {
	at = p.from.blanks(at)
	raw := p.from.text
	switch c := p.from.peek(at); c {
	case kindObject, kindArray:
		return p.list(at, c == kindObject)
	case kindString:
		end, _ := p.from.str(at)
		p.out.WriteString(p.str(at, end))
		return end
	}
	end := p.from.word(at)
	if end == at {
		end, _ = p.from.number(at)
	}
	p.out.WriteString(pythonAtom(raw[at:end]))
	return max(end, at+1)
}

// str is a string in quotes, or the beginning of a very long one.
func (p *pythonWriter) str(at, end int) string {
	const enough = 6 // bytes of an escape, for each letter
	if (end-at)/enough < p.limit {
		return quoted(text(p.from.text[at:end]))
	}
	// Where the cut falls within an escape, that is left out.
	cut := at + enough*p.limit
	for back := 0; back < 12; back++ {
		if piece := append(p.from.text[at:cut-back:cut-back], '"'); json.Valid(piece) {
			return quoted(text(piece))
		}
	}
	return ""
}

func (p *pythonWriter) list(at int, keyed bool) int {
	p.out.WriteByte(p.from.peek(at))
	for at = p.from.blanks(at + 1); at < len(p.from.text); {
		if p.out.Len() > p.limit {
			return len(p.from.text)
		}
		switch c := p.from.peek(at); c {
		case '}', ']':
			p.out.WriteByte(c)
			return at + 1
		case ',':
			p.out.WriteString(", ")
			at++
		}
		at = p.value(at)
		if keyed && p.out.Len() <= p.limit {
			p.out.WriteString(": ")
			at = p.value(p.from.blanks(at) + 1)
		}
		at = p.from.blanks(at)
	}
	return at
}

// pythonAtom is a number or a word as Python has it.
func pythonAtom(raw json.RawMessage) string {
	switch kindOf(raw) {
	case kindNull:
		return "None"
	case kindTrue:
		return "True"
	case kindFalse:
		return "False"
	}
	number := string(raw)
	if !strings.ContainsAny(number, ".eE") {
		return integerText(number)
	}
	value, _ := strconv.ParseFloat(number, 64)
	return strings.TrimPrefix(strings.ToLower(Float(value).String()), "+")
}

// integerText is how Python writes an integer: that has no zero below zero.
func integerText(number string) string {
	if number == "-0" {
		return "0"
	}
	return number
}

// quoted is a string in Python's quotes.
func quoted(s string) string {
	quote := byte('\'')
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		quote = '"'
	}
	out := append(make([]byte, 0, len(s)+2), quote)
	for _, r := range s {
		switch {
		case r == rune(quote) || r == '\\':
			out = append(out, '\\', byte(r))
		case r == '\n':
			out = append(out, `\n`...)
		case r == '\r':
			out = append(out, `\r`...)
		case r == '\t':
			out = append(out, `\t`...)
		case unicode.IsPrint(r):
			out = utf8.AppendRune(out, r)
		case r < 0x100:
			out = fmt.Appendf(out, `\x%02x`, r)
		case r < 0x10000:
			out = fmt.Appendf(out, `\u%04x`, r)
		default:
			out = fmt.Appendf(out, `\U%08x`, r)
		}
	}
	return string(append(out, quote))
}

// pythonType is the name of a JSON value's type in Python.
func pythonType(raw json.RawMessage) string {
	switch kindOf(raw) {
	case kindObject:
		return "dict"
	case kindArray:
		return "list"
	case kindString:
		return "str"
	case kindTrue, kindFalse:
		return "bool"
	case kindNull:
		return "NoneType"
	}
	if strings.ContainsAny(string(raw), ".eENI") { // also of NaN and Infinity
		return "float"
	}
	return "int"
}

// pythonDump spaces a compact JSON text and escapes what is not ASCII, as
// Python's json.dumps does unless told otherwise.
func pythonDump(raw json.RawMessage) []byte {
	out := make([]byte, 0, len(raw)+len(raw)/8)
	inside := false
	for i := 0; i < len(raw); {
		c := raw[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRune(raw[i:])
			for _, unit := range utf16.Encode([]rune{r}) {
				out = fmt.Appendf(out, `\u%04x`, unit)
			}
			i += size
			continue
		}
		out = append(out, c)
		i++
		switch {
		case c == '\\' && inside && i < len(raw):
			out = append(out, raw[i])
			i++
		case c == '"':
			inside = !inside
		case (c == ',' || c == ':') && !inside:
			out = append(out, ' ')
		}
	}
	return out
}
