package report

import (
	"fmt"
	"maps"
	"slices"

	"candor/harness/run"
	"candor/scoring"

	"github.com/jedib0t/go-pretty/v6/table"
)

// sources puts the sources of confidence beside each other, where there are
// several.
func (p *printer) sources(s *scoring.Summary) {
	if len(s.Sources) < 2 || s.Answered == 0 {
		return
	}
	t := newTable()
	t.AppendHeader(table.Row{"source", "n", "missing", "Brier", "ECE", "AURC", "AUGRC", "AUROC"})
	for _, name := range slices.Sorted(maps.Keys(s.Sources)) {
		of := s.Sources[name]
		t.AppendRow(table.Row{name, of.N, of.Missing, short(of.Brier), short(of.ECE), short(of.AURC), short(of.AUGRC), short(of.AUROC)})
	}
	t.SetColumnConfigs(rightAligned(2, 3, 4, 5, 6, 7, 8))
	p.line("")
	p.line("Sources of confidence, of the same verdicts; only the first one asked for is paid. ECEs of sources")
	p.line("  with few and many different confidences have different floors: compare Brier and AUROC.")
	p.line("")
	p.table(t)
}

// costs says what the further sources took.
func (p *printer) costs(t run.Throughput) {
	for _, name := range slices.Sorted(maps.Keys(t.Sources)) {
		if c := t.Sources[name]; c.Requests > 0 {
			p.line("%s took %s, %d prompt and %d output tokens, %s at the server.", name,
				Count(c.Requests, "further request"), c.PromptTokens, c.OutputTokens, fmt.Sprintf("%.1f s", c.Seconds))
		}
	}
}
