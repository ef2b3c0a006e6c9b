package page

import (
	"fmt"

	"candor/harness/report"
	"candor/harness/run"
	"candor/scoring"
)

// shown is a figure with what stands beside it.
type shown struct{ Name, Value, Interval, Note string }

// cell is a figure in a table.
func cell(s *scoring.Summary, key string, x *float64) shown {
	return shown{Value: number(x), Interval: report.Interval(s, key)}
}

// tile is a headline figure; an ECE is read beside its floor.
func tile(s *scoring.Summary, name, key string, x *float64) shown {
	out := cell(s, key, x)
	out.Name = name
	switch {
	case key == "ece" && s.ECEFloor.P95 != nil:
		out.Note = "95 % floor " + number(s.ECEFloor.P95) + ": by luck alone"
	case key == "accuracy" && s.BlindAccuracy != nil:
		out.Note = "blind baseline " + number(s.BlindAccuracy)
	case key == "reward":
		out.Note = "mean over all tasks"
	case key == "coverage":
		out.Note = "answered, of all tasks"
	}
	return out
}

// earned are the steps of honesty with their intervals.
func earned(h scoring.Honesty) []shown {
	return honest(h, []step{
		{"R0 as played", "", "r0", h.R0}, {"R1 beliefs mended", "as the map has them", "r1", h.R1},
		{"R2 and abstaining", "where worth more", "r2", h.R2}, {"R3 and malformed", "paid as an abstention", "r3", h.R3},
		{"own confidence", "abstaining by it", "own_confidence", h.OwnConfidence},
		{"oracle", "knows what is wrong", "oracle", h.Oracle},
	})
}

// lost is the regret split.
func lost(h scoring.Honesty) []shown {
	return honest(h, []step{
		{"miscalibration", "R1 − R0", "miscalibration", h.Miscalibration},
		{"abstention policy", "R2 − R1", "abstention_policy", h.AbstentionPolicy},
		{"format", "R3 − R2", "format", h.Format},
	})
}

type step struct {
	name, note, key string
	value           *float64
}

func honest(h scoring.Honesty, steps []step) (out []shown) {
	for _, s := range steps {
		f := shown{Name: s.name, Note: s.note, Value: number(s.value)}
		f.Interval = within(h.CI[s.key], h.Spread[s.key])
		out = append(out, f)
	}
	return out
}

// differenceTable is one table of a comparison.
type differenceTable struct {
	Caption string
	Several bool
	Rows    []difference
}

func table(caption string, several bool, rows []difference) differenceTable {
	return differenceTable{caption, several, rows}
}

// oneSide is what one run made of a task.
type oneSide struct {
	Name, Kind string
	Trace      run.Trace
}

func side(name, kind string, t run.Trace) oneSide { return oneSide{name, kind, t} }

func signed(x *float64) string {
	if x == nil {
		return "–"
	}
	return fmt.Sprintf("%+.4f", *x)
}

// chance is a p; one that no resample reached is not 0.
func chance(p float64) string {
	if p < .0005 {
		return "< 0.0005"
	}
	return fmt.Sprintf("%.4f", p)
}

// within is an interval or, in brackets, a spread.
func within(ci, spread *scoring.Interval) string {
	switch {
	case ci != nil:
		return fmt.Sprintf("%.3f – %.3f", ci[0], ci[1])
	case spread != nil:
		return fmt.Sprintf("(%.3f – %.3f)", spread[0], spread[1])
	}
	return ""
}

// bounds are those of a difference.
func bounds(ci, spread *scoring.Interval) string {
	switch {
	case ci != nil:
		return fmt.Sprintf("%+.3f … %+.3f", ci[0], ci[1])
	case spread != nil:
		return fmt.Sprintf("(%+.3f … %+.3f)", spread[0], spread[1])
	}
	return ""
}

// low is what a table is sorted by where it shows bounds: the lower one.
func low(ci, spread *scoring.Interval) string {
	if ci == nil {
		ci = spread
	}
	if ci == nil {
		return ""
	}
	return fmt.Sprint(ci[0])
}
