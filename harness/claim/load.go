package claim

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Load returns a data set by what a user calls it: "demo" or "demo:SEED"; a file; several
// files with commas between, as SplitList reads them; or a folder that holds
// coco_pope_*.json or, if none, other .json, .jsonl, .csv, .tsv or .parquet files.
// Images of files are looked for in imageDir; see LoadPOPE. Nothing is fetched
// from the Hub: that takes a Loader.
func Load(spec, imageDir string) (*Set, error) {
	return Loader{Images: imageDir}.Load(context.Background(), spec)
}

// local loads what is on this machine.
func (l Loader) local(ctx context.Context, spec string) (*Set, error) {
	if seed, isDemo, err := DemoSeed(spec); err != nil {
		return nil, err
	} else if isDemo {
		return Demo(seed)
	}
	paths, err := dataFiles(spec, "coco_pope_*.json")
	if err != nil {
		return nil, err
	}
	return loadFiles(ctx, filesAt(paths), l.Images, false)
}

// dataFiles are the files that spec names; of a folder those that match the
// preferred pattern or, if none does, all of one kind.
func dataFiles(spec, preferred string) ([]string, error) {
	info, err := os.Stat(spec)
	switch {
	case err == nil && info.IsDir():
		return filesIn(spec, preferred)
	case err == nil:
		return []string{spec}, nil
	case strings.Contains(spec, ","):
		return listed(spec)
	case isHub(spec):
		return nil, fmt.Errorf("data set %s: there is no such file; %w", spec, ErrHub)
	case spec == "":
		return nil, errors.New("no data set given: use demo or the path of a file")
	}
	return nil, fmt.Errorf("data set %s: %w (demo, a file, several with commas between, or a folder)", spec, errors.Unwrap(err))
}

func filesIn(dir, preferred string) ([]string, error) {
	for _, pattern := range []string{preferred, "*.json", "*.jsonl", "*.csv", "*.tsv", "*.parquet"} {
		paths, err := filepath.Glob(filepath.Join(quoteMeta(dir), pattern))
		paths = slices.DeleteFunc(paths, aboutData)
		if err != nil || len(paths) > 0 {
			return paths, err
		}
	}
	return nil, fmt.Errorf("folder %s holds no .json, .jsonl, .csv, .tsv or .parquet file", dir)
}

// aboutData tells what the library datasets and the Hub leave beside the data.
func aboutData(path string) bool {
	switch filepath.Base(path) {
	case "dataset_info.json", "dataset_infos.json", "dataset_dict.json", "state.json", "config.json":
		return true
	}
	return false
}

// quoteMeta keeps a folder's own brackets from being read as a pattern.
func quoteMeta(dir string) string {
	if os.PathSeparator == '\\' {
		return dir // Windows has no escape
	}
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(dir)
}

func listed(spec string) ([]string, error) {
	var paths []string
	for _, p := range SplitList(spec) {
		if _, err := os.Stat(p); err != nil {
			return nil, fmt.Errorf("data file: %w", err)
		}
		paths = append(paths, p)
	}
	if len(paths) == 0 {
		return nil, errors.New("no data set given: use demo or the path of a file")
	}
	return paths, nil
}

// SplitList takes a list of paths with commas between apart. A comma of a path
// that exists stays in it, as in a folder's "a,b"; of two such paths the longer
// is meant. Blanks around paths are taken away, and empty ones left out.
func SplitList(spec string) []string {
	var paths []string
	for parts := strings.Split(spec, ","); len(parts) > 0; {
		n := len(parts)
		for n > 1 && !exists(joined(parts[:n])) {
			n--
		}
		if p := joined(parts[:n]); p != "" {
			paths = append(paths, p)
		}
		parts = parts[n:]
	}
	return paths
}

func joined(parts []string) string { return strings.TrimSpace(strings.Join(parts, ",")) }

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
