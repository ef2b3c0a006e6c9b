package claim_test

import (
	"bytes"
	"errors"
	"fmt"
	"image/jpeg"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"candor/harness/claim"
)

// parquets are small files of published forms, written by the programs that
// published sets come from (scripts/record/parquet.py).
const parquets = "../parquet/testdata"

// TestParquetPOPE: both published configurations give POPE's claims and images.
func TestParquetPOPE(t *testing.T) {
	for _, folder := range []string{"data", "Full"} {
		set, err := claim.Load(filepath.Join(parquets, "pope", folder), "")
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(set.Splits(), " "); got != "adversarial popular random" || len(set.Claims) != 54 {
			t.Errorf("%s: %d claims in splits %s; want 54 in POPE's three", folder, len(set.Claims), got)
		}
		if !strings.HasPrefix(set.Revision, "sha256:") {
			t.Errorf("%s: revision %q; want the hash of its files", folder, set.Revision)
		}
		i := slices.IndexFunc(set.Claims, func(c claim.Claim) bool { return c.ID == "adversarial/7" })
		want := claim.Claim{
			ID: "adversarial/7", Split: "adversarial", QuestionID: "7", ImageSource: "COCO_val2014_000000210789",
			Question: "Is there an umbrella in the imange?", Text: "There is an umbrella in the imange.", Object: "umbrella", Label: claim.Supported,
		}
		if i < 0 || set.Claims[i] != want {
			t.Errorf("%s: claim %+v; want %+v", folder, set.Claims[max(i, 0)], want)
		}
		different := map[string]bool{}
		for _, c := range set.Claims {
			data, name, err := c.Open(t.Context(), set.Images)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := jpeg.Decode(bytes.NewReader(data)); err != nil {
				t.Errorf("%s: image %s: %v", folder, name, err)
			}
			different[string(data)] = true
		}
		if len(different) != 3 {
			t.Errorf("%s: %d different images; want 3", folder, len(different))
		}
	}
}

// TestParquetSources: an extension, or none, makes no other image and no other
// partition.
func TestParquetSources(t *testing.T) {
	set := loadOdd(t, "number-ids", "")
	with, _, err := set.Images.Open(t.Context(), "COCO_val2014_000000310196.jpg")
	if err != nil {
		t.Fatal(err)
	}
	without, _, err := set.Images.Open(t.Context(), "COCO_val2014_000000310196")
	if err != nil || !bytes.Equal(with, without) {
		t.Errorf("error %v, or another image without the extension", err)
	}
	if set.Claims[2].ID != "random/3" {
		t.Errorf("ID %q; want that of a number", set.Claims[2].ID)
	}
	if _, _, err := set.Images.Open(t.Context(), "nothing"); !errors.Is(err, claim.ErrNoImages) {
		t.Errorf("error %v for an image that no row has", err)
	}
}

