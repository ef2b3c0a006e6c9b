package verify

import (
	"math"
	"slices"
	"strings"
	"unicode"
)

// reading is what one object says.
type reading struct {
	verdict    Verdict
	confidence float64
	reason     string // why it is malformed, or ""
	repaired   bool
	echo       bool // no answer, only a copy of the answer's format
}

func (r reading) agrees(s reading) bool {
	return r.verdict == s.verdict && r.confidence == s.confidence && r.reason == s.reason
}

// read makes sense of an object: its verdict first, and then, unless that is
// ABSTAIN, its confidence. An abstention's confidence does not matter, but to
// give it twice is a fault all the same.
func (o *object) read(text string) reading {
	v := single(text, o.verdicts, readVerdict)
	if v.reason != "" {
		return reading{reason: v.reason, echo: o.isEcho(text)}
	}
	if v.is == Abstain {
		return reading{verdict: Abstain, repaired: v.repaired || len(o.confidences) > 1}
	}
	c := single(text, o.confidences, readConfidence)
	if c.reason != "" {
		return reading{reason: c.reason}
	}
	return reading{verdict: v.is, confidence: c.is, repaired: v.repaired || c.repaired}
}

// datum is a value that was read.
type datum[T comparable] struct {
	is       T
	reason   string
	repaired bool
}

// single reads the values of one key, which must be the same if there are
// several: both legal and equal, or both spelled alike. absent stands for none.
func single[T comparable](text string, values []token, read func(string, token) datum[T]) datum[T] {
	if len(values) == 0 {
		return read("null", token{bareword, span{0, len("null")}})
	}
	first := read(text, values[0])
	for _, v := range values[1:] {
		d := read(text, v)
		alike := text[v.start:v.end] == text[values[0].start:values[0].end]
		if d.is != first.is || d.reason != first.reason || d.reason != "" && !alike {
			return datum[T]{reason: ReasonDuplicateKey}
		}
		first.repaired = true
	}
	return first
}

func readVerdict(text string, t token) datum[Verdict] {
	if t.kind != quoted {
		return datum[Verdict]{reason: ReasonIllegalVerdict}
	}
	said := unescape(text[t.start:t.end], math.MaxInt)
	switch v := Verdict(upperASCII(trimVerdict(said))); v {
	case Supported, Refuted, Abstain:
		return datum[Verdict]{is: v, repaired: said != string(v)}
	}
	return datum[Verdict]{reason: ReasonIllegalVerdict}
}

// trimVerdict takes away blanks and punctuation. Signs that deny what they stand
// before, or strike it through, are no punctuation here.
func trimVerdict(s string) string {
	s = strings.TrimRightFunc(s, func(r rune) bool { return isTrimming(r) || r == '!' })
	return strings.TrimLeftFunc(s, isTrimming)
}

func isTrimming(r rune) bool {
	return unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) ||
		unicode.IsPunct(r) && r != '!' || strings.ContainsRune("`<>|=+^$", r)
}

func readConfidence(text string, t token) datum[float64] {
	said := text[t.start:t.end]
	if t.kind == quoted {
		said = strings.TrimSpace(unescape(said, math.MaxInt))
	}
	switch {
	case t.kind == container:
		return datum[float64]{reason: ReasonNonNumeric}
	case t.kind == quoted && said == "", t.kind == bareword && said == "null":
		return datum[float64]{reason: ReasonMissingConfidence}
	}
	v, reason := readNumeral(said)
	return datum[float64]{is: v, reason: reason, repaired: t.kind == quoted || !isJSONWord(said)}
}

// isEcho tells whether an object whose verdict is illegal only repeats what
// verdicts there are, "SUPPORTED|REFUTED|ABSTAIN", or leaves both its values
// blank, as "..." does. With a number beside a blank verdict, or with two of the
// verdicts, it says something, if nothing legal.
func (o *object) isEcho(text string) bool {
	if len(o.verdicts) != 1 {
		return false
	}
	v := o.verdicts[0]
	if listsVerdicts(unescape(text[v.start:v.end], math.MaxInt)) {
		return true
	}
	filled := func(t token) bool { return !isBlank(text, t) && text[t.start:t.end] != "null" }
	return isBlank(text, v) && !slices.ContainsFunc(o.confidences, filled)
}

// listsVerdicts tells whether all three verdicts are among the words of s.
func listsVerdicts(s string) bool {
	named := map[Verdict]bool{}
	for word := range strings.FieldsFuncSeq(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if v := Verdict(upperASCII(word)); v == Supported || v == Refuted || v == Abstain {
			named[v] = true
		}
	}
	return named[Supported] && named[Refuted] && named[Abstain]
}

// isBlank tells whether a string holds nothing but blanks and punctuation.
func isBlank(text string, t token) bool {
	return t.kind == quoted && strings.TrimFunc(unescape(text[t.start:t.end], math.MaxInt), func(r rune) bool {
		return isTrimming(r) || r == '!' || r == '~'
	}) == ""
}

// upperASCII leaves letters beyond ASCII alone: a long s is not an S.
func upperASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' {
			return r - 'a' + 'A'
		}
		return r
	}, s)
}
