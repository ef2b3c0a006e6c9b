package page

import (
	"cmp"
	"io"
	"maps"
	"math"
	"slices"

	"candor/harness/compare"
	"candor/harness/dossier"
	"candor/harness/run"
	"candor/harness/stored"
	"candor/scoring"
)

// mostChanged bounds the tasks that a comparison shows.
const mostChanged = 150

// Compare writes a comparison as a page: what differs and how surely, and the
// tasks that ended otherwise side by side. Replies are shown of runs; files of
// answers have none.
func Compare(w io.Writer, r *compare.Result, base *stored.Answers, others []*stored.Answers) error {
	v := comparison{Head: head("Candor comparison"), Result: r}
	for i, a := range r.Against {
		changed := changes(base, others[i])
		v.Against = append(v.Against, against{Against: a, Number: i + 1, Several: len(r.Against) > 1, Own: differences(a.Own), Both: differences(a.Both), All: len(changed), Changed: changed[:min(len(changed), mostChanged)]})
	}
	return render(w, "compare", v)
}

type comparison struct {
	Head
	*compare.Result
	Against []against
}

type against struct {
	scoring.Against
	Number  int
	Several bool
	Own     []difference
	Both    []difference
	All     int
	Changed []change
}

type difference struct {
	Name string
	scoring.Difference
}

func differences(m map[string]scoring.Difference) (out []difference) {
	for _, name := range slices.Sorted(maps.Keys(m)) {
		out = append(out, difference{name, m[name]})
	}
	return out
}

// change is a task that two runs ended otherwise.
type change struct {
	Base, Other         run.Trace
	BaseKind, OtherKind string
}

// changes are those that the reward differs most in, first.
func changes(a, b *stored.Answers) (out []change) {
	if a.Run == nil || b.Run == nil {
		return nil
	}
	was := map[string]run.Trace{}
	for _, t := range a.Run.Traces {
		was[t.TaskID] = t
	}
	for _, t := range b.Run.Traces {
		if old, ok := was[t.TaskID]; ok && dossier.Kind(old) != dossier.Kind(t) {
			out = append(out, change{old, t, dossier.Kind(old), dossier.Kind(t)})
		}
	}
	slices.SortFunc(out, func(x, y change) int {
		return cmp.Or(cmp.Compare(y.size(), x.size()), cmp.Compare(x.Base.TaskID, y.Base.TaskID))
	})
	return out
}

func (c change) size() float64 { return math.Abs(c.Other.Reward - c.Base.Reward) }

// Kind names the change, for the filter.
func (c change) Kind() string { return c.BaseKind + " → " + c.OtherKind }

// Kinds are those of the tasks shown.
func (a against) Kinds() []string {
	seen := map[string]bool{}
	for _, c := range a.Changed {
		seen[c.Kind()] = true
	}
	return slices.Sorted(maps.Keys(seen))
}
