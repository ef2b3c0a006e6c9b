package verify

import "strings"

// scan goes through a text once, from left to right. It calls found for each
// object that parses and has either key, and tag, unless nil, for each reasoning
// tag outside the objects that parse. cut tells that the text ends inside an
// object that has either key.
//
// An object is looked for at every brace, also inside one that fails: there,
// what looked like its strings may be prose. But an object that was a value of
// another is never reported, whether or not the outer one parses: an answer is
// not taken from the inside of something else.
//
// The time is linear because no two attempts can be outside a string, or inside
// a string of one kind of quotes, at the same byte: either the later brace is a
// token of the earlier attempt, and then it is not tried again, or it lies
// within a string of it, and then a quote that ends a string for one begins a
// string for the other.
func scan(text string, found func(*object), tag func(at int, opens bool)) (cut bool) {
	s := scanner{attempt: attempt{text: text}, curly: hasCurly(text)}
	for i := 0; i < len(text); {
		switch text[i] {
		case '{':
			end, ok := s.object(i, found)
			cut = cut || !ok && s.cut
			i = end
		case '<':
			i += reasoningTag(text, i, tag)
		default:
			i++
		}
	}
	return cut
}

// scanner remembers the braces that failing attempts have met.
type scanner struct {
	attempt
	curly bool // the text has curly double quotes, so loose quoting may differ
	cut   bool // the last failing attempt met the end of the text
	// inner[i], for a brace at i that was a value's, is where that value ended,
	// or -1 if it did not.
	inner []int32
}

// object tries the brace at i and returns where to go on.
func (s *scanner) object(i int, found func(*object)) (next int, ok bool) {
	if s.inner != nil && s.inner[i] != 0 {
		s.cut = false
		return max(i+1, int(s.inner[i])), false
	}
	s.cut = false
	if !beginsObject(s.text[i+1:]) {
		return i + 1, false
	}
	for _, q := range [...]quoting{paired, loose} {
		if q == loose && !s.curly {
			break
		}
		switch s.run(i, q) {
		case parsed:
			if s.out.relevant() {
				found(&s.out)
			}
			return s.out.end, true
		case endOfText:
			s.cut = s.cut || s.out.relevant()
		}
		s.remember()
	}
	return i + 1, false
}

// beginsObject is a quick look at what follows a brace: all but an object's
// first key or its end is prose.
func beginsObject(s string) bool {
	i := 0
	for i < len(s) && isJSONSpace(s[i]) {
		i++
	}
	return i < len(s) && (s[i] == '}' || quoteAt(s, i) != noQuote)
}

// remember notes the values inside an attempt that failed.
func (s *scanner) remember() {
	if len(s.values) > 0 && s.inner == nil {
		s.inner = make([]int32, len(s.text))
	}
	for _, v := range s.values {
		s.inner[v.start] = max(s.inner[v.start], int32(v.end))
		if s.inner[v.start] == 0 {
			s.inner[v.start] = -1
		}
	}
}

// reasoningTag reports the tag at i, if there is one, and returns its length, or
// 1.
func reasoningTag(text string, i int, tag func(int, bool)) int {
	for _, name := range [...]string{openTag, closeTag} {
		if tag != nil && strings.HasPrefix(text[i:], name) {
			tag(i, name == openTag)
			return len(name)
		}
	}
	return 1
}
