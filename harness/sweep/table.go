package sweep

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"candor/scoring"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// Write writes the joint table as plain text.
func (r *Result) Write(w io.Writer) error {
	_, err := io.WriteString(w, r.render(func(t table.Writer) string { return t.Render() }, ""))
	return err
}

// Markdown is the joint table for a README or a pull request.
func (r *Result) Markdown() string {
	return r.render(func(t table.Writer) string { return t.RenderMarkdown() }, "## ")
}

func (r *Result) render(draw func(table.Writer) string, head string) string {
	var b strings.Builder
	part := func(title string, t table.Writer) {
		fmt.Fprintf(&b, "%s%s\n\n", head, title)
		for line := range strings.Lines(draw(t)) {
			b.WriteString(strings.TrimRight(line, " \n") + "\n")
		}
		b.WriteString("\n")
	}
	part(fmt.Sprintf("Sweep %s: each cell under its own rule and payoff", r.Sweep), r.figures())
	for _, g := range r.Groups {
		part(fmt.Sprintf("Ranking by reward, all paid by %s, %.4g", g.Rule, g.Abstain), g.ranking())
		if g.Comparison != nil {
			part(fmt.Sprintf("Differences to %s, intervals for all %d at once", g.Cells[0], len(g.Comparison.Against)), g.differences())
		}
	}
	if len(r.Rescored) > 0 {
		part("Stored answers under other payments", r.rescored())
	}
	for _, message := range r.warnings() {
		fmt.Fprintf(&b, "! %s\n", message)
	}
	return b.String()
}

// warnings are those of the comparisons and of cells that are compared with
// none, each once.
func (r *Result) warnings() []string {
	var out []string
	add := func(prefix string, all []scoring.Warning) {
		for _, w := range all {
			if m := prefix + w.Message; !slices.Contains(out, m) {
				out = append(out, m)
			}
		}
	}
	for _, g := range r.Groups {
		if g.Comparison != nil {
			add("", g.Comparison.Warnings)
			continue
		}
		for _, c := range r.Cells {
			if c.Name == g.Cells[0] {
				add(c.Name+": ", c.Summary.Warnings)
			}
		}
	}
	return out
}

func newTable(header ...any) table.Writer {
	t := table.NewWriter()
	style := table.StyleDefault
	style.Options = table.OptionsNoBordersAndSeparators
	style.Format.Header = text.FormatDefault
	style.Box.PaddingLeft, style.Box.PaddingRight = "", "  "
	t.SetStyle(style)
	t.AppendHeader(header)
	return t
}

func (r *Result) figures() table.Writer {
	t := newTable("cell", "n", "answered", "accuracy", "Brier", "ECE", "AUROC", "reward", "95 %")
	for _, c := range r.Cells {
		s := c.Summary
		n := fmt.Sprint(s.N)
		if s.Errors > 0 {
			n += fmt.Sprintf(" (%d in error)", s.Errors)
		}
		t.AppendRow(table.Row{c.Name, n, figure(s.Coverage), figure(s.Accuracy), figure(s.Brier), figure(s.ECE), figure(s.AUROC), figure(s.Reward), interval(s.CI["reward"])})
	}
	return t
}

func (g Group) ranking() table.Writer {
	t := newTable("", "cell", "reward", "95 %", "P(best)", "")
	for i, p := range g.Ranking {
		t.AppendRow(table.Row{i + 1, p.Cell, figure(p.Reward), interval(p.CI), figure(p.Best), g.AsIf[p.Cell]})
	}
	return t
}

func (g Group) differences() table.Writer {
	t := newTable("cell", "figure", "difference", "95 %", "all at once", "adjusted p")
	for _, a := range g.Comparison.Against {
		for _, f := range []string{"reward", "accuracy", "brier", "coverage"} {
			d := a.Own[f]
			p := ""
			if d.AdjustedP != nil {
				p = fmt.Sprintf("%.4f", *d.AdjustedP)
			}
			t.AppendRow(table.Row{a.Name, f, figure(d.Difference), interval(d.CI), interval(d.Simultaneous), p})
		}
	}
	return t
}

func (r *Result) rescored() table.Writer {
	t := newTable("cell", "rule", "payoff", "labels", "accuracy", "reward", "95 %", "")
	for _, c := range r.Rescored {
		mark := ""
		if c.Hypothetical {
			mark = c.AsIf
		}
		row := func(labels string, s *scoring.Summary) {
			t.AppendRow(table.Row{c.Cell, s.Rule, fmt.Sprintf("%.4g", s.AbstainReward), labels, figure(s.Accuracy), figure(s.Reward), interval(s.CI["reward"]), mark})
		}
		row("own", &c.Summary)
		for _, name := range slices.Sorted(maps.Keys(c.ByLabels)) {
			row(name, c.ByLabels[name])
		}
	}
	return t
}

func figure(x *float64) string {
	if x == nil {
		return "–"
	}
	return fmt.Sprintf("%.4f", *x)
}

func interval(i *scoring.Interval) string {
	if i == nil {
		return ""
	}
	return fmt.Sprintf("%.4f … %.4f", i[0], i[1])
}
