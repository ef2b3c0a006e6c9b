package dossier

import (
	"fmt"
	"maps"
	"slices"

	"candor/harness/report/figure"
	"candor/harness/sweep"
	"candor/scoring"
)

// Compared is a group of cells that were asked the same tasks, all paid alike.
type Compared struct {
	sweep.Group
	Number      int
	Ranking     figure.Figure
	Differences []Differences // to the baseline, a metric each; none for one cell
}

// Differences are those of one metric, cell by cell.
type Differences struct {
	Metric, Name string
	Rows         []Difference
	Figure       figure.Figure
}

// Difference is one cell's.
type Difference struct {
	Cell string
	scoring.Difference
}

func compared(t *sweep.Table, g sweep.Group, number int) Compared {
	out := Compared{Group: g, Number: number}
	suffix := ""
	if len(t.Groups) > 1 {
		suffix = fmt.Sprintf("-group%d", number)
	}
	name := MetricName(t.RankBy.Metric)
	f := figure.Intervals{Name: "ranking" + suffix, Title: "Ranking by " + name, Axis: name, Caption: "Each cell's value with its interval, the best first."}
	for _, p := range g.Ranking {
		label := fmt.Sprintf("%d", p.Rank)
		if p.Best != nil {
			label += fmt.Sprintf("  P(best) %.2f", *p.Best)
		}
		label += "  " + p.Cell // last, since it may be cut
		row := figure.Interval{Name: label, Value: p.Value, Inner: p.CI}
		if row.Inner == nil {
			row.Inner = p.Spread
		}
		f.Rows = append(f.Rows, row)
	}
	out.Ranking = firstRows(f)
	if g.Comparison == nil {
		return out
	}
	for _, metric := range metrics(t.RankBy.Metric, "reward", "accuracy", "coverage", "brier", "aurc") {
		out.Differences = append(out.Differences, differing(g, metric, suffix))
	}
	return out
}

func differing(g sweep.Group, metric, suffix string) Differences {
	d := Differences{Metric: metric, Name: MetricName(metric)}
	f := figure.Intervals{
		Name: "differences-" + metric + suffix, Title: "Difference in " + d.Name + " to " + g.Baseline, Axis: "difference in " + d.Name, Zero: true,
		Caption: "Thick: the 95 % interval of each alone; thin: the one that holds for all cells at once.",
	}
	for _, a := range g.Comparison.Against {
		x := a.Own[metric]
		d.Rows = append(d.Rows, Difference{a.Name, x})
		row := figure.Interval{Name: a.Name, Value: x.Difference, Inner: x.CI, Outer: x.Simultaneous}
		if row.Inner == nil {
			row.Inner = x.Spread
		}
		f.Rows = append(f.Rows, row)
	}
	d.Figure = firstRows(f)
	return d
}

// firstRows draws as many rows as can be looked at.
func firstRows(f figure.Intervals) figure.Figure {
	if n := len(f.Rows); n > mostRows {
		f.Rows = f.Rows[:mostRows]
		f.Caption += fmt.Sprintf(" The first %d of %d.", mostRows, n)
	}
	return f.Figure()
}

// Hypothesis is stored answers under one payment, of the cells that were told
// the same one.
type Hypothesis struct {
	Rule    string
	Abstain float64
	AsIf    string // "as if: answers given under …"; "" where they were given under this very payment
	Rows    []Rescored
}

// Rescored is one cell's answers by one label set.
type Rescored struct {
	Cell, Labels string // "": the data's own
	Summary      *scoring.Summary
}

func hypotheses(t *sweep.Table) (out []Hypothesis) {
	for _, r := range t.Rescored {
		asIf := ""
		if r.Hypothetical {
			asIf = r.AsIf
		}
		i := slices.IndexFunc(out, func(h Hypothesis) bool {
			return h.Rule == r.Rule && h.Abstain == r.AbstainReward && h.AsIf == asIf
		})
		if i < 0 {
			i = len(out)
			out = append(out, Hypothesis{Rule: r.Rule, Abstain: r.AbstainReward, AsIf: asIf})
		}
		out[i].Rows = append(out[i].Rows, Rescored{r.Cell, "", &r.Summary})
		for _, name := range slices.Sorted(maps.Keys(r.ByLabels)) {
			out[i].Rows = append(out[i].Rows, Rescored{r.Cell, name, r.ByLabels[name]})
		}
	}
	return out
}
