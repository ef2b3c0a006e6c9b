package report

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"candor/harness/audit"

	"github.com/jedib0t/go-pretty/v6/table"
)

// Data writes what an audit found, for a terminal.
func Data(w io.Writer, r *audit.Report) error {
	p := &printer{w: w}
	p.line("%s (%s)", r.Name, cmp.Or(r.Revision, "no revision"))
	p.line("%s on %s, %s; %d SUPPORTED, %d REFUTED", Count(r.Rows, "row"), Count(r.Images, "image"),
		Count(r.DistinctClaims, "distinct claim"), r.Labels.Supported, r.Labels.Refuted)
	p.line("partition: eval %s on %s, train %s on %s", Count(r.Partition.Eval.Rows, "row"), Count(r.Partition.Eval.Images, "image"),
		Count(r.Partition.Train.Rows, "row"), Count(r.Partition.Train.Images, "image"))
	p.line("")
	p.dataSplits(r)
	p.overlap(r)
	p.relabelled(r)
	p.pictures(r.Pictures)
	p.dataFiles(r.Files)
	p.leakage(r.Leakage)
	if len(r.Warnings) > 0 {
		p.line("")
	}
	for _, w := range r.Warnings {
		p.line("! %s", w.Message)
	}
	return p.err
}

// dataSplits has beside each split what can be had without looking.
func (p *printer) dataSplits(r *audit.Report) {
	t := newTable()
	t.AppendHeader(table.Row{"split", "rows", "images", "SUPPORTED", "REFUTED", "blind"})
	for _, name := range slices.Sorted(maps.Keys(r.Splits)) {
		s := r.Splits[name]
		t.AppendRow(table.Row{name, s.Rows, s.Images, s.Labels.Supported, s.Labels.Refuted, short(r.Blind[name])})
	}
	t.SetColumnConfigs(rightAligned(2, 3, 4, 5, 6))
	p.table(t)
	p.line("blind: accuracy on eval claims of the best classifier of the text alone, fitted on train.")
}

// overlap lists the pairs of splits that share claims.
func (p *printer) overlap(r *audit.Report) {
	t := newTable()
	t.AppendHeader(table.Row{"claims of both", "true", "normalised", "false", "normalised"})
	const most = 12
	shown, more := 0, 0
	for _, pair := range slices.Sorted(maps.Keys(r.Overlap)) {
		o := r.Overlap[pair]
		switch {
		case o == (audit.Overlap{}):
		case shown == most:
			more++
		default:
			shown++
			t.AppendRow(table.Row{pair, o.Positives, o.PositivesNormalised, o.Negatives, o.NegativesNormalised})
		}
	}
	if shown == 0 {
		return
	}
	t.SetColumnConfigs(rightAligned(2, 3, 4, 5))
	p.line("")
	p.table(t)
	if more > 0 {
		p.line("and %s more that share claims (--json has all)", Count(more, "pair"))
	}
}

func (p *printer) relabelled(r *audit.Report) {
	if len(r.LabelSets) == 0 {
		return
	}
	p.line("")
	t := newTable()
	t.AppendHeader(table.Row{"labels", "split", "kept", "ambiguous", "SUPPORTED", "REFUTED", "to REFUTED", "to SUPPORTED", "ceiling"})
	for _, name := range slices.Sorted(maps.Keys(r.LabelSets)) {
		of := r.LabelSets[name].Splits
		for _, split := range slices.Sorted(maps.Keys(of)) {
			s := of[split]
			t.AppendRow(table.Row{name, split, s.Kept, s.Ambiguous, s.Labels.Supported, s.Labels.Refuted, s.SupportedToRefuted, s.RefutedToSupported, short(s.Ceiling)})
		}
	}
	t.SetColumnConfigs(rightAligned(3, 4, 5, 6, 7, 8, 9))
	p.table(t)
	p.line("ceiling: accuracy by the data's own labels, on the kept claims, of answers right by the set.")
}

func (p *printer) pictures(of *audit.Pictures) {
	p.line("")
	if of == nil {
		p.line("images: none at hand (--images)")
		return
	}
	p.line("images: %d looked at: %s; colours %s", of.Checked, tally(of.Formats), tally(of.Colours))
	p.line("  %d×%d to %d×%d pixels; %d of fewer than the model takes (enlarged), %d of more (reduced)", of.Smallest[0], of.Smallest[1], of.Largest[0], of.Largest[1], of.Enlarged, of.Reduced)
	for _, o := range of.Odd {
		p.line("  %s: %s", o.Image, o.What)
	}
}

// tally lists how many there are of each, the most first.
func tally(n map[string]int) string {
	names := slices.SortedFunc(maps.Keys(n), func(a, b string) int { return cmp.Or(cmp.Compare(n[b], n[a]), cmp.Compare(a, b)) })
	var parts []string
	for _, name := range names {
		parts = append(parts, fmt.Sprintf("%d %s", n[name], name))
	}
	return cmp.Or(strings.Join(parts, ", "), "none")
}

func (p *printer) dataFiles(files []audit.File) {
	for i, f := range files {
		if i == 0 {
			p.line("")
		}
		p.line("%s", f.Path)
		p.line("  sha256 %s", f.SHA256)
		p.line("  %s", cmp.Or(f.Release, "no published file that is known here"))
	}
}

func (p *printer) leakage(l *audit.Leakage) {
	if l == nil {
		return
	}
	p.line("")
	for _, r := range l.Runs {
		p.line("%s: partition %s, %s on %s", r.Dir, r.Partition, Count(r.Tasks, "task"), Count(r.Images, "image"))
	}
	p.line("on both sides of the partition: %s misplaced, %d in runs on both, %d by equal bytes", Count(l.Misplaced, "image"), l.Shared, l.Repeated)
}
