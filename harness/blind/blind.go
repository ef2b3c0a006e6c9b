// Package blind is the baseline that sees no image: a classifier of claims by
// their text alone, fitted on train claims. What it gets right on eval claims
// is what a model could get without looking, so an accuracy near it says
// nothing about seeing. On POPE it is right on .67 of the random, .88 of the
// popular and .70 of the adversarial split.
package blind

import (
	"fmt"
	"slices"

	"candor/harness/claim"
)

// Classifier tells from a claim's text whether the claim is more likely
// SUPPORTED than not. It is safe for concurrent use.
type Classifier struct {
	counts counts
	rule   rule
}

// Fit returns the best of a small family, chosen by accuracy on the train
// claims, each image judged by counts that leave its own claims out. Of equal
// ones the simplest is taken: always the commonest label; the commonest label
// of the very text, else as before; naive Bayes on the words; the text's
// label, else the words'. The order of claims cannot matter, and without any
// the classifier never says SUPPORTED.
func Fit(train []claim.Claim) *Classifier {
	c := newCounts()
	for _, t := range train {
		c.add(t, 1)
	}
	right := c.leaveOneOut(train)
	best := slices.Index(right, slices.Max(right)) // the first of equals
	return &Classifier{counts: c, rule: family()[best]}
}

// Supported tells whether a claim of this text is SUPPORTED. Where both labels
// are equally likely it is not: claims of few things are true of an image.
func (c *Classifier) Supported(claimText string) bool {
	return c.rule.weigh(c.counts, claim.Normalise(claimText)) > 0
}

// Name is the member of the family that was chosen.
func (c *Classifier) Name() string { return c.rule.name }

// Accuracy is the share of eval claims that a classifier gets right, by split,
// each split by a classifier fitted on its own train claims. It refuses an
// image that is in both, and a split that has eval claims but no train claims.
func Accuracy(train, eval []claim.Claim) (map[string]float64, error) {
	known := make(map[string]bool)
	for _, c := range train {
		known[c.ImageSource] = true
	}
	right, n := make(map[string]float64), make(map[string]float64)
	trained, fitted := bySplit(train), make(map[string]*Classifier)
	for _, c := range eval {
		if known[c.ImageSource] {
			return nil, fmt.Errorf("image %s is in train and eval: a classifier would be judged on what it was fitted on", c.ImageSource)
		}
		if fitted[c.Split] == nil {
			if len(trained[c.Split]) == 0 {
				return nil, fmt.Errorf("split %s has eval claims but no train claims to fit a classifier on", c.Split)
			}
			fitted[c.Split] = Fit(trained[c.Split])
		}
		n[c.Split]++
		if fitted[c.Split].Supported(c.Text) == (c.Label == claim.Supported) {
			right[c.Split]++
		}
	}
	for split := range n {
		n[split] = right[split] / n[split]
	}
	return n, nil
}

func bySplit(claims []claim.Claim) map[string][]claim.Claim {
	groups := make(map[string][]claim.Claim)
	for _, c := range claims {
		groups[c.Split] = append(groups[c.Split], c)
	}
	return groups
}
