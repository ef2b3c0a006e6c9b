package audit

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"candor/harness/claim"

	"golang.org/x/text/unicode/norm"
)

// Oddity is something in the wording of a split's claims that a careful person
// would look at.
type Oddity struct {
	Kind  string `json:"kind"` // spelling, article, plural or characters
	Split string `json:"split"`
	What  string `json:"what"`
	Rows  int    `json:"rows"`
	First string `json:"first"` // the first such row's claim
}

// kinds are the kinds of oddity in words.
func kinds() map[string]string {
	return map[string]string{
		"spelling": "a slip of spelling", "article": "another article than is usual", "plural": "an article before a plural", "characters": "odd characters",
	}
}

// oddities looks at the wording of every row.
func (r *Report) oddities(claims []claim.Claim) {
	found := map[Oddity]*Oddity{} // by kind, split and what
	note := func(c claim.Claim, kind, what string) {
		k := Oddity{Kind: kind, Split: c.Split, What: what}
		if found[k] == nil {
			found[k] = &Oddity{Kind: kind, Split: c.Split, What: what, First: c.ID}
		}
		found[k].Rows++
	}
	spelt := misspelt(claims)
	for _, c := range claims {
		text := cmp.Or(c.Question, c.Text)
		for _, w := range words(text) {
			if right, ok := spelt[w]; ok {
				note(c, "spelling", fmt.Sprintf("%q, one letter from %q", w, right))
			}
		}
		article, object := articled(c.Text)
		if wrongArticle(article, object) {
			note(c, "article", fmt.Sprintf("%q", article+" "+object))
		}
		if article == "a" && manyByName(object) {
			note(c, "plural", fmt.Sprintf("%q", article+" "+object))
		}
		if strange := strangeCharacters(text); strange != "" {
			note(c, "characters", strange)
		}
	}
	for _, o := range found {
		r.Oddities = append(r.Oddities, *o)
	}
	slices.SortFunc(r.Oddities, func(a, b Oddity) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Split, b.Split), cmp.Compare(b.Rows, a.Rows), cmp.Compare(a.What, b.What))
	})
	for _, o := range r.Oddities {
		r.warn("oddity_"+o.Kind, "split %s: %s: %s in %s, the first %s", o.Split, kinds()[o.Kind], o.What, plural(o.Rows, "row"), o.First)
	}
}

// articled takes a claim of POPE's form apart.
func articled(text string) (article, object string) {
	m := regexp.MustCompile(`^There is (an?) (.+?) in (?:the|this) \w+\.$`).FindStringSubmatch(text)
	if m == nil {
		return "", ""
	}
	return m[1], m[2]
}

// wrongArticle tells an article that is wrong by letter, as POPE chooses, and
// by sound too ("a uniform" and "an hour" are right).
func wrongArticle(article, object string) bool {
	if object == "" {
		return false
	}
	object = strings.ToLower(object)
	begins := func(with ...string) bool {
		return slices.ContainsFunc(with, func(p string) bool { return strings.HasPrefix(object, p) })
	}
	vowel := strings.ContainsAny(object[:1], "aeiou")
	switch {
	case article == "an":
		return !vowel && !begins("hour", "honest", "heir", "x-", "x ray")
	default:
		return vowel && !begins("uni", "use", "eu", "one", "ute")
	}
}

// manyByName tells an object that is a plural by its form.
func manyByName(object string) bool {
	fields := strings.Fields(object)
	if len(fields) == 0 {
		return false
	}
	last := fields[len(fields)-1]
	return len(last) > 3 && strings.HasSuffix(last, "s") && !strings.HasSuffix(last, "ss") && !strings.HasSuffix(last, "us")
}

// strangeCharacters names what a reader does not see and a tokenizer does.
func strangeCharacters(text string) string {
	switch {
	case strings.ContainsFunc(text, func(r rune) bool { return unicode.Is(unicode.Cf, r) || r == unicode.ReplacementChar }):
		return "a character that is not seen"
	case strings.ContainsFunc(text, func(r rune) bool { return r != ' ' && unicode.IsSpace(r) }):
		return "a blank that is no space"
	case strings.TrimSpace(text) != text || strings.Contains(text, "  "):
		return "blanks at an end, or more than one together"
	case norm.NFC.String(text) != text:
		return "letters and their accents apart"
	}
	return ""
}

// words are the lower-case words of a text.
func words(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) })
}

// misspelt finds words that stand one slip from a far commoner one, as
// "imange" from "image".
func misspelt(claims []claim.Claim) map[string]string {
	const times, common = 20, 40
	n := map[string]int{}
	for _, c := range claims {
		for _, w := range words(cmp.Or(c.Question, c.Text)) {
			n[w]++
		}
	}
	slips, all := map[string]string{}, sorted(n)
	for _, right := range all {
		if n[right] < common {
			continue
		}
		for _, w := range all {
			if n[w]*times <= n[right] && slip(w, right) && n[right] > n[slips[w]] {
				slips[w] = right
			}
		}
	}
	return slips
}

// slip tells a word that is right but for one letter too many or too few, two
// exchanged or, in a long word, another letter. Words that differ at an end are
// taken for two words or two forms of one ("horses", "round" and "ground"),
// and so are short ones.
func slip(w, right string) bool {
	const short, long = 5, 8
	if min(len(w), len(right)) < short || w == right || w[0] != right[0] || w[len(w)-1] != right[len(right)-1] {
		return false
	}
	i := 0
	for w[i] == right[i] && i+1 < min(len(w), len(right)) {
		i++
	}
	switch len(w) - len(right) {
	case 1:
		return w[i+1:] == right[i:]
	case -1:
		return w[i:] == right[i+1:]
	case 0:
		exchanged := w[i] == right[i+1] && w[i+1] == right[i] && w[i+2:] == right[i+2:]
		return exchanged && !slices.Contains([]string{"three", "quiet", "trail", "angle", "dairy"}, w) ||
			len(w) >= long && w[i+1:] == right[i+1:]
	}
	return false
}
