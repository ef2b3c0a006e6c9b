package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"candor/scoring"

	"github.com/jedib0t/go-pretty/v6/table"
)

// mostLevels is how many rows the table of confidences has at most.
const mostLevels = 12

// levels shows how many different things the model says of its confidence.
func (p *printer) levels(s *scoring.Summary) {
	if s.DistinctConfidences == nil || s.TopConfidenceShare == nil {
		return
	}
	p.line("")
	p.line("%s; the commonest is stated %.0f %% of the time.", Count(*s.DistinctConfidences, "distinct confidence"), 100**s.TopConfidenceShare)
	p.line("")
	shown := commonest(s.Levels)
	t := newTable()
	t.AppendHeader(table.Row{"confidence", "n", "accuracy"})
	for _, l := range shown {
		t.AppendRow(table.Row{fmt.Sprintf("%.4g", l.Confidence), l.N, fmt.Sprintf("%.3f", float64(l.Correct)/float64(l.N))})
	}
	t.SetColumnConfigs(rightAligned(1, 2, 3))
	p.table(t)
	if rest := len(s.Levels) - len(shown); rest > 0 {
		p.line("… and %d rarer; --json lists all", rest)
	}
}

// commonest is the levels that are stated most, by confidence upwards.
func commonest(levels []scoring.Level) []scoring.Level {
	byCount := slices.SortedStableFunc(slices.Values(levels), func(a, b scoring.Level) int { return cmp.Compare(b.N, a.N) })
	shown := byCount[:min(mostLevels, len(byCount))]
	slices.SortFunc(shown, func(a, b scoring.Level) int { return cmp.Compare(a.Confidence, b.Confidence) })
	return shown
}

// splits sets the splits side by side: each accuracy with what can be had
// without the images, each ECE with the 95th percentile of its floor and its bins.
func (p *printer) splits(s *scoring.Summary) {
	if len(s.BySplit) < 2 {
		return
	}
	p.line("")
	t := newTable()
	t.AppendHeader(table.Row{"split", "tasks", "answered", "abst.", "accuracy", "blind", "ECE", "floor95", "bins", "Brier", "AURC", "reward"})
	for _, name := range slices.Sorted(maps.Keys(s.BySplit)) {
		b := s.BySplit[name]
		bins := 0
		if b.ECEBins != nil {
			bins = *b.ECEBins
		}
		t.AppendRow(table.Row{name, b.N, b.Answered, b.Abstained, short(b.Accuracy), short(b.BlindAccuracy), short(b.ECE), short(b.ECEFloor.P95), bins, short(b.Brier), short(b.AURC), short(b.Reward)})
	}
	t.SetColumnConfigs(rightAligned(2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12))
	p.table(t)
}

// short is a figure in a crowded table.
func short(x *float64) string {
	if x == nil {
		return "–"
	}
	return fmt.Sprintf("%.4f", *x)
}
