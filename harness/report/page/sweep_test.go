package page_test

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"candor/harness/compare"
	"candor/harness/dossier"
	"candor/harness/report/page"
	"candor/harness/rescore"
	"candor/harness/stored"
	"candor/harness/sweep"
	"candor/scoring"
)

// axesOf are two axes, or three with a list among the values.
func axesOf(n int) []sweep.Axis {
	return []sweep.Axis{
		{Name: "temperature", Values: []any{0.0, 0.7, 1.5}}, {Name: "rule", Values: []any{"brier", "log"}},
		{Name: "confidence", Values: []any{"verbal", []any{"verbal", "logprob"}, attacks[1], strings.Repeat("long", 40)}},
	}[:n]
}

// swept is the table of a sweep over so many axes, of runs that differ in a few
// answers, the cells of the log rule told another payment.
func swept(t *testing.T, axes int) *sweep.Table {
	t.Helper()
	out := &sweep.Table{Sweep: "grid " + attacks[0], Axes: axesOf(axes), RankBy: sweep.RankBy{Metric: "reward"}, Errors: 2}
	cells := []sweep.Cell{{Values: map[string]any{}}}
	for _, a := range out.Axes {
		var next []sweep.Cell
		for _, c := range cells {
			for _, v := range a.Values {
				n := sweep.Cell{Name: strings.TrimPrefix(c.Name+","+a.Name+"="+dossier.Label(v), ","), Values: map[string]any{a.Name: v}}
				for k, x := range c.Values {
					n.Values[k] = x
				}
				next = append(next, n)
			}
		}
		cells = next
	}
	g := sweep.Group{Baseline: cells[0].Name, Rule: "brier", Abstain: .8, AsIf: map[string]string{}}
	var all []*stored.Answers
	pay, err := scoring.NewPayment(scoring.Brier{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range cells {
		a := answers(c.Name, 60, plain)
		for j := range a.Run.Traces[:i] {
			if x := &a.Run.Traces[j]; x.Outcome == scoring.Answered {
				x.Correct = 1 - x.Correct
			}
		}
		a.Rows = a.Run.Rows()
		all = append(all, a)
		s, err := scoring.Summarize(context.Background(), a.Rows, pay, scoring.Options{Bootstrap: 50, FloorDraws: 100})
		if err != nil {
			t.Fatal(err)
		}
		if c.Values["rule"] == "log" {
			g.AsIf[c.Name] = "as if: answers given under log, 0.936"
		}
		out.Cells = append(out.Cells, sweep.Measured{Cell: c, Dir: c.Name, Summary: *s})
		g.Cells = append(g.Cells, c.Name)
		g.Ranking = append(g.Ranking, sweep.Place{Cell: c.Name, Rank: i + 1, Value: s.Reward, CI: s.CI["reward"], Best: new(1 / float64(len(cells)))})
		out.Rescored = append(out.Rescored, sweep.Rescored{Cell: c.Name, Result: &rescore.Result{Summary: *s, AsIf: "as if: answers given under log, 0.936", Hypothetical: c.Values["rule"] == "log"}})
	}
	if g.Comparison, err = compare.Answers(context.Background(), all[0], all[1:], compare.Request{Options: scoring.Options{Bootstrap: 50}}); err != nil {
		t.Fatal(err)
	}
	out.Groups = []sweep.Group{g}
	return out
}

func sweepPage(t *testing.T, table *sweep.Table) string {
	t.Helper()
	s, err := dossier.OfSweep(context.Background(), table)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := page.Sweep(&b, s); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Every cell stands in the joint table and in the ranking, every other in the
// differences; two axes make a grid, three do not; what was told another payment
// is marked wherever its reward stands; names are text.
func TestSweep(t *testing.T) {
	for axes, cells := range map[int]int{1: 3, 2: 6, 3: 24} {
		got := sweepPage(t, swept(t, axes))
		joint := part(t, got, `id="joint"`, "</table>")
		if n := strings.Count(joint, "<tr data-item"); n != cells {
			t.Errorf("%d axes: the joint table has %d cells; want %d", axes, n, cells)
		}
		if n := strings.Count(part(t, got, `aria-label="Ranking"`, "</table>"), "<tr>"); n != cells+1 {
			t.Errorf("%d axes: the ranking has %d rows; want a heading and %d", axes, n, cells)
		}
		if n := strings.Count(part(t, got, "reward, cell − baseline", "</table>"), "<tr>"); n != cells {
			t.Errorf("%d axes: the differences have %d rows; want a heading and %d", axes, n, cells-1)
		}
		// "for all at once" sorts by its lower end, a number.
		if !regexp.MustCompile(`<td data-value="-?[0-9.e-]+">[+-][0-9.]+ … `).MatchString(part(t, got, "reward, cell − baseline", "</table>")) {
			t.Errorf("%d axes: what holds for all at once sorts as text", axes)
		}
		if has := strings.Contains(got, "by temperature and rule"); has != (axes == 2) {
			t.Errorf("%d axes: a grid: %v", axes, has)
		}
		marked := strings.Contains(part(t, got, `aria-label="Ranking"`, "</table>"), "as if: answers given under log") &&
			strings.Contains(got, "As if: All paid by brier, 0.8") && strings.Contains(got, `<span class="asif">as if: answers given under log, 0.936</span>`)
		if marked != (axes > 1) {
			t.Errorf("%d axes: marked as hypothetical: %v", axes, marked)
		}
		if strings.Count(got, "<script") != 1 || strings.Contains(got, "<img") || strings.Contains(got, ">NaN") {
			t.Errorf("%d axes: a name is taken for markup, or NaN", axes)
		}
		if !strings.Contains(got, "2 tasks ended in error") {
			t.Errorf("%d axes: errors are not told", axes)
		}
	}
}

// A sweep of one cell, in which nothing was answered, has no ranking to draw and
// says why.
func TestSweepNothing(t *testing.T) {
	s, err := scoring.Summarize(context.Background(), []scoring.Row{{ID: "1", Image: "a", Outcome: scoring.Malformed}}, scoring.Payment{Rule: scoring.Brier{}, Abstain: .8}, scoring.Options{})
	if err != nil {
		t.Fatal(err)
	}
	table := &sweep.Table{Sweep: "none", RankBy: sweep.RankBy{Metric: "accuracy"}, Cells: []sweep.Measured{{Cell: sweep.Cell{Name: "all"}, Summary: *s}},
		Groups: []sweep.Group{{Cells: []string{"all"}, Baseline: "all", Rule: "brier", Abstain: .8, Ranking: []sweep.Place{{Cell: "all", Rank: 1}}}}}
	got := sweepPage(t, table)
	if strings.Contains(got, ">NaN") || strings.Contains(got, "Along the axes") || !strings.Contains(got, s.Warnings[0].Message) {
		t.Error("NaN, an axis, or no warning")
	}
}

// part is what stands between two marks.
func part(t *testing.T, html, from, to string) string {
	t.Helper()
	_, rest, found := strings.Cut(html, from)
	inner, _, closed := strings.Cut(rest, to)
	if !found || !closed {
		t.Fatal(fmt.Errorf("nothing between %q and %q", from, to))
	}
	return inner
}
