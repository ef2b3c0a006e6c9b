package dossier

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"candor/harness/claim"
	"candor/harness/run"
	"candor/scoring"
)

// mostGroups bounds a table of objects.
const mostGroups = 300

// Group is the tasks about one thing.
type Group struct {
	Name                 string
	N, Answered, Correct int
	Confidence, Reward   float64 // sums
}

// Accuracy is over the answered; nil if there are none.
func (g Group) Accuracy() *float64 { return over(float64(g.Correct), g.Answered) }

// MeanConfidence is over the answered; nil if there are none.
func (g Group) MeanConfidence() *float64 { return over(g.Confidence, g.Answered) }

// MeanReward is over all tasks.
func (g Group) MeanReward() *float64 { return over(g.Reward, g.N) }

// Gap is mean confidence less accuracy: above 0 is overconfident.
func (g Group) Gap() *float64 { return over(g.Confidence-float64(g.Correct), g.Answered) }

func over(sum float64, n int) *float64 {
	if n == 0 {
		return nil
	}
	mean := sum / float64(n)
	return &mean
}

// objects groups tasks by what the claim says is there, the commonest first;
// tasks whose claim is not of that form are no one's.
func objects(traces []run.Trace) (kept []Group, left int) {
	groups := map[string]*Group{}
	for _, t := range traces {
		name := object(t.Claim)
		if name == "" || t.Outcome == scoring.Errored {
			continue
		}
		g := groups[name]
		if g == nil {
			g = &Group{Name: name}
			groups[name] = g
		}
		g.N++
		g.Reward += t.Reward
		if t.Outcome == scoring.Answered && t.Confidence != nil {
			g.Answered++
			g.Correct += t.Correct
			g.Confidence += *t.Confidence
		}
	}
	for _, g := range groups {
		kept = append(kept, *g)
	}
	slices.SortFunc(kept, func(a, b Group) int { return cmp.Or(cmp.Compare(b.N, a.N), cmp.Compare(a.Name, b.Name)) })
	if left = len(kept) - mostGroups; left > 0 {
		return kept[:mostGroups], left
	}
	return kept, 0
}

// object is what a claim of POPE's form is about, "" of any other.
func object(text string) string {
	rest, is := strings.CutPrefix(text, "There is ")
	if !is {
		return ""
	}
	_, object, _ := claim.Sentence("Is there " + rest)
	return object
}

// Splits are the summary's, by name.
func (d *Dossier) Splits() []string { return slices.Sorted(maps.Keys(d.Result.BySplit)) }

// LabelSets are the summary's, by name.
func (d *Dossier) LabelSets() []string { return slices.Sorted(maps.Keys(d.Result.ByLabels)) }

// Summary is the result's.
func (d *Dossier) Summary() *scoring.Summary { return &d.Result.Summary }
