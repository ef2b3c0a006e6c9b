package hub

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// maxCard is the most bytes of a card that are read.
const maxCard = 4 << 20

// cardConfigs reads the configurations that a data set's card names in its
// header, YAML between two lines of dashes:
//
//	configs:
//	- config_name: default
//	  data_files:
//	  - split: test
//	    path: data/test-*
//
// No header, or one without configs, gives none.
func cardConfigs(card string) ([]config, error) {
	header, ok := frontMatter(card)
	if !ok {
		return nil, nil
	}
	var parsed struct {
		Configs []struct {
			Name    string    `yaml:"config_name"`
			Default bool      `yaml:"default"`
			Dir     string    `yaml:"data_dir"`
			Files   yaml.Node `yaml:"data_files"`
		} `yaml:"configs"`
	}
	if err := yaml.Unmarshal([]byte(header), &parsed); err != nil {
		return nil, fmt.Errorf("the header of its card, README.md, cannot be read: %w", err)
	}
	var out []config
	for _, p := range parsed.Configs {
		c := config{name: p.Name, first: p.Default, pattern: map[string][]string{}}
		if c.name == "" {
			c.name = "default"
		}
		if err := c.read(&p.Files, p.Dir); err != nil {
			return nil, fmt.Errorf("card: configuration %s: %w", c.name, err)
		}
		out = append(out, c)
	}
	return out, nil
}

// frontMatter is the header of a Markdown file.
func frontMatter(card string) (string, bool) {
	card = strings.TrimPrefix(strings.ReplaceAll(card, "\r\n", "\n"), "\ufeff")
	rest, ok := strings.CutPrefix(card, "---\n")
	if !ok || len(card) > maxCard {
		return "", false
	}
	header, _, ok := strings.Cut(rest+"\n", "\n---\n")
	return header, ok
}

// read takes data_files in any of its forms: one pattern, a list of patterns
// (all of split train), or a list of splits with one or several patterns each.
// Without it, all files of the folder are meant.
func (c *config) read(files *yaml.Node, dir string) error {
	switch files.Kind {
	case 0:
		if dir == "" {
			return errors.New("it names no data_files")
		}
		c.add("train", path.Join(dir, "**"))
		return nil
	case yaml.MappingNode:
		var splits map[string]patterns
		if err := files.Decode(&splits); err != nil {
			return err
		}
		for i := 0; i < len(files.Content); i += 2 { // in the order of the card
			name := files.Content[i].Value
			c.add(name, under(dir, splits[name])...)
		}
		return nil
	}
	var list []struct {
		Split string   `yaml:"split"`
		Path  patterns `yaml:"path"`
	}
	if files.Kind == yaml.SequenceNode && files.Decode(&list) == nil {
		for _, s := range list {
			if s.Split == "" {
				s.Split = "train"
			}
			c.add(s.Split, under(dir, s.Path)...)
		}
		return nil
	}
	var plain patterns
	if err := files.Decode(&plain); err != nil {
		return err
	}
	c.add("train", under(dir, plain)...)
	return nil
}

func (c *config) add(split string, patterns ...string) {
	if !slices.Contains(c.splits, split) {
		c.splits = append(c.splits, split)
	}
	c.pattern[split] = append(c.pattern[split], patterns...)
}

func under(dir string, patterns []string) []string {
	out := make([]string, len(patterns))
	for i, p := range patterns {
		out[i] = path.Join(dir, p)
	}
	return out
}

// patterns is one or several.
type patterns []string

// UnmarshalYAML takes a word or a list of words.
func (p *patterns) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		*p = patterns{n.Value}
		return nil
	}
	var list []string
	if err := n.Decode(&list); err != nil {
		return err
	}
	*p = list
	return nil
}
