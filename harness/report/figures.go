package report

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"candor/scoring"

	"github.com/jedib0t/go-pretty/v6/table"
)

func outcomes(s *scoring.Summary) table.Writer {
	t := newTable()
	t.AppendHeader(table.Row{"outcome", "tasks", "share", "95 % interval"})
	t.AppendRow(table.Row{"answered", s.Answered, number(s.Coverage), interval(s, "coverage")})
	t.AppendRow(table.Row{"abstained", s.Abstained, number(s.AbstainRate), interval(s, "abstain_rate")})
	t.AppendRow(table.Row{"malformed", s.Malformed, number(s.MalformedRate), interval(s, "malformed_rate")})
	if s.Errors > 0 {
		t.AppendRow(table.Row{"error", s.Errors, "not scored", ""})
	}
	t.SetColumnConfigs(rightAligned(2, 3))
	return t
}

// malformed says why answers were, the commonest reasons first.
func (p *printer) malformed(reasons map[string]int) {
	if len(reasons) == 0 {
		return
	}
	names := slices.SortedFunc(maps.Keys(reasons), func(a, b string) int {
		return cmp.Or(cmp.Compare(reasons[b], reasons[a]), cmp.Compare(a, b))
	})
	const most = 4
	var parts []string
	rest := 0
	for i, name := range names {
		if i < most {
			parts = append(parts, fmt.Sprintf("%d %s", reasons[name], name))
		} else {
			rest += reasons[name]
		}
	}
	if rest > 0 {
		parts = append(parts, fmt.Sprintf("%d for other reasons", rest))
	}
	p.line("malformed: %s", strings.Join(parts, ", "))
	p.line("")
}

// Figure is one line of the table of figures, in words.
type Figure struct {
	Name, Value, Interval, Note string
}

// Figures are what the table of figures of a summary shows, in its order.
func Figures(s *scoring.Summary) []Figure {
	var out []Figure
	for _, row := range figureRows(s) {
		f := Figure{}
		for i, to := range []*string{&f.Name, &f.Value, &f.Interval, &f.Note} {
			*to = strings.TrimSpace(fmt.Sprint(row[i]))
		}
		out = append(out, f)
	}
	return out
}

func figures(s *scoring.Summary) table.Writer {
	t := newTable()
	t.AppendHeader(table.Row{"figure", "value", "95 % interval", ""})
	t.AppendRows(figureRows(s))
	t.SetColumnConfigs(rightAligned(2))
	return t
}

// figureRows are in the order in which they are read: is it right, does it know,
// can it rank, what does it earn.
func figureRows(s *scoring.Summary) (rows []table.Row) {
	for _, f := range []struct {
		name, key string
		value     *float64
		beside    string
	}{
		{"accuracy", "accuracy", s.Accuracy, "of the answered"},
		{blindName, "", s.BlindAccuracy, ""},
		{"balanced accuracy", "balanced_accuracy", s.BalancedAccuracy, "mean over the two labels"},
		{"mean confidence", "mean_confidence", s.MeanConfidence, over(s)},
		{"reward", "reward", s.Reward, "mean over all tasks"},
		{"Brier", "brier", s.Brier, "lower is better"},
		{"ECE", "ece", s.ECE, "lower is better"},
		{floorName, "", s.ECEFloor.Mean, ""},
		{"ECE, equal width", "ece_equal_width", s.ECEEqualWidth, ""},
		{"ECE, debiased", "ece_debiased", s.ECEDebiased, "root mean square"},
		{"ECE, smooth", "smooth_ece", s.SmoothECE, "no bins"},
		{"miscalibration", "mcb", s.CORP.MCB, "Brier = miscalibration"},
		{"discrimination", "dsc", s.CORP.DSC, "        − discrimination"},
		{"uncertainty", "unc", s.CORP.UNC, "        + uncertainty (CORP)"},
		{"AURC", "aurc", s.AURC, "lower is better; mean order of ties"},
		{"E-AURC", "e_aurc", s.EAURC, "AURC above that of the best order"},
		{"AUGRC", "augrc", s.AUGRC, "lower is better"},
		{"AUROC", "auroc", s.AUROC, "0.5 is chance, 1 is best"},
		{"said SUPPORTED", "predicted_supported", s.PredictedSupported, "share of the answered"},
	} {
		switch {
		case f.key == "balanced_accuracy" && balanced(s):
		case f.name == floorName:
			rows = append(rows, floor(s))
		case f.name != blindName:
			rows = append(rows, table.Row{f.name, number(f.value), interval(s, f.key), f.beside})
		case s.BlindAccuracy != nil:
			rows = append(rows, table.Row{f.name, number(f.value), "", "claim text only, fitted on the train partition"})
		case s.BlindReason != "":
			rows = append(rows, table.Row{f.name, number(nil), "", s.BlindReason})
		}
	}
	return rows
}

