package page_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"candor/harness/dossier"
	"candor/harness/report/page"
	"candor/harness/run"
	"candor/harness/stored"
	"candor/scoring"
)

// attacks are texts that would do something if any were taken for markup.
var attacks = []string{
	`</script><script>window.owned=1</script>`, `"><img src=x onerror="window.owned=1">`, `</pre></article></style><script>window.owned=1</script>`,
	`{{.}} ${window.owned=1} javascript:window.owned=1`, "<svg onload='window.owned=1'>", "\u2028\u202e\x00<!--",
}

// answers is a run of so many tasks of all kinds, with text where a run has it.
func answers(name string, tasks int, text func(i int) string) *stored.Answers {
	r := &run.Stored{Dir: name}
	r.Manifest.Config = run.DefaultConfig()
	r.Manifest.Config.Dataset = "nowhere.jsonl"
	r.Manifest.Tasks = tasks
	for i := range tasks {
		verdict, confidence := "SUPPORTED", .5+float64(i%50)/100
		t := run.Trace{TaskID: fmt.Sprintf("random/%d", i), Split: []string{"random", "adversarial"}[i%2], ImageSource: fmt.Sprintf("image%d", i/6),
			Claim: fmt.Sprintf("There is a thing%d in the image.", i%23), Label: "SUPPORTED", Outcome: scoring.Answered, Verdict: &verdict, Confidence: &confidence, Text: text(i)}
		switch {
		case i%11 == 3:
			t.Outcome, t.Confidence, t.Reward = scoring.Abstained, nil, .8
		case i%13 == 5:
			t.Outcome, t.Verdict, t.Confidence, t.Reason = scoring.Malformed, nil, nil, "no_object"
		default:
			if (i*7+i/23)%10 < 7 {
				t.Correct = 1
			} else {
				t.Label = "REFUTED"
			}
			t.Reward = scoring.Brier{}.Score(confidence, t.Correct > 0)
		}
		r.Traces = append(r.Traces, t)
	}
	return &stored.Answers{Name: name, Run: r, Rows: r.Rows()}
}

func plain(i int) string { return fmt.Sprintf(`{"verdict":"SUPPORTED","confidence":%d}`, i) }

func gathered(t *testing.T, a *stored.Answers) *dossier.Dossier {
	t.Helper()
	d, err := dossier.Of(context.Background(), a, dossier.Options{Scoring: scoring.Options{Bootstrap: 50, FloorDraws: 100}})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func dossiers(t *testing.T, tasks, runs int) (all []*dossier.Dossier) {
	t.Helper()
	for i := range runs {
		all = append(all, gathered(t, answers(fmt.Sprintf("runs/number%d", i), tasks, plain)))
	}
	return all
}

// hostile is a run that has an attack wherever others write.
func hostile(t *testing.T) []*dossier.Dossier {
	t.Helper()
	attack := func(i int) string { return attacks[i%len(attacks)] }
	a := answers("runs/"+attacks[0], 60, attack)
	m := &a.Run.Manifest
	m.Model.Model, m.Dataset.Name, m.Model.Digest, m.Prompt.Version = attacks[1], attacks[0], attacks[2], attacks[4]
	for i := range a.Run.Traces {
		x := &a.Run.Traces[i]
		x.Claim, x.Thinking, x.ImageSource, x.Split, x.Reason = "There is a "+attack(i)+" in the image.", attack(i+1), attack(i+2), attack(i%2), attack(i+3)
		x.TaskID = fmt.Sprint(attack(i+4), i)
	}
	a.Rows = a.Run.Rows()
	return []*dossier.Dossier{gathered(t, a)}
}

func written(t *testing.T, all []*dossier.Dossier) string {
	t.Helper()
	var b bytes.Buffer
	if err := page.Write(&b, all); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// The bytes hold no markup of others', and one script: the page's own.
func TestHostile(t *testing.T) {
	got := written(t, hostile(t))
	if n := strings.Count(got, "<script"); n != 1 {
		t.Errorf("%d scripts; want the page's own", n)
	}
	for _, mark := range []string{"<img", "<svg onload", "onerror=\"", "<!--", "src=\"http", "href=\"http"} {
		if strings.Contains(got, mark) {
			t.Errorf("the page contains %q", mark)
		}
	}
	if !strings.Contains(got, "&lt;/script&gt;&lt;script&gt;window.owned=1") {
		t.Error("what others wrote is not shown as text")
	}
}

// Names of objects, splits and runs hold what cannot be seen no more than claims
// do, for a reader or for a filter.
func TestUnseen(t *testing.T) {
	const unseen = "a\u0007b\u202ec\u200b"
	a := answers("runs/"+unseen, 60, plain)
	a.Run.Manifest.Model.Model = unseen
	for i := range a.Run.Traces {
		x := &a.Run.Traces[i]
		x.Claim, x.Split, x.Reason = "There is a "+unseen+" in the image.", unseen, unseen
	}
	a.Rows = a.Run.Rows()
	got := written(t, []*dossier.Dossier{gathered(t, a)})
	if i := strings.IndexAny(got, "\u0007\u202e\u200b"); i >= 0 {
		t.Errorf("raw in …%q…", got[max(0, i-80):min(len(got), i+80)])
	}
	for _, want := range []string{`<td>a\u0007b\u202Ec\u200B</td>`, `data-split="a\u0007b\u202Ec\u200B"`} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s", want)
		}
	}
}

// The same runs give the same bytes; several stand in one table.
func TestSeveral(t *testing.T) {
	got := written(t, dossiers(t, 100, 3))
	if got != written(t, dossiers(t, 100, 3)) {
		t.Error("the same runs gave other bytes")
	}
	for _, want := range []string{`id="joint"`, "3 runs", `href="#run3"`, `id="run3"`} {
		if !strings.Contains(got, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

// Ten thousand tasks with long replies make a page that a phone opens: bounded
// in size, a few hundred tasks, and it says so.
func TestMany(t *testing.T) {
	long := strings.Repeat("word ", 20_000)
	got := written(t, []*dossier.Dossier{gathered(t, answers("runs/many", 10_000, func(int) string { return long }))})
	if len(got) > 2<<20 {
		t.Errorf("%d bytes; want at most 2 MiB", len(got))
	}
	if n := strings.Count(got, "<article"); n != 200 {
		t.Errorf("%d tasks are shown; want 200", n)
	}
	for _, want := range []string{"200 of 10000 tasks are shown", "98500 more characters"} {
		if !strings.Contains(got, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
}

// Nothing answered, and nothing at all, still make a page that says so.
func TestNothing(t *testing.T) {
	for _, rows := range [][]scoring.Row{nil, {{ID: "1", Image: "a", Outcome: scoring.Malformed}}} {
		got := written(t, []*dossier.Dossier{gathered(t, &stored.Answers{Name: "none.jsonl", Rows: rows})})
		if !strings.Contains(got, `class="warning"`) || strings.Contains(got, ">NaN") {
			t.Errorf("no warning, or NaN, in the page of %v", rows)
		}
	}
}
