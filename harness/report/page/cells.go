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

// several tells whether there is more than one source of confidence.
func several(s *scoring.Summary) bool { return len(s.Sources) > 1 }

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

func bounds(ci, spread *scoring.Interval) string {
	switch {
	case ci != nil:
		return fmt.Sprintf("%+.3f – %+.3f", ci[0], ci[1])
	case spread != nil:
		return fmt.Sprintf("(%+.3f – %+.3f)", spread[0], spread[1])
	}
	return ""
}