// balanced tells labels near enough to half and half that the accuracy alone
// will do.
func balanced(s *scoring.Summary) bool {
	const near = 0.05
	return s.LabelledSupported == nil || math.Abs(*s.LabelledSupported-.5) <= near
}

// Interval is a figure's interval or, in brackets, its spread; "" for neither.
func Interval(s *scoring.Summary, key string) string { return interval(s, key) }

func interval(s *scoring.Summary, key string) string {
	if i := s.CI[key]; i != nil {
		return fmt.Sprintf("%.3f – %.3f", i[0], i[1])
	}
	if i := s.Spread[key]; i != nil {
		return fmt.Sprintf("(%.3f – %.3f)", i[0], i[1])
	}
	return ""
}

func over(s *scoring.Summary) string {
	if s.MeanConfidence == nil || s.Accuracy == nil {
		return ""
	}
	d := *s.MeanConfidence - *s.Accuracy
	switch {
	case d > 0:
		return fmt.Sprintf("overconfident by %.4f", d)
	case d < 0:
		return fmt.Sprintf("underconfident by %.4f", -d)
	}
	return "equal to accuracy"
}

const (
	floorName = "  its floor"
	blindName = "blind baseline" // only of tasks whose claims are known
)

// floor puts an ECE beside what luck alone gives a calibrated model: the mean
// and the 95th percentile, and how often luck gives as much as was seen.
func floor(s *scoring.Summary) table.Row {
	f := s.ECEFloor
	if f.Mean == nil || f.P95 == nil || f.PCalibrated == nil {
		return table.Row{floorName, number(nil), "", ""}
	}
	verdict := "no sign of miscalibration"
	if *f.PCalibrated < 0.05 {
		verdict = "miscalibrated"
	}
	return table.Row{floorName, number(f.Mean), fmt.Sprintf("95 %% ≤ %.4f", *f.P95), verdict + ", " + chance(*f.PCalibrated)}
}

// chance is a share of draws; one that none of them reached is not 0.
func chance(p float64) string {
	if p < 0.001 {
		return "p < 0.001"
	}
	return fmt.Sprintf("p = %.3f", p)
}

// notes say how the figures were made, which they cannot be read without.
func notes(s *scoring.Summary, bins int) []string {
	effective := 0
	if s.ECEBins != nil {
		effective = *s.ECEBins
	}
	out := []string{
		fmt.Sprintf("ECE: equal-mass bins, %d asked, %d in effect; equal confidences share a bin;", bins, effective),
		fmt.Sprintf("  n = %d answered. ECE, equal width: %s over [0, 1].", s.Answered, Count(bins, "bin")),
	}
	if s.ECEFloor.Mean != nil {
		out = append(out, "Its floor: the ECE that a calibrated model with these confidences has by luck,",
			"  and p, how often that is as large as the ECE seen.")
	}
	if len(s.CI) > 0 {
		out = append(out, "Intervals come from resampling images. Brackets: the middle 95 % of resamples of a",
			"  figure that leans upwards; no interval for the truth.")
	}
	return out
}
