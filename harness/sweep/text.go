package sweep

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"candor/scoring"

	"github.com/jedib0t/go-pretty/v6/text"
)

// Write writes the joint table as plain text, at most 100 columns wide: names
// of cells that would take more go on below.
func (r *Table) Write(w io.Writer) error {
	_, err := io.WriteString(w, r.render(plainText{}))
	return err
}

// Markdown is the joint table for a README or a pull request.
func (r *Table) Markdown() string { return r.render(markdown{}) }

// look is how parts of the table are written.
type look interface {
	title(string) string
	grid(*grid) string
	note(prefix, text string) string
	// apart tells whether what belongs to one cell has rows of its own.
	apart() bool
}

func (r *Table) render(l look) string {
	var b strings.Builder
	part := func(title string, g *grid) {
		head := l.title(title)
		for i, m := range g.marks {
			head += l.note("["+letter(i)+"] ", m)
		}
		b.WriteString(strings.TrimRight(head, "\n") + "\n\n" + l.grid(g) + "\n")
		notes := ""
		for _, n := range g.notes {
			notes += l.note("", n)
		}
		if notes != "" {
			b.WriteString(strings.TrimRight(notes, "\n") + "\n\n")
		}
	}
	part(fmt.Sprintf("Sweep %s: each cell under its own rule and payoff", r.Sweep), r.figures())
	for _, g := range r.Groups {
		part(fmt.Sprintf("Ranking by %s, all paid by %s, %.4g", label(r.RankBy.Metric), g.Rule, g.Abstain), g.ranking(r.RankBy))
		if g.Comparison != nil {
			title := "Differences to " + g.Baseline
			if n := len(g.Comparison.Against); n > 1 {
				title += fmt.Sprintf(", intervals for all %d at once", n)
			}
			part(title, g.differences(r.RankBy, l.apart()))
		}
	}
	if len(r.Rescored) > 0 {
		part("Stored answers under other payments", r.rescored(l.apart()))
	}
	for _, message := range r.warnings() {
		b.WriteString(l.note("! ", message))
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

// warnings are those of the comparisons and of cells that are compared with
// none, each once.
func (r *Table) warnings() []string {
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

// shown are the metrics that stand in the text, the one of the ranking among
// them.
func shown(by RankBy) []string {
	all := []string{"coverage", "accuracy", "brier", "ece", "auroc", "reward"}
	if !slices.Contains(all, by.Metric) {
		all[slices.Index(all, "auroc")] = by.Metric
	}
	return all
}

// label is what a metric is called in the text.
func label(metric string) string {
	if s, ok := map[string]string{
		"coverage": "answered", "brier": "Brier", "ece": "ECE", "auroc": "AUROC", "aurc": "AURC", "augrc": "AUGRC", "e_aurc": "E-AURC",
		"mcb": "miscalibration", "dsc": "discrimination", "smooth_ece": "smooth ECE", "ece_debiased": "debiased ECE", "ece_equal_width": "ECE of equal width",
	}[metric]; ok {
		return s
	}
	return strings.ReplaceAll(metric, "_", " ")
}

func (r *Table) figures() *grid {
	g := newGrid("cell", "n")
	for _, m := range shown(r.RankBy) {
		g.header = append(g.header, label(m))
	}
	for _, c := range r.Cells {
		s := c.Summary
		n := fmt.Sprint(s.N)
		if s.Errors > 0 {
			n += fmt.Sprintf("\n+%d err.", s.Errors)
		}
		row := []string{c.Name, n}
		for _, m := range shown(r.RankBy) {
			row = append(row, strings.TrimSpace(figure(s.Figure(m))+"\n"+compact(s.CI[m], s.Spread[m])))
		}
		g.add(row...)
	}
	g.note("Below each figure its 95 %% interval by resampling images; brackets: the middle 95 %% of resamples of a figure that leans upwards, no interval for the truth.")
	if r.Errors > 0 {
		g.note("err.: tasks that ended in error, not scored.")
	}
	return g
}

func (g Group) ranking(by RankBy) *grid {
	better := "higher is better"
	if by.LowerIsBetter {
		better = "lower is better"
	}
	t := newGrid("", "cell", label(by.Metric), "95 %", "P(best)", "")
	t.name = 1
	for _, p := range g.Ranking {
		t.add(fmt.Sprint(p.Rank), p.Cell, figure(p.Value), bounds(p.CI, p.Spread), figure(p.Best), t.mark(g.AsIf[p.Cell]))
	}
	t.note("%s; P(best): share of resamples, the same images for all cells, in which no cell is better; cells that are best together share it.", better)
	if by.LeansUpwards {
		t.note("%s leans upwards, and of two cells the more so in that with fewer answers: P(best) is no probability that a cell is best.", label(by.Metric))
	}
	return t
}

func (g Group) differences(by RankBy, apart bool) *grid {
	t := newGrid("cell", "figure", "difference", "95 %", "all at once", "adjusted p")
	metrics := []string{by.Metric}
	for _, m := range []string{"reward", "accuracy", "brier", "coverage"} {
		if m != by.Metric {
			metrics = append(metrics, m)
		}
	}
	for _, a := range g.Comparison.Against {
		var rows [][]string
		for _, f := range metrics {
			d := a.Own[f]
			p := ""
			if d.AdjustedP != nil {
				p = fmt.Sprintf("%.4f", *d.AdjustedP)
			}
			rows = append(rows, []string{a.Name, label(f), figure(d.Difference), bounds(d.CI, d.Spread), bounds(d.Simultaneous, nil), p})
		}
		if apart {
			for _, row := range rows {
				t.add(row...)
			}
			continue
		}
		t.add(stacked(rows)...)
	}
	if by.LeansUpwards {
		t.note("%s leans upwards: it has no interval, alone or for all at once.", label(by.Metric))
	}
	return t
}

// stacked puts rows of one cell under each other in one.
func stacked(rows [][]string) []string {
	out := slices.Clone(rows[0])
	for _, row := range rows[1:] {
		for i := 1; i < len(row); i++ {
			out[i] += "\n" + row[i]
		}
	}
	return out
}

func (r *Table) rescored(apart bool) *grid {
	t := newGrid("cell", "rule", "payoff", "labels", "accuracy", "reward", "95 %", "")
	for _, c := range r.Rescored {
		mark := ""
		if c.Hypothetical {
			mark = t.mark(c.AsIf)
		}
		row := func(labels string, s *scoring.Summary) {
			cell := c.Cell
			if !apart {
				labels = text.Snip(labels, 16, "…")
				if s != &c.Summary {
					cell = ""
				}
			}
			t.add(cell, s.Rule, fmt.Sprintf("%.4g", s.AbstainReward), labels, figure(s.Accuracy), figure(s.Reward), bounds(s.CI["reward"], nil), mark)
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

// bounds are an interval or, in brackets, a spread.
func bounds(ci, spread *scoring.Interval) string {
	switch {
	case ci != nil:
		return fmt.Sprintf("%.4f … %.4f", ci[0], ci[1])
	case spread != nil:
		return fmt.Sprintf("(%.4f … %.4f)", spread[0], spread[1])
	}
	return ""
}

// compact is bounds in as little room as can be: .861–.944.
func compact(ci, spread *scoring.Interval) string {
	short := func(x float64) string { return strings.Replace(fmt.Sprintf("%.3f", x), "0.", ".", 1) }
	switch {
	case ci != nil:
		return short(ci[0]) + "–" + short(ci[1])
	case spread != nil:
		return "(" + short(spread[0]) + "–" + short(spread[1]) + ")"
	}
	return ""
}
