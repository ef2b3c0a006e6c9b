package report

import (
	"fmt"
	"io"
	"strings"

	"candor/harness/compare"
	"candor/scoring"

	"github.com/jedib0t/go-pretty/v6/table"
)

// Compare writes a comparison: for each run, what differs from the base and
// how surely.
func Compare(w io.Writer, r *compare.Result) error {
	p := &printer{w: w}
	p.line("Compared with %s, over the %s, on %s, that ended in error in no run.", r.Base, Count(r.Tasks, "task"), Count(r.Images, "image"))
	for _, mark := range r.AsIf {
		p.line("%s", mark)
	}
	p.line("All paid by the %s rule; ABSTAIN earns %.4g: a verdict pays better above a belief of %.4g.", r.Rule, r.AbstainReward, r.Threshold)
	for _, w := range r.Warnings {
		p.line("! %s", w.Message)
	}
	for _, c := range r.Circumstances {
		if c.Intended {
			p.line("  as intended, %s of %s is %s, not %s", c.What, c.Run, c.Other, c.Base)
		}
	}
	p.leftOut(r.LeftOut)
	for _, a := range r.Against {
		p.against(r.Base, a, len(r.Against))
	}
	p.comparisonNotes(r)
	return p.err
}

func (p *printer) leftOut(left []scoring.LeftOut) {
	const most = 10
	for i, l := range left {
		if i == most {
			p.line("  … and %d more tasks left out; --json lists all", len(left)-most)
			return
		}
		p.line("  left out: task %s, in error in %s", l.Task, strings.Join(l.ErrorIn, ", "))
	}
}

func (p *printer) against(base string, a scoring.Against, runs int) {
	p.line("")
	p.line("%s − %s, each over the tasks that it answered", a.Name, base)
	p.line("")
	p.table(differences(a.Own, runs))
	p.line("")
	p.line("%s − %s, both over the %s that both answered", a.Name, base, Count(a.AnsweredByBoth, "task"))
	p.line("")
	p.table(differences(a.Both, runs))
	p.line("")
	t := newTable()
	t.AppendHeader(table.Row{"right, among", "tasks", "only base", "only other", "difference", "sign flips", "McNemar"})
	for _, row := range []struct {
		name string
		test scoring.PairedTest
	}{{"answered by both", a.Correctness.Both}, {"all compared", a.Correctness.All}} {
		c := row.test
		t.AppendRow(table.Row{row.name, c.Tasks, c.OnlyBase, c.OnlyOther, signed(c.Difference), pValue(c.PSignFlip), pValue(c.McNemar.P) + " " + c.McNemar.Note})
	}
	t.SetColumnConfigs(rightAligned(2, 3, 4, 5))
	p.table(t)
}

// Compared are the metrics of a comparison in the order of a run's report: name
// and key.
func Compared() [][2]string {
	return [][2]string{
		{"answered", "coverage"}, {"abstained", "abstain_rate"}, {"malformed", "malformed_rate"},
		{"accuracy", "accuracy"}, {"mean confidence", "mean_confidence"}, {"reward", "reward"}, {"Brier", "brier"},
		{"ECE", "ece"}, {"ECE, debiased", "ece_debiased"}, {"ECE, smooth", "smooth_ece"}, {"miscalibration", "mcb"}, {"discrimination", "dsc"},
		{"AURC", "aurc"}, {"AUGRC", "augrc"}, {"AUROC", "auroc"}, {"accuracy at 80 %", "selective_accuracy@0.8"},
		{"said SUPPORTED", "predicted_supported"},
	}
}

func differences(d map[string]scoring.Difference, runs int) table.Writer {
	t := newTable()
	header, p := table.Row{"figure", "base", "other", "difference", "95 % interval"}, "p"
	if runs > 1 {
		header, p = append(header, fmt.Sprintf("for all %d at once", runs)), "adjusted p"
	}
	t.AppendHeader(append(header, p))
	for _, c := range Compared() {
		x, ok := d[c[1]]
		if !ok {
			continue
		}
		row := table.Row{c[0], short(x.Base), short(x.Other), signed(x.Difference), bounds(x.CI, x.Spread)}
		if runs > 1 {
			row = append(row, bounds(x.Simultaneous, nil))
		}
		text := ""
		if x.AdjustedP != nil {
			text = pValue(*x.AdjustedP)
		}
		t.AppendRow(append(row, text))
	}
	t.SetColumnConfigs(rightAligned(2, 3, 4))
	return t
}

// bounds is an interval or, in brackets, a spread.
func bounds(ci, spread *scoring.Interval) string {
	switch {
	case ci != nil:
		return fmt.Sprintf("%+.4f … %+.4f", ci[0], ci[1])
	case spread != nil:
		return fmt.Sprintf("(%+.4f … %+.4f)", spread[0], spread[1])
	}
	return ""
}

func signed(x *float64) string {
	if x == nil {
		return "–"
	}
	return fmt.Sprintf("%+.4f", *x)
}

func pValue(p float64) string {
	if p < 0.0005 {
		return "< 0.0005"
	}
	return fmt.Sprintf("%.4f", p)
}

// MeaningOfP says, in two lines, what a comparison's p tests and why it may not
// agree with the interval beside it, of one run compared or of several.
func MeaningOfP(several bool) []string {
	if several {
		return []string{
			"Adjusted p tests no difference, as the interval for all at once does: both reach as far up as",
			"down. The 95 % interval cuts each side alone: where resamples lean, the two may disagree.",
		}
	}
	return []string{
		"p tests no difference: how often resamples stray as far from the difference, up or down, as",
		"it is from 0. The interval cuts each side alone: where resamples lean, the two may disagree.",
	}
}

func (p *printer) comparisonNotes(r *compare.Result) {
	p.line("")
	if r.Bootstrap > 0 {
		p.line("Intervals come from resampling images, the same for all runs. Brackets: the middle 95 %% of")
		p.line("  resamples of a figure that leans upwards; no interval for the truth.")
	}
	if r.Bootstrap > 0 {
		p.line("%s", strings.Join(MeaningOfP(len(r.Against) > 1), "\n  "))
	}
	if len(r.Against) > 1 {
		p.line("Adjusted p and the intervals for all at once allow for %d runs, figure by figure.", len(r.Against))
	}
	p.line("Sign flips swap the runs within whole images: claims of one image are not independent.")
}
