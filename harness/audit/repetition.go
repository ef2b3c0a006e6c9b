package audit

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"candor/harness/claim"
	"candor/scoring"
)

// Overlap counts the claims that two splits share, by label: as published, and
// by normalised text.
type Overlap struct {
	Positives           int `json:"positives"`
	PositivesNormalised int `json:"positives_normalised"`
	Negatives           int `json:"negatives"`
	NegativesNormalised int `json:"negatives_normalised"`
}

// Duplicates counts the rows of a split that ask what an earlier one asked: as
// published, and by normalised text.
type Duplicates struct {
	Raw        int `json:"raw"`
	Normalised int `json:"normalised"`
}

// said is a claim as it is compared: the question as published, where there is
// one, about an image.
func said(c claim.Claim) string { return c.ImageSource + "\t" + cmp.Or(c.Question, c.Text) }

// key is a claim to which a label was given.
type key struct {
	text  string
	label claim.Label
}

// repetitions finds what is asked more than once, and under which labels.
func (r *Report) repetitions(claims []claim.Claim) {
	labels, ids := map[string]map[claim.Label]bool{}, map[string]map[string]bool{}
	raw, normalised := map[string]map[key]bool{}, map[string]map[key]bool{}
	for _, c := range claims {
		put(ids, c.QuestionID, c.Split)
		put(labels, c.Key(), c.Label)
		twice, again := !put(raw, c.Split, key{said(c), c.Label}), !put(normalised, c.Split, key{c.Key(), c.Label})
		if d := r.Duplicates[c.Split]; twice || again {
			d.Raw, d.Normalised = d.Raw+one(twice), d.Normalised+one(again)
			r.Duplicates[c.Split] = d
		}
	}
	r.DistinctClaims = len(labels)
	r.Conflicting = count(labels, func(of map[claim.Label]bool) bool { return len(of) > 1 })
	r.IDCollisions = count(ids, func(of map[string]bool) bool { return len(of) > 1 })
	names := sorted(raw)
	for i, a := range names {
		for _, b := range names[i+1:] {
			r.Overlap[a+"∩"+b] = overlap(raw[a], raw[b], normalised[a], normalised[b])
		}
	}
	r.tellRepetitions()
}

func overlap(rawA, rawB, normalisedA, normalisedB map[key]bool) (o Overlap) {
	for k := range rawA {
		o.Positives += one(rawB[k] && k.label == claim.Supported)
		o.Negatives += one(rawB[k] && k.label == claim.Refuted)
	}
	for k := range normalisedA {
		o.PositivesNormalised += one(normalisedB[k] && k.label == claim.Supported)
		o.NegativesNormalised += one(normalisedB[k] && k.label == claim.Refuted)
	}
	return o
}

func (r *Report) tellRepetitions() {
	for _, name := range sorted(r.Duplicates) {
		if d := r.Duplicates[name]; d.Normalised > 0 {
			r.warn("duplicates", "split %s asks %s again that it has already (%d in the very same words)", name, plural(d.Normalised, "claim"), d.Raw)
		}
	}
	if r.Conflicting > 0 {
		r.warn("conflicting_labels", "%s of an image labelled both SUPPORTED and REFUTED", plural(r.Conflicting, "claim"))
	}
	if r.IDCollisions > 0 {
		r.warn("id_collisions", "a question_id alone names no row: %d of them are in several splits; split and question_id together do", r.IDCollisions)
	}
	if slices.ContainsFunc(slices.Collect(maps.Values(r.Overlap)), func(o Overlap) bool { return o.PositivesNormalised+o.NegativesNormalised > 0 }) {
		r.warn("overlap", "%d rows hold %d distinct claims about an image: the splits share the rest, and are not independent", r.Rows, r.DistinctClaims)
	}
}

// put notes that under has v, and tells whether that was new.
func put[K, V comparable](in map[K]map[V]bool, under K, v V) bool {
	if in[under] == nil {
		in[under] = map[V]bool{}
	}
	if in[under][v] {
		return false
	}
	in[under][v] = true
	return true
}

func count[K comparable, V any](in map[K]V, want func(V) bool) int {
	n := 0
	for _, v := range in {
		n += one(want(v))
	}
	return n
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func (r *Report) warn(code, format string, args ...any) {
	r.Warnings = append(r.Warnings, scoring.Warning{Code: code, Message: fmt.Sprintf(format, args...)})
}
