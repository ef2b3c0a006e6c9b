package verify

import (
	"strings"

	"candor/harness/decimal"
)

// token is a value's place in the text: of a string, what is between its
// quotes.
type token struct {
	kind tokenKind
	span
}

type tokenKind int

const (
	container tokenKind = iota // an object or array
	quoted                     // a string
	bareword                   // a number, true, false, null, or what stands in for a number
)

// quoting is how the end of a string is known.
type quoting int

const (
	paired quoting = iota // by a quote of the kind that began it
	loose                 // by any double quote, straight or curly: “verdict"
)

// quoteKind is a family of quotes. Full-width quotes count as curly.
type quoteKind int

const (
	noQuote quoteKind = iota
	straight
	curlyDouble
	curlySingle
)

const (
	jsonSpace        = " \t\r\n"
	fullWidthColon   = "："
	fullWidthComma   = "，"
	fullWidthPercent = "％"
)

// str takes a string. It ends at the first quote of its family: were a string
// able to run over the beginning of another of its kind, time would not be
// linear (see scan).
func (a *attempt) str() (token, outcome) {
	opened := quoteAt(a.text, a.pos)
	if opened == noQuote {
		return token{}, failed
	}
	a.pos += opened.width()
	start := a.pos
	for a.pos < len(a.text) {
		c := a.text[a.pos]
		if c == '\\' {
			n := escapeLen(a.text[a.pos:])
			if n <= 0 {
				return token{}, badEscape(n)
			}
			a.pos += n
			continue
		}
		if c < ' ' {
			return token{}, failed
		}
		if q := quoteAt(a.text, a.pos); q != noQuote && a.quote.closes(opened, q) {
			t := token{quoted, span{start, a.pos}}
			a.pos += q.width()
			a.out.strict = a.out.strict && opened == straight && q == straight
			return t, unfinished
		}
		a.pos++
	}
	return token{}, endOfText
}

// bare takes a value that is neither a string nor a container. JSON's own are
// taken anywhere. As the confidence of an answer, other spellings of numbers and
// of "nothing" are taken too: some are repaired, and of the rest it can be said
// what is wrong with them.
func (a *attempt) bare() outcome {
	start := a.pos
	for a.pos < len(a.text) && isBare(a.text[a.pos]) {
		a.pos++
	}
	word := a.text[start:a.pos]
	if isJSONWord(word) && !a.percentFollows() {
		return a.got(token{bareword, span{start, a.pos}})
	}
	if len(a.stack) == 1 && a.field == &a.out.confidences {
		a.takePercent()
		if isNumeral(a.text[start:a.pos]) || isNothing(word) {
			a.out.strict = false
			return a.got(token{bareword, span{start, a.pos}})
		}
	}
	if a.pos == len(a.text) {
		return endOfText
	}
	return failed
}

// takePercent takes a percent sign, and blanks before it.
func (a *attempt) takePercent() {
	rest := strings.TrimLeft(a.text[a.pos:], " \t")
	for _, sign := range [...]string{"%", fullWidthPercent} {
		if strings.HasPrefix(rest, sign) {
			a.pos = len(a.text) - len(rest) + len(sign)
			return
		}
	}
}

func (a *attempt) percentFollows() bool {
	before := a.pos
	a.takePercent()
	follows := a.pos > before
	a.pos = before
	return follows
}

// closes tells whether a string that one quote began ends at another.
func (q quoting) closes(opened, met quoteKind) bool {
	return opened == met || q == loose && opened != curlySingle && met != curlySingle
}

// width is the quote's length in bytes.
func (k quoteKind) width() int {
	if k == straight {
		return 1
	}
	return len("“")
}

// quoteAt tells which quote begins at byte i: " or one of U+2018 to U+201F,
// U+FF02 and U+FF07.
func quoteAt(text string, i int) quoteKind {
	switch c := text[i]; {
	case c == '"':
		return straight
	case c != 0xE2 && c != 0xEF || i+2 >= len(text):
		return noQuote
	case c == 0xE2 && text[i+1] == 0x80 && text[i+2] >= 0x98 && text[i+2] <= 0x9B:
		return curlySingle
	case c == 0xE2 && text[i+1] == 0x80 && text[i+2] >= 0x9C && text[i+2] <= 0x9F:
		return curlyDouble
	case c == 0xEF && text[i+1] == 0xBC && text[i+2] == 0x82:
		return curlyDouble
	case c == 0xEF && text[i+1] == 0xBC && text[i+2] == 0x87:
		return curlySingle
	}
	return noQuote
}

func hasCurly(text string) bool { return strings.ContainsAny(text, "“”„‟＂") }

func isJSONSpace(c byte) bool { return strings.IndexByte(jsonSpace, c) >= 0 }

func isBare(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' ||
		c == '+' || c == '-' || c == '.' || c == '/' || c == '_'
}

// isJSONWord tells whether JSON has the word for a value of its own.
func isJSONWord(word string) bool {
	switch word {
	case "true", "false", "null":
		return true
	}
	n, ok := decimal.Parse(word)
	return ok && n.JSON()
}

// isNothing tells whether a word is one that programs and people write for an
// absent value, or another language's truth value.
func isNothing(word string) bool {
	switch upperASCII(word) {
	case "N/A", "NA", "NONE", "NIL", "NULL", "UNDEFINED", "TRUE", "FALSE":
		return true
	}
	return false
}
