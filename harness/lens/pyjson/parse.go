package pyjson

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// MaxDepth is how deep values may be nested. Python gives up at about the same
// depth.
const MaxDepth = 900

// A SyntaxError is a text that is not JSON to Python.
type SyntaxError struct {
	Offset int // in bytes
	What   string
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("%s at byte %d", e.What, e.Offset) }

// Parse is json.loads: it takes NaN, Infinity and -Infinity for numbers, and of
// a repeated key the last value. Bytes that are not UTF-8 count as U+FFFD.
func Parse(text string) (Value, error) {
	p := parser{text: text}
	p.blanks()
	v, err := p.value(0)
	if err != nil {
		return Value{}, err
	}
	p.blanks()
	if p.at < len(text) {
		return Value{}, p.fail("more than one value")
	}
	return v, nil
}

type parser struct {
	text string
	at   int
}

func (p *parser) fail(what string) error { return &SyntaxError{p.at, what} }

func (p *parser) blanks() {
	for p.at < len(p.text) && strings.IndexByte(" \t\n\r", p.text[p.at]) >= 0 {
		p.at++
	}
}

// take steps over word if it comes next.
func (p *parser) take(word string) bool {
	if !strings.HasPrefix(p.text[p.at:], word) {
		return false
	}
	p.at += len(word)
	return true
}

func (p *parser) value(depth int) (Value, error) {
	switch {
	case depth > MaxDepth:
		return Value{}, p.fail("nested too deeply")
	case p.take(`"`):
		runes, err := p.string()
		return Value{Kind: String, Runes: runes}, err
	case p.take("{"):
		return p.object(depth)
	case p.take("["):
		return p.array(depth)
	case p.take("null"):
		return Value{}, nil
	case p.take("true"):
		return Value{Kind: True}, nil
	case p.take("false"):
		return Value{Kind: False}, nil
	}
	return p.number()
}

func (p *parser) array(depth int) (Value, error) {
	v := Value{Kind: Array}
	p.blanks()
	if p.take("]") {
		return v, nil
	}
	for {
		p.blanks()
		item, err := p.value(depth + 1)
		if err != nil {
			return Value{}, err
		}
		v.Items = append(v.Items, item)
		p.blanks()
		if p.take("]") {
			return v, nil
		}
		if !p.take(",") {
			return Value{}, p.fail("neither , nor ]")
		}
	}
}

func (p *parser) object(depth int) (Value, error) {
	v := Value{Kind: Object}
	place := map[string]int{}
	p.blanks()
	if p.take("}") {
		return v, nil
	}
	for {
		p.blanks()
		if !p.take(`"`) {
			return Value{}, p.fail("no key")
		}
		key, err := p.string()
		if err != nil {
			return Value{}, err
		}
		p.blanks()
		if !p.take(":") {
			return Value{}, p.fail("no :")
		}
		p.blanks()
		item, err := p.value(depth + 1)
		if err != nil {
			return Value{}, err
		}
		v.put(place, key, item)
		p.blanks()
		if p.take("}") {
			return v, nil
		}
		if !p.take(",") {
			return Value{}, p.fail("neither , nor }")
		}
	}
}

// put sets a key; one that is there already keeps its place.
func (v *Value) put(place map[string]int, key []rune, item Value) {
	name := keyName(key)
	if i, there := place[name]; there {
		v.Items[i] = item
		return
	}
	place[name] = len(v.Items)
	v.Keys, v.Items = append(v.Keys, Value{Kind: String, Runes: key}), append(v.Items, item)
}

// keyName tells keys apart that differ in unpaired surrogates alone.
func keyName(key []rune) string {
	var b strings.Builder
	for _, r := range key {
		if utf16.IsSurrogate(r) {
			fmt.Fprintf(&b, "\x00%x", r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

func (p *parser) string() ([]rune, error) {
	runes := []rune{}
	for p.at < len(p.text) {
		switch c := p.text[p.at]; {
		case c == '"':
			p.at++
			return runes, nil
		case c < ' ':
			return nil, p.fail("a control character in a string")
		case c == '\\':
			r, err := p.escape()
			if err != nil {
				return nil, err
			}
			runes = append(runes, r)
		default:
			r, size := utf8.DecodeRuneInString(p.text[p.at:])
			runes = append(runes, r)
			p.at += size
		}
	}
	return nil, p.fail("a string without an end")
}

// escape reads one, or two that make one character.
func (p *parser) escape() (rune, error) {
	if p.at+1 >= len(p.text) {
		return 0, p.fail("a string without an end")
	}
	c := p.text[p.at+1]
	if i := strings.IndexByte(`"\/bfnrt`, c); i >= 0 {
		p.at += 2
		return rune("\"\\/\b\f\n\r\t"[i]), nil
	}
	if c != 'u' {
		return 0, p.fail("an unknown escape")
	}
	r, ok := p.hex(p.at + 2)
	if !ok {
		return 0, p.fail("an escape without four hex digits")
	}
	p.at += 6
	if strings.HasPrefix(p.text[p.at:], `\u`) {
		if low, ok := p.hex(p.at + 2); ok {
			if both := utf16.DecodeRune(r, low); both != utf8.RuneError {
				p.at += 6
				return both, nil
			}
		}
	}
	return r, nil
}

func (p *parser) hex(at int) (rune, bool) {
	if at+4 > len(p.text) {
		return 0, false
	}
	n, err := strconv.ParseUint(p.text[at:at+4], 16, 16)
	return rune(n), err == nil
}

func (p *parser) number() (Value, error) {
	for word, value := range map[string]string{"NaN": "nan", "Infinity": "inf", "-Infinity": "-inf"} {
		if p.take(word) {
			f, _ := strconv.ParseFloat(value, 64)
			return Value{Kind: Float, Number: f}, nil
		}
	}
	start, at := p.at, p.at
	if at < len(p.text) && p.text[at] == '-' {
		at++
	}
	switch whole := digits(p.text, at); {
	case whole == at:
		return Value{}, p.fail("no value")
	case p.text[at] == '0':
		at++ // what stands behind it is no part of the number
	default:
		at = whole
	}
	end := at
	if end < len(p.text) && p.text[end] == '.' && digits(p.text, end+1) > end+1 {
		end = digits(p.text, end+1)
	}
	if end < len(p.text) && (p.text[end] == 'e' || p.text[end] == 'E') {
		exp := end + 1
		if exp < len(p.text) && (p.text[exp] == '+' || p.text[exp] == '-') {
			exp++
		}
		if last := digits(p.text, exp); last > exp {
			end = last
		}
	}
	p.at = end
	if end > at {
		f, _ := strconv.ParseFloat(p.text[start:end], 64) // beyond the largest: infinite
		return Value{Kind: Float, Number: f}, nil
	}
	return p.integer(p.text[start:end])
}

// maxDigits is what Python reads of an integer at most.
const maxDigits = 4300

// integer keeps all digits; minus nothing is nothing.
func (p *parser) integer(text string) (Value, error) {
	if len(strings.TrimPrefix(text, "-")) > maxDigits {
		return Value{}, p.fail("an integer of too many digits")
	}
	if text == "-0" {
		text = "0"
	}
	return Value{Kind: Int, Digits: text}, nil
}

// digits is where the digits from at on end.
func digits(s string, at int) int {
	for at < len(s) && isDigit(s[at]) {
		at++
	}
	return at
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
