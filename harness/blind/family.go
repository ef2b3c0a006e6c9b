package blind

import (
	"cmp"
	"math"
	"strings"
	"unicode"

	"candor/harness/claim"
)

// rule weighs a normalised text by counts: above 0 SUPPORTED is likelier,
// below 0 REFUTED, and 0 is a tie.
type rule struct {
	name  string
	weigh func(c counts, text string) float64
}

// family is the rules to choose from, the simplest first.
func family() []rule {
	return []rule{
		{"commonest label", func(c counts, _ string) float64 { return c.commonest() }},
		{"text", func(c counts, text string) float64 { return cmp.Or(c.texts[text].lead(), c.commonest()) }},
		{"words", counts.bayes},
		{"text, then words", func(c counts, text string) float64 { return cmp.Or(c.texts[text].lead(), c.bayes(text)) }},
	}
}

// pair counts claims of each label.
type pair struct{ supported, refuted int }

func (p pair) lead() float64 { return float64(p.supported - p.refuted) }

func (p pair) plus(label claim.Label, n int) pair {
	if label == claim.Supported {
		return pair{p.supported + n, p.refuted}
	}
	return pair{p.supported, p.refuted + n}
}

// counts is all that the family knows of its train claims.
type counts struct {
	claims *pair
	texts  map[string]pair
	words  map[string]pair // claims that hold a word
}

func newCounts() counts {
	return counts{new(pair), make(map[string]pair), make(map[string]pair)}
}

func (c counts) add(t claim.Claim, n int) {
	text := claim.Normalise(t.Text)
	*c.claims = c.claims.plus(t.Label, n)
	c.texts[text] = c.texts[text].plus(t.Label, n)
	for _, w := range words(text) {
		c.words[w] = c.words[w].plus(t.Label, n)
	}
}

func (c counts) commonest() float64 { return c.claims.lead() }

// bayes is the log odds by the words of a text, each taken to be independent
// of the others; add-one smoothing. Words that no train claim has are passed
// over.
func (c counts) bayes(text string) float64 {
	odds := ratio(*c.claims, 0, 0)
	for _, w := range words(text) {
		if n := c.words[w]; n != (pair{}) {
			odds += ratio(n, c.claims.supported, c.claims.refuted)
		}
	}
	return odds
}

// ratio is the log of the smoothed share of supported over that of refuted.
func ratio(n pair, ofSupported, ofRefuted int) float64 {
	a, b := float64(n.supported+1), float64(n.refuted+1)
	return math.Log(a/b) - math.Log(float64(ofSupported+2)/float64(ofRefuted+2))
}

// words are the distinct words of a normalised text, in order.
func words(text string) []string {
	var distinct []string
	seen := make(map[string]bool)
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) }) {
		if !seen[w] {
			seen[w] = true
			distinct = append(distinct, w)
		}
	}
	return distinct
}

// leaveOneOut counts, for each of the family, the claims it gets right when
// the claims of their image are not among those counted.
func (c counts) leaveOneOut(train []claim.Claim) []int {
	byImage := make(map[string][]claim.Claim)
	for _, t := range train {
		byImage[t.ImageSource] = append(byImage[t.ImageSource], t)
	}
	rules := family()
	right := make([]int, len(rules))
	for _, claims := range byImage {
		for _, t := range claims {
			c.add(t, -1)
		}
		for i, r := range rules {
			for _, t := range claims {
				if (r.weigh(c, claim.Normalise(t.Text)) > 0) == (t.Label == claim.Supported) {
					right[i]++
				}
			}
		}
		for _, t := range claims {
			c.add(t, 1)
		}
	}
	return right
}
