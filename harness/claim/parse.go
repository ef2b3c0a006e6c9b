package claim

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode"
)

// fields reads a row's values by their names, and keeps the first error. Names
// of keys are POPE's or, for the same thing, those of its copies on the Hub and
// of one's own files.
type fields struct {
	row
	err error
}

// id is a whole number or a string; a row with a claim may lack it.
func (f *fields) id() string { return f.get("question_id", "id") }

// image is the file name of the image, extension or not.
func (f *fields) image() string { return f.get("image_source", "image", "file_name") }

// question is one of POPE's form.
func (f *fields) question() string { return f.get("text", "question") }

// claim is the sentence itself, taken as it is.
func (f *fields) claim() string { return f.get("claim") }

// label is yes, true, SUPPORTED or no, false, REFUTED, in any case.
func (f *fields) label() string { return f.get("label", "answer") }

// split overrides the file's.
func (f *fields) split() string { return f.get("split", "category") }

// get is the value of the first of the keys that the row has, and one.
func (f *fields) get(names ...string) string {
	for _, name := range names {
		if s := f.one(name); s != "" || f.err != nil {
			return s
		}
	}
	return ""
}

// one is the value of a key, "" where the row lacks it.
func (f *fields) one(name string) string {
	raw, ok := f.values[name]
	if !ok {
		return ""
	}
	s, err := scalar(raw)
	if err != nil && f.err == nil {
		f.err = fmt.Errorf("%s: %w", name, err)
	}
	return s
}

// agreed refuses a row whose keys for the same thing say different things: none
// of them can be told to be the right one. meaning is what a value comes to.
func (f *fields) agreed(meaning func(string) string, names ...string) {
	first, said := "", ""
	for _, name := range names {
		value := f.one(name)
		if strings.TrimSpace(value) == "" || f.err != nil {
			continue
		}
		if first != "" && meaning(value) != meaning(said) {
			f.err = fmt.Errorf("%s is %.100q, but %s %.100q: which of the two is meant is not known, keep one", first, said, name, value)
		}
		first, said = name, value
	}
}

// check finds keys that contradict each other.
func (f *fields) check() error {
	f.agreed(labelMeant, "label", "answer")
	f.agreed(Normalise, "text", "question")
	f.agreed(func(s string) string { return path.Base(Stem(s)) }, "image_source", "image", "file_name")
	for _, name := range []string{"text", "question"} {
		if f.one(name) != "" && !strings.HasSuffix(sentenceMeant(f.one(name)), "?") {
			f.agreed(sentenceMeant, "claim", name)
		}
	}
	return f.err
}

func labelMeant(s string) string {
	if label, err := ParseLabel(s); err == nil {
		return string(label)
	}
	return s
}

// sentenceMeant is what a claim or a question in POPE's form says; any other
// question, which a claim may well answer, stays one.
func sentenceMeant(s string) string {
	if text, _, ok := Sentence(s); ok {
		s = text
	}
	if s = strings.TrimSpace(s); strings.HasSuffix(s, "?") {
		return s
	}
	return strings.ReplaceAll(withoutArticles(s), " this image", " the image")
}

// parse makes a claim of a row, the n-th of a file of this split. It also
// returns the image's name as written.
func parse(r row, n int, split string) (c Claim, image string, err error) {
	f := fields{row: r}
	c = Claim{QuestionID: f.id(), Question: f.question(), Text: f.claim(), Object: f.get("object"), Split: f.split()}
	image, label := f.image(), f.label()
	if err := f.check(); err != nil {
		return Claim{}, "", err
	}
	c.number(n, split)
	if err := c.say(); errors.Is(err, errNoClaim) {
		return Claim{}, "", fmt.Errorf("%w: %s", err, f.wanting())
	} else if err != nil {
		return Claim{}, "", err
	}
	if c.Label, err = ParseLabel(label); err != nil {
		return Claim{}, "", err
	}
	c.ID, c.ImageSource = c.Split+"/"+c.QuestionID, Stem(image)
	return c, image, c.check(image)
}

var errNoClaim = errors.New("neither a claim nor a question")

// wanting says which names a row without a claim has, and which would do.
func (f *fields) wanting() string {
	seen := strings.Join(slices.Sorted(maps.Keys(f.values)), ", ")
	return fmt.Sprintf("the row has %.200s; wanted is claim, the sentence, or question (or text), such as \"Is there a dog in the image?\"", cmp.Or(seen, "nothing"))
}

// number fills in the split by the file, and the question_id of a row with a
// claim by its place in the file.
func (c *Claim) number(n int, split string) {
	if c.Split == "" {
		c.Split = split
	}
	if c.QuestionID == "" && c.Text != "" {
		c.QuestionID = fmt.Sprint(n)
	}
}

// say fills in the claim's sentence from the question where it has none.
func (c *Claim) say() error {
	if strings.TrimSpace(c.Text) != "" {
		return nil
	}
	if strings.TrimSpace(c.Question) == "" {
		return errNoClaim
	}
	text, object, ok := Sentence(c.Question)
	if !ok {
		return fmt.Errorf("question %q is not of the form \"Is there a … in the image?\": give the sentence as \"claim\"", c.Question)
	}
	c.Text, c.Object = text, object
	return nil
}

func (c *Claim) check(image string) error {
	switch {
	case strings.TrimSpace(image) == "":
		return errors.New("image is missing")
	case !local(c.ImageSource):
		return fmt.Errorf("image %q is outside the images folder", image)
	}
	return c.checkKeys()
}

// checkKeys finds what no key can be made of.
func (c *Claim) checkKeys() error {
	switch {
	case c.QuestionID == "":
		return errors.New("question_id is missing: a row with a text or question needs one; only a row with a claim may go without")
	case strings.Contains(c.Split, "/"):
		return fmt.Errorf("split %q has a slash in it", c.Split)
	}
	// Tabs and the like would blur where one part of a key ends.
	for _, s := range []string{c.QuestionID, c.ImageSource, c.Split} {
		if strings.ContainsFunc(s, unicode.IsControl) {
			return fmt.Errorf("%q has a control character in it", s)
		}
	}
	return nil
}

// ParseLabel reads yes, true or SUPPORTED, and no, false or REFUTED.
func ParseLabel(s string) (Label, error) {
	switch strings.ToLower(strings.TrimSpace(s)) {
	case "yes", "true", "supported":
		return Supported, nil
	case "no", "false", "refuted":
		return Refuted, nil
	case "":
		return "", errors.New("label is missing")
	}
	return "", fmt.Errorf("unknown label %q: use yes or no (or SUPPORTED or REFUTED)", s)
}

// scalar is a string, a whole number in decimal, or a truth value; null is "".
func scalar(raw json.RawMessage) (string, error) {
	switch text := string(raw); {
	case text == "null":
		return "", nil
	case text == "true" || text == "false":
		return text, nil
	case text[0] == '"':
		var s string
		err := json.Unmarshal(raw, &s)
		return s, err
	case strings.Trim(text, "-0123456789") == "":
		return text, nil
	default:
		return "", fmt.Errorf("want a string or a whole number, found %.40s", text)
	}
}

// local reports whether a cleaned slash path stays below where it starts.
func local(name string) bool {
	return name != "." && name != ".." && !path.IsAbs(name) && !strings.HasPrefix(name, "../") &&
		!(len(name) > 1 && name[1] == ':')
}
