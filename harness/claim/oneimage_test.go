package claim_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"candor/harness/claim"

	"github.com/parquet-go/parquet-go"
)

// held is one row's picture: its source, and bytes or a path.
type held struct{ source, bytes, path string }

type heldRow struct {
	ID     string `parquet:"question_id"`
	Source string `parquet:"image_source"`
	Claim  string `parquet:"claim"`
	Label  string `parquet:"label"`
	Image  struct {
		Bytes []byte  `parquet:"bytes,optional,dict"`
		Path  *string `parquet:"path,optional"`
	} `parquet:"image"`
}

// writeHeld writes rows as a Parquet file, two a row group.
func writeHeld(t *testing.T, file string, from int, rows ...held) string {
	t.Helper()
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	w := parquet.NewGenericWriter[heldRow](f, parquet.MaxRowsPerRowGroup(2))
	for i, h := range rows {
		r := heldRow{ID: fmt.Sprint(from + i), Source: h.source, Claim: fmt.Sprintf("A thing %d.", i), Label: "yes"}
		if h.bytes != "" {
			r.Image.Bytes = []byte(h.bytes)
		}
		if h.path != "" {
			r.Image.Path = &h.path
		}
		if _, err := w.Write([]heldRow{r}); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
	return file
}

// Each row is what a set's rows hold, and which of them are refused as
// different pictures of one source.
func TestSeveralPictures(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{"x.png": "X", "same.png": "X", "y.png": "Y"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, row := range map[string]struct {
		rows []held
		want []string // nil: they are fine
	}{
		"repeated":              {[]held{{"a", "1", ""}, {"b", "2", ""}, {"a", "1", ""}, {"b", "2", ""}}, nil},
		"differing":             {[]held{{"a", "1", ""}, {"b", "2", ""}, {"b", "2", ""}, {"a", "3", ""}}, []string{"image a: row 1 of set.parquet and row 4 of set.parquet"}},
		"one source for all":    {[]held{{"all", "1", ""}, {"all", "2", ""}, {"all", "3", ""}}, []string{"image all: row 1 of set.parquet and row 2"}},
		"an extension":          {[]held{{"a.jpg", "1", ""}, {"a", "2", ""}}, []string{"image a: row 1 of"}},
		"a row without":         {[]held{{"a", "", ""}, {"a", "1", ""}}, nil},
		"paths of one content":  {[]held{{"a", "", "x.png"}, {"a", "", "same.png"}}, nil},
		"paths that differ":     {[]held{{"a", "", "x.png"}, {"a", "", "y.png"}}, []string{"image a: row 1 of set.parquet and row 2"}},
		"bytes and a path":      {[]held{{"a", "X", ""}, {"a", "", "y.png"}}, []string{"image a: row 1 of set.parquet and row 2"}},
		"bytes, whatever path":  {[]held{{"a", "X", "x.png"}, {"a", "X", "y.png"}}, nil},
		"bytes and the same":    {[]held{{"a", "X", ""}, {"a", "", "x.png"}}, nil},
		"several, each is told": {[]held{{"a", "1", ""}, {"b", "2", ""}, {"b", "3", ""}, {"a", "4", ""}}, []string{"image a: row 1", "image b: row 2"}},
	} {
		set, err := claim.Load(writeHeld(t, filepath.Join(dir, "set.parquet"), 0, row.rows...), "")
		if err != nil {
			t.Fatal(name, err)
		}
		err = claim.CheckImages(t.Context(), set.Images, sourcesOf(set))
		if errors.Is(err, claim.ErrSeveralPictures) != (row.want != nil) {
			t.Errorf("%s: error %v", name, err)
		}
		for _, w := range row.want {
			if err != nil && !strings.Contains(err.Error(), w) {
				t.Errorf("%s: error %v; want %q in it", name, err, w)
			}
		}
	}
}

// Files of one set are compared too; images that are not asked about are not.
func TestSeveralPicturesAcrossFiles(t *testing.T) {
	dir := t.TempDir()
	one := writeHeld(t, filepath.Join(dir, "one.parquet"), 0, held{"a", "1", ""}, held{"b", "2", ""})
	two := writeHeld(t, filepath.Join(dir, "two.parquet"), 10, held{"b", "2", ""}, held{"a", "3", ""})
	set, err := claim.Load(one+","+two, "")
	if err != nil {
		t.Fatal(err)
	}
	err = claim.CheckImages(t.Context(), set.Images, sourcesOf(set))
	if err == nil || !strings.Contains(err.Error(), "image a: row 1 of one.parquet and row 2 of two.parquet") {
		t.Errorf("error %v", err)
	}
	if err := claim.CheckImages(t.Context(), set.Images, []string{"b"}); err != nil {
		t.Errorf("error %v for an image that is one", err)
	}
}

// The published forms have each image once.
func TestOnePicturePublished(t *testing.T) {
	for _, name := range []string{"pope/data", "pope/Full", "odd/number-ids.parquet", "odd/no-source.parquet", "odd/plain-image.parquet", "odd/paths.parquet"} {
		set, err := claim.Load(filepath.Join(parquets, filepath.FromSlash(name)), "")
		if err != nil {
			t.Fatal(err)
		}
		if err := claim.CheckImages(t.Context(), set.Images, sourcesOf(set)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func sourcesOf(set *claim.Set) []string {
	var names []string
	for _, c := range set.Claims {
		names = append(names, c.ImageSource)
	}
	return names
}

// A path that leads out is not opened, whatever else names the image; its last
// part may be in the folder of images.
func TestParquetPathOutside(t *testing.T) {
	dir, images := t.TempDir(), t.TempDir()
	secret := filepath.Join(t.TempDir(), "secret.png")
	for _, file := range []string{secret, filepath.Join(dir, "in.png")} {
		if err := os.WriteFile(file, []byte("bytes"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	below := filepath.Join(dir, "set")
	if err := os.Mkdir(below, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{secret, "../in.png", "sub/../../in.png", `..\in.png`, "/etc/passwd", `C:\in.png`} {
		for _, folder := range []string{"", images} {
			set, err := claim.Load(writeHeld(t, filepath.Join(below, "set.parquet"), 0, held{"a", "", path}), folder)
			if err != nil {
				t.Fatal(err)
			}
			data, _, err := set.Images.Open(t.Context(), "a")
			if err == nil || !strings.Contains(err.Error(), "row 1 of ") || !strings.Contains(err.Error(), "outside the images folder") {
				t.Errorf("%s: %q, error %v", path, data, err)
			}
		}
	}
	if err := os.WriteFile(filepath.Join(images, "secret.png"), []byte("own"), 0o644); err != nil {
		t.Fatal(err)
	}
	set, err := claim.Load(writeHeld(t, filepath.Join(below, "set.parquet"), 0, held{"a", "", secret}), images)
	if err != nil {
		t.Fatal(err)
	}
	if data, _, err := set.Images.Open(t.Context(), "a"); string(data) != "own" {
		t.Errorf("%q, error %v; want that of the folder", data, err)
	}
}

// An image that no row holds, and that no folder is given for, is missing.
func TestParquetMissing(t *testing.T) {
	set, err := claim.Load(writeHeld(t, filepath.Join(t.TempDir(), "set.parquet"), 0, held{"a", "", "a.png"}), "")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := set.Images.Open(t.Context(), "a"); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "--images") {
		t.Errorf("error %v; want that it is missing, and what to do", err)
	}
}
