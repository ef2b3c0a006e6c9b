package verify

import (
	"strings"
	"testing"
)

func TestReasoning(t *testing.T) {
	check(t, []parseCase{
		// Removed, which is no repair.
		{"block", text("<think>hm</think>\n\n" + good), accepted(Supported, .9)},
		{"empty block", text("<think>\n\n</think>\n\n" + good), accepted(Supported, .9)},
		{"draft in block", text("<think>perhaps " + other + "</think>" + good), accepted(Supported, .9)},
		{"draft before dangling close", text(other + "</think>" + good), accepted(Supported, .9)},
		{"nested", text("<think>a<think>b</think>" + other + "</think>" + good), accepted(Supported, .9)},
		{"two blocks", text("<think>a</think>" + good + "<think>b</think>"), accepted(Supported, .9)},
		{"two dangling closes", text("a</think>" + other + "</think>" + good), accepted(Supported, .9)},
		{"amid the object", text(`{"verdict":"SUPPORTED",<think>sure</think>"confidence":0.9}`), accepted(Supported, .9)},
		{"half an object inside", text(`<think>{"verdict": "</think>` + good), accepted(Supported, .9)},
		{"repaired after it", text("<think>hm</think>Well: " + good), repaired(Supported, .9)},
		// In the strings of an object that parses, tags are text.
		{"close in a string", text(`{"verdict":"SUPPORTED","confidence":0.9,"x":"</think>"}`), accepted(Supported, .9)},
		{"open in a string", text(`{"verdict":"SUPPORTED","confidence":0.9,"x":"<think>"}`), accepted(Supported, .9)},
		{"both in a repaired one", text(`{“verdict”:“SUPPORTED”,“confidence”:0.9,“x”:“<think>”,}`), repaired(Supported, .9)},
		{"in a draft's string", text(`<think>{"x":"</think>"} hm</think>` + good), accepted(Supported, .9)},
		// Unclosed: cut off while reasoning.
		{"unclosed", text("<think>hm"), refused(ReasonTruncated)},
		{"unclosed after the answer", text(good + "<think>but"), refused(ReasonTruncated)},
		{"unclosed outer", text("<think>a<think>b</think>" + good), refused(ReasonTruncated)},
		{"unclosed in a broken string", text(`{"verdict":"SUPPORTED","x":"<think>`), refused(ReasonTruncated)},
		// An answer in the reasoning only.
		{"field", Reply{Thinking: "so: " + good}, refused(ReasonOnlyInThinking)},
		{"field, text without object", Reply{Text: "Done.", Thinking: good}, refused(ReasonOnlyInThinking)},
		{"block", text("<think>" + good + "</think>"), refused(ReasonOnlyInThinking)},
		{"before a dangling close", text(good + "</think>"), refused(ReasonOnlyInThinking)},
		{"drafts that differ", Reply{Thinking: good + other}, refused(ReasonOnlyInThinking)},
		{"no legal draft", Reply{Thinking: `{"verdict":"MAYBE"}`}, refused(ReasonNoObject)},
		{"no draft", Reply{Thinking: "hm"}, refused(ReasonNoObject)},
		{"field ignored beside an answer", Reply{Text: good, Thinking: other}, accepted(Supported, .9)},
		// Other tags are prose.
		{"other tag", text("<thinking>" + good + "</thinking>"), repaired(Supported, .9)},
	})
}

// TestPrecedence: of several reasons the first that applies is given.
func TestPrecedence(t *testing.T) {
	huge := strings.Repeat(" ", MaxText)
	check(t, []parseCase{
		{"length, whatever the text", Reply{Text: good, DoneReason: "length"}, refused(ReasonTruncated)},
		{"length before size", Reply{Text: good + huge, DoneReason: "length"}, refused(ReasonTruncated)},
		{"repeated, whatever the text", Reply{Text: good, DoneReason: "repeated"}, refused(ReasonRepeated)},
		{"repeated, empty", Reply{DoneReason: "repeated"}, refused(ReasonRepeated)},
		{"stop says nothing", Reply{Text: good, DoneReason: "stop"}, accepted(Supported, .9)},
		{"size before all the text says", text(good + huge), refused(ReasonOversized)},
		{"size before reasoning", text("<think>" + huge), refused(ReasonOversized)},
		{"at the limit", text(good + huge[len(good):]), accepted(Supported, .9)},
		{"one above", text(good + huge[len(good)-1:]), refused(ReasonOversized)},
		{"unclosed before objects", text(`{"verdict":"MAYBE"}<think>`), refused(ReasonTruncated)},
		{"objects before a cut one", text(good + ` {"verdict":"REF`), repaired(Supported, .9)},
		{"cut before thinking", Reply{Text: `{"verdict":"REF`, Thinking: good}, refused(ReasonTruncated)},
		{"objects before thinking", Reply{Text: `{"verdict":"MAYBE"}`, Thinking: good}, refused(ReasonIllegalVerdict)},
	})
}
