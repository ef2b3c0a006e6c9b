package dossier

import (
	"fmt"
	"strings"

	"candor/harness/report/figure"
	"candor/harness/sweep"
)

// view draws a metric along the axes that have more than one value; none where
// no cell has it.
func view(t *sweep.Table, metric string) View {
	name := MetricName(metric)
	v := View{Metric: metric, Name: name}
	values, defined := map[string]figure.Cell{}, false
	for _, c := range t.Cells {
		x, asIf := value(t, metric, c)
		values[c.Name], defined = x, defined || x.Value != nil
		if asIf {
			g := groupOf(t, c.Name)
			v.Note = fmt.Sprintf("All paid by %s, %.4g; cells that were told another payment would have earned this with the answers that they gave.", g.Rule, g.Abstain)
		}
	}
	axes := varying(t)
	if !defined || len(axes) == 0 {
		return v
	}
	if len(axes) == 2 {
		v.Figures = append(v.Figures, grid(t, axes, values, metric))
	}
	var along []figure.Axis
	lo, hi := 0.0, 0.0
	for i, axis := range axes {
		a := figure.Axis{
			Name: metric + "-by-" + axis.Name, Title: name + " by " + axis.Name, X: axis.Name, Y: name, Values: labels(axis),
			Caption: "A dot for each cell with its interval; those that are equal in all but " + axis.Name + " are joined.",
			Lines:   lines(t, axes, i, values),
		}
		from, to := a.Span()
		if i == 0 {
			lo, hi = from, to
		}
		lo, hi = min(lo, from), max(hi, to)
		along = append(along, a)
	}
	for _, a := range along {
		a.Low, a.High = lo, hi
		v.Figures = append(v.Figures, a.Figure())
	}
	return v
}

// varying are the axes that have more than one value.
func varying(t *sweep.Table) (out []sweep.Axis) {
	for _, a := range t.Axes {
		if len(a.Values) > 1 {
			out = append(out, a)
		}
	}
	return out
}

// Label is a value of an axis as a person reads it.
func Label(v any) string {
	if list, ok := v.([]any); ok {
		var words []string
		for _, x := range list {
			words = append(words, fmt.Sprint(x))
		}
		return strings.Join(words, "+")
	}
	return fmt.Sprint(v)
}

func labels(a sweep.Axis) (out []string) {
	for _, v := range a.Values {
		out = append(out, Label(v))
	}
	return out
}

// grid has the axis with fewer values across, so that it fits a phone.
func grid(t *sweep.Table, axes []sweep.Axis, values map[string]figure.Cell, metric string) figure.Figure {
	down, across := axes[0], axes[1]
	if len(across.Values) > len(down.Values) {
		down, across = across, down
	}
	h := figure.HeatMap{
		Name: metric + "-grid", Title: MetricName(metric) + " by " + down.Name + " and " + across.Name, X: across.Name, Y: down.Name, Columns: labels(across), Rows: labels(down),
		Caption: "The darker, the greater. Below each value its interval. A dash: no run, or the same run as another combination.",
	}
	for _, y := range labels(down) {
		var row []figure.Cell
		for _, x := range labels(across) {
			cell := figure.Cell{}
			for _, c := range t.Cells {
				if Label(c.Values[down.Name]) == y && Label(c.Values[across.Name]) == x {
					cell = values[c.Name]
				}
			}
			row = append(row, cell)
		}
		h.Cells = append(h.Cells, row)
	}
	return h.Figure()
}

// lines are the cells that are equal in all axes but one, in the table's order.
func lines(t *sweep.Table, axes []sweep.Axis, along int, values map[string]figure.Cell) []figure.Line {
	at := map[string]int{}
	var out []figure.Line
	for _, c := range t.Cells {
		var common []string
		for i, a := range axes {
			if i != along {
				common = append(common, a.Name+"="+Label(c.Values[a.Name]))
			}
		}
		name := strings.Join(common, ", ")
		i, known := at[name]
		if !known {
			i = len(out)
			at[name] = i
			out = append(out, figure.Line{Name: name, Cells: make([]figure.Cell, len(axes[along].Values))})
		}
		for j, v := range labels(axes[along]) {
			if Label(c.Values[axes[along].Name]) == v {
				out[i].Cells[j] = values[c.Name]
			}
		}
	}
	return out
}
