package dossier

import (
	"cmp"
	"maps"
	"slices"

	"candor/harness/claim"
	"candor/harness/run"
	"candor/scoring"
)

// The kinds of a task by which a reader filters.
const (
	Right     = "right"
	Wrong     = "wrong"
	Abstained = "abstained"
	Malformed = "malformed"
)

// Costly is a task, and what it earned less than the surest right answer would
// have.
type Costly struct {
	run.Trace
	Kind  string
	Cost  float64
	Other []string // what other label sets say where they contradict the label, such as "corrected: SUPPORTED"
	Image []byte   // JPEG, small; nil where it could not be had
}

// Kind tells what became of a task.
func Kind(t run.Trace) string {
	switch {
	case t.Outcome == scoring.Abstained:
		return Abstained
	case t.Outcome != scoring.Answered:
		return Malformed
	case t.Correct > 0:
		return Right
	}
	return Wrong
}

// costliest are the tasks that earned least. So that each kind can be looked
// at, an eighth of the room is kept for the costliest of every kind.
func costliest(traces []run.Trace, most int) ([]Costly, map[string]int) {
	kinds := map[string]int{}
	all := make([]Costly, 0, len(traces))
	for _, t := range traces {
		c := Costly{Trace: t, Kind: Kind(t), Cost: 1 - t.Reward}
		kinds[c.Kind]++
		all = append(all, c)
	}
	slices.SortFunc(all, byCost)
	if len(all) <= most {
		return all, kinds
	}
	var kept, rest []Costly
	taken := map[string]int{}
	for _, c := range all {
		if taken[c.Kind] < most/8 {
			taken[c.Kind]++
			kept = append(kept, c)
		} else {
			rest = append(rest, c)
		}
	}
	kept = append(kept, rest[:most-len(kept)]...)
	slices.SortFunc(kept, byCost)
	return kept, kinds
}

// contradicted tells of tasks whose label another set of the summary contradicts:
// that it has the other one, or that it could not tell.
func contradicted(tasks []Costly, by map[string]*scoring.Summary) {
	for _, name := range slices.Sorted(maps.Keys(by)) {
		f := by[name].LabelSet
		if f == nil {
			continue
		}
		for i := range tasks {
			switch t := &tasks[i]; {
			case slices.Contains(f.RelabelledTasks, t.TaskID):
				t.Other = append(t.Other, name+": "+opposite(t.Label))
			case slices.Contains(f.AmbiguousTasks, t.TaskID):
				t.Other = append(t.Other, name+": ambiguous")
			}
		}
	}
}

// opposite is the only other label that there is.
func opposite(label string) string {
	if label == string(claim.Supported) {
		return string(claim.Refuted)
	}
	return string(claim.Supported)
}

func byCost(a, b Costly) int {
	return cmp.Or(cmp.Compare(b.Cost, a.Cost), cmp.Compare(a.TaskID, b.TaskID))
}
