package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"candor/scoring"

	"github.com/jedib0t/go-pretty/v6/table"
)

// labelSets sets the figures under each label set beside those under the run's
// own.
func (p *printer) labelSets(s *scoring.Summary) {
	if len(s.ByLabels) == 0 {
		return
	}
	names := slices.Sorted(maps.Keys(s.ByLabels))
	p.line("")
	t := newTable()
	t.AppendHeader(table.Row{"labels", "tasks", "answered", "accuracy", "balanced", "ceiling", "ECE", "floor95", "Brier", "reward"})
	row := func(name string, s *scoring.Summary, ceiling *float64) {
		t.AppendRow(table.Row{name, s.N, s.Answered, short(s.Accuracy), short(s.BalancedAccuracy), short(ceiling), short(s.ECE), short(s.ECEFloor.P95),
			short(s.Brier), short(s.Reward)})
	}
	row("the run's own", s, nil)
	for _, name := range names {
		row(name, s.ByLabels[name], ceiling(s.ByLabels[name]))
	}
	t.SetColumnConfigs(rightAligned(2, 3, 4, 5, 6, 7, 8, 9, 10))
	p.table(t)
	p.line("balanced: mean accuracy over the two labels. ceiling: accuracy by the run's own labels, on")
	p.line("  these tasks, of answers that are right by the set on every one.")
	for _, name := range names {
		p.labelSet(name, s.ByLabels[name])
	}
}

func (p *printer) labelSet(name string, s *scoring.Summary) {
	for _, w := range s.Warnings {
		if !aboutUnseen(w) {
			p.line("! %s: %s", name, w.Message)
		}
	}
	f := s.LabelSet
	if f == nil {
		return
	}
	if len(s.BySplit) > 1 {
		var parts []string
		for _, split := range slices.Sorted(maps.Keys(s.BySplit)) {
			parts = append(parts, split+" "+short(ceiling(s.BySplit[split])))
		}
		p.line("%s: ceiling by split: %s", name, strings.Join(parts, ", "))
	}
	if f.Ambiguous > 0 {
		p.line("%s: ambiguous there: %s", name, firstOf(f.AmbiguousTasks))
		p.line("%s: share abstained: %s of %s, %s of %s%s", name,
			short(f.AbstainAmbiguous), Count(f.Ambiguous, "ambiguous task"), short(f.AbstainKept), Count(f.Kept, "other"), difference(f))
	}
}

// aboutUnseen tells warnings about what the table of label sets does not show:
// AUROC, and the width of intervals. The summary keeps them.
func aboutUnseen(w scoring.Warning) bool {
	return slices.Contains([]string{scoring.WarnSingleClass, scoring.WarnUndefined, scoring.WarnDegenerate}, w.Code)
}

// firstOf names a few.
func firstOf(names []string) string {
	const most = 3
	if rest := len(names) - most; rest > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), rest)
	}
	return strings.Join(names, ", ")
}

func ceiling(s *scoring.Summary) *float64 {
	if s.LabelSet == nil {
		return nil
	}
	return s.LabelSet.Ceiling
}

func difference(f *scoring.LabelSetFigures) string {
	at := f.CI["abstain_rate_difference"]
	if f.AbstainDifference == nil || at == nil {
		return ""
	}
	return fmt.Sprintf("\n  difference %.3f (95 %% %.3f … %.3f)", *f.AbstainDifference, at[0], at[1])
}
