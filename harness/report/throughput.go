package report

import (
	"fmt"
	"io"
	"strings"

	"candor/harness/throughput"

	"github.com/jedib0t/go-pretty/v6/table"
)

// Throughput writes what a benchmark of a server measured, a line to each load.
func Throughput(w io.Writer, r throughput.Report) error {
	p := &printer{w: w}
	p.line("%s on Ollama %s at %s, tasks of %s", r.Model.Model, r.Model.ServerVersion, strings.Join(r.Endpoints, ", "), r.Dataset)
	for _, warning := range r.Warnings {
		p.line("! %s", warning.Message)
	}
	p.line("")
	t := newTable()
	t.AppendHeader(table.Row{"load", "images", "answers/s", "good/s", "p50 s", "p90 s", "p99 s", "first s", "tokens/s", "busy", "no answer"})
	t.SetColumnConfigs(rightAligned(3, 4, 5, 6, 7, 8, 9, 10, 11))
	for _, l := range r.Levels {
		t.AppendRow(table.Row{
			loadOf(l), l.Cache, decimals(&l.Throughput, 2), decimals(&l.Goodput, 2), decimals(l.Latency.P50, 3), decimals(l.Latency.P90, 3), decimals(l.Latency.P99, 3),
			decimals(l.FirstToken.P50, 3), decimals(&l.OutputRate, 0), decimals(&l.Busy, 2), l.Failed + l.Unfinished,
		})
	}
	p.table(t)
	p.line("")
	in := "at all"
	if r.InTime > 0 {
		in = fmt.Sprintf("within %g s", r.InTime)
	}
	p.line("good: parsed, and answered %s. first: median time to the first token, by %s.", in, r.FirstToken)
	p.line("Times count from when a request was due, waiting included; in a closed loop it is due when")
	p.line("the one before is answered. busy: share of time with %s or more in flight.", Count(r.Slots, "request"))
	p.line("cold: images that the server has not seen. cached: one image, claim after claim.")
	for _, l := range r.Levels {
		if l.Error != "" {
			p.line("%s, %s: %s", loadOf(l), l.Cache, l.Error)
		}
	}
	return p.err
}

func loadOf(l throughput.Level) string {
	if l.Loop == "closed" {
		return fmt.Sprintf("%d at once", l.Concurrency)
	}
	return fmt.Sprintf("%.3g/s %s", l.Rate, l.Arrivals)
}

// decimals is a figure with so many places, or that it has no value.
func decimals(x *float64, places int) string {
	if x == nil {
		return "–"
	}
	return fmt.Sprintf("%.*f", places, *x)
}
