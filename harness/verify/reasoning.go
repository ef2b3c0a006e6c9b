package verify

import "strings"

const (
	openTag  = "<think>"
	closeTag = "</think>"
)

// span is a part of a text, in bytes: [start, end).
type span struct{ start, end int }

// splitReasoning takes the reasoning blocks out of a text. Blocks nest. A
// closing tag that nothing opened ends a block that began with the text, since
// chat templates may open it in the prompt. Tags in the strings of an object
// that parses are no tags. closed is false if a block never ends.
func splitReasoning(text string) (said, reasoning string, closed bool) {
	blocks, closed := reasoningBlocks(text)
	if !closed {
		return "", "", false
	}
	said, reasoning = cutOut(text, blocks)
	return said, reasoning, true
}

// reasoningBlocks are the blocks' places in the text.
func reasoningBlocks(text string) (blocks []span, closed bool) {
	if !strings.Contains(text, openTag) && !strings.Contains(text, closeTag) {
		return nil, true
	}
	depth, start := 0, 0
	scan(text, func(*object) {}, func(at int, opens bool) {
		switch {
		case opens:
			if depth++; depth == 1 {
				start = at
			}
		case depth == 0:
			blocks = append(blocks[:0], span{0, at + len(closeTag)})
		default:
			if depth--; depth == 0 {
				blocks = append(blocks, span{start, at + len(closeTag)})
			}
		}
	})
	return blocks, depth == 0
}

// cutOut parts a text into what lies outside the spans and what lies inside.
func cutOut(text string, spans []span) (outside, inside string) {
	var out, in strings.Builder
	at := 0
	for _, s := range spans {
		out.WriteString(text[at:s.start])
		in.WriteString(text[s.start:s.end])
		at = s.end
	}
	out.WriteString(text[at:])
	return out.String(), in.String()
}
