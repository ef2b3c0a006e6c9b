package verify

import (
	"strings"

	"candor/scoring"
)

// MaxText is the size in bytes above which a text is not read at all.
const MaxText = 1 << 20

// Parse reads a reply. It is total: any bytes of any size give an answer, in
// time linear in their number.
//
// A reply whose text, less JSON white space and reasoning blocks, is one JSON
// object with a legal verdict and confidence is accepted as it stands. These
// faults are repaired, and counted in NeededRepair: a byte-order mark, a code
// fence or prose around the object; a trailing comma; curly or full-width
// quotes, full-width colons and commas; the verdict's case and the punctuation
// or blanks around it; a key given twice with equal values; several objects
// that agree; a confidence that is a decimal literal in a string, or is spelled
// in a way JSON does not allow (.9, +0.9), or carries a percent sign. Nothing
// else is: an object with unquoted keys is prose, an object inside another is
// not the answer, and a number is never taken from words.
//
// Several objects must all say the same, but a copy of the answer's format beside
// them does not count. An object that parses is such a copy if its verdict has all
// three verdicts' names in it, in any order and case, or if its verdict is a string
// of nothing but blanks and punctuation ("", "...", "?") and its confidence is
// absent, null or such a string too: "?" with a number is an answer, if a bad one.
// What does not parse, as {"verdict": "SUPPORTED" or "REFUTED", …}, is prose.
//
// What is malformed has one reason, the first that applies: how generation
// ended (truncated, repeated), then oversized, then a reasoning block that
// never closes (truncated), then what the objects say, and with no object
// having either key: truncated if the text ends inside one, only_in_thinking if
// the reasoning holds a legal answer, else no_object. Within an object the
// verdict is judged before the confidence, and ABSTAIN ignores the confidence
// whatever it is.
func Parse(r Reply) Answer {
	switch {
	case r.DoneReason == "length":
		return malformed(ReasonTruncated)
	case r.DoneReason == "repeated":
		return malformed(ReasonRepeated)
	case len(r.Text) > MaxText:
		return malformed(ReasonOversized)
	}
	return parse(r.Text, r.Thinking)
}

// parse is Parse without the bound on size.
func parse(text, thinking string) Answer {
	said, reasoning, closed := splitReasoning(text)
	if !closed {
		return malformed(ReasonTruncated)
	}
	t := takeTally(said)
	switch {
	case t.objects > 0:
		return t.answer()
	case t.cut:
		return malformed(ReasonTruncated)
	case takeTally(reasoning).legal || takeTally(thinking).legal:
		return malformed(ReasonOnlyInThinking)
	}
	return malformed(ReasonNoObject)
}

func malformed(reason string) Answer {
	return Answer{Outcome: scoring.Malformed, Reason: reason}
}

// tally is what the objects of a text say together.
type tally struct {
	objects  int     // objects with either key
	first    reading // what they say, if they agree
	conflict bool
	legal    bool // one of them at least is a legal answer
	repaired bool
	cut      bool // the text ends inside an object with either key
}

// takeTally reads every object of a text. An object that echoes the format
// counts only when there is nothing but echoes.
func takeTally(text string) tally {
	var said, echoed tally
	whole := strings.Trim(text, jsonSpace)
	said.cut = scan(whole, func(o *object) {
		if !o.strict || o.start > 0 || o.end < len(whole) {
			said.repaired = true
		}
		if r := o.read(whole); r.echo {
			echoed.add(r)
		} else {
			said.add(r)
		}
	}, nil)
	if said.objects == 0 {
		echoed.cut = said.cut
		return echoed
	}
	said.repaired = said.repaired || echoed.objects > 0
	return said
}

func (t *tally) add(r reading) {
	if t.objects++; t.objects == 1 {
		t.first = r
	} else {
		t.repaired = true
		t.conflict = t.conflict || !t.first.agrees(r)
	}
	t.repaired = t.repaired || r.repaired
	t.legal = t.legal || r.reason == ""
}

func (t *tally) answer() Answer {
	switch r := t.first; {
	case t.conflict:
		return malformed(ReasonConflictingObjects)
	case r.reason != "":
		return malformed(r.reason)
	case r.verdict == Abstain:
		return Answer{Verdict: Abstain, Outcome: scoring.Abstained, NeededRepair: t.repaired}
	default:
		confidence := r.confidence
		return Answer{Verdict: r.verdict, Confidence: &confidence,
			Outcome: scoring.Answered, NeededRepair: t.repaired}
	}
}
