package pyjson

import (
	"math"
	"math/big"
	"sort"
	"strconv"
	"strings"

	"candor/harness/openenv"
)

// Kind is which of JSON's kinds a value is.
type Kind int

// Python tells integers from other numbers, and so do these.
const (
	Null Kind = iota
	False
	True
	Int
	Float
	String
	Array
	Object
)

// Value is a JSON value as Python holds it: an object keeps its keys in the
// order in which they first came, with the value that came last. Values are
// not changed once made.
type Value struct {
	Kind   Kind
	Digits string  // of an Int, with its sign
	Number float64 // of a Float; may be infinite or not a number
	Runes  []rune  // of a String; may hold unpaired surrogates, as Python's may
	Keys   []Value // of an Object: its keys, strings
	Items  []Value // of an Array or an Object
}

// Text is a string's text, with U+FFFD for unpaired surrogates.
func (v Value) Text() string { return string(v.Runes) }

// Get finds a key of an object.
func (v Value) Get(key string) (Value, bool) {
	for i, k := range v.Keys {
		if k.Text() == key {
			return v.Items[i], true
		}
	}
	return Value{}, false
}

// Indent is json.dumps(v, indent=2).
func (v Value) Indent() string {
	var b strings.Builder
	v.write(&b, ",", "\n")
	return b.String()
}

// Compact is json.dumps(v), which puts a blank behind colons and commas.
func (v Value) Compact() string {
	var b strings.Builder
	v.write(&b, ", ", "")
	return b.String()
}

// write writes a value whose members are parted by comma and, where newline
// is not empty, stand on a line each; newline ends with the indent of v itself.
func (v Value) write(b *strings.Builder, comma, newline string) {
	switch v.Kind {
	case Null:
		b.WriteString("null")
	case False:
		b.WriteString("false")
	case True:
		b.WriteString("true")
	case Int:
		b.WriteString(v.Digits)
	case Float:
		b.WriteString(float(v.Number))
	case String:
		quote(b, v.Runes)
	case Array:
		v.writeMembers(b, "[]", comma, newline)
	case Object:
		v.writeMembers(b, "{}", comma, newline)
	}
}

func (v Value) writeMembers(b *strings.Builder, brackets, comma, newline string) {
	if len(v.Items) == 0 {
		b.WriteString(brackets)
		return
	}
	inner := newline
	if inner != "" {
		inner += "  "
	}
	b.WriteByte(brackets[0])
	for i, item := range v.Items {
		if i > 0 {
			b.WriteString(comma)
		}
		b.WriteString(inner)
		if v.Kind == Object {
			quote(b, v.Keys[i].Runes)
			b.WriteString(": ")
		}
		item.write(b, comma, inner)
	}
	b.WriteString(newline)
	b.WriteByte(brackets[1])
}

// float is what json.dumps prints for a float.
func float(f float64) string {
	switch {
	case math.IsNaN(f):
		return "NaN"
	case math.IsInf(f, 1):
		return "Infinity"
	case math.IsInf(f, -1):
		return "-Infinity"
	}
	return openenv.Float(f).String()
}

var short = map[rune]string{'"': `\"`, '\\': `\\`, '\n': `\n`, '\r': `\r`, '\t': `\t`, '\f': `\f`, '\b': `\b`}

func quote(b *strings.Builder, runes []rune) {
	b.WriteByte('"')
	for _, r := range runes {
		switch {
		case short[r] != "":
			b.WriteString(short[r])
		case r >= ' ' && r <= '~':
			b.WriteRune(r)
		case r > 0xffff:
			unit(b, 0xd800+(r-0x10000)>>10)
			unit(b, 0xdc00+(r-0x10000)&0x3ff)
		default:
			unit(b, r)
		}
	}
	b.WriteByte('"')
}

func unit(b *strings.Builder, r rune) {
	const hex = "0123456789abcdef"
	b.WriteString(`\u`)
	for shift := 12; shift >= 0; shift -= 4 {
		b.WriteByte(hex[r>>shift&15])
	}
}

// finite puts null where a number is none that JSON can hold.
func (v Value) finite() Value {
	switch v.Kind {
	case Float:
		if math.IsNaN(v.Number) || math.IsInf(v.Number, 0) {
			return Value{}
		}
	case Array, Object:
		items := make([]Value, len(v.Items))
		for i, item := range v.Items {
			items[i] = item.finite()
		}
		v.Items = items
	}
	return v
}

// Canonical is a text that two values share exactly if they mean the same:
// objects whatever the order of their keys, numbers whatever their spelling.
func (v Value) Canonical() string { return v.canonical().Compact() }

func (v Value) canonical() Value {
	switch v.Kind {
	case Float:
		if math.IsInf(v.Number, 0) || math.IsNaN(v.Number) || v.Number != math.Trunc(v.Number) {
			return v
		}
		whole, _ := big.NewFloat(v.Number).Int(nil)
		return Value{Kind: Int, Digits: whole.String()}
	case Array, Object:
		items := make([]Value, len(v.Items))
		for i, item := range v.Items {
			items[i] = item.canonical()
		}
		v.Items = items
	}
	if v.Kind == Object {
		v = v.sorted()
	}
	return v
}

func (v Value) sorted() Value {
	order := make([]int, len(v.Keys))
	for i := range order {
		order[i] = i
	}
	sort.Slice(order, func(a, b int) bool { return string(v.Keys[order[a]].Runes) < string(v.Keys[order[b]].Runes) })
	out := Value{Kind: Object}
	for _, i := range order {
		out.Keys, out.Items = append(out.Keys, v.Keys[i]), append(out.Items, v.Items[i])
	}
	return out
}

// Float64 is Python's float(v), false where that is an error. Of strings it
// takes those that spell a number.
func (v Value) Float64() (float64, bool) {
	switch v.Kind {
	case False:
		return 0, true
	case True:
		return 1, true
	case Int:
		f, err := strconv.ParseFloat(v.Digits, 64)
		return f, err == nil // beyond the largest: Python's OverflowError
	case Float:
		return v.Number, true
	case String:
		return parseFloat(Strip(v.Text()))
	}
	return 0, false
}
