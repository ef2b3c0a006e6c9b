package page

import (
	"candor/harness/report"
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
