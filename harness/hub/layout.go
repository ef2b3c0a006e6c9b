package hub

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// config is a configuration of a data set: its files by split.
type config struct {
	name    string
	first   bool // the one that is meant where none is named
	splits  []string
	pattern map[string][]string // split → patterns of paths
}

// chosen are the files that a name means, split by split in the card's order.
type chosen struct {
	config string
	files  []chosenFile
}

type chosenFile struct{ split, name string }

// choose finds the files of the configuration and split that are meant, among
// those that there are. card is the text of README.md.
func choose(n Name, card string, files []string) (chosen, error) {
	data := slices.DeleteFunc(slices.Clone(files), func(f string) bool { return !isData(f) })
	slices.Sort(data)
	if len(data) == 0 {
		return chosen{}, fmt.Errorf("it has no data files of a kind that can be read (%s): the Hub keeps a Parquet copy of many sets as revision refs/convert/parquet", strings.Join(dataKinds(), " "))
	}
	configs, err := cardConfigs(card)
	if err != nil {
		return chosen{}, err
	}
	if len(configs) == 0 {
		configs = guessConfigs(data)
	}
	c, err := pickConfig(n, configs)
	if err != nil {
		return chosen{}, err
	}
	if n.Split != "" && !slices.Contains(c.splits, n.Split) {
		return chosen{}, fmt.Errorf("configuration %s has no split %q; it has %s", c.name, n.Split, strings.Join(c.splits, ", "))
	}
	out := chosen{config: c.name}
	for _, split := range c.splits {
		if n.Split != "" && split != n.Split {
			continue
		}
		found := matching(c.pattern[split], data)
		if len(found) == 0 {
			return chosen{}, fmt.Errorf("split %s of configuration %s: no file matches %s", split, c.name, strings.Join(c.pattern[split], " or "))
		}
		if err := wholeSeries(found); err != nil {
			return chosen{}, err
		}
		for _, f := range found {
			out.files = append(out.files, chosenFile{split, f})
		}
	}
	return out, nil
}

func dataKinds() []string { return []string{".parquet", ".json", ".jsonl", ".csv", ".tsv"} }

// isData leaves out what lies beside the data of many sets.
func isData(name string) bool {
	switch path.Base(name) {
	case "dataset_info.json", "dataset_infos.json", "dataset_dict.json", "config.json":
		return false
	}
	return !strings.HasPrefix(name, ".") && slices.Contains(dataKinds(), strings.ToLower(path.Ext(name)))
}

// pickConfig takes the one that is named, else the default one.
func pickConfig(n Name, configs []config) (config, error) {
	names := make([]string, len(configs))
	for i, c := range configs {
		names[i] = c.name
	}
	want := n.Config
	if want == "" {
		if i := slices.IndexFunc(configs, func(c config) bool { return c.first }); i >= 0 {
			return configs[i], nil
		}
		want = "default"
		if len(configs) == 1 {
			want = names[0]
		}
	}
	if i := slices.Index(names, want); i >= 0 {
		return configs[i], nil
	}
	list := strings.Join(names, ", ")
	if n.Config == "" {
		return config{}, fmt.Errorf("it has several configurations, %s: name one, as in %s:%s", list, n, names[0])
	}
	return config{}, fmt.Errorf("it has no configuration %q; it has %s", n.Config, list)
}

// matching are the files that one of the patterns matches.
func matching(patterns, files []string) []string {
	var found []string
	for _, f := range files {
		if slices.ContainsFunc(patterns, func(p string) bool { return match(p, f) }) {
			found = append(found, f)
		}
	}
	return found
}

// match is path.Match, with ** for any number of folders.
func match(pattern, name string) bool {
	return matchParts(strings.Split(strings.TrimPrefix(pattern, "./"), "/"), strings.Split(name, "/"))
}

func matchParts(pattern, name []string) bool {
	for len(pattern) > 0 && pattern[0] != "**" {
		if len(name) == 0 {
			return false
		}
		if ok, err := path.Match(pattern[0], name[0]); err != nil || !ok {
			return false
		}
		pattern, name = pattern[1:], name[1:]
	}
	switch {
	case len(pattern) == 0:
		return len(name) == 0
	case len(pattern) == 1:
		return len(name) > 0
	}
	for i := range len(name) + 1 {
		if matchParts(pattern[1:], name[i:]) {
			return true
		}
	}
	return false
}

// series is the name of one of several files: test-00000-of-00003.parquet.
var series = regexp.MustCompile(`^(.*)-(\d{5})-of-(\d{5})(.*)$`)

// wholeSeries refuses a set some of whose numbered files are not there: it
// would be read as if it were smaller.
func wholeSeries(files []string) error {
	have, want := map[string]int{}, map[string]int{}
	for _, f := range files {
		if m := series.FindStringSubmatch(f); m != nil {
			var n int
			_, _ = fmt.Sscan(strings.TrimLeft(m[3], "0"), &n)
			have[m[1]]++
			want[m[1]] = n
		}
	}
	for _, s := range slices.Sorted(maps.Keys(have)) {
		if have[s] != want[s] {
			return fmt.Errorf("%w: %d of the %d files %s-…", errPartial, have[s], want[s], s)
		}
	}
	return nil
}

// errPartial is a set of which only some files are there.
var errPartial = errors.New("not all of its files are there")

// guessConfigs finds configurations by the names of files, where the card names
// none: FOLDER/SPLIT-00000-of-00001.parquet (a folder data is the default one),
// as push_to_hub writes; CONFIGURATION/SPLIT/0000.parquet, as the Hub's own
// conversion does; else all files are one, each a split of its name or those
// that it begins with: train, validation or test.
func guessConfigs(files []string) []config {
	byName := map[string]*config{}
	for _, f := range files {
		name, split := guess(f)
		c := byName[name]
		if c == nil {
			c = &config{name: name, pattern: map[string][]string{}}
			byName[name] = c
		}
		if !slices.Contains(c.splits, split) {
			c.splits = append(c.splits, split)
		}
		c.pattern[split] = append(c.pattern[split], quoteMeta(f))
	}
	var out []config
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		out = append(out, *byName[name])
	}
	return out
}

func guess(file string) (config, split string) {
	dir, base := path.Split(file)
	dir = strings.TrimSuffix(dir, "/")
	if m := series.FindStringSubmatch(base); m != nil {
		if dir == "data" {
			dir = ""
		}
		return cmp.Or(strings.ReplaceAll(dir, "/", "-"), "default"), m[1]
	}
	stem := strings.TrimSuffix(base, path.Ext(base))
	if parent, of := path.Split(dir); parent != "" && strings.Trim(stem, "0123456789") == "" {
		return strings.ReplaceAll(strings.TrimSuffix(parent, "/"), "/", "-"), of
	}
	for _, known := range []string{"train", "validation", "test"} {
		if rest, ok := strings.CutPrefix(stem, known); ok && (rest == "" || strings.ContainsAny(rest[:1], "-._ 0123456789")) {
			return "default", known
		}
	}
	return "default", stem
}

// quoteMeta makes a pattern that matches this name alone.
func quoteMeta(name string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(name)
}
