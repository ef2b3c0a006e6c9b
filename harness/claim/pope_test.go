package claim

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// byID puts claims into one order, to compare them as sets.
func byID(claims []Claim) []Claim {
	return slices.SortedFunc(slices.Values(claims), func(a, b Claim) int { return cmp.Compare(a.ID, b.ID) })
}

// write puts files into a folder of the test's own.
func write(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		p := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// Both forms of file, and what editors and spreadsheets do to them, load alike.
func TestLoadPOPEForms(t *testing.T) {
	one := `{"question_id": 1, "image": "COCO_1.jpg", "text": "Is there an umbrella in the imange?", "label": "yes"}`
	two := `{"question_id": "2", "image": "COCO_1.jpg", "text": "Is there a skis in the image?", "label": "no"}`
	tests := map[string]string{
		"JSON Lines":          one + "\n" + two + "\n",
		"no last newline":     one + "\n" + two,
		"byte order mark":     "\xef\xbb\xbf" + one + "\n" + two,
		"CRLF, blank lines":   "\r\n" + one + "\r\n\r\n" + two + "\r\n\r\n",
		"many blanks":         strings.Repeat(" \t\r\n", 1<<19) + strings.Repeat(" ", 70_000) + one + strings.Repeat(" ", 70_000) + "\n" + two,
		"array after blanks":  "\xef\xbb\xbf" + strings.Repeat(" \n", 70_000) + "[" + one + "," + two + "]",
		"array":               "[" + one + ",\n" + two + "]\n",
		"array with mark":     "\xef\xbb\xbf \n[\n" + one + "," + two + "\n]",
		"other keys and case": strings.NewReplacer(`"no"`, `"No "`, `"text"`, `"question"`, `"label"`, `"answer"`, `"image"`, `"image_source"`).Replace(one + "\n" + two),
	}
	for name, text := range tests {
		dir := write(t, map[string]string{"coco_pope_adversarial.json": text})
		set, err := LoadPOPE([]string{filepath.Join(dir, "coco_pope_adversarial.json")}, "")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		want := []Claim{
			{"adversarial/1", "adversarial", "1", "COCO_1", "Is there an umbrella in the imange?", "There is an umbrella in the imange.", "umbrella", Supported},
			{"adversarial/2", "adversarial", "2", "COCO_1", "Is there a skis in the image?", "There is a skis in the image.", "skis", Refuted},
		}
		if len(set.Claims) != 2 || set.Claims[0] != want[0] || set.Claims[1] != want[1] {
			t.Errorf("%s: %+v; want %+v", name, set.Claims, want)
		}
		if !strings.HasPrefix(set.Revision, "sha256:") || set.Name != "coco_pope_adversarial" {
			t.Errorf("%s: named %q, revision %q", name, set.Name, set.Revision)
		}
	}
}

// Rows of one's own: the sentence is taken as it is.
func TestLoadOwnRows(t *testing.T) {
	dir := write(t, map[string]string{"mine.jsonl": `
{"image": "a.png", "claim": "Two dogs play.", "label": "SUPPORTED"}
{"image": "sub/b.png", "claim": "It rains", "label": false, "question_id": "rain", "split": "weather"}
{"image": "a.png", "question": "Is there a dog in the image?", "label": true, "question_id": 9}
`})
	set, err := LoadPOPE([]string{filepath.Join(dir, "mine.jsonl")}, "")
	if err != nil {
		t.Fatal(err)
	}
	want := []Claim{
		{ID: "mine/1", Split: "mine", QuestionID: "1", ImageSource: "a", Text: "Two dogs play.", Label: Supported},
		{ID: "weather/rain", Split: "weather", QuestionID: "rain", ImageSource: "sub/b", Text: "It rains", Label: Refuted},
		{ID: "mine/9", Split: "mine", QuestionID: "9", ImageSource: "a", Question: "Is there a dog in the image?", Text: "There is a dog in the image.", Object: "dog", Label: Supported},
	}
	for i := range want {
		if set.Claims[i] != want[i] {
			t.Errorf("row %d: %+v; want %+v", i+1, set.Claims[i], want[i])
		}
	}
}

// What is not understood is refused, by file and line.
func TestLoadPOPERefuses(t *testing.T) {
	good := `{"question_id": 1, "image": "a.jpg", "text": "Is there a dog in the image?", "label": "yes"}` + "\n"
	with := func(old, new string) string {
		return good + strings.NewReplacer(`: 1,`, `: 2,`).Replace(strings.Replace(good, old, new, 1))
	}
	tests := []struct{ name, text, want string }{
		{"empty", "", "the file is empty"},
		{"blank", "\n \r\n", "the file is empty"},
		{"only a mark", "\xef\xbb\xbf", "the file is empty"},
		{"empty array", "[]", "no rows"},
		{"blanks alone", strings.Repeat(" ", 70_000), "the file is empty"},
		{"lines counted from the first", strings.Repeat(" ", 70_000) + "\n\r\n  {", "line 3: not JSON"},
		{"a line of everything", good + `{"claim": "` + strings.Repeat("a", 1<<20) + `"}`, "line 2: longer than 1 MiB"},
		{"unknown label", with(`"yes"`, `"maybe"`), `line 2: unknown label "maybe"`},
		{"label as number", with(`"yes"`, `0.5`), "line 2: label: want"},
		{"no label", with(`, "label": "yes"`, ``), "line 2: label is missing"},
		{"null image", with(`"a.jpg"`, `null`), "line 2: image is missing"},
		{"image of the Hub", with(`"a.jpg"`, `{"bytes": null, "path": "a.jpg"}`), "line 2: image: want a string"},
		{"no id", with(`"question_id": 1, `, ``), "line 2: question_id is missing: a row with a text or question needs one; only a row with a claim may go without"},
		{"id not whole", with(`1,`, `1.5,`), "line 2: question_id: want"},
		{"twice", good + good, "line 2: question_id 1 of split pope_popular is already at"},
		{"twice, as a string", good + strings.Replace(good, "1", `"1"`, 1), "is already at"},
		{"key twice", with(`"label": "yes"`, `"label": "yes", "label": "no"`), `line 2: key "label" is given twice`},
		{"another question", with("Is there a dog in the image?", "Is the dog brown?"), `line 2: question "Is the dog brown?"`},
		{"no question", with(`"text": "Is there a dog in the image?", `, ""), "line 2: neither"},
		{"cut off", good + good[:40], "line 2: not JSON"},
		{"two on a line", strings.TrimSpace(good) + good, "line 1: more than one"},
		{"not an object", good + "3\n", "line 2: want a JSON object"},
		{"web page", "<html>", "line 1: not JSON"},
		{"not UTF-8", with("dog", "d\xffg"), "line 2: not UTF-8"},
		{"array cut off", "[" + good, "after row 1"},
		{"array with more", "[" + good + "] 1", "after row 1"},
		{"array of numbers", "[" + good + ", 7]", "row 2: want a JSON object"},
		{"out of the folder", with("a.jpg", "../../etc/passwd.jpg"), "line 2: image \"../../etc/passwd.jpg\" is outside"},
		{"absolute", with("a.jpg", "/etc/passwd"), "is outside"},
		{"drive", with("a.jpg", `C:\\a.jpg`), "is outside"},
		{"tab in a key", with("1,", `"1\t2",`), "control character"},
		{"two images of a stem", with("a.jpg", "a.png"), "differ only in their extension"},
	}
	for _, tt := range tests {
		dir := write(t, map[string]string{"pope_popular_x.json": tt.text})
		file := filepath.Join(dir, "pope_popular_x.json")
		_, err := LoadPOPE([]string{file}, "")
		want := strings.ReplaceAll(tt.want, "pope_popular", "popular")
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), file) {
			t.Errorf("%s: %v; want %q", tt.name, err, want)
		}
	}
	if _, err := LoadPOPE(nil, ""); err == nil {
		t.Error("no files, no error")
	}
	if _, err := LoadPOPE([]string{filepath.Join(t.TempDir(), "no.json")}, ""); err == nil {
		t.Error("a file that does not exist was loaded")
	}
}

