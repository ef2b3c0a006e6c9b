// Package audit looks a data set over before any number made from it is
// believed: how many rows, images and labels there are, what is asked twice,
// what is misspelt, which images cannot be used, what a classifier gets right
// that sees no image, and what crosses from one partition to the other. It
// changes nothing and asks no model.
package audit

import (
	"context"

	"candor/harness/claim"
	"candor/imageproc"
	"candor/scoring"
)

// Report is what there is to know of a data set. Counts are of rows unless
// they say otherwise.
type Report struct {
	Name           string                `json:"name"`
	Revision       string                `json:"revision"`
	Rows           int                   `json:"rows"`
	Images         int                   `json:"images"`
	Labels         Labels                `json:"labels"`
	Splits         map[string]Split      `json:"splits"`
	DistinctClaims int                   `json:"distinct_claims"` // pairs of image and normalised claim
	Overlap        map[string]Overlap    `json:"overlap"`         // by "a∩b", names in alphabetical order
	Duplicates     map[string]Duplicates `json:"duplicates"`      // by split; none has no entry
	Conflicting    int                   `json:"conflicting_labels"`
	IDCollisions   int                   `json:"id_collisions"` // question_ids of several splits
	Oddities       []Oddity              `json:"oddities"`
	Partition      Partition             `json:"partition"`
	Blind          map[string]*float64   `json:"blind_accuracy"` // by split; null where there is nothing to fit on or to score
	LabelSets      map[string]LabelSet   `json:"label_sets"`
	Files          []File                `json:"files"`
	Pictures       *Pictures             `json:"pictures"` // null: there are no images at hand
	Leakage        *Leakage              `json:"leakage"`  // null: it is no run
	Warnings       []scoring.Warning     `json:"warnings"`
}

// Labels counts the rows of each label.
type Labels struct {
	Supported int `json:"SUPPORTED"`
	Refuted   int `json:"REFUTED"`
}

func (l *Labels) add(label claim.Label) {
	if label == claim.Supported {
		l.Supported++
	} else {
		l.Refuted++
	}
}

// Split is a part of the set.
type Split struct {
	Rows   int    `json:"rows"`
	Images int    `json:"images"`
	Labels Labels `json:"labels"`
}

// Partition is the division by image.
type Partition struct {
	Eval  Side `json:"eval"`
	Train Side `json:"train"`
}

// Side is one part of it.
type Side struct {
	Rows   int `json:"rows"`
	Images int `json:"images"`
}

// Options says what else to look at.
type Options struct {
	EvalIDs   map[string]bool  // images of the eval partition; nil: by the rule
	LabelSets []claim.LabelSet // beside those that come with the set
	Family    imageproc.Family // whose limits images are held to
}

// Audit looks over a set. The images are read if they are at hand, each once.
func Audit(ctx context.Context, set *claim.Set, opt Options) (*Report, error) {
	if opt.EvalIDs != nil { // refuses those that the set lacks
		if _, err := claim.Select(set, claim.Selection{EvalIDs: opt.EvalIDs}); err != nil {
			return nil, err
		}
	}
	r, err := look(ctx, set, opt)
	if err == nil && (r.Partition.Eval.Rows == 0 || r.Partition.Train.Rows == 0) {
		r.warn("empty_partition", "one partition is empty: images go there by the hash of their names, and there are only %d", r.Images)
	}
	return r, err
}

// look does it without asking whether the set is whole.
func look(ctx context.Context, set *claim.Set, opt Options) (*Report, error) {
	r := newReport(set)
	r.count(set.Claims, opt)
	r.repetitions(set.Claims)
	r.oddities(set.Claims)
	r.blindness(set.Claims, opt)
	r.files(set.Files)
	for _, path := range set.Cached {
		r.copies([]claim.File{{Path: path}})
	}
	if err := r.labelSets(set, opt.LabelSets); err != nil {
		return nil, err
	}
	return r, r.pictures(ctx, set, opt)
}

func newReport(set *claim.Set) *Report {
	return &Report{
		Name: set.Name, Revision: set.Revision, Splits: map[string]Split{}, Overlap: map[string]Overlap{}, Duplicates: map[string]Duplicates{},
		Oddities: []Oddity{}, Blind: map[string]*float64{}, LabelSets: map[string]LabelSet{}, Files: []File{}, Warnings: []scoring.Warning{},
	}
}

// count counts rows, images and labels, in all, by split and by partition.
func (r *Report) count(claims []claim.Claim, opt Options) {
	images := map[string]bool{}
	type of struct{ split, image string }
	bySplit := map[of]bool{}
	for _, c := range claims {
		r.Rows++
		r.Labels.add(c.Label)
		split := r.Splits[c.Split]
		split.Rows++
		split.Labels.add(c.Label)
		if k := (of{c.Split, c.ImageSource}); !bySplit[k] {
			bySplit[k] = true
			split.Images++
		}
		r.Splits[c.Split] = split
		side := &r.Partition.Train
		if opt.inEval(c.ImageSource) {
			side = &r.Partition.Eval
		}
		side.Rows++
		if !images[c.ImageSource] {
			images[c.ImageSource] = true
			side.Images++
		}
	}
	r.Images = len(images)
	r.balance()
}

func (o *Options) inEval(image string) bool {
	if o.EvalIDs != nil {
		return o.EvalIDs[image]
	}
	return claim.InEval(image)
}

// balance warns of splits in which one label is much the commoner.
func (r *Report) balance() {
	const most = .55
	for _, name := range sorted(r.Splits) {
		l := r.Splits[name].Labels
		switch share := float64(max(l.Supported, l.Refuted)) / float64(l.Supported+l.Refuted); {
		case share == 1:
			r.warn("single_label", "split %s has one label only: accuracy there cannot tell seeing from always saying the same, and balanced figures are undefined", name)
		case share > most:
			r.warn("unbalanced", "split %s is not balanced: %d SUPPORTED, %d REFUTED; always saying the commoner is right on %.3f", name, l.Supported, l.Refuted, share)
		}
	}
}
