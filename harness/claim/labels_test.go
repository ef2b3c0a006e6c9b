package claim

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// popeRow is a row of POPE's and RePOPE's form.
func popeRow(id, image, object, label string) string {
	return `{"question_id": ` + id + `, "image": "` + image + `", "text": "Is there a ` + object + ` in the image?", "label": "` + label + `"}` + "\n"
}

// A label set of RePOPE's form: a label turned, a row taken out. All splits
// bear the same question_ids, so labels join by both.
func TestReadLabels(t *testing.T) {
	dir := write(t, map[string]string{
		"pope/coco_pope_random.json":  popeRow("5", "a.jpg", "skis", "yes") + popeRow("23", "b.jpg", "car", "yes") + popeRow("6", "a.jpg", "dog", "no"),
		"pope/coco_pope_popular.json": popeRow("5", "a.jpg", "bed", "yes"),
		"re/coco_pope_random.json":    popeRow("5", "z.jpg", "skis", "yes"), // its own copy of POPE is not meant
		// The last line of RePOPE's files has no end.
		"re/coco_repope_random.json":  strings.TrimSpace(popeRow("5", "a.jpg", "skis", "no") + popeRow("6", "a.jpg", "dog", "no")),
		"re/coco_repope_popular.json": popeRow("5", "a.jpg", "bed", "yes"),
	})
	set, err := Load(filepath.Join(dir, "pope"), "")
	if err != nil {
		t.Fatal(err)
	}
	labels, err := ReadLabels("repope", filepath.Join(dir, "re"))
	if err != nil {
		t.Fatal(err)
	}
	if strays, err := labels.Join(set); err != nil || len(strays) > 0 {
		t.Errorf("strays %v, %v", strays, err)
	}
	got := make(map[string]string)
	for _, c := range set.Claims {
		label, kept := labels.Of(c)
		got[c.ID] = string(label)
		if !kept {
			got[c.ID] = "ambiguous"
		}
	}
	want := map[string]string{"random/5": "REFUTED", "random/6": "REFUTED", "random/23": "ambiguous", "popular/5": "SUPPORTED"}
	for id := range want {
		if got[id] != want[id] {
			t.Errorf("%s is %s; want %s", id, got[id], want[id])
		}
	}
	if !slices.Equal(labels.Splits(), []string{"popular", "random"}) || !strings.HasPrefix(labels.Revision, "sha256:") || labels.Name != "repope" {
		t.Errorf("%v, %s, %s", labels.Splits(), labels.Revision, labels.Name)
	}
}

// Labels alone join as well; what else a row says must be so.
func TestLabelsJoin(t *testing.T) {
	set := &Set{Claims: []Claim{
		{ID: "random/1", Split: "random", QuestionID: "1", ImageSource: "a", Text: "There is an orange in the imange."},
		{ID: "random/2", Split: "random", QuestionID: "2", ImageSource: "b", Text: "Two dogs play."},
	}}
	for _, row := range []struct{ name, rows, want string }{
		{"label and id alone", `{"question_id":1,"label":"no"}`, ""},
		{"the image without its extension", `{"question_id":1,"image":"a","label":"no"}`, ""},
		{"split told", `{"question_id":1,"split":"random","label":true}`, ""},
		{"the typo put right, the article too", popeRow("1", "a.jpg", "orange", "no"), ""},
		{"a question of another form", `{"question_id":2,"image":"b.png","text":"Do two dogs play?","label":"no"}`, ""},
		{"the sentence", `{"question_id":2,"claim":"two dogs  play","label":"no"}`, ""},
		{"another image", popeRow("1", "c.jpg", "orange", "no"), "x_random.json: line 1 is about image c, but claim random/1 about a"},
		{"another object", popeRow("1", "a.jpg", "dog", "no"), `x_random.json: line 1 reads "There is a dog in the image.", but claim random/1 "There is an orange in the imange."`},
		{"another sentence", `{"question_id":2,"claim":"Two cats play.","label":"no"}`, "the labels are of other claims"},
		{"another split", `{"question_id":1,"split":"popular","label":"no"}`, `none of the 1 labels is of a claim: labels join on split and question_id; the data have split random, the file split popular: give the file's rows a "split" key`},
		{"other questions", `{"question_id":70,"label":"no"}`, "no question_id of a split in common is the same"},
	} {
		dir := write(t, map[string]string{"x_random.json": row.rows})
		labels, err := ReadLabels("re", filepath.Join(dir, "x_random.json"))
		if err != nil {
			t.Errorf("%s: %v", row.name, err)
			continue
		}
		switch _, err := labels.Join(set); {
		case row.want == "" && err != nil, row.want != "" && (err == nil || !strings.Contains(err.Error(), row.want)):
			t.Errorf("%s: %v; want %q", row.name, err, row.want)
		}
	}
}

