package verify

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// hostile are units that, repeated, have made parsers recurse, backtrack or
// start over: each would be read in quadratic time by retrying at every brace.
var hostile = map[string]string{
	"brace":              "{",
	"bracket":            "[",
	"open object":        `{"verdict":`,
	"open array":         `{"a":[`,
	"closed objects":     `{"a":{"verdict":"SUPPORTED"},`,
	"answers":            `{"verdict":"SUPPORTED","confidence":0.9}`,
	"duplicates":         `"verdict":"SUPPORTED",`,
	"think":              "<think>",
	"close think":        "</think>",
	"blocks":             "<think>{</think>",
	"quote":              `"`,
	"backslash":          `\`,
	"escaped quote":      `\"`,
	"brace quote":        `{"`,
	"brace curly":        `{“`,
	"brace curly key":    `{“x`,
	"both quotes":        `{“x{"a`,
	"three quotes":       `{“x{"a{‘b`,
	"curly objects":      `{“a”:1,"b":{"c”:`,
	"brace string":       `{"a":"{`,
	"escaped brace":      `{"\"{`,
	"digits":             "9",
	"spaces":             " ",
	"number then spaces": `{"confidence":9  `,
	"less":               "<",
	"full-width":         "：，",
	"broken UTF-8":       "\xe2\x80{\xef\xbc",
	"NUL":                "\x00{",
}

// prefixes put the units into the states a parser can be in.
var prefixes = []string{"", `{`, `{"`, `{"verdict":`, `{"verdict":"`, `{“`, `{"a":[`, `{"confidence":`, `<think>`}

// TestLinearTime reads a quarter of a megabyte of each unit after each prefix:
// milliseconds, where a reader that starts over at every brace needs many
// seconds. The bound only has to tell those two apart on a busy machine; the
// benchmark measures.
func TestLinearTime(t *testing.T) {
	const size, bound = 256 << 10, time.Second
	for name, unit := range hostile {
		for _, prefix := range prefixes {
			t.Run(fmt.Sprintf("%s after %q", name, prefix), func(t *testing.T) {
				text := prefix + strings.Repeat(unit, size/len(unit)-1-len(prefix)/len(unit))
				start := time.Now()
				a := Parse(Reply{Text: text})
				if d := time.Since(start); d > bound {
					t.Errorf("%d bytes took %v", len(text), d)
				}
				if err := invalid(a); err != "" {
					t.Error(err)
				}
				if a.Reason == ReasonOversized {
					t.Error("not read at all: the text is over the limit")
				}
			})
		}
	}
}

// TestDepth: nesting costs memory, never the stack.
func TestDepth(t *testing.T) {
	const n = 100_000
	deep := strings.Repeat("[", n) + strings.Repeat("]", n)
	checkAnswer(t, Parse(text(`{"x":`+deep+`,"verdict":"REFUTED","confidence":0.9}`)), accepted(Refuted, .9))
	deep = strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n)
	checkAnswer(t, Parse(text(deep+good)), repaired(Supported, .9))
}

// BenchmarkParse shows that time is linear in the size: the MB/s of a unit do
// not fall from 64 KB to 10 MB. The limit on size is not applied, since beyond
// it nothing is read.
func BenchmarkParse(b *testing.B) {
	for _, name := range []string{"brace", "open object", "closed objects", "answers", "both quotes", "think", "escaped quote"} {
		for _, size := range []int{64 << 10, 1 << 20, 10 << 20} {
			text := strings.Repeat(hostile[name], size/len(hostile[name]))
			b.Run(fmt.Sprintf("%s/%dKB", strings.ReplaceAll(name, " ", "-"), size>>10), func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					parse(text, "")
				}
			})
		}
	}
	b.Run("reply", func(b *testing.B) {
		b.SetBytes(int64(len(good)))
		b.ReportAllocs()
		for b.Loop() {
			Parse(Reply{Text: good})
		}
	})
}
