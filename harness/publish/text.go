package publish

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"candor/harness/dossier"
	"candor/harness/report"
	"candor/scoring"
)

// writeMarkdown writes the tables that a README or a pull request has room for.
func writeMarkdown(w io.Writer, all []*dossier.Dossier) error {
	m := &lines{w: w}
	m.line("| run | tasks | coverage | accuracy | reward | ECE | floor, 95 %% | Brier | AURC |")
	m.line("|---|---|---|---|---|---|---|---|---|")
	for _, d := range all {
		m.row(d.Name, d.Summary())
	}
	for _, d := range all {
		m.line("")
		m.line("### %s", escape(d.Name))
		m.line("")
		s := d.Summary()
		m.line("Paid by the %s rule; ABSTAIN earns %.4g. %d answered, %d abstained, %d malformed, %d in error.", s.Rule, s.AbstainReward, s.Answered, s.Abstained, s.Malformed, s.Errors)
		for _, warning := range s.Warnings {
			m.line("")
			m.line("> %s", escape(warning.Message))
		}
		m.line("")
		m.line("| figure | value | 95 %% interval | |")
		m.line("|---|---|---|---|")
		for _, f := range report.Figures(s) {
			m.line("| %s | %s | %s | %s |", f.Name, f.Value, f.Interval, escape(f.Note))
		}
		m.rows("split", d.Splits(), s.BySplit)
		m.rows("labels", d.LabelSets(), s.ByLabels)
		m.sources(d.Sources)
	}
	m.line("")
	m.line("Intervals: 95 %%, resampling images. In brackets: the middle 95 %% of resamples of a figure that leans upwards, no interval for the truth. The floor is the ECE that a calibrated model has by luck.")
	return m.err
}

// lines keeps the first error of its writer.
type lines struct {
	w   io.Writer
	err error
}

func (l *lines) line(format string, args ...any) {
	if l.err == nil {
		_, l.err = fmt.Fprintf(l.w, format+"\n", args...)
	}
}

// rows are the parts of a run by name, none where there are none.
func (l *lines) rows(what string, names []string, of map[string]*scoring.Summary) {
	if len(names) == 0 {
		return
	}
	l.line("")
	l.line("| %s | tasks | coverage | accuracy | reward | ECE | floor, 95 %% | Brier | AURC |", what)
	l.line("|---|---|---|---|---|---|---|---|---|")
	for _, name := range names {
		l.row(name, of[name])
	}
}

// sources are the sources of confidence beside each other.
func (l *lines) sources(all []dossier.Source) {
	if len(all) == 0 {
		return
	}
	l.line("")
	l.line("| source of confidence | answers | missing | Brier | ECE | floor, 95 %% | AURC | AUROC |")
	l.line("|---|---|---|---|---|---|---|---|")
	for _, source := range all {
		s, paid := source.Summary, ""
		if source.Paid {
			paid = " (paid)"
		}
		l.line("| %s%s | %d | %d | %s | %s | %s | %s | %s |", escape(source.Name), paid, s.Answered, source.Missing, with(s, "brier", s.Brier),
			with(s, "ece", s.ECE), rounded(s.ECEFloor.P95), with(s, "aurc", s.AURC), with(s, "auroc", s.AUROC))
	}
}

// with is a figure and its interval.
func with(s *scoring.Summary, key string, x *float64) string {
	return strings.TrimSpace(rounded(x) + " " + report.Interval(s, key))
}

func (l *lines) row(name string, s *scoring.Summary) {
	l.line("| %s | %d | %s | %s | %s | %s | %s | %s | %s |", escape(name), s.N, with(s, "coverage", s.Coverage), with(s, "accuracy", s.Accuracy),
		with(s, "reward", s.Reward), with(s, "ece", s.ECE), rounded(s.ECEFloor.P95), with(s, "brier", s.Brier), with(s, "aurc", s.AURC))
}

