package claim

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"candor/harness/regular"
)

// LoadPOPE reads POPE's files, RUCAIBox's JSON Lines or SEEM's arrays, and any
// others of the keys that one's own rows may have: question_id, image, text
// (or claim) and label. Each file is a split, named by the last of random,
// popular and adversarial in its name, else by its name. Images are looked for
// in imageDir or, with "", beside the files if one is there; else the set is
// without images, and opening one says so.
//
// Parquet files (.parquet) have the same keys as columns, and may hold the
// images: as a column image of bytes, or of a structure of bytes and path. Such
// images are read when they are opened, and the files stay open for that.
//
// A row that is not understood, an empty file, and a question_id twice in a
// split are errors that name file and line.
func LoadPOPE(paths []string, imageDir string) (*Set, error) {
	return loadFiles(context.Background(), filesAt(paths), imageDir, false)
}

// dataFile is a file of a data set.
type dataFile struct {
	path  string
	split string // of rows that name none
}

func filesAt(paths []string) []dataFile {
	files := make([]dataFile, len(paths))
	for i, p := range paths {
		files[i] = dataFile{p, splitOf(p)}
		if isParquet(p) {
			files[i].split = parquetSplit(p)
		}
	}
	return files
}

func loadFiles(ctx context.Context, files []dataFile, imageDir string, fetched bool) (*Set, error) {
	if len(files) == 0 {
		return nil, errors.New("no data files given")
	}
	ld := loader{
		seen: make(map[string]string), names: make(map[string]string), fetched: fetched,
		places: make(map[string][]place), ofSplit: make(map[string]int),
	}
	var paths []string
	for _, f := range files {
		paths = append(paths, f.path)
		if err := ld.file(ctx, f); err != nil {
			return nil, err
		}
	}
	if imageDir == "" && !fetched {
		imageDir = beside(paths, ld.names)
	}
	images, err := openFolder(imageDir, ld.names)
	if err != nil {
		return nil, err
	}
	if len(ld.tables) > 0 {
		images = &embedded{tables: ld.tables, places: ld.places, folder: images, local: !fetched}
	}
	return &Set{Name: ld.name(paths), Revision: revision(ld.files), Claims: ld.claims, Images: images, Files: ld.files}, nil
}

// splitOf is the split a file holds.
func splitOf(file string) string {
	stem := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	split, last := stem, -1
	for _, name := range []string{"random", "popular", "adversarial"} {
		if at := strings.LastIndex(strings.ToLower(stem), name); at > last {
			split, last = name, at
		}
	}
	return split
}

type loader struct {
	claims  []Claim
	seen    map[string]string // claim ID → where it was
	names   map[string]string // image source → its name as published
	files   []File
	fetched bool // from the Hub: its commit says which files they are

	tables  []*parquetTable    // the Parquet files among them
	places  map[string][]place // image source → the rows of tables that have it
	ofSplit map[string]int     // how many rows of tables a split has
}

func (ld *loader) file(ctx context.Context, file dataFile) error {
	name := file.path
	if isParquet(name) {
		if err := ld.parquet(ctx, name, file.split); err != nil || ld.fetched {
			return err
		}
		digest, err := regular.SHA256(name)
		ld.files = append(ld.files, File{name, digest})
		return err
	}
	f, err := regular.Open(name)
	if err != nil {
		return fmt.Errorf("data file: %w", err)
	}
	defer f.Close()
	of, err := addRows(name, f, func(r row, n int) error { return ld.add(name, file.split, r, n) })
	if err != nil {
		return err
	}
	ld.files = append(ld.files, of)
	return nil
}

func (ld *loader) add(file, split string, r row, n int) error {
	c, image, err := parse(r, n, split)
	if err != nil {
		return err
	}
	if first, twice := ld.seen[c.ID]; twice {
		return fmt.Errorf("question_id %s of split %s is already at %s", c.QuestionID, c.Split, first)
	}
	ld.seen[c.ID] = file + ": " + r.where
	// a.jpg and a.png would become one image.
	switch known := ld.names[c.ImageSource]; {
	case path.Ext(known) == "" || known == c.ImageSource:
		ld.names[c.ImageSource] = image
	case Stem(image) != image && !strings.EqualFold(path.Ext(known), path.Ext(image)):
		return fmt.Errorf("images %s and %s differ only in their extension: rename one", known, image)
	}
	ld.claims = append(ld.claims, c)
	return nil
}

// name is a set's name by its files: that of the one or, of several, what their
// names begin with alike and how many they are.
func (ld *loader) name(paths []string) string {
	first := strings.TrimSuffix(filepath.Base(paths[0]), filepath.Ext(paths[0]))
	if len(paths) == 1 {
		return first
	}
	alike := series.ReplaceAllString(first, "")
	for _, p := range paths[1:] {
		for !strings.HasPrefix(filepath.Base(p), alike) {
			_, size := utf8.DecodeLastRuneInString(alike)
			alike = alike[:len(alike)-size]
		}
	}
	if alike = strings.TrimRight(alike, "_-. "); alike == "" {
		return fmt.Sprintf("%s and %d more", first, len(paths)-1)
	}
	return fmt.Sprintf("%s (%d files)", alike, len(paths))
}

// revision is the sha256 of the one file, or that of the sorted sums of several.
func revision(files []File) string {
	if len(files) == 1 {
		return "sha256:" + files[0].SHA256
	}
	var sums []string
	for _, f := range files {
		sums = append(sums, f.SHA256)
	}
	slices.Sort(sums)
	all := sha256.Sum256([]byte(strings.Join(sums, "\n")))
	return "sha256:" + hex.EncodeToString(all[:])
}