func TestSplitOf(t *testing.T) {
	tests := map[string]string{
		"x/coco_pope_random.json": "random", "popular_adversarial.json": "adversarial",
		"adversarial_of_random.jsonl": "random", "gqa_pope_seem_popular.json": "popular",
		"mine.jsonl": "mine", "COCO_POPE_RANDOM.json": "random", "adversarial/mine.json": "mine",
	}
	for file, want := range tests {
		if got := splitOf(file); got != want {
			t.Errorf("split of %s is %q; want %q", file, got, want)
		}
	}
}

// Two files of one split may not both have question 1; of two splits they may.
func TestLoadPOPESeveralFiles(t *testing.T) {
	row := `{"question_id": 1, "image": "a.jpg", "text": "Is there a dog in the image?", "label": "yes"}`
	dir := write(t, map[string]string{"a_random.json": row, "a_popular.json": row, "b_random.json": row})
	at := func(name string) string { return filepath.Join(dir, name) }
	set, err := LoadPOPE([]string{at("a_random.json"), at("a_popular.json")}, "")
	if err != nil || len(set.Claims) != 2 || set.Claims[0].ID == set.Claims[1].ID || set.Claims[0].Key() != set.Claims[1].Key() {
		t.Errorf("%+v, %v", set, err)
	}
	_, err = LoadPOPE([]string{at("a_random.json"), at("b_random.json")}, "")
	if err == nil || !strings.Contains(err.Error(), at("b_random.json")+": line 1") || !strings.Contains(err.Error(), at("a_random.json")+": line 1") {
		t.Errorf("%v; want both places named", err)
	}
	turned, err := LoadPOPE([]string{at("a_popular.json"), at("a_random.json")}, "")
	if err != nil || turned.Revision != set.Revision || !slices.Equal(byID(turned.Claims), byID(set.Claims)) {
		t.Errorf("the order of files matters: %v", err)
	}
}

// Whatever a file holds, it loads or is refused, and every claim is complete.
func FuzzRows(f *testing.F) {
	f.Add([]byte(`{"question_id": 1, "image": "a.jpg", "text": "Is there a dog in the image?", "label": "yes"}`))
	f.Add([]byte("\xef\xbb\xbf[{\"image\":\"a\",\"claim\":\"x\",\"label\":true}]"))
	f.Add([]byte("[[[{}]]]\n{}"))
	f.Add([]byte("{\n\"coco\": {\"dog\": [\"a.jpg\"]}}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		n := 0
		for r, err := range rows("x_pos.json", strings.NewReader(string(data))) {
			if err != nil {
				return
			}
			n++
			c, _, err := parse(r, n, "split")
			if err == nil && (c.ID == "" || c.Text == "" || !local(c.ImageSource) || c.Label != Supported && c.Label != Refuted) {
				t.Fatalf("incomplete: %+v", c)
			}
		}
	})
}
