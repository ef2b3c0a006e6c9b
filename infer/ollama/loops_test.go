package ollama

import (
	"strings"
	"testing"
)

// Only what an engine's stop leaves counts as one.
func TestLoops(t *testing.T) {
	answer := `{"verdict":"SUPPORTED","confidence":0.9}`
	tests := []struct {
		name, text string
		want       bool
	}{
		{"an answer", answer, false},
		{"nothing", "", false},
		{"a token", `{"verdict":"` + strings.Repeat("high", 30), true},
		{"a token with blanks", "so" + strings.Repeat(" very", 30), true},
		{"a digit", `{"confidence":0.` + strings.Repeat("9", 30), true},
		{"blanks behind an open object", `{"verdict":"SUPPORTED",` + strings.Repeat("\n", 30), true},
		{"blanks of several kinds", "{" + strings.Repeat(" \n\t", 10), true},
		{"a character of three bytes", strings.Repeat("好", 30), true},
		{"a few times", strings.Repeat("very ", 10) + "big", false},
		{"a long word, often, and then an end", strings.Repeat("a", 100) + ".", false},
		{"a sentence, often", strings.Repeat("There is a dog in the image, I think it is one. ", 30), false},
		{"blanks in front", strings.Repeat(" ", 40) + answer, false},
	}
	for _, tt := range tests {
		if got := loops(tt.text); got != tt.want {
			t.Errorf("%s: loops = %v; want %v", tt.name, got, tt.want)
		}
	}
}
