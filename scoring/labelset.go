package scoring

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
)

// LabelSetFigures says how a label set stands to a run's own labels, and
// whether the model abstains where the set could not tell. Tasks in error do
// not count. A nil figure is undefined.
type LabelSetFigures struct {
	Kept       int `json:"kept"`       // tasks that the set labels: the n of its summary
	Ambiguous  int `json:"ambiguous"`  // tasks that it passes over, of splits that it has
	Uncovered  int `json:"uncovered"`  // tasks of splits that it does not have
	Relabelled int `json:"relabelled"` // kept ones that the run labels otherwise
	// Ceiling is the accuracy by the run's own labels, over the kept tasks, of
	// answers that are right by this set on every one: 1 − relabelled/kept.
	Ceiling *float64 `json:"accuracy_ceiling"`

	AbstainAmbiguous  *float64 `json:"abstain_rate_ambiguous"`
	AbstainKept       *float64 `json:"abstain_rate_kept"`
	AbstainDifference *float64 `json:"abstain_rate_difference"` // ambiguous − kept

	// The tasks behind two of the counts, by split and ID, in order.
	AmbiguousTasks  []string `json:"ambiguous_tasks"`
	RelabelledTasks []string `json:"relabelled_tasks"`

	// 95 %, of the rate on ambiguous tasks and of the difference: Wilson's, and
	// Newcombe's hybrid of two, where resampling finds a rate at 0 or 1.
	CI map[string]*Interval `json:"ci"`
}

// Labelling gives a row's label in a label set, "" for none, and whether the
// set has labels for claims of the row's split at all.
type Labelling func(Row) (label string, covered bool)

