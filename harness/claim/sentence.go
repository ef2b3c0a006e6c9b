package claim

import (
	"regexp"
	"strings"
)

// form is that of POPE's questions and of those of its kin: article, object,
// "the" or "this", "image" as published, and, in DASH-B, how to answer.
var form = regexp.MustCompile(`(?i)^(?:is\s+there|can\s+you\s+see)\s+(an?)\s+(\S.*?)\s+in\s+(the|this)\s+(iman?ge)\s*[?.]` +
	`(?:\s*please\s+answer\s+(?:only\s+)?(?:with\s+)?yes\s+or\s+no\s*\.?)?$`)

// Sentence turns a question of POPE's form, "Is there a car in the image?",
// into the claim "There is a car in the image." and the object "car". Article
// and words are kept as published ("a skis", and "imange" where POPE misspelt
// it). Questions that begin with "Can you see", ask about "this image" or end
// in "Please answer only with yes or no." are of that form too. It reports
// false for any other question.
func Sentence(question string) (text, object string, ok bool) {
	m := form.FindStringSubmatch(strings.TrimSpace(question))
	if m == nil {
		return "", "", false
	}
	article, object, which, image := m[1], strings.Join(strings.Fields(m[2]), " "), m[3], m[4]
	return "There is " + strings.ToLower(article) + " " + object + " in " + strings.ToLower(which) + " " + image + ".", object, true
}
