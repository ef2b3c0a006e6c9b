package page

import (
	"fmt"
	"html/template"
	"io"
	"strings"

	"candor/harness/dossier"
	"candor/harness/report"
	"candor/harness/report/figure"
	"candor/harness/sweep"
)

// Sweep writes a sweep as a page: metrics along the axes, the ranking, the
// differences to the baseline and the joint table.
func Sweep(w io.Writer, s *dossier.Sweep) error {
	return render(w, "sweep", sweepView{Head: head("Candor sweep " + s.Sweep), Sweep: s})
}

type sweepView struct {
	Head
	*dossier.Sweep
}

// About says in a line what was swept.
func (v sweepView) About() string {
	var axes []string
	for _, a := range v.Axes {
		axes = append(axes, fmt.Sprintf("%s (%d)", a.Name, len(a.Values)))
	}
	tasks := 0
	for _, c := range v.Cells {
		tasks += c.Summary.N
	}
	over := ""
	if len(axes) > 0 {
		over = " over " + strings.Join(axes, ", ")
	}
	return fmt.Sprintf("%s%s, %s", report.Count(len(v.Cells), "cell"), over, report.Count(tasks, "task"))
}

// choice is an axis by which the joint table filters.
type choice struct {
	Key, Name string
	Values    []string
}

// Choices are the axes with more than one value.
func (v sweepView) Choices() (out []choice) {
	for i, a := range v.Axes {
		if len(a.Values) < 2 {
			continue
		}
		c := choice{Key: fmt.Sprintf("axis%d", i), Name: a.Name}
		for _, value := range a.Values {
			c.Values = append(c.Values, dossier.Label(value))
		}
		out = append(out, c)
	}
	return out
}

// jointRow is a cell of the joint table, and its values for the filters.
type jointRow struct {
	sweep.Measured
	Data []template.HTMLAttr
}

// Joint are the cells.
func (v sweepView) Joint() (out []jointRow) {
	for _, c := range v.Cells {
		row := jointRow{Measured: c}
		for i, a := range v.Axes {
			value := template.HTMLEscapeString(dossier.Label(c.Values[a.Name]))
			row.Data = append(row.Data, template.HTMLAttr(fmt.Sprintf(`data-axis%d="%s"`, i, value)))
		}
		out = append(out, row)
	}
	return out
}

// breakable is a cell's name, each axis of which keeps together in its line if
// it can.
func breakable(name string) template.HTML {
	parts := strings.SplitAfter(template.HTMLEscapeString(visible(name)), ",")
	for i, part := range parts {
		parts[i] = `<span class="part">` + part + `</span>`
	}
	return template.HTML(strings.Join(parts, "<wbr>"))
}

// points is the least width at which a figure's text can be read.
func points(f figure.Figure) template.CSS {
	return template.CSS(fmt.Sprintf("min(%.0fpx, max(100%%, %.0fpx))", f.Width(), .8*f.Width()))
}
