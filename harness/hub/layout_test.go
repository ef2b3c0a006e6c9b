package hub

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// popeFiles are those of the published set.
func popeFiles() []string {
	return []string{
		".gitattributes", "README.md",
		"Full/adversarial-00000-of-00001.parquet", "Full/popular-00000-of-00001.parquet", "Full/random-00000-of-00001.parquet",
		"data/test-00000-of-00003.parquet", "data/test-00001-of-00003.parquet", "data/test-00002-of-00003.parquet",
	}
}

const popeCard = `---
dataset_info:
- config_name: Full
  splits: [{name: adversarial, num_examples: 3000}]
configs:
- config_name: Full
  data_files:
  - split: adversarial
    path: Full/adversarial-*
  - split: popular
    path: Full/popular-*
  - split: random
    path: Full/random-*
- config_name: default
  data_files:
  - split: test
    path: data/test-*
---
# POPE
`

func configs(text string) string { return "---\nconfigs:\n" + text + "---\n" }

func TestChoose(t *testing.T) {
	for name, c := range map[string]struct {
		name  string
		card  string
		files []string
		want  string // split:file …, or what the error says
	}{
		"POPE, as its card says": {"a/b", popeCard, popeFiles(), "default test:data/test-00000-of-00003.parquet test:data/test-00001-of-00003.parquet test:data/test-00002-of-00003.parquet"},
		"POPE without a card":    {"a/b", "", popeFiles(), "default test:data/test-00000-of-00003.parquet test:data/test-00001-of-00003.parquet test:data/test-00002-of-00003.parquet"},
		"its other configuration": {"a/b:Full", popeCard, popeFiles(),
			"Full adversarial:Full/adversarial-00000-of-00001.parquet popular:Full/popular-00000-of-00001.parquet random:Full/random-00000-of-00001.parquet"},
		"one split of it, without a card": {"a/b:Full/popular", "", popeFiles(), "Full popular:Full/popular-00000-of-00001.parquet"},
		"a card without a header":         {"a/b", "# POPE\n---\nconfigs: 3\n---\n", popeFiles()[5:], "default test:data/test-00000-of-00003.parquet test:data/test-00001-of-00003.parquet test:data/test-00002-of-00003.parquet"},
		"a card of Windows":               {"a/b:Full/random", strings.ReplaceAll(popeCard, "\n", "\r\n"), popeFiles(), "Full random:Full/random-00000-of-00001.parquet"},
		"a file of a series is missing":   {"a/b", popeCard, popeFiles()[:7], "not all of its files are there: 2 of the 3 files data/test-…"},
		"the default one is marked":       {"a/b", configs("- config_name: x\n  data_files: x.csv\n- config_name: y\n  data_files: y.csv\n  default: true\n"), []string{"x.csv", "y.csv"}, "y train:y.csv"},
		"none is the default one":         {"a/b", configs("- config_name: x\n  data_files: x.csv\n- config_name: y\n  data_files: y.csv\n"), []string{"x.csv", "y.csv"}, "several configurations, x, y: name one, as in a/b:x"},
		"the only one needs no name":      {"a/b", configs("- config_name: x\n  data_files: x.csv\n"), []string{"x.csv", "y.csv"}, "x train:x.csv"},
		"a list of patterns":              {"a/b", configs("- data_files: [x.csv, 'sub/*.csv']\n"), []string{"x.csv", "sub/y.csv", "z.csv"}, "default train:sub/y.csv train:x.csv"},
		"splits as keys":                  {"a/b", configs("- data_files:\n    test: t.csv\n    dev: [d.csv, e.csv]\n"), []string{"t.csv", "d.csv", "e.csv"}, "default test:t.csv dev:d.csv dev:e.csv"},
		"several patterns of a split":     {"a/b", configs("- data_files:\n  - split: test\n    path:\n    - a.csv\n    - b.csv\n"), []string{"b.csv", "a.csv"}, "default test:a.csv test:b.csv"},
		"a folder":                        {"a/b", configs("- data_dir: sub\n"), []string{"sub/x/y.csv", "z.csv"}, "default train:sub/x/y.csv"},
		"a folder and patterns":           {"a/b", configs("- data_dir: sub\n  data_files: '*.csv'\n"), []string{"sub/y.csv", "z.csv"}, "default train:sub/y.csv"},
		"any number of folders":           {"a/b", configs("- data_files: '**/t*.csv'\n"), []string{"t.csv", "a/t.csv", "a/b/tt.csv", "a/b/u.csv"}, "default train:a/b/tt.csv train:a/t.csv train:t.csv"},
		"no such split":                   {"a/b:default/train", popeCard, popeFiles(), `no split "train"; it has test`},
		"no such configuration":           {"a/b:default2", popeCard, popeFiles(), `no configuration "default2"; it has Full, default`},
		"files that are not there":        {"a/b", configs("- data_files: x.csv\n"), []string{"y.csv"}, "no file matches x.csv"},
		"a header that is no YAML":        {"a/b", configs("- [\n"), []string{"y.csv"}, "README.md, cannot be read"},
		"nothing to read":                 {"a/b", "", []string{"README.md", "images.zip", "dataset_infos.json"}, "refs/convert/parquet"},
		// The Hub's own conversion.
		"refs/convert/parquet": {"a/b:Full", "", []string{"Full/random/0000.parquet", "default/test/0000.parquet", "default/test/0001.parquet"}, "Full random:Full/random/0000.parquet"},
		"its default":          {"a/b", "", []string{"Full/random/0000.parquet", "default/test/0000.parquet", "default/test/0001.parquet"}, "default test:default/test/0000.parquet test:default/test/0001.parquet"},
		// Names alone.
		"files by name":   {"a/b", "", []string{"train.jsonl", "test_1.jsonl", "tests.jsonl", "other.jsonl"}, "default other:other.jsonl test:test_1.jsonl tests:tests.jsonl train:train.jsonl"},
		"odd characters":  {"a/b", "", []string{"te[st]*.csv"}, "default te[st]*:te[st]*.csv"},
		"hidden folders":  {"a/b", "", []string{"x.csv", ".cache.json"}, "default x:x.csv"},
		"numbers of zero": {"a/b", "", []string{"data/test-00000-of-00000.parquet"}, "not all of its files are there"},
	} {
		n, err := ParseName(c.name)
		if err != nil {
			t.Fatal(err)
		}
		got, err := choose(n, c.card, c.files)
		text := got.config
		for _, f := range got.files {
			text += fmt.Sprintf(" %s:%s", f.split, f.name)
		}
		if err != nil {
			text = err.Error()
		}
		if text != c.want && (err == nil || !strings.Contains(text, c.want)) {
			t.Errorf("%s: %s\nwant %s", name, text, c.want)
		}
		if strings.HasPrefix(c.want, "not all") != errors.Is(err, errPartial) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func TestNextPage(t *testing.T) {
	for link, want := range map[string]string{
		"": "", `<https://h/api?cursor=x>; rel="next"`: "https://h/api?cursor=x", `<https://h/api>; rel="prev"`: "", "nonsense": "",
	} {
		if got := nextPage(link); got != want {
			t.Errorf("Link %q leads to %q; want %q", link, got, want)
		}
	}
}

func FuzzCard(f *testing.F) {
	f.Add(popeCard)
	f.Add(configs("- data_files: &a [*a]\n"))
	f.Add(configs("- data_files:\n    ? [a]\n    : b\n"))
	f.Fuzz(func(t *testing.T, card string) {
		found, err := cardConfigs(card)
		for _, c := range found {
			if err != nil || c.name == "" {
				t.Errorf("configuration %+v with error %v", c, err)
			}
		}
	})
}
