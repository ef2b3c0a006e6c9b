package claim

import (
	"path/filepath"
	"strings"
	"testing"
)

// A table of one's own, as spreadsheets write it, loads as rows of JSON do.
func TestLoadTables(t *testing.T) {
	plain := "image,claim,label,question_id\na.png,\"Two dogs, one cat.\",TRUE,7\n\nb.png,\"It\nrains \"\"hard\"\"\",no,\n"
	tests := map[string]string{
		"mine.csv":  plain,
		"excel.csv": "\xef\xbb\xbf" + strings.ReplaceAll(plain, "\n", "\r\n"),
		"semi.csv":  "image;claim;label;question_id\na.png;\"Two dogs, one cat.\";TRUE;7\n\nb.png;\"It\nrains \"\"hard\"\"\";no;\n",
		"tabs.tsv":  "image\tclaim\tlabel\tquestion_id\na.png\tTwo dogs, one cat.\tTRUE\t7\nb.png\t\"It\nrains \"\"hard\"\"\"\tno\t\n",
		"more.CSV":  "question_id, image ,note,claim,label\n7,a.png,seen,\"Two dogs, one cat.\",yes\n,b.png,,\"It\nrains \"\"hard\"\"\",REFUTED\n",
	}
	for name, text := range tests {
		dir := write(t, map[string]string{name: text})
		set, err := Load(filepath.Join(dir, name), "")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		split := strings.TrimSuffix(name, filepath.Ext(name))
		want := []Claim{
			{ID: split + "/7", Split: split, QuestionID: "7", ImageSource: "a", Text: "Two dogs, one cat.", Label: Supported},
			{ID: split + "/2", Split: split, QuestionID: "2", ImageSource: "b", Text: "It\nrains \"hard\"", Label: Refuted},
		}
		if len(set.Claims) != 2 || set.Claims[0] != want[0] || set.Claims[1] != want[1] {
			t.Errorf("%s: %+v; want %+v", name, set.Claims, want)
		}
		if _, err := Load(dir, ""); err != nil && filepath.Ext(name) != ".CSV" {
			t.Errorf("%s by its folder: %v", name, err)
		}
	}
}

// Each row is a table that is refused, and how.
func TestTablesRefuse(t *testing.T) {
	for _, row := range []struct{ name, text, want string }{
		{"empty", "", "the file is empty"},
		{"header alone", "image,claim,label\n", "no rows"},
		{"no header", "a.png,A dog.,yes\nb.png,A cat.,no\n", `line 1: no column "label" or "answer"`},
		{"a cell too many", "image,claim,label\na.png,A dog, yes,no\n", "line 2: wrong number of fields"},
		{"a cell too few", "image,claim,label\na.png,A dog.,yes\nb.png,A cat.\n", "line 3: wrong number of fields"},
		{"a quote left open", "image,claim,label\na.png,\"A dog.,yes\n", "extraneous or missing \" in quoted-field"},
		{"a column twice", "image,claim,label,claim\na.png,A dog.,yes,A cat.\n", `line 1: column "claim" is given twice`},
		{"another label", "image,claim,label\na.png,\"A\ndog.\",yes\nb.png,A cat.,perhaps\n", `line 4: unknown label "perhaps"`},
		{"no claim's column", "id,image,sentence,label\n1,a.png,A dog.,yes\n", "line 2: neither a claim nor a question: the row has id, image, label, sentence; wanted is claim, the sentence, or question (or text)"},
		{"no claim", "image,claim,label\na.png,,yes\n", "line 2: neither a claim nor a question: the row has image, label; wanted"},
		{"no label", "image,claim,label\na.png,A dog.,\n", "line 2: label is missing"},
		{"no image", "image,claim,label\n,A dog.,yes\n", "line 2: image is missing"},
		{"Latin-1", "image,claim,label\na.png,Caf\xe9.,yes\n", "line 2: not UTF-8 text: save the table as CSV UTF-8"},
		{"twice", "image,claim,label,question_id\na.png,A dog.,yes,1\na.png,A cat.,no,1\n", "line 3: question_id 1 of split mine is already at"},
	} {
		file := filepath.Join(write(t, map[string]string{"mine.csv": row.text}), "mine.csv")
		_, err := LoadPOPE([]string{file}, "")
		if err == nil || !strings.Contains(err.Error(), row.want) || !strings.Contains(err.Error(), file) {
			t.Errorf("%s: %v; want %q", row.name, err, row.want)
		}
	}
}

// Whatever a table holds, it is read or refused.
func FuzzTable(f *testing.F) {
	f.Add("image,claim,label\na.png,A dog.,yes\n")
	f.Add(",000,label\n\"000") // a quote that is never closed
	f.Add("\xef\xbb\xbfimage;claim;label\r\n\"a\";\"b\n\";no")
	f.Fuzz(func(t *testing.T, data string) {
		for r, err := range table(strings.NewReader(data)) {
			if err != nil {
				return
			}
			if len(r.where) < len("line 2") {
				t.Fatalf("a row at %q", r.where)
			}
		}
	})
}