// Labels of claims that the set does not have are named, in order.
func TestLabelStrays(t *testing.T) {
	dir := write(t, map[string]string{"x_random.json": popeRow("100", "a.jpg", "dog", "no") + popeRow("9", "a.jpg", "dog", "no") +
		popeRow("1", "a.jpg", "dog", "no") + `{"question_id":1,"split":"advresarial","label":"no"}`})
	labels, err := ReadLabels("re", filepath.Join(dir, "x_random.json"))
	if err != nil {
		t.Fatal(err)
	}
	strays, err := labels.Join(&Set{Claims: []Claim{{ID: "random/1", Split: "random", QuestionID: "1", ImageSource: "a"}}})
	file := filepath.Join(dir, "x_random.json")
	want := []string{file + ": line 4 (advresarial/1)", file + ": line 2 (random/9)", file + ": line 1 (random/100)"}
	if err != nil || !slices.Equal(strays, want) {
		t.Errorf("%q, %v; want %q", strays, err, want)
	}
}

// Each row is a label file that is refused, by file and line.
func TestReadLabelsRefuses(t *testing.T) {
	good := popeRow("1", "a.jpg", "dog", "yes")
	for _, row := range []struct{ name, text, want string }{
		{"empty", "", "the file is empty"},
		{"no rows", "[]", "no rows"},
		{"twice", good + good, "line 2: question_id 1 of split random is already at"},
		{"twice, otherwise labelled", good + popeRow("1", "a.jpg", "dog", "no"), "line 2: question_id 1 of split random is already at"},
		{"twice, as a string", good + popeRow(`"1"`, "a.jpg", "dog", "yes"), "is already at"},
		{"maybe", good + popeRow("2", "a.jpg", "dog", "maybe"), `line 2: unknown label "maybe": use yes or no`},
		{"ambiguous", popeRow("2", "a.jpg", "dog", "ambiguous"), `line 1: unknown label "ambiguous"`},
		{"a number", `{"question_id":1,"label":1}`, `line 1: unknown label "1"`},
		{"no label", `{"question_id":1,"image":"a.jpg"}`, "line 1: label is missing"},
		{"null", `{"question_id":1,"label":null}`, "line 1: label is missing"},
		{"no id", `{"label":"yes"}`, "line 1: question_id is missing"},
		{"a slash", `{"question_id":1,"label":"yes","split":"a/b"}`, "line 1: split \"a/b\" has a slash"},
		{"a tab", `{"question_id":"1\t2","label":"yes"}`, "line 1: \"1\\t2\" has a control character"},
		{"cut off", good + good[:30], "line 2: not JSON"},
	} {
		file := filepath.Join(write(t, map[string]string{"coco_repope_random.json": row.text}), "coco_repope_random.json")
		_, err := ReadLabels("re", file)
		if err == nil || !strings.Contains(err.Error(), row.want) || !strings.Contains(err.Error(), file) {
			t.Errorf("%s: %v; want %q", row.name, err, row.want)
		}
	}
	if _, err := ReadLabels("re", filepath.Join(t.TempDir(), "no.json")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}
