package report

import (
	"fmt"
	"io"

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
