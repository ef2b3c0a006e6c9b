package verify

import "strings"

// object is a JSON object found in a text, with the values of the keys that
// matter.
type object struct {
	span
	strict      bool // it is JSON as it stands
	verdicts    []token
	confidences []token
}

// relevant tells whether the object has either key.
func (o *object) relevant() bool { return len(o.verdicts)+len(o.confidences) > 0 }

// outcome of an attempt.
type outcome int

const (
	unfinished outcome = iota
	parsed
	failed    // something that no repair covers
	endOfText // no fault until the text ended
)

// state is what an attempt expects next.
type state int

const (
	firstKey  state = iota // a key, or the end of an empty object
	nextKey                // a key, or the end after a trailing comma
	colon                  //
	firstItem              // a value, or the end of an empty array
	nextItem               // a value, or the end after a trailing comma
	value                  // a key's value
	after                  // a comma or the end
)

// frame is a container that is open.
type frame struct {
	start int
	brace int // its index in attempt.values, or -1
	array bool
}

// attempt parses one object at a time. It is a machine with a stack of its own,
// so that no depth of nesting can exhaust Go's. Its buffers serve all attempts
// at one text.
type attempt struct {
	text  string
	quote quoting
	pos   int
	state state
	stack []frame
	field *[]token // where the value of the outermost object's current key goes
	// values are the objects met inside the outermost one; the end of one that
	// is still open is 0.
	values []span
	out    object
}

// run tries to parse an object at start, which holds a brace.
func (a *attempt) run(start int, q quoting) outcome {
	a.quote, a.pos = q, start
	a.stack, a.values, a.field = a.stack[:0], a.values[:0], nil
	a.out = object{span{start, 0}, true, a.out.verdicts[:0], a.out.confidences[:0]}
	a.open(false)
	for {
		for a.pos < len(a.text) && isJSONSpace(a.text[a.pos]) {
			a.pos++
		}
		if a.pos == len(a.text) {
			return endOfText
		}
		if o := a.step(); o != unfinished {
			return o
		}
	}
}

// step takes one token.
func (a *attempt) step() outcome {
	c := a.text[a.pos]
	switch a.state {
	case firstKey, nextKey:
		if c == '}' {
			return a.close(a.state == nextKey)
		}
		return a.key()
	case colon:
		return a.punctuation(':', fullWidthColon, value)
	case firstItem, nextItem:
		if c == ']' {
			return a.close(a.state == nextItem)
		}
		return a.value()
	case value:
		return a.value()
	}
	top := a.stack[len(a.stack)-1]
	switch {
	case c == '}' && !top.array, c == ']' && top.array:
		return a.close(false)
	case top.array:
		return a.punctuation(',', fullWidthComma, nextItem)
	}
	return a.punctuation(',', fullWidthComma, nextKey)
}

// open begins a container at the current byte.
func (a *attempt) open(array bool) {
	f := frame{start: a.pos, brace: -1, array: array}
	if len(a.stack) > 0 && !array {
		f.brace = len(a.values)
		a.values = append(a.values, span{a.pos, 0})
	}
	a.stack = append(a.stack, f)
	a.state = firstKey
	if array {
		a.state = firstItem
	}
	a.pos++
}

// close ends the innermost container at the current byte.
func (a *attempt) close(trailingComma bool) outcome {
	a.pos++
	a.out.strict = a.out.strict && !trailingComma
	f := a.stack[len(a.stack)-1]
	a.stack = a.stack[:len(a.stack)-1]
	if len(a.stack) == 0 {
		a.out.end = a.pos
		return parsed
	}
	if f.brace >= 0 {
		a.values[f.brace].end = a.pos
	}
	return a.got(token{container, span{f.start, a.pos}})
}

// punctuation takes a colon or comma, plain or full-width.
func (a *attempt) punctuation(plain byte, wide string, then state) outcome {
	switch {
	case a.text[a.pos] == plain:
		a.pos++
	case strings.HasPrefix(a.text[a.pos:], wide):
		a.pos += len(wide)
		a.out.strict = false
	default:
		return failed
	}
	a.state = then
	return unfinished
}

func (a *attempt) key() outcome {
	t, o := a.str()
	if o != unfinished {
		return o
	}
	a.state = colon
	if len(a.stack) == 1 {
		a.field = nil
		switch name := unescape(a.text[t.start:t.end], maxKey); name {
		case "verdict":
			a.field = &a.out.verdicts
		case "confidence":
			a.field = &a.out.confidences
		}
		if a.field != nil {
			// A value is written over this once it is read; until then it
			// marks that the key was there.
			*a.field = append(*a.field, token{})
		}
	}
	return unfinished
}

func (a *attempt) value() outcome {
	switch c := a.text[a.pos]; {
	case c == '{' || c == '[':
		a.open(c == '[')
		return unfinished
	case quoteAt(a.text, a.pos) != noQuote:
		t, o := a.str()
		if o != unfinished {
			return o
		}
		return a.got(t)
	}
	return a.bare()
}

// got takes a value that is complete.
func (a *attempt) got(t token) outcome {
	if len(a.stack) == 1 && a.field != nil {
		(*a.field)[len(*a.field)-1] = t
	}
	a.state = after
	return unfinished
}
