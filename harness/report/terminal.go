// Package report shows results to people: a run's summary, a rescoring, a
// comparison, a recalibration, what a server honours. Every figure comes from
// the result itself; what belongs beside a figure to read it rightly (its
// interval, its floor, how it was binned, what the server did not honour)
// stands beside it. Tables keep within 100 columns.
package report

import (
	"fmt"
	"io"
	"strings"
	"unicode"

	"candor/harness/run"
	"candor/scoring"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// Run writes a run's summary as plain text, for a terminal or a log. reasons
// counts why answers were malformed; nil if that is not known.
func Run(w io.Writer, r run.Result, reasons map[string]int) error {
	p := &printer{w: w}
	p.run(r)
	p.summary(&r.Summary.Summary, r.Manifest.Config.Bins, reasons)
	p.labelSets(&r.Summary.Summary)
	p.speed(r.Summary.Throughput)
	return p.err
}

// Score writes the summary of answers without the story of a run; bins is how
// many were asked for, reasons as for [Run].
func Score(w io.Writer, s *scoring.Summary, bins int, reasons map[string]int) error {
	p := &printer{w: w}
	p.summary(s, bins, reasons)
	return p.err
}

// printer keeps the first error of its writer.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) line(format string, args ...any) {
	if p.err == nil {
		_, p.err = io.WriteString(p.w, harmless(fmt.Sprintf(format, args...))+"\n")
	}
}

// harmless shows by its code what would steer a terminal, as names of splits,
// labels and files may.
func harmless(line string) string {
	if !strings.ContainsFunc(line, steers) {
		return line
	}
	var b strings.Builder
	for _, r := range line {
		if steers(r) {
			fmt.Fprintf(&b, "\\u%04X", r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

func steers(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }

// table writes t without the blanks that fill its last column.
func (p *printer) table(t table.Writer) {
	for row := range strings.Lines(t.Render()) {
		p.line("%s", strings.TrimRight(row, " \n"))
	}
}

func (p *printer) summary(s *scoring.Summary, bins int, reasons map[string]int) {
	p.line("Paid by the %s rule; ABSTAIN earns %.4g: a verdict pays better above a belief of %.4g.", s.Rule, s.AbstainReward, s.Threshold)
	for _, w := range s.Warnings {
		p.line("! %s", w.Message)
	}
	p.line("")
	p.table(outcomes(s))
	p.line("")
	p.malformed(reasons)
	if s.Answered > 0 {
		p.table(figures(s))
		p.line("")
	}
	for _, n := range notes(s, bins) {
		p.line("%s", n)
	}
	p.sources(s)
	p.levels(s)
	p.splits(s)
}

func (p *printer) speed(t run.Throughput) {
	if t.TasksPerSecond == nil || t.OutputTokensPerS == nil {
		return
	}
	p.line("")
	p.line("Speed: %.2f tasks/s, %.1f output tokens/s; %s took more than one attempt.", *t.TasksPerSecond, *t.OutputTokensPerS, Count(t.Retried, "task"))
	if t.Cached > 0 {
		p.line("%s took over the answer to an equal one (greedy decoding).", Count(t.Cached, "further task"))
	}
	p.costs(t)
	p.line("Latency of a request: p50 %.2f s, p90 %.2f s, p99 %.2f s.", t.LatencySeconds["p50"], t.LatencySeconds["p90"], t.LatencySeconds["p99"])
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

func rightAligned(columns ...int) []table.ColumnConfig {
	var out []table.ColumnConfig
	for _, c := range columns {
		out = append(out, table.ColumnConfig{Number: c, Align: text.AlignRight, AlignHeader: text.AlignRight})
	}
	return out
}

// number is a figure that has a row of its own.
func number(x *float64) string {
	if x == nil {
		return "undefined"
	}
	return fmt.Sprintf("%.4f", *x)
}

// Count is a number of things; one of them stands in the singular.
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
