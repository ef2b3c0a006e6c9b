package report

import (
	"strings"

	"candor/scoring"

	"github.com/jedib0t/go-pretty/v6/table"
)

// honesty is the regret split: what each step away from honesty cost.
func (p *printer) honesty(h scoring.Honesty) {
	p.line("What honesty would have earned (%s, payoff %.4g; map: %s)", h.Rule, h.AbstainReward, h.Map)
	p.line("")
	t := newTable()
	t.AppendHeader(table.Row{"reward", "mean", "95 % interval", "lost to", "", "95 % interval"})
	for _, row := range []struct {
		name, key string
		value     *float64
		lost      string
		lostKey   string
		loss      *float64
	}{
		{"R0 as played", "r0", h.R0, "", "", nil},
		{"R1 beliefs mended", "r1", h.R1, "miscalibration", "miscalibration", h.Miscalibration},
		{"R2 and abstaining", "r2", h.R2, "abstention policy", "abstention_policy", h.AbstentionPolicy},
		{"R3 and malformed", "r3", h.R3, "format", "format", h.Format},
		{"own confidence", "own_confidence", h.OwnConfidence, "", "", nil},
		{"oracle", "oracle", h.Oracle, "", "", nil},
	} {
		loss := ""
		if row.lost != "" {
			loss = signed(row.loss)
		}
		t.AppendRow(table.Row{row.name, short(row.value), unsigned(h.CI[row.key], h.Spread[row.key]), row.lost, loss, bounds(h.CI[row.lostKey], h.Spread[row.lostKey])})
	}
	t.SetColumnConfigs(rightAligned(2, 5))
	p.table(t)
	p.line("")
	p.line("R1 pays answers for the belief that the map makes of them, R2 lets them abstain where that is")
	p.line("  worth more, R3 also what was malformed. Own confidence: abstaining where it says so itself.")
	if h.Optimistic {
		p.line("The map is fitted to these very answers: R1 to R3 are optimistic, and brackets are the middle")
		p.line("  95 %% of resamples, each fitted anew; no interval for the truth.")
	}
	for _, n := range h.Notes {
		p.line("%s", n)
	}
}

func unsigned(ci, spread *scoring.Interval) string {
	return strings.ReplaceAll(bounds(ci, spread), "+", "")
}
