package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/mattn/go-runewidth"
)

// window is a live view whose size, content and output are the test's.
func window(columns, rows *int, lines *[]string) (*live, *bytes.Buffer) {
	var out bytes.Buffer
	return &live{
		w: &out, size: func() (int, int) { return *columns, *rows },
		show: func(int) []string { return *lines }, end: make(chan struct{}),
	}, &out
}

// What stands on the screen already is not written again.
func TestLiveWritesChangesOnly(t *testing.T) {
	columns, rows, lines := 40, 10, []string{"one", "two"}
	l, out := window(&columns, &rows, &lines)
	l.draw("")
	if got, want := out.String(), "\r\x1b[Jone\ntwo\n"; got != want {
		t.Fatalf("%q; want %q", got, want)
	}
	out.Reset()
	l.draw("")
	if out.Len() > 0 {
		t.Errorf("%q was written though nothing changed", out)
	}
	lines = []string{"one", "three"}
	l.draw("")
	if got, want := out.String(), "\x1b[2A\r\x1b[Jone\nthree\n"; got != want {
		t.Errorf("%q; want %q", got, want)
	}
	out.Reset()
	l.say("above\x1b[2J\n")
	if got, want := out.String(), "\x1b[2A\r\x1b[Jabove\uFFFD[2J \none\nthree\n"; got != want {
		t.Errorf("%q; want %q", got, want)
	}
}

// After the end nothing is drawn; what is said is.
func TestLiveEnds(t *testing.T) {
	columns, rows, lines := 40, 10, []string{"one"}
	l, out := window(&columns, &rows, &lines)
	l.close()
	l.close()
	out.Reset()
	lines = []string{"two"}
	l.draw("")
	l.say("said")
	if got := out.String(); got != "said\n" {
		t.Errorf("%q; want what was said alone", got)
	}
}

func TestLiveFits(t *testing.T) {
	for name, tt := range map[string]struct {
		columns, rows int
		lines         []string
		want          string
	}{
		"a name too long":              {8, 10, []string{"qwen3.5:latest"}, "qwen3.…\n"},
		"wide characters":              {8, 10, []string{"日本語のモデル"}, "日本語…\n"}, // two columns each
		"a wide one in half a place":   {7, 10, []string{"日本語のモデル"}, "日本…\n"},
		"a window of one row":          {8, 1, []string{"one"}, ""}, // the cursor's
		"fewer rows than lines":        {8, 3, []string{"1", "2", "3"}, "1\n2\n"},
		"a window of one column":       {1, 5, []string{"one"}, "\n"},
		"a line end within":            {20, 5, []string{"a\nb"}, "a b\n"},
		"a name that is a terminal's":  {20, 5, []string{"a\x1b]0;x\ab"}, "a\uFFFD]0;x\uFFFDb\n"},
		"combining, of no width alone": {4, 5, []string{"e\u0301e\u0301e\u0301"}, "e\u0301e\u0301e\u0301\n"},
	} {
		t.Run(name, func(t *testing.T) {
			l, out := window(&tt.columns, &tt.rows, &tt.lines)
			l.draw("")
			if got := strings.TrimPrefix(out.String(), "\r\x1b[J"); got != tt.want {
				t.Errorf("%q; want %q", got, tt.want)
			}
		})
	}
}

// In a window made narrower the lines take more rows than were written: all are
// gone over.
func TestLiveNarrower(t *testing.T) {
	columns, rows, lines := 40, 20, []string{strings.Repeat("x", 35), "short"}
	l, out := window(&columns, &rows, &lines)
	l.draw("")
	out.Reset()
	columns = 10
	l.draw("")
	if got := out.String(); !strings.HasPrefix(got, "\x1b[5A\r\x1b[J") {
		t.Errorf("%q; want up by 4 rows of the first line and 1 of the second", got)
	}
}

func TestPacked(t *testing.T) {
	parts := []string{"aaaa", "bbbb", "cc"}
	for columns, want := range map[int][]string{
		80: {"aaaa  bbbb  cc"}, 12: {"aaaa  bbbb", "cc"}, 5: parts, 1: parts,
	} {
		got := packed(parts, columns)
		if !slices.Equal(got, want) {
			t.Errorf("%d columns: %q; want %q", columns, got, want)
		}
	}
	for _, s := range packed([]string{"日本語", "日本語"}, 12) {
		if w := runewidth.StringWidth(s); w > 11 {
			t.Errorf("%q takes %d columns of 11", s, w)
		}
	}
}
