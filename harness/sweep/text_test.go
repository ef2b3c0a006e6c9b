package sweep

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"candor/harness/compare"
	"candor/harness/rescore"
	"candor/scoring"

	"github.com/jedib0t/go-pretty/v6/text"
)

var update = flag.Bool("update", false, "write the golden files anew")

// made is a table of two cells in error and out of it, asked under two rules.
func made(names []string, metric string) *Table {
	out := &Table{Sweep: "grid", RankBy: rankBy(metric), Errors: 3}
	g := Group{
		Cells: names, Baseline: names[0], Rule: "brier", Abstain: .8, AsIf: map[string]string{},
		Comparison: &compare.Result{Comparison: scoring.Comparison{Base: names[0]}},
	}
	g.Comparison.Warnings = []scoring.Warning{{Code: "c", Message: "presence_penalty 1.5 was asked for, and this server ignores it: the figures are those of neutral penalties; this goes for " + names[len(names)-1]}}
	at := func(x float64) (*float64, *scoring.Interval) { return &x, &scoring.Interval{x - .04, x + .03} }
	for i, name := range names {
		s := scoring.Summary{N: 100, Rule: []string{"brier", "log"}[i%2], AbstainReward: .8, CI: map[string]*scoring.Interval{}, Spread: map[string]*scoring.Interval{}}
		if i == 1 {
			s.N, s.Errors = 97, 3
		}
		x := .8 + .01*float64(i)
		s.Coverage, s.CI["coverage"] = at(x)
		s.Accuracy, s.CI["accuracy"] = at(x)
		s.Brier, s.CI["brier"] = at(1 - x)
		s.ECE, s.Spread["ece"] = at(1 - x)
		s.ECEDebiased, s.Spread["ece_debiased"] = at(.9 - x)
		s.Reward, s.CI["reward"] = at(x)
		out.Cells = append(out.Cells, Measured{Cell{Name: name}, name, s})
		p := Place{Cell: name, Rank: i + 1, Value: s.Figure(metric), CI: s.CI[metric], Spread: s.Spread[metric], Best: new(1 / float64(len(names)))}
		g.Ranking = append(g.Ranking, p)
		if i%2 == 1 {
			g.AsIf[name] = "as if: answers given under log, 0.935994"
		}
		r := Rescored{name, &rescore.Result{Summary: s, Hypothetical: i%2 == 1, AsIf: "as if: answers given under log, 0.935994"}}
		r.ByLabels = map[string]*scoring.Summary{"a-label-set-with-quite-a-long-name": &s}
		out.Rescored = append(out.Rescored, r)
		if i > 0 {
			d, ci := at(-.01)
			own := map[string]scoring.Difference{}
			for _, m := range []string{"reward", "accuracy", "brier", "coverage"} {
				own[m] = scoring.Difference{Difference: d, CI: ci, Simultaneous: &scoring.Interval{-.06, .04}, AdjustedP: new(.25)}
			}
			own["ece_debiased"] = scoring.Difference{Difference: d, Spread: ci}
			g.Comparison.Against = append(g.Comparison.Against, scoring.Against{Name: name, Own: own})
		}
	}
	out.Groups = []Group{g}
	return out
}

// Names of any length leave the text within its columns, and the text with
// everything of a name in it; Markdown keeps each name in one piece.
func TestText(t *testing.T) {
	for name, row := range map[string]struct {
		cells  []string
		metric string
	}{
		"short": {[]string{"rule=brier", "rule=log"}, "reward"},
		"long": {[]string{
			"model=hf.co-an-organisation-of-a-long-name-Qwen3.5-VL-4B-Instruct-GGUF-Q4_K_M,profile=qwen3.5-instruct-reasoning,rule=brier,abstain-reward=0.8",
			"model=qwen3.5-4b,profile=qwen3.5-thinking-precise,rule=log,abstain-reward=0.9359943,confidence=verbal+logprob,split=adversarial",
			"model=qwen3.5-4b,profile=greedy,rule=brier",
		}, "ece_debiased"},
		"wide": {[]string{"model=日本語のとても長い名前のモデルです日本語のとても長い名前のモデルです", "model=a"}, "brier"},
	} {
		table := made(row.cells, row.metric)
		var b strings.Builder
		if err := table.Write(&b); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(b.String()) {
			if w := text.StringWidth(strings.TrimRight(line, "\n")); w > 100 {
				t.Errorf("%s: %d columns: %s", name, w, line)
			}
		}
		md := table.Markdown()
		for _, cell := range row.cells {
			if !strings.Contains(md, "| "+cell+" |") {
				t.Errorf("%s: Markdown lacks %s:\n%s", name, cell, md)
			}
		}
		for ext, got := range map[string]string{"txt": b.String(), "md": md} {
			golden := filepath.Join("testdata", name+"."+ext)
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil || got != string(want) {
				t.Errorf("%s is not as in %s (%v):\n%s", name, golden, err, got)
			}
		}
	}
}

// A name is cut between axes where that can be, and nothing of it is lost.
func TestWrapped(t *testing.T) {
	for _, row := range []struct {
		name string
		room int
		want string
	}{
		{"a=1,b=2", 20, "a=1,b=2"},
		{"a=1,b=2", 5, "a=1,\nb=2"},
		{"a=1,b=2", 4, "a=1,\nb=2"},
		{"abcdefgh,b=2", 5, "abcde\nfgh,\nb=2"},
		{"", 5, ""},
		{"日本語の", 5, "日本\n語の"}, // two columns each
	} {
		got := wrapped(row.name, row.room)
		if got != row.want || strings.ReplaceAll(got, "\n", "") != row.name {
			t.Errorf("%q in %d: %q; want %q", row.name, row.room, got, row.want)
		}
	}
}

// Cells at the top of a replicate share it; of a metric whose less is better
// the least is at the top; replicates without a value do not count.
func TestBest(t *testing.T) {
	nan := 0.0
	nan /= nan
	reps := []float64{
		1, 2, 3, nan, // of the first cell, by replicate
		1, 1, 4, 9,
	}
	for sign, want := range map[float64]string{1: "0.50 0.50", -1: "0.50 0.50"} {
		p := best(reps, 2, sign)
		if got := fmt.Sprintf("%.2f %.2f", *p[0], *p[1]); got != want {
			t.Errorf("sign %v: %s; want %s", sign, got, want)
		}
	}
	if p := best([]float64{1, 3, 3, 2, 1, 1}, 2, -1); fmt.Sprintf("%.3f %.3f", *p[0], *p[1]) != "0.333 0.667" {
		t.Errorf("%v, %v; want 1/3 and 2/3", *p[0], *p[1])
	}
	if p := best([]float64{nan, nan}, 2, 1); p[0] != nil || p[1] != nil {
		t.Errorf("%v; want none of nothing", p)
	}
}