// TestParquetJoins: the Hub's copy, whose images have no extension, has the same
// claims, images and partition as RUCAIBox's files, where they have one.
func TestParquetJoins(t *testing.T) {
	set, err := claim.Load(filepath.Join(parquets, "pope", "data"), "")
	if err != nil {
		t.Fatal(err)
	}
	var lines strings.Builder
	for _, c := range set.Claims {
		label := map[claim.Label]string{claim.Supported: "yes", claim.Refuted: "no"}[c.Label]
		fmt.Fprintf(&lines, `{"question_id": %s, "image": "%s.jpg", "text": %q, "label": %q, "category": %q}`+"\n", c.QuestionID, c.ImageSource, c.Question, label, c.Split)
	}
	file := filepath.Join(t.TempDir(), "coco_pope.json")
	if err := os.WriteFile(file, []byte(lines.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	other, err := claim.Load(file, "")
	if err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(other.Claims) != fmt.Sprint(set.Claims) {
		t.Errorf("claims %v; want %v", other.Claims, set.Claims)
	}
	for _, part := range []claim.Partition{claim.Eval, claim.Train} {
		a, errA := claim.Select(set, claim.Selection{Partition: part})
		b, errB := claim.Select(other, claim.Selection{Partition: part})
		if errA != nil || errB != nil || fmt.Sprint(a) != fmt.Sprint(b) || len(a) == 0 {
			t.Errorf("%s: %d and %d claims, %v, %v; want the same", part, len(a), len(b), errA, errB)
		}
	}
}

func loadOdd(t *testing.T, name, images string) *claim.Set {
	t.Helper()
	set, err := claim.Load(filepath.Join(parquets, "odd", name+".parquet"), images)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// TestParquetForms: other forms of the same columns are read alike.
func TestParquetForms(t *testing.T) {
	want := loadOdd(t, "number-ids", "")
	for _, name := range []string{"plain-image", "class-labels"} {
		got := loadOdd(t, name, "")
		if fmt.Sprint(got.Claims) != fmt.Sprint(want.Claims) {
			t.Errorf("%s: claims %+v; want %+v", name, got.Claims, want.Claims)
		}
		if a, b := open(t, got, 0), open(t, want, 0); !bytes.Equal(a, b) {
			t.Errorf("%s: another image", name)
		}
	}
	// Sentences with truth values for labels, numbered by their rows.
	c := loadOdd(t, "claims", "").Claims[1]
	if c.ID != "claims/2" || c.Text != "There is a thing 1." || c.Label != claim.Refuted {
		t.Errorf("claim %+v", c)
	}
}

// TestParquetWithoutNames: where no column names images, equal bytes are one
// image.
func TestParquetWithoutNames(t *testing.T) {
	for _, name := range []string{"no-source", "claims"} {
		set := loadOdd(t, name, "")
		if s := set.Claims[0].ImageSource; !strings.HasPrefix(s, "sha256-") || s != set.Claims[5].ImageSource {
			t.Errorf("%s: sources %q and %q; want one, by the hash", name, s, set.Claims[5].ImageSource)
		}
		if !bytes.Equal(open(t, set, 0), open(t, loadOdd(t, "number-ids", ""), 0)) {
			t.Errorf("%s: another image", name)
		}
	}
}

func open(t *testing.T, set *claim.Set, i int) []byte {
	t.Helper()
	data, _, err := set.Claims[i].Open(t.Context(), set.Images)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestParquetPaths: an image that has a path and no bytes is read from there;
// one that has neither is refused by its row.
func TestParquetPaths(t *testing.T) {
	image := open(t, loadOdd(t, "number-ids", ""), 0)
	at := t.TempDir()
	if err := os.WriteFile(filepath.Join(at, "COCO_val2014_000000310196.jpg"), image, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"paths", "no-bytes", "empty-bytes"} {
		if got := open(t, loadOdd(t, name, at), 0); !bytes.Equal(got, image) {
			t.Errorf("%s: another image from the folder", name)
		}
	}
	// Beside the file, without a folder being named.
	b, err := os.ReadFile(filepath.Join(parquets, "odd", "paths.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(at, "paths.parquet"), b, 0o644); err != nil {
		t.Fatal(err)
	}
	set, err := claim.Load(at, "")
	if err != nil {
		t.Fatal(err)
	}
	if got := open(t, set, 0); !bytes.Equal(got, image) {
		t.Error("another image from beside the file")
	}
	for _, name := range []string{"paths", "no-bytes", "empty-bytes"} {
		set := loadOdd(t, name, "")
		_, _, err := set.Claims[0].Open(t.Context(), set.Images)
		if err == nil || !strings.Contains(err.Error(), "row 1 of ") || !strings.Contains(err.Error(), "--images") {
			t.Errorf("%s: error %v; want the row, and what to do", name, err)
		}
	}
	set = loadOdd(t, "paths", t.TempDir())
	_, _, err = set.Claims[0].Open(t.Context(), set.Images)
	if !errors.As(err, new(*claim.MissingError)) {
		t.Errorf("error %v; want a MissingError of the folder", err)
	}
}

func TestParquetRefused(t *testing.T) {
	for name, want := range map[string][]string{
		"no-rows":        {"holds no rows"},
		"misspelt":       {`no column "label" or "answer"`, `the nearest is "anwser"`},
		"no-image":       {`no column "image" or "image_source"`},
		"number-answers": {"column answer is numbers", "text or whole numbers or truth values"},
		"image-list":     {"column image is a list"},
		"not-utf8":       {"row 1 (row group 1)", "question: not UTF-8"},
	} {
		_, err := claim.Load(filepath.Join(parquets, "odd", name+".parquet"), "")
		for _, w := range append(want, name+".parquet") {
			if err == nil || !strings.Contains(err.Error(), w) {
				t.Errorf("%s: error %v; want %q in it", name, err, w)
			}
		}
	}
	// Twice the same file: its claims' IDs are taken.
	file := filepath.Join(parquets, "odd", "number-ids.parquet")
	if _, err := claim.Load(file+","+file, ""); err == nil || !strings.Contains(err.Error(), "question_id 1 of split random is already at") {
		t.Errorf("error %v; want that the ID is taken", err)
	}
	cut := filepath.Join(t.TempDir(), "cut.parquet")
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(cut, b[:len(b)-10], 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := claim.Load(cut, ""); err == nil || !strings.Contains(err.Error(), "cut.parquet: it is cut off") {
		t.Errorf("error %v; want that the file is cut off", err)
	}
	if _, err := claim.Load(filepath.Join(t.TempDir(), "none.parquet"), ""); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v; want that there is no such file", err)
	}
}

// TestParquetLabels: a table is a label set too, of the claims of any form of
// its data set; RePOPE's files join the Hub's.
func TestParquetLabels(t *testing.T) {
	set, err := claim.Load(filepath.Join(parquets, "pope", "Full"), "")
	if err != nil {
		t.Fatal(err)
	}
	labels, err := claim.ReadLabels("again", filepath.Join(parquets, "pope", "data"))
	if err != nil {
		t.Fatal(err)
	}
	if strays, err := labels.Join(set); err != nil || len(strays) > 0 || len(labels.Labels) != 54 || !strings.HasPrefix(labels.Revision, "sha256:") {
		t.Errorf("%d labels, strays %v, %v", len(labels.Labels), strays, err)
	}
	file := filepath.Join(t.TempDir(), "coco_repope_adversarial.json")
	row := `{"question_id": 7, "image": "COCO_val2014_000000210789.jpg", "text": "Is there an umbrella in the image?", "label": "no"}`
	if err := os.WriteFile(file, []byte(row), 0o644); err != nil {
		t.Fatal(err)
	}
	if labels, err = claim.ReadLabels("repope", file); err != nil {
		t.Fatal(err)
	}
	if strays, err := labels.Join(set); err != nil || len(strays) > 0 {
		t.Errorf("strays %v, %v", strays, err)
	}
}
