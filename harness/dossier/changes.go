package dossier

import (
	"cmp"
	"context"
	"math"
	"slices"

	"candor/harness/run"
	"candor/harness/stored"
)

// Change is a task that two runs ended otherwise.
type Change struct {
	Base, Other         run.Trace
	BaseKind, OtherKind string
	Image               []byte // as of [Costly]
}

// Kind names the change: "right → wrong".
func (c Change) Kind() string { return c.BaseKind + " → " + c.OtherKind }

// Changes are the tasks that two runs ended otherwise.
type Changes struct {
	All      int // of them, whether kept here or not
	Kept     []Change
	Untold   bool   // one of the two is a file, which holds no replies
	Pictures string // why some are missing
}

// Between finds them; those whose reward differs most come first. Files of
// answers have no traces. Of the options the numbers count.
func Between(ctx context.Context, base, other *stored.Answers, opt Options) Changes {
	if base.Run == nil || other.Run == nil {
		return Changes{Untold: true}
	}
	was := map[string]run.Trace{}
	for _, t := range base.Run.Traces {
		was[t.TaskID] = t
	}
	var all []Change
	for _, t := range other.Run.Traces {
		if old, ok := was[t.TaskID]; ok && Kind(old) != Kind(t) {
			all = append(all, Change{Base: old, Other: t, BaseKind: Kind(old), OtherKind: Kind(t)})
		}
	}
	slices.SortFunc(all, func(x, y Change) int {
		return cmp.Or(cmp.Compare(y.size(), x.size()), cmp.Compare(x.Base.TaskID, y.Base.TaskID))
	})
	opt = opt.filled()
	out := Changes{All: len(all), Kept: all[:min(len(all), opt.Traces)]}
	if opt.Images < 0 || len(out.Kept) == 0 {
		return out
	}
	var seen []wanted
	for i := range out.Kept {
		seen = append(seen, wanted{out.Kept[i].Base, &out.Kept[i].Image})
	}
	out.Pictures = pictures(ctx, base.Run.Manifest, seen, opt.Images)
	return out
}

func (c Change) size() float64 { return math.Abs(c.Other.Reward - c.Base.Reward) }
