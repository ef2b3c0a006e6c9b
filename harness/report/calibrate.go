package report

import (
	"io"

	"candor/harness/calibrate"
	"candor/scoring"

	"github.com/jedib0t/go-pretty/v6/table"
)

// Calibrate writes figures before and after each map, and what honesty would
// have earned with it.
func Calibrate(w io.Writer, r *calibrate.Result) error {
	p := &printer{w: w}
	p.line("Maps fitted on %s of %s, applied to %s of %s.", Count(r.FittedOn, "answer"), r.Fit, Count(r.Before.Answered, "answer"), r.Apply)
	for _, w := range r.Warnings {
		p.line("! %s", w.Message)
	}
	for _, m := range r.Maps {
		p.line("")
		if m.Undefined != "" {
			p.line("%s: %s", m.Name, m.Undefined)
			continue
		}
		p.line("%s", m.Name)
		p.line("")
		p.table(beforeAfter(r.Before, m.After))
		p.line("")
		p.honesty(*m.Honesty)
	}
	if len(r.Before.CI) > 0 {
		p.line("")
		p.line("Intervals come from resampling images. Brackets: the middle 95 %% of resamples of a figure that")
		p.line("  leans upwards; no interval for the truth. Of an ECE, see whether it is above its floor.")
	}
	return p.err
}

func beforeAfter(before, after *scoring.Summary) table.Writer {
	t := newTable()
	t.AppendHeader(table.Row{"figure", "before", "", "after", ""})
	for _, row := range []struct {
		name, key string
		of        func(*scoring.Summary) *float64
	}{
		{"mean confidence", "mean_confidence", func(s *scoring.Summary) *float64 { return s.MeanConfidence }},
		{"accuracy", "accuracy", func(s *scoring.Summary) *float64 { return s.Accuracy }},
		{"reward", "reward", func(s *scoring.Summary) *float64 { return s.Reward }},
		{"Brier", "brier", func(s *scoring.Summary) *float64 { return s.Brier }},
		{"ECE", "ece", func(s *scoring.Summary) *float64 { return s.ECE }},
		{"  its floor, 95 %", "", func(s *scoring.Summary) *float64 { return s.ECEFloor.P95 }},
		{"ECE, debiased", "ece_debiased", func(s *scoring.Summary) *float64 { return s.ECEDebiased }},
		{"ECE, smooth", "smooth_ece", func(s *scoring.Summary) *float64 { return s.SmoothECE }},
		{"miscalibration", "mcb", func(s *scoring.Summary) *float64 { return s.CORP.MCB }},
		{"discrimination", "dsc", func(s *scoring.Summary) *float64 { return s.CORP.DSC }},
		{"AURC", "aurc", func(s *scoring.Summary) *float64 { return s.AURC }},
		{"AUROC", "auroc", func(s *scoring.Summary) *float64 { return s.AUROC }},
	} {
		t.AppendRow(table.Row{row.name, short(row.of(before)), interval(before, row.key), short(row.of(after)), interval(after, row.key)})
	}
	t.SetColumnConfigs(rightAligned(2, 4))
	return t
}
