package report

import (
	"fmt"
	"io"
	"strings"

	"candor/infer/preflight"

	"github.com/jedib0t/go-pretty/v6/table"
)

// Doctor writes a preflight's findings: what was asked, what was found, what
// it means for the figures and what to do.
func Doctor(w io.Writer, endpoint string, r preflight.Report) error {
	p := &printer{w: w}
	id := r.Identity
	if id.Embedded {
		p.line("%s", Embedded(id))
	}
	t := newTable()
	for _, row := range [][2]string{
		{"server", fmt.Sprintf("%s, Ollama %s", endpoint, id.ServerVersion)},
		{"model", id.Model},
		{"architecture", fmt.Sprintf("%s, %s, %s, made for %d tokens", id.Architecture, parameters(id.ParameterSize), quantisation(id.Quantization), id.TrainedContext)},
		{"capabilities", strings.Join(id.Capabilities, ", ")},
		{"renderer, parser", orUnknown(id.Renderer) + ", " + orUnknown(id.Parser)},
		{"manifest digest", id.Digest},
		{"weights digest", orUnknown(id.WeightsDigest)},
	} {
		t.AppendRow(table.Row{row[0], row[1]})
	}
	p.table(t)
	if id.RandomWeights {
		p.line("! this model has random weights: its figures mean nothing")
	}
	for _, f := range r.Findings {
		p.line("")
		p.line("%s %s %s (%s)", mark(f.Severity), f.Question, strings.ToUpper(string(f.Status)), f.Check)
		p.line("    %s", f.Detail)
		if f.Meaning != "" {
			p.line("    means: %s", f.Meaning)
		}
		if f.Advice != "" {
			p.line("    do: %s", f.Advice)
		}
	}
	p.line("")
	p.line("candor eval --parallel auto would keep %s in flight at this server.", Count(r.Parallel, "request"))
	return p.err
}

func mark(s preflight.Severity) string {
	switch s {
	case preflight.Serious:
		return "!!"
	case preflight.Note:
		return " -"
	}
	return "ok"
}