func rounded(x *float64) string {
	if x == nil {
		return "–"
	}
	return fmt.Sprintf("%.4f", *x)
}

// escape makes a text that others wrote plain in Markdown: no markup, no link,
// no second line.
func escape(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == '<':
			b.WriteString("&lt;")
		case r == '>':
			b.WriteString("&gt;")
		case r == '&':
			b.WriteString("&amp;")
		case r < ' ':
			b.WriteByte(' ')
		case strings.ContainsRune("\\`*_[]|!#~", r):
			b.WriteByte('\\')
			b.WriteRune(r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// writeCSV writes every figure with an interval or none, one a line, so that
// several runs stand below each other. An undefined figure is empty.
func writeCSV(w io.Writer, all []*dossier.Dossier) error {
	c := csv.NewWriter(w)
	if err := c.Write(csvHeader()); err != nil {
		return err
	}
	for _, d := range all {
		if err := csvRows(c, row{run: d.Name}, d.Summary()); err != nil {
			return err
		}
		for _, split := range d.Splits() {
			if err := csvRows(c, row{run: d.Name, split: split}, d.Summary().BySplit[split]); err != nil {
				return err
			}
		}
		for _, source := range d.Sources {
			if err := csvRows(c, row{run: d.Name, source: source.Name}, source.Summary); err != nil {
				return err
			}
		}
	}
	c.Flush()
	return c.Error()
}

func csvHeader() []string {
	return []string{"run", "split", "figure", "value", "low", "high", "kind", "source"}
}

// row is what a line is of: a run, one of its splits, or one of its sources of
// confidence, of which only the calibration is told.
type row struct{ run, split, source string }

func csvRows(c *csv.Writer, of row, s *scoring.Summary) error {
	count := func(n int) *float64 { x := float64(n); return &x }
	for _, f := range []struct {
		key   string
		value *float64
	}{
		{"n", count(s.N)}, {"answered", count(s.Answered)}, {"abstained", count(s.Abstained)}, {"malformed", count(s.Malformed)}, {"errors", count(s.Errors)},
		{"coverage", s.Coverage}, {"abstain_rate", s.AbstainRate}, {"malformed_rate", s.MalformedRate},
		{"accuracy", s.Accuracy}, {"balanced_accuracy", s.BalancedAccuracy}, {"blind_accuracy", s.BlindAccuracy}, {"mean_confidence", s.MeanConfidence},
		{"reward", s.Reward}, {"brier", s.Brier}, {"ece", s.ECE}, {"ece_floor_mean", s.ECEFloor.Mean}, {"ece_floor_p95", s.ECEFloor.P95}, {"p_calibrated", s.ECEFloor.PCalibrated},
		{"ece_equal_width", s.ECEEqualWidth}, {"ece_debiased", s.ECEDebiased}, {"smooth_ece", s.SmoothECE}, {"mcb", s.CORP.MCB}, {"dsc", s.CORP.DSC}, {"unc", s.CORP.UNC},
		{"aurc", s.AURC}, {"e_aurc", s.EAURC}, {"augrc", s.AUGRC}, {"auroc", s.AUROC}, {"predicted_supported", s.PredictedSupported},
	} {
		if of.source != "" && !slices.Contains([]string{"answered", "mean_confidence", "brier", "ece", "ece_floor_mean", "ece_floor_p95", "p_calibrated", "aurc", "augrc", "auroc"}, f.key) {
			continue
		}
		row := []string{of.run, of.split, f.key, "", "", "", "", of.source}
		if f.value != nil {
			row[3] = exact(*f.value)
		}
		switch ci, spread := s.CI[f.key], s.Spread[f.key]; {
		case ci != nil:
			row[4], row[5], row[6] = exact(ci[0]), exact(ci[1]), "interval"
		case spread != nil:
			row[4], row[5], row[6] = exact(spread[0]), exact(spread[1]), "spread"
		}
		if err := c.Write(row); err != nil {
			return err
		}
	}
	return nil
}

func exact(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
