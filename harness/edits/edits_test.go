package edits_test

import (
	"testing"

	"candor/harness/edits"
)

func TestDistance(t *testing.T) {
	for _, row := range []struct {
		a, b string
		want int
	}{
		{"", "", 0},
		{"", "label", 5},            // all put in
		{"label", "label", 0},       // the same
		{"lable", "label", 2},       // two exchanged are two edits
		{"questoin", "question", 2}, // the same in a longer word
		{"anwser", "answer", 2},
		{"imange", "image", 1},   // one too many
		{"image", "images", 1},   // one too few
		{"kitten", "sitting", 3}, // one of each
		{"Label", "label", 1},    // case counts
	} {
		if got := edits.Distance(row.a, row.b); got != row.want {
			t.Errorf("%q to %q: %d, want %d", row.a, row.b, got, row.want)
		}
		if got := edits.Distance(row.b, row.a); got != row.want {
			t.Errorf("%q to %q: %d, want %d", row.b, row.a, got, row.want)
		}
	}
}
