package publish

import (
	"encoding/csv"
	"fmt"
	"io"
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
		if len(d.Splits()) == 0 {
			continue
		}
		m.line("")
		m.line("| split | tasks | coverage | accuracy | reward | ECE | floor, 95 %% | Brier | AURC |")
		m.line("|---|---|---|---|---|---|---|---|---|")
		for _, split := range d.Splits() {
			m.row(split, s.BySplit[split])
		}
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

func (l *lines) row(name string, s *scoring.Summary) {
	with := func(key string, x *float64) string {
		return strings.TrimSpace(rounded(x) + " " + report.Interval(s, key))
	}
	l.line("| %s | %d | %s | %s | %s | %s | %s | %s | %s |", escape(name), s.N, with("coverage", s.Coverage), with("accuracy", s.Accuracy),
		with("reward", s.Reward), with("ece", s.ECE), rounded(s.ECEFloor.P95), with("brier", s.Brier), with("aurc", s.AURC))
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
		if err := csvRows(c, d.Name, "", d.Summary()); err != nil {
			return err
		}
		for _, split := range d.Splits() {
			if err := csvRows(c, d.Name, split, d.Summary().BySplit[split]); err != nil {
				return err
			}
		}
	}
	c.Flush()
	return c.Error()
}

func csvHeader() []string { return []string{"run", "split", "figure", "value", "low", "high", "kind"} }

func csvRows(c *csv.Writer, name, split string, s *scoring.Summary) error {
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
		row := []string{name, split, f.key, "", "", "", ""}
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
