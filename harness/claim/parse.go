package claim

import (
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strings"
	"unicode"
)

// parse makes a claim of a row. Names of keys are POPE's or, for the same
// thing, those of its copies on the Hub and of one's own files:
//
//	question_id          a whole number or a string; a row with a claim may lack it
//	image, image_source  the image's file name, extension or not
//	text, question       a question of POPE's form
//	claim                the sentence itself, taken as it is
//	label, answer        yes, true, SUPPORTED or no, false, REFUTED, in any case
//	split, category      overrides the file's
//
// It also returns the image's name as written.
func parse(r row, n int, split string) (c Claim, image string, err error) {
	get := func(names ...string) string {
		for _, name := range names {
			if _, ok := r.fields[name]; ok && err == nil {
				var s string
				if s, err = scalar(r.fields[name]); err != nil {
					err = fmt.Errorf("%s: %w", name, err)
				}
				return s
			}
		}
		return ""
	}
	c = Claim{
		QuestionID: get("question_id"), Question: get("text", "question"),
		Text: get("claim"), Object: get("object"), Split: get("split", "category"),
	}
	image, label := get("image_source", "image"), get("label", "answer")
	if err != nil {
		return Claim{}, "", err
	}
	if c.Split == "" {
		c.Split = split
	}
	if c.QuestionID == "" && c.Text != "" {
		c.QuestionID = fmt.Sprint(n)
	}
	if err := c.say(); err != nil {
		return Claim{}, "", err
	}
	if c.Label, err = ParseLabel(label); err != nil {
		return Claim{}, "", err
	}
	c.ID, c.ImageSource = c.Split+"/"+c.QuestionID, Stem(image)
	return c, image, c.check(image)
}

// say fills in the claim's sentence from the question where it has none.
func (c *Claim) say() error {
	if strings.TrimSpace(c.Text) != "" {
		return nil
	}
	if strings.TrimSpace(c.Question) == "" {
		return errors.New("neither a claim nor a question")
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
	case c.QuestionID == "":
		return errors.New("question_id is missing: a row with a text or question needs one; only a row with a claim may go without")
	case strings.TrimSpace(image) == "":
		return errors.New("image is missing")
	case !local(c.ImageSource):
		return fmt.Errorf("image %q is outside the images folder", image)
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
