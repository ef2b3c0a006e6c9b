package claim_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"candor/harness/claim"

	"github.com/parquet-go/parquet-go"
)

// Each row has two keys for the same thing; want names both where they differ.
func TestContradictions(t *testing.T) {
	for name, row := range map[string]struct {
		keys string
		want []string
	}{
		"labels":               {`"claim":"A thing.","image":"a","label":"yes","answer":"no"`, []string{`label is "yes"`, `answer "no"`}},
		"labels of two words":  {`"claim":"A thing.","image":"a","label":true,"answer":"SUPPORTED"`, nil},
		"no label in one":      {`"claim":"A thing.","image":"a","label":null,"answer":"no"`, nil},
		"claim and text":       {`"claim":"A thing.","text":"Is there a cat in the image?","image":"a","label":"yes"`, []string{`claim is "A thing."`, `text "Is there a cat`}},
		"claim and question":   {`"claim":"There is a dog in the image.","question":"Is there a cat in the image?","image":"a","label":"yes"`, []string{"claim is", "question"}},
		"the question's claim": {`"claim":"There is a cat in the image.","text":"Is there a cat in the image?","image":"a","label":"yes"`, nil},
		"another question":     {`"claim":"The car is red.","question":"What colour is the car?","image":"a","label":"yes"`, nil},
		"two questions":        {`"text":"Is there a dog in the image?","question":"Is there a cat in the image?","image":"a","label":"yes"`, []string{"text is", "question"}},
		"images":               {`"claim":"A thing.","image":"a.png","image_source":"b","label":"yes"`, []string{`image_source is "b"`, `image "a.png"`}},
		"an image, two names":  {`"claim":"A thing.","image":"a.png","image_source":"a","file_name":"val/a.png","label":"yes"`, nil},
	} {
		file := filepath.Join(t.TempDir(), "set.jsonl")
		if err := os.WriteFile(file, []byte(`{"question_id":1,`+row.keys+"}\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		_, asData := claim.Load(file, "")
		_, asLabels := claim.ReadLabels("re", file)
		for _, err := range []error{asData, asLabels} {
			if (err != nil) != (row.want != nil) {
				t.Errorf("%s: error %v", name, err)
			}
			for _, w := range append(row.want, "line 1") {
				if err != nil && !strings.Contains(err.Error(), w) {
					t.Errorf("%s: error %v; want %q in it", name, err, w)
				}
			}
		}
	}
}

// A column may not stand in a table twice.
func TestParquetColumnTwice(t *testing.T) {
	type row struct {
		ID     string `parquet:"question_id"`
		Image  string `parquet:"image_source"`
		Claim  string `parquet:"claim"`
		Label  string `parquet:"label"`
		Second string `parquet:"lobel"` // of the same length, to be renamed
	}
	file := filepath.Join(t.TempDir(), "twice.parquet")
	if err := parquet.WriteFile(file, []row{{"1", "a", "A thing.", "yes", "no"}}); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(strings.ReplaceAll(string(b), "lobel", "label")), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := claim.Load(file, ""); err == nil || !strings.Contains(err.Error(), `column "label" is given twice`) {
		t.Errorf("error %v", err)
	}
}

// What lies beside the data in a folder from the Hub is no data.
func TestFolderFromHub(t *testing.T) {
	for _, beside := range []string{"dataset_infos.json", "dataset_info.json", "dataset_dict.json", "state.json", "config.json"} {
		dir := t.TempDir()
		writeHeld(t, filepath.Join(dir, "test-00000-of-00001.parquet"), 0, held{"a", "1", ""})
		if err := os.WriteFile(filepath.Join(dir, beside), []byte(`{"default": {"splits": {}}}`), 0o644); err != nil {
			t.Fatal(err)
		}
		if set, err := claim.Load(dir, ""); err != nil || len(set.Claims) != 1 {
			t.Errorf("%s: %v; want the Parquet file read", beside, err)
		}
	}
}
