package audit

import (
	"fmt"

	"candor/harness/claim"
)

// LabelSet is how another labelling stands to the set's own, by split.
type LabelSet struct {
	Revision string                `json:"revision"`
	Splits   map[string]Relabelled `json:"splits"` // those that it has
	Strays   []string              `json:"strays"` // labels of no claim, by their rows
}

// Relabelled counts the claims of a split.
type Relabelled struct {
	Kept      int    `json:"kept"`      // that have a label there
	Ambiguous int    `json:"ambiguous"` // that have none
	Labels    Labels `json:"labels"`    // theirs there
	// Changed ones were SUPPORTED and are REFUTED there, and the other way.
	SupportedToRefuted int `json:"supported_to_refuted"`
	RefutedToSupported int `json:"refuted_to_supported"`
	// Ceiling is the accuracy by the set's own labels, over the kept claims, of
	// answers that are right there on every one; null if none is kept.
	Ceiling *float64 `json:"accuracy_ceiling"`

	AmbiguousClaims []string `json:"ambiguous_claims"` // in the order of the data
	ChangedClaims   []string `json:"changed_claims"`
}

func (r *Report) labelSets(set *claim.Set, more []claim.LabelSet) error {
	for _, l := range append(set.LabelSets[:len(set.LabelSets):len(set.LabelSets)], more...) {
		strays, err := l.Join(set)
		if err != nil {
			return fmt.Errorf("labels %s: %w", l.Name, err)
		}
		out := LabelSet{Revision: l.Revision, Splits: map[string]Relabelled{}, Strays: append([]string{}, strays...)}
		for _, split := range l.Splits() {
			if _, has := r.Splits[split]; has {
				out.Splits[split] = relabelled(set.Claims, split, l)
			}
		}
		r.LabelSets[l.Name] = out
		if n := len(strays); n > 0 {
			r.warn("label_strays", "labels %s: %d of %d are of no claim of the data set: the first is %s", l.Name, n, len(l.Labels), strays[0])
		}
	}
	return nil
}

func relabelled(claims []claim.Claim, split string, l claim.LabelSet) Relabelled {
	out := Relabelled{AmbiguousClaims: []string{}, ChangedClaims: []string{}}
	for _, c := range claims {
		if c.Split != split {
			continue
		}
		label, kept := l.Of(c)
		if !kept {
			out.Ambiguous++
			out.AmbiguousClaims = append(out.AmbiguousClaims, c.ID)
			continue
		}
		out.Kept++
		out.Labels.add(label)
		if label != c.Label {
			out.ChangedClaims = append(out.ChangedClaims, c.ID)
		}
		out.SupportedToRefuted += one(c.Label == claim.Supported && label == claim.Refuted)
		out.RefutedToSupported += one(c.Label == claim.Refuted && label == claim.Supported)
	}
	if out.Kept > 0 {
		ceiling := float64(out.Kept-out.SupportedToRefuted-out.RefutedToSupported) / float64(out.Kept)
		out.Ceiling = &ceiling
	}
	return out
}
