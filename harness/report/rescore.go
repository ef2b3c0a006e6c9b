package report

import (
	"fmt"
	"io"
	"maps"
	"slices"

	"candor/harness/rescore"
	"candor/scoring"

	"github.com/jedib0t/go-pretty/v6/table"
)

// Rescore writes what stored answers come to under another payment, and what
// honesty would have earned them.
func Rescore(w io.Writer, r *rescore.Result, bins int) error {
	p := &printer{w: w}
	if r.Hypothetical {
		p.line("%s: %s", r.Run, r.AsIf)
	}
	p.summary(&r.Summary, bins, nil)
	p.labelSets(&r.Summary)
	p.line("")
	p.honesty(r.Honesty)
	p.curves(r.Curves)
	return p.err
}

// labelSets sets the figures under each label set beside those under the run's
// own.
func (p *printer) labelSets(s *scoring.Summary) {
	if len(s.ByLabels) == 0 {
		return
	}
	p.line("")
	t := newTable()
	t.AppendHeader(table.Row{"labels", "tasks", "answered", "accuracy", "ECE", "floor, 95 %", "Brier", "AURC", "AUROC", "reward"})
	row := func(name string, s *scoring.Summary) {
		t.AppendRow(table.Row{name, s.N, s.Answered, short(s.Accuracy), short(s.ECE), short(s.ECEFloor.P95), short(s.Brier), short(s.AURC), short(s.AUROC), short(s.Reward)})
	}
	row("the run's own", s)
	for _, name := range slices.Sorted(maps.Keys(s.ByLabels)) {
		row(name, s.ByLabels[name])
	}
	t.SetColumnConfigs(rightAligned(2, 3, 4, 5, 6, 7, 8, 9, 10))
	p.table(t)
	for _, name := range slices.Sorted(maps.Keys(s.ByLabels)) {
		for _, w := range s.ByLabels[name].Warnings {
			p.line("! %s: %s", name, w.Message)
		}
	}
}

// curves are the same split over a grid of payoffs under both rules.
func (p *printer) curves(curves []scoring.Honesty) {
	if len(curves) == 0 {
		return
	}
	p.line("")
	p.line("%s", scoring.AsIf)
	p.line("")
	t := newTable()
	t.AppendHeader(table.Row{"rule", "payoff", "threshold", "R0", "R1", "R2", "R3", "own conf.", "oracle"})
	for _, h := range curves {
		t.AppendRow(table.Row{h.Rule, fmt.Sprintf("%.4f", h.AbstainReward), fmt.Sprintf("%.3f", h.Threshold),
			short(h.R0), short(h.R1), short(h.R2), short(h.R3), short(h.OwnConfidence), short(h.Oracle)})
	}
	t.SetColumnConfigs(rightAligned(2, 3, 4, 5, 6, 7, 8, 9))
	p.table(t)
}
