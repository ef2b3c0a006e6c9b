package claim

import (
	"regexp"
	"strings"
)

// form is that of POPE's questions: article, object, "image" as published.
var form = regexp.MustCompile(`(?i)^is\s+there\s+(an?)\s+(\S.*?)\s+in\s+the\s+(iman?ge)\s*\?$`)

// Sentence turns a question of POPE's form, "Is there a car in the image?",
// into the claim "There is a car in the image." and the object "car". Article
// and words are kept as published ("a skis", and "imange" where POPE misspelt
// it). It reports false for any other question.
func Sentence(question string) (text, object string, ok bool) {
	m := form.FindStringSubmatch(strings.TrimSpace(question))
	if m == nil {
		return "", "", false
	}
	article, object, image := m[1], strings.Join(strings.Fields(m[2]), " "), m[3]
	return "There is " + strings.ToLower(article) + " " + object + " in the " + image + ".", object, true
}
