package sweep

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"candor/harness/claim"
	"candor/harness/compare"
	"candor/harness/rescore"
	"candor/harness/run"
	"candor/harness/stored"
	"candor/scoring"
)

// shownAxes are the axes for whoever shows the table.
func (f *File) shownAxes() []Axis {
	out := []Axis{}
	for _, name := range AxisKeys() {
		if values := f.axes[name]; values != nil {
			out = append(out, Axis{name, values})
		}
	}
	return out
}

// join reads the finished cells and sets them side by side.
func (f *File) join(ctx context.Context, cells []Cell, dir string, shared *run.Shared) (*Table, error) {
	out := &Table{
		Sweep: strings.TrimSuffix(filepath.Base(f.Name), filepath.Ext(f.Name)), Axes: f.shownAxes(), RankBy: rankBy(f.rankBy),
		Groups: []Group{}, Rescored: []Rescored{},
	}
	all := make([]*stored.Answers, len(cells))
	for i, c := range cells {
		at := filepath.Join(dir, c.Name)
		a, err := stored.Read(at)
		if err != nil {
			return nil, fmt.Errorf("cell %s: %w", c.Name, err)
		}
		a.Name = c.Name
		all[i] = a
		pay, err := c.Config.Payment()
		if err != nil {
			return nil, err
		}
		sum, err := scoring.Summarize(ctx, a.Rows, pay, options(c, a))
		if err != nil {
			return nil, fmt.Errorf("cell %s: %w", c.Name, err)
		}
		a.Inherit(sum)
		out.Cells = append(out.Cells, Measured{c, c.Name, *sum})
		out.Errors += sum.Errors
	}
	for _, group := range f.groups(cells) {
		g, err := f.compare(ctx, cells, all, group)
		if err != nil {
			return nil, err
		}
		out.Groups = append(out.Groups, *g)
	}
	return out, f.again(ctx, out, cells, all, shared)
}

func options(c Cell, a *stored.Answers) scoring.Options {
	o := scoring.Options{Bins: c.Config.Bins, Bootstrap: c.Config.Bootstrap, Seed: a.Seed()}
	o.Source, o.Sources = a.Sources()
	return o
}

// groups are the places of cells with the same tasks, the baseline of each
// first: the sweep's, or its counterpart among other tasks, or the first cell.
func (f *File) groups(cells []Cell) [][]int {
	tasks := func(c Cell) string { return fmt.Sprint(c.Config.Split, c.Config.Partition, c.Config.Seed) }
	by, order := map[string][]int{}, []string{}
	for i, c := range cells {
		if by[tasks(c)] == nil {
			order = append(order, tasks(c))
		}
		by[tasks(c)] = append(by[tasks(c)], i)
	}
	var out [][]int
	for _, key := range order {
		group := by[key]
		if base := find(cells, f.baseline); f.baseline != "" {
			slices.SortStableFunc(group, func(a, b int) int {
				return cmp.Compare(apart(cells[a], cells[base]), apart(cells[b], cells[base]))
			})
			first := group[0]
			slices.Sort(group)
			group = append([]int{first}, slices.DeleteFunc(group, func(i int) bool { return i == first })...)
		}
		out = append(out, group)
	}
	return out
}

// apart counts the axes in which two cells differ.
func apart(a, b Cell) int {
	n := 0
	for key, v := range a.Values {
		if fmt.Sprint(v) != fmt.Sprint(b.Values[key]) {
			n++
		}
	}
	return n
}

// compare ranks a group and sets it against its first cell, whose payment pays
// all.
func (f *File) compare(ctx context.Context, cells []Cell, all []*stored.Answers, group []int) (*Group, error) {
	base := cells[group[0]]
	pay, err := base.Config.Payment()
	if err != nil {
		return nil, err
	}
	g := &Group{Baseline: base.Name, Rule: pay.Rule.Name(), Abstain: pay.Abstain, AsIf: map[string]string{}}
	var rows [][]scoring.Row
	var others []*stored.Answers
	intended := map[string]bool{}
	for _, i := range group {
		g.Cells = append(g.Cells, cells[i].Name)
		rows = append(rows, all[i].Rows)
		if mark := all[i].AsIf(pay); mark != "" {
			g.AsIf[cells[i].Name] = mark
		}
		if i == group[0] {
			continue
		}
		others = append(others, all[i])
		for _, what := range stored.Differing(all[group[0]], all[i]) {
			intended[what] = intended[what] || f.meant(what)
		}
	}
	if g.Ranking, err = rank(ctx, f.rankBy, g.Cells, rows, pay, options(base, all[group[0]])); err != nil {
		return nil, err
	}
	if len(others) == 0 {
		return g, nil
	}
	req := compare.Request{Rule: g.Rule, Abstain: &g.Abstain, Options: options(base, all[group[0]])}
	for what, ok := range intended {
		if ok {
			req.Intended = append(req.Intended, what)
		}
	}
	slices.Sort(req.Intended)
	g.Comparison, err = compare.Answers(ctx, all[group[0]], others, req)
	return g, err
}

// meant tells whether a condition differs because of an axis.
func (f *File) meant(what string) bool {
	key := strings.ReplaceAll(what, "_", "-")
	for axis := range f.axes {
		switch {
		case axis == key, axis == "model" && key == "model-digest",
			axis == "rule" && key == "abstain-reward",
			axis == "think" && key == "num-predict",
			key == "num-ctx" && f.settings["num-ctx"] == nil: // fitted to each cell
			return true
		case axis == "profile":
			if slices.Contains(AxisKeys(), key) && !slices.Contains([]string{"model", "prompt", "format", "rule", "abstain-reward", "confidence", "seed", "replicate"}, key) {
				return true
			}
		}
	}
	return false
}

// payments of the [rescore] table; none if it names no rule and no payoff.
func (f *File) payments() ([]rescore.Request, error) {
	var out []rescore.Request
	rules, payoffs, labels := f.rescore.rules, f.rescore.payoffs, f.furtherLabels()
	if rules == nil && (payoffs != nil || f.rescore.labels != nil) {
		rules = []string{""} // each cell's own
	}
	for _, rule := range rules {
		if payoffs == nil {
			out = append(out, rescore.Request{Rule: rule, Labels: labels})
		}
		for i, a := range payoffs {
			if rule != "" {
				cfg := run.Config{Rule: rule, Abstain: &a}
				if _, err := cfg.Payment(); err != nil {
					return nil, f.wrong(f.item("rescore.abstain-reward", i), "[rescore] %w", err)
				}
			}
			out = append(out, rescore.Request{Rule: rule, Abstain: &a, Labels: labels})
		}
	}
	return out, nil
}

// again scores stored answers as the [rescore] table says.
func (f *File) again(ctx context.Context, out *Table, cells []Cell, all []*stored.Answers, shared *run.Shared) error {
	requests, err := f.payments()
	if err != nil {
		return err
	}
	for _, req := range requests {
		for i, c := range cells {
			req.Options = options(c, all[i])
			req.Own = func() ([]claim.LabelSet, error) { return shared.LabelSets(ctx, all[i].Run) }
			res, err := rescore.Rescore(ctx, all[i], req)
			if err != nil {
				return fmt.Errorf("[rescore] cell %s: %w", c.Name, err)
			}
			out.Rescored = append(out.Rescored, Rescored{c.Name, res})
		}
	}
	return nil
}
