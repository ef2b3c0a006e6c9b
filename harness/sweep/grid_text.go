package sweep

import (
	"fmt"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// columns is how wide a plain text may be.
const columns = 100

// grid is a table before it is written.
type grid struct {
	header []string
	rows   [][]string
	name   int      // the column of cells' names, which gives way
	marks  []string // what stands above, for the rows with its letter
	notes  []string // below
}

func newGrid(header ...string) *grid { return &grid{header: header} }

func (g *grid) add(row ...string) { g.rows = append(g.rows, row) }

func (g *grid) note(format string, args ...any) {
	g.notes = append(g.notes, fmt.Sprintf(format, args...))
}

// mark is the letter of what is to be said above, "" for nothing.
func (g *grid) mark(note string) string {
	if note == "" {
		return ""
	}
	i := slices.Index(g.marks, note)
	if i < 0 {
		i = len(g.marks)
		g.marks = append(g.marks, note)
	}
	return "[" + letter(i) + "]"
}

func letter(i int) string {
	if i < 26 {
		return string(rune('a' + i))
	}
	return fmt.Sprint(i - 25)
}

// writer is the table for go-pretty.
func (g *grid) writer() table.Writer {
	t := table.NewWriter()
	style := table.StyleDefault
	style.Options = table.OptionsNoBordersAndSeparators
	style.Format.Header = text.FormatDefault
	style.Box.PaddingLeft, style.Box.PaddingRight = "", "  "
	t.SetStyle(style)
	row := func(texts []string) table.Row {
		out := make(table.Row, len(texts))
		for i, s := range texts {
			out[i] = s
		}
		return out
	}
	t.AppendHeader(row(g.header))
	for _, r := range g.rows {
		t.AppendRow(row(r))
	}
	return t
}

// room is how wide the names may be so that the whole fits.
func (g *grid) room() int {
	const least = 20
	taken := 0
	for i := range g.header {
		if i == g.name {
			continue
		}
		width := text.LongestLineLen(g.header[i])
		for _, r := range g.rows {
			width = max(width, text.LongestLineLen(r[i]))
		}
		taken += width + 2
	}
	return max(least, columns-taken-2)
}

// wrapped is a cell's name on lines of so many columns, cut between its axes
// where that can be.
func wrapped(name string, room int) string {
	var lines []string
	line := ""
	for part := range strings.SplitAfterSeq(name, ",") {
		if line != "" && text.StringWidth(line+part) > room {
			lines, line = append(lines, line), ""
		}
		line += part
		for text.StringWidth(line) > room {
			head := text.Trim(line, room)
			lines, line = append(lines, head), strings.TrimPrefix(line, head)
		}
	}
	return strings.Join(append(lines, line), "\n")
}

// plainText is for terminals and mail.
type plainText struct{}

func (plainText) apart() bool { return false }

func (plainText) title(s string) string { return text.WrapText(s, columns) + "\n" }

func (plainText) grid(g *grid) string {
	t := g.writer()
	t.SetColumnConfigs([]table.ColumnConfig{{Number: g.name + 1, WidthMax: g.room(), WidthMaxEnforcer: wrapped}})
	return trimmed(t.Render())
}

func (plainText) note(prefix, s string) string {
	indent := "\n" + strings.Repeat(" ", max(2, len(prefix)))
	return prefix + strings.TrimSpace(strings.ReplaceAll(trimmed(text.WrapSoft(s, columns-2)), "\n", indent)) + "\n"
}

// markdown wraps nothing: whoever shows it does.
type markdown struct{}

func (markdown) apart() bool { return true }

func (markdown) title(s string) string { return "## " + s + "\n\n" }

func (markdown) grid(g *grid) string { return trimmed(g.writer().RenderMarkdown()) }

// note is a paragraph.
func (markdown) note(prefix, s string) string { return prefix + s + "\n\n" }

// trimmed is a text without blanks at the ends of lines.
func trimmed(s string) string {
	var b strings.Builder
	for line := range strings.Lines(s) {
		b.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	return b.String()
}
