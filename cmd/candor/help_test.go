package main

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// Every topic opens with its own name and is readable on a terminal of 100
// columns, tables and examples included.
func TestHelpTopics(t *testing.T) {
	const columns = 100
	topics, err := helpTopics()
	if err != nil || len(topics) == 0 {
		t.Fatalf("topics %v, %v", topics, err)
	}
	for _, topic := range topics {
		b, err := helpFiles.ReadFile("help/" + topic + ".md")
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(string(b), "# "+topic+": ") {
			t.Errorf("%s does not open with its name", topic)
		}
		for i, line := range strings.Split(string(b), "\n") {
			if n := utf8.RuneCountInString(line); n > columns {
				t.Errorf("help/%s.md:%d is %d columns wide", topic, i+1, n)
			}
		}
	}
}
