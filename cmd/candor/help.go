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
	Topic string `arg:"" optional:"" help:"What to explain."`
}

// Run prints a topic, or the commands and the list of topics.
func (h *helpCmd) Run(c console, k *kong.Kong) error {
	topics, err := helpTopics()
	if err != nil {
		return err
	}
	if h.Topic == "" {
		ctx, err := kong.Trace(k, nil)
		if err != nil {
			return err
		}
		if err := ctx.PrintUsage(false); err != nil {
			return err
		}
		_, err = fmt.Fprintf(c.out, "\nTopics (candor help TOPIC): %s\n", strings.Join(topics, ", "))
		return err
	}
	b, err := helpFiles.ReadFile("help/" + h.Topic + ".md")
	if err != nil {
		return &run.UsageError{Err: fmt.Errorf("no topic %q; there are: %s", h.Topic, strings.Join(topics, ", "))}
	}
	_, err = c.out.Write(b)
	return err
}

func helpTopics() ([]string, error) {
	names, err := fs.Glob(helpFiles, "help/*.md")
	for i, n := range names {
		names[i] = strings.TrimSuffix(path.Base(n), ".md")
	}
	slices.Sort(names)
	return names, err
}
