package dossier

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"candor/harness/report"
	"candor/harness/report/figure"
	"candor/harness/sweep"
	"candor/scoring"
)

// Sweep is a sweep's joint table and what is drawn of it.
type Sweep struct {
	*sweep.Table
	Views       []View        // metrics along the axes, the one of the ranking first
	Compared    []Compared    // a group of cells each, in the table's order
	Reliability []CellFigure  // of the first mostDiagrams cells in which something was answered
	Rescored    []Hypothesis  // stored answers under other payments
	Warnings    []CellWarning // of the cells, each once
}

// View is one metric along the axes: a grid if there are two, and each axis by
// itself.
type View struct {
	Metric, Name string
	Note         string // under what it was measured, where that is not the cell's own
	Figures      []figure.Figure
}

// CellFigure is a figure of one cell.
type CellFigure struct {
	Cell   string
	Figure figure.Figure
}

// CellWarning is a kind of warning and the cells that have it.
type CellWarning struct {
	Code, Message string // that of the first of them
	Alike         bool   // others have other numbers in it
	Cells         []string
}

// Where introduces the cells.
func (w CellWarning) Where() string {
	if w.Alike {
		return "this, or with other numbers, in"
	}
	return "in"
}

const (
	mostDiagrams = 24
	mostRows     = 40 // of intervals below each other
)

// OfSweep gathers what is shown of a sweep.
func OfSweep(ctx context.Context, t *sweep.Table) (*Sweep, error) {
	s := &Sweep{Table: t, Rescored: hypotheses(t), Warnings: warnings(t)}
	for _, metric := range metrics(t.RankBy.Metric, "reward", "accuracy", "coverage", "brier", "ece", "aurc", "auroc", "mean_confidence") {
		if v := view(t, metric); len(v.Figures) > 0 {
			s.Views = append(s.Views, v)
		}
	}
	for i, g := range t.Groups {
		s.Compared = append(s.Compared, compared(t, g, i+1))
	}
	for _, c := range t.Cells {
		if c.Summary.Answered == 0 || len(s.Reliability) == mostDiagrams {
			continue
		}
		p, err := ofLevels(ctx, c.Summary.Levels, scoring.Options{}, float64(c.Summary.N))
		if err != nil {
			return nil, err
		}
		p.reliability.Title, p.reliability.Name = "Reliability of "+c.Name, fmt.Sprintf("reliability-cell%d", len(s.Reliability)+1)
		s.Reliability = append(s.Reliability, CellFigure{c.Name, p.reliability.Figure()})
	}
	return s, nil
}

// metrics are those named, each once.
func metrics(names ...string) (out []string) {
	for _, name := range names {
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// MetricName is what a metric is called in a report.
func MetricName(metric string) string {
	for _, c := range report.Compared() {
		if c[1] == metric {
			return c[0]
		}
	}
	return strings.ReplaceAll(metric, "_", " ")
}

// Drawn are all figures.
func (s *Sweep) Drawn() (out []figure.Figure) {
	for _, v := range s.Views {
		out = append(out, v.Figures...)
	}
	for _, c := range s.Compared {
		out = append(out, c.Ranking)
		for _, d := range c.Differences {
			out = append(out, d.Figure)
		}
	}
	for _, c := range s.Reliability {
		out = append(out, c.Figure)
	}
	return out
}

// value is a metric of a cell. Rewards under different payments cannot be set
// side by side: where a cell was told another than its group is paid by, it is
// what it would have earned.
func value(t *sweep.Table, metric string, c sweep.Measured) (v figure.Cell, asIf bool) {
	g := groupOf(t, c.Name)
	if metric != "reward" || g == nil || g.AsIf[c.Name] == "" {
		v = figure.Cell{Value: c.Summary.Figure(metric), Interval: c.Summary.CI[metric]}
		if v.Interval == nil {
			v.Interval = c.Summary.Spread[metric]
		}
		return v, false
	}
	if t.RankBy.Metric == metric {
		for _, p := range g.Ranking {
			if p.Cell == c.Name {
				return figure.Cell{Value: p.Value, Interval: p.CI}, true
			}
		}
	}
	for _, a := range against(*g) {
		if a.Name == c.Name {
			return figure.Cell{Value: a.Own[metric].Other}, true
		}
	}
	return figure.Cell{}, true
}

func groupOf(t *sweep.Table, cell string) *sweep.Group {
	i := slices.IndexFunc(t.Groups, func(g sweep.Group) bool { return slices.Contains(g.Cells, cell) })
	if i < 0 {
		return nil
	}
	return &t.Groups[i]
}

func against(g sweep.Group) []scoring.Against {
	if g.Comparison == nil {
		return nil
	}
	return g.Comparison.Against
}

// warnings are those of the cells, each kind once.
func warnings(t *sweep.Table) (out []CellWarning) {
	for _, c := range t.Cells {
		for _, w := range c.Summary.Warnings {
			i := slices.IndexFunc(out, func(x CellWarning) bool { return x.Code == w.Code })
			if i < 0 {
				i = len(out)
				out = append(out, CellWarning{Code: w.Code, Message: w.Message})
			}
			out[i].Alike = out[i].Alike || out[i].Message != w.Message
			if !slices.Contains(out[i].Cells, c.Name) {
				out[i].Cells = append(out[i].Cells, c.Name)
			}
		}
	}
	return out
}
