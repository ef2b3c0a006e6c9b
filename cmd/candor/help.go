package main

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"candor/harness/run"

	"github.com/alecthomas/kong"
)

//go:embed help/*.md
var helpFiles embed.FS

// helpCmd is candor help: the manual, one Markdown file a topic.
type helpCmd struct {
	Topic string `arg:"" optional:"" help:"A topic or a command."`
}

// Run prints a topic, or the commands and the list of topics.
func (h *helpCmd) Run(c console, k *kong.Kong) error {
	topics, err := helpTopics()
	if err != nil {
		return err
	}
	if h.Topic == "" {
		if err := usage(k); err != nil {
			return err
		}
		_, err = fmt.Fprintf(c.out, "\nTopics (candor help TOPIC): %s\n", strings.Join(topics, ", "))
		return err
	}
	for _, command := range k.Model.Children {
		if command.Name == h.Topic && !slices.Contains(topics, h.Topic) {
			return usage(k, h.Topic)
		}
	}
	b, err := helpFiles.ReadFile("help/" + h.Topic + ".md")
	if err != nil {
		return &run.UsageError{Err: fmt.Errorf("no topic %q; %sthere are: %s, and the commands", h.Topic, about(h.Topic, topics), strings.Join(topics, ", "))}
	}
	_, err = c.out.Write(b)
	return err
}

// about says which topics tell of a word that is no topic: one spelt nearly so,
// else those that use the word most, the first of two that use it as much.
func about(word string, topics []string) string {
	if near := nearest(strings.ToLower(word), topics); edits(strings.ToLower(word), near) <= 2 && len(word) > 3 {
		return fmt.Sprintf("did you mean %q? ", near)
	}
	uses := map[string]int{}
	var found []string
	for _, topic := range topics {
		if uses[topic] = occurrences(topic, word); uses[topic] > 0 {
			found = append(found, topic)
		}
	}
	if len(found) == 0 {
		return ""
	}
	slices.SortStableFunc(found, func(a, b string) int { return uses[b] - uses[a] })
	return fmt.Sprintf("see candor help %s; ", strings.Join(found[:min(len(found), 2)], " or candor help "))
}

// occurrences counts a word in a topic, in any case; as part of a longer one
// it does not count.
func occurrences(topic, word string) int {
	b, err := helpFiles.ReadFile("help/" + topic + ".md")
	if err != nil || word == "" {
		return 0
	}
	return len(regexp.MustCompile(`(?i)(^|[^\pL\pN_])`+regexp.QuoteMeta(word)+`($|[^\pL\pN_])`).FindAllIndex(b, -1))
}

// usage prints the flags of a command, or of candor itself.
func usage(k *kong.Kong, command ...string) error {
	ctx, err := kong.Trace(k, command)
	if err != nil {
		return err
	}
	return ctx.PrintUsage(false)
}

func helpTopics() ([]string, error) {
	names, err := fs.Glob(helpFiles, "help/*.md")
	for i, n := range names {
		names[i] = strings.TrimSuffix(path.Base(n), ".md")
	}
	slices.Sort(names)
	return names, err
}