// SummarizeUnder computes the metrics of a run by another label set: over the
// rows that it labels, marked by it. How many there are and what becomes of the
// rest is told in the summary's LabelSet, for each split too.
func SummarizeUnder(ctx context.Context, rows []Row, by Labelling, pay Payment, opt Options) (*Summary, error) {
	out, err := Summarize(ctx, relabelled(rows, by), pay, opt)
	if err != nil {
		return nil, err
	}
	if out.LabelSet, err = labelSetFigures(ctx, rows, by, opt); err != nil {
		return nil, err
	}
	for split, part := range out.BySplit {
		of := slices.DeleteFunc(slices.Clone(rows), func(r Row) bool { return r.Split != split })
		if part.LabelSet, err = labelSetFigures(ctx, of, by, opt); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// relabelled copies the rows that have a label there, marked by it.
func relabelled(rows []Row, by Labelling) []Row {
	var kept []Row
	for _, r := range rows {
		if label, _ := by(r); label != "" {
			r.Label = label
			r.Correct = r.Outcome == Answered && r.Supported == (label == labelSupported)
			kept = append(kept, r)
		}
	}
	return kept
}

const labelSupported = "SUPPORTED"

func labelSetFigures(ctx context.Context, rows []Row, by Labelling, opt Options) (*LabelSetFigures, error) {
	f := &LabelSetFigures{CI: map[string]*Interval{}, AmbiguousTasks: []string{}, RelabelledTasks: []string{}}
	var kept, passed []Row
	told := 0 // kept rows of which the run's own label is known
	for _, r := range rows {
		label, covered := by(r)
		switch {
		case r.Outcome == Errored:
		case label != "":
			kept = append(kept, r)
			told += one(r.Label != "")
			if r.Label != "" && r.Label != label {
				f.RelabelledTasks = append(f.RelabelledTasks, taskName(r))
			}
		case covered:
			passed = append(passed, r)
			f.AmbiguousTasks = append(f.AmbiguousTasks, taskName(r))
		default:
			f.Uncovered++
		}
	}
	slices.SortFunc(f.AmbiguousTasks, byNumber)
	slices.SortFunc(f.RelabelledTasks, byNumber)
	f.Kept, f.Ambiguous, f.Relabelled = len(kept), len(passed), len(f.RelabelledTasks)
	f.Ceiling = defined(float64(told-f.Relabelled) / float64(told))
	return f, f.abstentions(ctx, kept, passed, opt)
}

// taskName is a task's ID with its split, which the IDs of runs hold already.
func taskName(r Row) string {
	if r.Split == "" || strings.HasPrefix(r.ID, r.Split+"/") {
		return r.ID
	}
	return r.Split + "/" + r.ID
}

// byNumber orders names by split and, where IDs are numbers, by those.
func byNumber(a, b string) int {
	splitA, _, _ := strings.Cut(a, "/")
	splitB, _, _ := strings.Cut(b, "/")
	return cmp.Or(strings.Compare(splitA, splitB), cmp.Compare(len(a), len(b)), strings.Compare(a, b))
}

// abstained counts the tasks of an image on both sides.
type abstained struct{ kept, keptAbstained, passed, passedAbstained int }

func (a *abstained) add(b abstained, weight int) {
	a.kept += weight * b.kept
	a.keptAbstained += weight * b.keptAbstained
	a.passed += weight * b.passed
	a.passedAbstained += weight * b.passedAbstained
}

// rates are the abstain rates on ambiguous and on kept tasks, NaN over none.
func (a abstained) rates() (ambiguous, kept float64) {
	return float64(a.passedAbstained) / float64(a.passed), float64(a.keptAbstained) / float64(a.kept)
}

// abstentions compares abstaining on ambiguous and on kept tasks, with
// intervals from resampling the images of both.
func (f *LabelSetFigures) abstentions(ctx context.Context, kept, passed []Row, opt Options) error {
	of, images, _ := clusters(slices.Concat(kept, passed))
	byImage, all := make([]abstained, images), abstained{}
	for i, r := range kept {
		byImage[of[i]].add(abstained{kept: 1, keptAbstained: one(r.Outcome == Abstained)}, 1)
	}
	for i, r := range passed {
		byImage[of[len(kept)+i]].add(abstained{passed: 1, passedAbstained: one(r.Outcome == Abstained)}, 1)
	}
	for _, a := range byImage {
		all.add(a, 1)
	}
	ambiguous, on := all.rates()
	f.AbstainAmbiguous, f.AbstainKept, f.AbstainDifference = defined(ambiguous), defined(on), defined(ambiguous-on)
	if f.AbstainDifference == nil || opt.Bootstrap == 0 || images < 2 {
		return nil
	}
	rates, others, differences := make([]float64, opt.Bootstrap), make([]float64, opt.Bootstrap), make([]float64, opt.Bootstrap)
	err := resampled(ctx, images, opt.Bootstrap, opt.Seed, func() func([]int32, int) {
		return func(weights []int32, b int) {
			var drawn abstained
			for i, a := range byImage {
				drawn.add(a, int(weights[i]))
			}
			ambiguous, on := drawn.rates()
			rates[b], others[b], differences[b] = ambiguous, on, ambiguous-on
		}
	})
	passedOver, labelled := imagesBehind(byImage)
	first, firstAtEnd := wilsonAtEnds(ambiguous, percentiles(rates), passedOver)
	second, secondAtEnd := wilsonAtEnds(on, percentiles(others), labelled)
	f.CI["abstain_rate_ambiguous"], f.CI["abstain_rate_difference"] = first, percentiles(differences)
	if (firstAtEnd || secondAtEnd) && first != nil && second != nil {
		f.CI["abstain_rate_difference"] = hybridScore(ambiguous, on, *first, *second)
	}
	return err
}

// percentiles are the middle 95 % of values, nil where too many are undefined.
func percentiles(values []float64) *Interval {
	kept := definedOnly(values)
	if n := len(values) - len(kept); float64(n) > maxUndefined*float64(len(values)) {
		return nil
	}
	slices.Sort(kept)
	return middle(kept)
}

// wilsonAtEnds replaces a rate's interval by Wilson's where it touches 0 or 1,
// as for other rates, and says whether it did.
func wilsonAtEnds(rate float64, at *Interval, images int) (_ *Interval, replaced bool) {
	if at != nil && (at[0] <= 0 || at[1] >= 1) {
		return wilson(rate, images), true
	}
	return at, false
}

// hybridScore is the 95 % interval of the difference p − q of two rates from
// their own (Newcombe 1998, Statistics in Medicine 17:873–890, method 10; for
// intervals of any kind Zou & Donner 2008, "MOVER"). Resampling a rate that is
// at 0 or 1 would take it for known, and the difference for as sure as the
// other rate. It takes the two for independent, which is wide where images
// have tasks of both kinds and abstaining goes by image.
func hybridScore(p, q float64, ofP, ofQ Interval) *Interval {
	below := math.Hypot(p-ofP[0], ofQ[1]-q)
	above := math.Hypot(ofP[1]-p, q-ofQ[0])
	return &Interval{max(-1, p-q-below) + 0, min(1, p-q+above) + 0}
}

// imagesBehind counts the images with a task on each side.
func imagesBehind(byImage []abstained) (passed, kept int) {
	for _, a := range byImage {
		passed += one(a.passed > 0)
		kept += one(a.kept > 0)
	}
	return passed, kept
}
