package page

import (
	"io"

	"candor/harness/compare"
	"candor/harness/dossier"
	"candor/harness/report"
	"candor/harness/report/figure"
	"candor/scoring"
)

// Compare writes a comparison as a page: what differs and how surely, and the
// tasks that ended otherwise side by side, changed for each run compared.
func Compare(w io.Writer, r *compare.Result, changed []dossier.Changes) error {
	v := comparison{Head: head("Candor comparison"), Result: r}
	for i, a := range r.Against {
		v.Against = append(v.Against, against{Against: a, Number: i + 1, Several: len(r.Against) > 1,
			Own: differences(a.Own), Both: differences(a.Both), Figure: forest(a, len(r.Against) > 1), Changed: changed[i]})
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
	Figure  figure.Figure
	Changed dossier.Changes
}

type difference struct {
	Name string
	scoring.Difference
}

// differences are in the order of a run's report.
func differences(m map[string]scoring.Difference) (out []difference) {
	for _, c := range report.Compared() {
		if d, ok := m[c[1]]; ok {
			out = append(out, difference{c[0], d})
		}
	}
	return out
}

// forest draws the differences that have an interval.
func forest(a scoring.Against, several bool) figure.Figure {
	f := figure.Intervals{
		Name: "differences", Title: "Differences, other − base", Axis: "difference", Zero: true,
		Caption: "The bars are 95 % intervals of the paired difference.",
	}
	if several {
		f.Caption = "Thick: the 95 % interval of each alone; thin: the one that holds for all runs at once."
	}
	for _, c := range report.Compared() {
		d, ok := a.Own[c[1]]
		if !ok || d.Difference == nil || d.Spread != nil || c[1] == "auroc" {
			continue // an AUROC's interval is so wide that it would hide the others
		}
		row := figure.Interval{Name: c[0], Value: d.Difference, Inner: d.CI}
		if several {
			row.Outer = d.Simultaneous
		}
		f.Rows = append(f.Rows, row)
	}
	return f.Figure()
}

// Tiles are the differences that are read first.
func (a against) Tiles() (out []shown) {
	for _, c := range [][2]string{{"reward", "reward"}, {"accuracy", "accuracy"}, {"coverage", "coverage"}, {"Brier", "brier"}} {
		d := a.Against.Own[c[1]]
		s := shown{Name: c[0], Value: signed(d.Difference), Interval: bounds(d.CI, d.Spread)}
		if d.Base != nil && d.Other != nil {
			s.Note = number(d.Base) + " → " + number(d.Other)
		}
		out = append(out, s)
	}
	return out
}

// Tests are of right and wrong, task by task.
func (a against) Tests() []test {
	return []test{{"answered by both", a.Correctness.Both}, {"all compared", a.Correctness.All}}
}

type test struct {
	Name string
	scoring.PairedTest
}

// Kinds counts the changes shown, for the filter.
func (a against) Kinds() map[string]int {
	n := map[string]int{}
	for _, c := range a.Changed.Kept {
		n[c.Kind()]++
	}
	return n
}

// NoChange says why there is none to show.
func (a against) NoChange() string {
	if a.Changed.Untold {
		return "Files of answers hold no replies, so the tasks cannot be shown."
	}
	return "No task ended otherwise."
}
