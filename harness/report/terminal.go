// Package report shows a run's summary to people. Every figure comes from the
// summary itself; what belongs beside a figure to read it rightly (its
// interval, its floor, how it was binned, what the server did not honour)
// stands beside it.
package report

import (
	"fmt"
	"io"
	"maps"
	"slices"

	"candor/harness/run"
	"candor/scoring"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// Run writes a run's summary as plain text, for a terminal or a log.
func Run(w io.Writer, r run.Result) error {
	m := r.Manifest
	p := &printer{w: w}
	p.line("Run %s: %s", r.Dir, progress(m, r.Summary))
	p.line("%s, split %s, partition %s, %d images", m.Dataset.Name, m.Dataset.Split, m.Dataset.Partition, m.Dataset.Images)
	p.line("%s (%s, %s parameters, %s) on Ollama %s%s", m.Model.Model, m.Model.Architecture, orUnknown(m.Model.ParameterSize),
		quantisation(m.Model.Quantization), m.Model.ServerVersion, device(m))
	p.line("profile %s: temperature %v, top_p %v, top_k %v, min_p %v, presence_penalty %v, repeat_penalty %v, thinking %s; format %s",
		m.Config.Profile, m.Options.Temperature, m.Options.TopP, m.Options.TopK, m.Options.MinP, m.Options.PresencePenalty,
		m.Options.RepeatPenalty, onOff(m.Options.Think), m.Config.Format)
	p.summary(&r.Summary.Summary, m.Config.Bins)
	p.speed(r.Summary.Throughput)
	return p.err
}

// Score writes the summary of answers that come from no run of Candor's.
func Score(w io.Writer, s *scoring.Summary, bins int) error {
	p := &printer{w: w}
	p.summary(s, bins)
	return p.err
}

// printer keeps the first error of its writer.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) line(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format+"\n", args...)
	}
}

func (p *printer) table(t table.Writer) { p.line("%s", t.Render()) }

func (p *printer) summary(s *scoring.Summary, bins int) {
	p.line("Paid by the %s rule; ABSTAIN earns %.4g, so answering pays above a belief of %.4g.", s.Rule, s.AbstainReward, s.Threshold)
	for _, w := range s.Warnings {
		p.line("! %s", w.Message)
	}
	p.line("")
	p.table(outcomes(s))
	p.line("")
	p.table(figures(s))
	p.line("")
	for _, n := range notes(s, bins) {
		p.line("%s", n)
	}
	p.levels(s)
	p.splits(s)
}

func newTable() table.Writer {
	t := table.NewWriter()
	style := table.StyleDefault
	style.Options = table.OptionsNoBordersAndSeparators
	style.Format.Header = text.FormatDefault
	style.Box.PaddingLeft, style.Box.PaddingRight = "", "  "
	t.SetStyle(style)
	return t
}

func outcomes(s *scoring.Summary) table.Writer {
	t := newTable()
	t.AppendHeader(table.Row{"outcome", "tasks", "share", "95 % interval"})
	t.AppendRow(table.Row{"answered", s.Answered, number(s.Coverage), interval(s, "coverage")})
	t.AppendRow(table.Row{"abstained", s.Abstained, number(s.AbstainRate), interval(s, "abstain_rate")})
	t.AppendRow(table.Row{"malformed", s.Malformed, number(s.MalformedRate), interval(s, "malformed_rate")})
	if s.Errors > 0 {
		t.AppendRow(table.Row{"error (not scored)", s.Errors, "", ""})
	}
	t.SetColumnConfigs(rightAligned(2, 3))
	return t
}

func rightAligned(columns ...int) []table.ColumnConfig {
	var out []table.ColumnConfig
	for _, c := range columns {
		out = append(out, table.ColumnConfig{Number: c, Align: text.AlignRight, AlignHeader: text.AlignRight})
	}
	return out
}

// figures are in the order in which they are read: is it right, does it know,
// can it rank, what does it earn.
func figures(s *scoring.Summary) table.Writer {
	t := newTable()
	t.AppendHeader(table.Row{"figure", "value", "95 % interval", ""})
	for _, f := range []struct {
		name, key string
		value     *float64
		beside    string
	}{
		{"accuracy", "accuracy", s.Accuracy, "of the answered"},
		{"mean confidence", "mean_confidence", s.MeanConfidence, over(s)},
		{"reward", "reward", s.Reward, "mean over all tasks"},
		{"Brier", "brier", s.Brier, "lower is better"},
		{"ECE", "ece", s.ECE, floor(s)},
		{"ECE, equal width", "ece_equal_width", s.ECEEqualWidth, ""},
		{"ECE, debiased", "ece_debiased", s.ECEDebiased, ""},
		{"miscalibration", "mcb", s.CORP.MCB, "CORP: Brier = miscalibration − discrimination + uncertainty"},
		{"discrimination", "dsc", s.CORP.DSC, ""},
		{"uncertainty", "unc", s.CORP.UNC, ""},
		{"AURC", "aurc", s.AURC, "expected over the order of ties; lower is better"},
		{"E-AURC", "e_aurc", s.EAURC, "above the best order"},
		{"AUGRC", "augrc", s.AUGRC, "lower is better"},
		{"AUROC", "auroc", s.AUROC, "½ is chance"},
		{"said SUPPORTED", "predicted_supported", s.PredictedSupported, "share of the answered"},
	} {
		t.AppendRow(table.Row{f.name, number(f.value), interval(s, f.key), f.beside})
	}
	t.SetColumnConfigs(rightAligned(2))
	return t
}

