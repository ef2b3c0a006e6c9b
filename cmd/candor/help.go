package main

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
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
		return &run.UsageError{Err: fmt.Errorf("no topic %q; there are: %s, and the commands", h.Topic, strings.Join(topics, ", "))}
	}
	_, err = c.out.Write(b)
	return err
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
