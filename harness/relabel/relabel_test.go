package relabel_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"candor/harness/claim"
	"candor/harness/relabel"
	"candor/scoring"
)

func file(t *testing.T, name, text string) string {
	t.Helper()
	name = filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

// Each row is what --labels is given, beside the set "corrected" that comes
// with the data, and the names of the sets read or what is wrong.
func TestLoad(t *testing.T) {
	own := []claim.LabelSet{{Name: "corrected", Labels: map[string]claim.Label{"random/1": claim.Refuted}}}
	re := file(t, "re_random.json", `{"question_id":1,"label":"no"}`)
	for _, row := range []struct {
		args []string
		want string
	}{
		{nil, "corrected"},
		{[]string{"corrected"}, "corrected"},
		{[]string{"re=" + re}, "corrected re"},
		{[]string{"re=" + re, "corrected", "b=" + re}, "corrected re b"},
		{[]string{"corrected", "corrected"}, "--labels corrected is given twice"},
		{[]string{"re=" + re, "re=" + re}, "--labels re is given twice"},
		{[]string{"re=" + re, "re=other.json"}, "--labels re is given twice"},
		{[]string{"re=" + re, "re"}, "--labels re is given twice"},
		{[]string{"corrected=" + re}, "a label set of that name comes with the data"},
		{[]string{"repope"}, "no label set of that name comes with the data (it has corrected); give --labels repope=FILE"},
		{[]string{""}, "give NAME=FILE"},
		{[]string{"=x"}, "give NAME=FILE"},
		{[]string{"a\x1b[31m=" + re}, `"a\x1b[31m=`},
		{[]string{"a\nb=" + re}, "a name may not hold control characters"},
		{[]string{"re="}, "give NAME=FILE"},
		{[]string{"re=" + filepath.Join(t.TempDir(), "no.json")}, "--labels re: "},
	} {
		sets, err := relabel.Load(row.args, own)
		var names []string
		for _, l := range sets {
			names = append(names, l.Name)
		}
		if got := strings.Join(names, " "); err == nil && got != row.want || err != nil && !strings.Contains(err.Error(), row.want) {
			t.Errorf("%q: %s, %v; want %q", row.args, got, err, row.want)
		}
	}
}

func row(id, split, image string) scoring.Row {
	return scoring.Row{ID: id, Split: split, Image: image, Outcome: scoring.Answered, Confidence: .9, Supported: true, Correct: true, Label: "SUPPORTED"}
}

// Rows of a run hold the split in their ID, those of a file beside it; either
// way they meet the same labels. A row without an ID meets none.
func TestSummaries(t *testing.T) {
	set, err := claim.ReadLabels("re", file(t, "re_random.json", `{"question_id":"1","label":"no"}`+"\n"+`{"question_id":"a/b","label":"yes"}`))
	if err != nil {
		t.Fatal(err)
	}
	pay, err := scoring.NewPayment(scoring.Brier{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, rows := range map[string][]scoring.Row{
		"a run":            {row("random/1", "random", "x.jpg"), row("random/a/b", "random", "x"), row("random/3", "random", "x"), row("popular/1", "popular", "x")},
		"a file":           {row("1", "random", "x.jpg"), row("a/b", "random", "x"), row("3", "random", "x"), row("1", "popular", "x")},
		"without a split":  {row("random/1", "", "x.jpg"), row("random/a/b", "", "x"), row("random/3", "", "x"), row("popular/1", "", "x")},
		"a row without ID": {row("1", "random", "x.jpg"), row("a/b", "random", "x"), row("3", "random", "x"), row("", "random", "x")},
	} {
		if err := relabel.Check(rows, nil, []claim.LabelSet{set}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		got, err := relabel.Summaries(t.Context(), rows, []claim.LabelSet{set}, pay, scoring.Options{FloorDraws: 1})
		if err != nil {
			t.Fatal(err)
		}
		s := got["re"]
		if f := s.LabelSet; f.Kept != 2 || f.Ambiguous != 1 || f.Uncovered != 1 || f.Relabelled != 1 || *f.Ceiling != .5 || *s.Accuracy != .5 {
			t.Errorf("%s: %+v", name, f)
		}
		if w := s.Warnings[0].Message; w != "labels re: 2 of 4 tasks have one, 1 of them another than the run's; 1 have none, and count as ambiguous; 1 are of splits that it does not have" {
			t.Errorf("%s: %s", name, w)
		}
	}
}

// Each row is answers that a label set cannot be of, and how that is told.
func TestCheck(t *testing.T) {
	text := `{"question_id":1,"label":"no","image":"x.jpg","text":"Is there a dog in the image?"}`
	for _, c := range []struct {
		name  string
		rows  []scoring.Row
		texts map[string]string
		want  string
	}{
		{"the same image and sentence", []scoring.Row{row("random/1", "random", "x.png")}, map[string]string{"random/1": "there is a Dog in the imange"}, ""},
		{"an image that is not told", []scoring.Row{row("random/1", "random", "")}, nil, ""},
		{"another image", []scoring.Row{row("random/1", "random", "y.jpg")}, nil, "labels re: "},
		{"another sentence", []scoring.Row{row("random/1", "random", "x.jpg")}, map[string]string{"random/1": "There is a cat in the image."}, "the labels are of other claims"},
		{"another split", []scoring.Row{row("popular/1", "popular", "x.jpg")}, nil, `none of the 1 tasks has a label there: labels join on split and question_id; the run has split popular, the file split random: give the file's rows a "split" key`},
		{"no split", []scoring.Row{row("1", "", "x.jpg")}, nil, `the run has split none, the file split random: give the answers a "split" key`},
		{"another question", []scoring.Row{row("random/2", "random", "x.jpg")}, nil, "no question_id of a split in common is the same"},
		{"no answers", nil, nil, ""},
	} {
		set, err := claim.ReadLabels("re", file(t, "re_random.json", text))
		if err != nil {
			t.Fatal(err)
		}
		err = relabel.Check(c.rows, c.texts, []claim.LabelSet{set})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want %q", c.name, err, c.want)
		}
	}
}

// A set that labels under one task in twenty is told of, and one that labels
// one in twenty is not.
func TestScantLabels(t *testing.T) {
	pay, err := scoring.NewPayment(scoring.Brier{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for tasks, want := range map[int]bool{20: false, 21: true} {
		var rows []scoring.Row
		for i := range tasks {
			rows = append(rows, row(fmt.Sprintf("random/%d", i), "random", fmt.Sprint(i)))
		}
		set := claim.LabelSet{Name: "re", Labels: map[string]claim.Label{"random/1": claim.Supported}}
		got, err := relabel.Summaries(t.Context(), rows, []claim.LabelSet{set}, pay, scoring.Options{FloorDraws: 1})
		if err != nil {
			t.Fatal(err)
		}
		told := slices.ContainsFunc(got["re"].Warnings, func(w scoring.Warning) bool {
			return w.Code == "label_coverage" && strings.Contains(w.Message, fmt.Sprintf("(1 of %d)", tasks))
		})
		if told != want {
			t.Errorf("%d tasks: told is %v: %v", tasks, told, got["re"].Warnings)
		}
	}
}