func number(x *float64) string {
	if x == nil {
		return "undefined"
	}
	return fmt.Sprintf("%.4f", *x)
}

func interval(s *scoring.Summary, key string) string {
	if i := s.CI[key]; i != nil {
		return fmt.Sprintf("%.3f – %.3f", i[0], i[1])
	}
	if i := s.Spread[key]; i != nil {
		return fmt.Sprintf("(spread %.3f – %.3f)", i[0], i[1])
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
		return fmt.Sprintf("%.3f above accuracy: overconfident", d)
	case d < 0:
		return fmt.Sprintf("%.3f below accuracy: underconfident", -d)
	}
	return "equal to accuracy"
}

// floor puts an ECE beside what luck alone gives a calibrated model.
func floor(s *scoring.Summary) string {
	f := s.ECEFloor
	if f.Mean == nil || f.P95 == nil || f.PCalibrated == nil {
		return ""
	}
	verdict := "no evidence of miscalibration"
	if *f.PCalibrated < 0.05 {
		verdict = "miscalibrated"
	}
	return fmt.Sprintf("a calibrated model: mean %.4f, 95th percentile %.4f; p = %.3g: %s", *f.Mean, *f.P95, *f.PCalibrated, verdict)
}

func notes(s *scoring.Summary, bins int) []string {
	out := []string{}
	if s.ECEBins != nil {
		out = append(out, fmt.Sprintf("ECE: equal mass, %d bins asked, %d in effect, equal confidences never split, n = %d answered.", bins, *s.ECEBins, s.Answered))
	}
	if len(s.CI) > 0 {
		out = append(out, "Intervals resample images; a spread is no interval for the truth (its estimate leans upwards).")
	}
	return out
}

// levels shows how many different things the model says of its confidence.
func (p *printer) levels(s *scoring.Summary) {
	if s.DistinctConfidences == nil || s.TopConfidenceShare == nil {
		return
	}
	p.line("%d distinct confidences; the commonest is stated %.0f %% of the time.", *s.DistinctConfidences, 100**s.TopConfidenceShare)
	const most = 12
	commonest := slices.SortedStableFunc(slices.Values(s.Levels), func(a, b scoring.Level) int { return b.N - a.N })
	shown := commonest[:min(most, len(commonest))]
	slices.SortFunc(shown, func(a, b scoring.Level) int {
		if a.Confidence < b.Confidence {
			return -1
		}
		return 1
	})
	p.line("")
	t := newTable()
	t.AppendHeader(table.Row{"confidence", "n", "accuracy"})
	for _, l := range shown {
		t.AppendRow(table.Row{fmt.Sprintf("%.4g", l.Confidence), l.N, fmt.Sprintf("%.3f", float64(l.Correct)/float64(l.N))})
	}
	t.SetColumnConfigs(rightAligned(1, 2, 3))
	p.table(t)
	if len(commonest) > most {
		p.line("… and %d rarer ones, in the JSON", len(commonest)-most)
	}
}

func (p *printer) splits(s *scoring.Summary) {
	if len(s.BySplit) < 2 {
		return
	}
	p.line("")
	t := newTable()
	t.AppendHeader(table.Row{"split", "n", "accuracy", "coverage", "abstain", "ECE", "Brier", "AURC", "reward"})
	for _, name := range slices.Sorted(maps.Keys(s.BySplit)) {
		b := s.BySplit[name]
		t.AppendRow(table.Row{name, b.N, number(b.Accuracy), number(b.Coverage), number(b.AbstainRate), number(b.ECE), number(b.Brier), number(b.AURC), number(b.Reward)})
	}
	t.SetColumnConfigs(rightAligned(2, 3, 4, 5, 6, 7, 8, 9))
	p.table(t)
}

func (p *printer) speed(t run.Throughput) {
	if t.TasksPerSecond == nil || t.OutputTokensPerS == nil {
		return
	}
	p.line("")
	p.line("%.2f tasks/s, %.1f output tokens/s; latency p50 %.2f s, p90 %.2f s, p99 %.2f s; %d tasks took more than one attempt.",
		*t.TasksPerSecond, *t.OutputTokensPerS, t.LatencySeconds["p50"], t.LatencySeconds["p90"], t.LatencySeconds["p99"], t.Retried)
}

func progress(m run.Manifest, s run.Summary) string {
	done := s.N
	switch {
	case s.Errors > 0:
		return fmt.Sprintf("%s, INCOMPLETE: %d of %d tasks, %d ended in error", m.State, done, m.Tasks, s.Errors)
	case done < m.Tasks:
		return fmt.Sprintf("%s, PARTIAL: %d of %d tasks", m.State, done, m.Tasks)
	}
	return fmt.Sprintf("%s, %d tasks", m.State, done)
}

func device(m run.Manifest) string {
	if m.Preflight == nil || !m.Preflight.Residency.Loaded {
		return ""
	}
	r := m.Preflight.Residency
	switch {
	case r.SizeVRAM == 0:
		return ", on the CPU"
	case r.SizeVRAM < r.Size:
		return fmt.Sprintf(", %.0f %% on the GPU", 100*float64(r.SizeVRAM)/float64(r.Size))
	}
	return ", on the GPU"
}

func quantisation(q string) string {
	if q == "" || q == "unknown" {
		return "quantisation not told"
	}
	return q
}

func orUnknown(s string) string {
	if s == "" {
		return "unknown"
	}
	return s
}

func onOff(b bool) string {
	if b {
		return "on"
	}
	return "off"
}
