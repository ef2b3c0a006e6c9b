package page_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"candor/harness/compare"
	"candor/harness/dossier"
	"candor/harness/report/page"
	"candor/harness/stored"
	"candor/scoring"
)

// A run with several sources of confidence: tables that sort and filter, and
// what was chosen to be shown.
func TestBrowser(t *testing.T) {
	w := start(t).open(t, written(t, []*dossier.Dossier{gathered(t, sourced(answers("runs/one", 400, plain)))}))
	w.looks(t, "run")
	w.prints(t, "run", 12)
	sorts(t, w, "Objects", 3)
	sorts(t, w, "Splits", 5)
	sorts(t, w, "Sources of confidence", 4)
	filters(t, w)
	w.clean(t)
}

// sourced gives a run two more sources, one of which is often missing.
func sourced(a *stored.Answers) *stored.Answers {
	for i := range a.Rows {
		if a.Rows[i].Outcome != scoring.Answered {
			continue
		}
		a.Rows[i].Sources = map[string]float64{"logprob": .5 + float64(i%37)/80}
		if i%3 == 0 {
			a.Rows[i].Sources["consistency:3"] = float64(i%4) / 3
		}
	}
	return a
}

// sorts clicks a heading twice: largest first, then smallest; the whole rows
// move, and the heading says which way.
func sorts(t *testing.T, w *watched, name string, column int) {
	t.Helper()
	table := `document.querySelector("table[aria-label='` + name + `']")`
	for _, down := range []bool{true, false} {
		w.eval(t, fmt.Sprintf(`%s.tHead.rows[0].cells[%d].querySelector("button").click()`, table, column), nil)
		var values []string
		w.eval(t, fmt.Sprintf(`[...%s.tBodies[0].rows].map(r => r.cells[%d].dataset.value ?? r.cells[%[2]d].textContent)`, table, column), &values)
		var numbers []float64
		for _, v := range values {
			if x, err := strconv.ParseFloat(v, 64); err == nil {
				numbers = append(numbers, x)
			}
		}
		if down {
			slices.Reverse(numbers)
		}
		var says string
		w.eval(t, fmt.Sprintf(`%s.tHead.rows[0].cells[%d].getAttribute("aria-sort")`, table, column), &says)
		if len(numbers) < 2 || !slices.IsSorted(numbers) || numbers[0] == numbers[len(numbers)-1] || says != map[bool]string{true: "descending", false: "ascending"}[down] {
			t.Errorf("%s, %s: not sorted: %v", name, says, values)
		}
	}
}

// filters chooses an outcome, then words as well; and rows of each table.
func filters(t *testing.T, w *watched) {
	t.Helper()
	all := w.count(t, "article")
	w.set(t, ".traces [data-filter=kind]", "malformed")
	some, right := w.count(t, "article"), w.count(t, "article:not([data-kind=malformed])")
	if some == 0 || some >= all || right != 0 {
		t.Errorf("malformed only shows %d of %d, %d of them of another kind", some, all, right)
	}
	w.set(t, ".traces [data-filter=split]", "random")
	if n := w.count(t, "article"); n == 0 || n >= some || n != w.count(t, "article[data-split=random]") {
		t.Errorf("one split of %d shows %d", some, n)
	}
	w.set(t, ".traces [data-filter=text]", "no task has these words")
	if n := w.count(t, "article"); n != 0 {
		t.Errorf("words that are nowhere leave %d", n)
	}
	w.set(t, "#sources1 [data-filter=text]", "logprob")
	if rows, figures := w.count(t, "#sources1 tbody tr"), w.count(t, "#sources1 figure"); rows != 1 || figures != 2 {
		t.Errorf("one source leaves %d rows and %d figures; want 1 and 2", rows, figures)
	}
	objects := w.count(t, "table[aria-label=Objects] tbody tr")
	w.set(t, "[data-filter=least]", "18")
	if n := w.count(t, "table[aria-label=Objects] tbody tr"); n == 0 || n >= objects {
		t.Errorf("objects of 18 tasks at least: %d of %d", n, objects)
	}
}

// Several runs: the table of all sorts, and leads to each.
func TestBrowserSeveral(t *testing.T) {
	w := start(t).open(t, written(t, dossiers(t, 150, 3)))
	w.looks(t, "several")
	w.prints(t, "several", 24)
	for i := range 3 {
		w.eval(t, fmt.Sprintf(`document.querySelectorAll("#joint a")[%d].click()`, i), nil)
		var at string
		w.eval(t, `location.hash`, &at)
		if at != fmt.Sprintf("#run%d", i+1) {
			t.Errorf("link %d leads to %q", i+1, at)
		}
	}
	w.clean(t)
}

// A comparison: the tasks that changed side by side, with their image, filtered
// by change.
func TestBrowserCompare(t *testing.T) {
	w := start(t).open(t, comparison(t))
	w.looks(t, "compare")
	w.prints(t, "compare", 12)
	if n, pictures := w.count(t, "article .sides > div"), w.count(t, "article img"); n < 8 || n%2 != 0 || pictures == 0 {
		t.Errorf("%d sides, %d pictures", n, pictures)
	}
	for _, width := range []int64{800, 1000, 1200, 1280} { // on a desk no column is out of sight
		w.do(t, viewport(width))
		var cut []string
		w.eval(t, `[...document.querySelectorAll(".scroll")].filter(e => e.checkVisibility() && e.scrollWidth > e.clientWidth).map(e => e.innerText.slice(0, 40) + " " + e.scrollWidth + " of " + e.clientWidth)`, &cut)
		if len(cut) > 0 {
			t.Errorf("%d px: tables are cut: %q", width, cut)
		}
	}
	w.do(t, viewport(1280))
	var beside bool
	w.eval(t, `(() => { const [a, b] = document.querySelector(".sides").children; return a.getBoundingClientRect().top === b.getBoundingClientRect().top && a.getBoundingClientRect().right <= b.getBoundingClientRect().left; })()`, &beside)
	if !beside {
		t.Error("the two runs do not stand beside each other")
	}
	all := w.count(t, "#against1 article")
	w.set(t, "#against1 [data-filter=kind]", "right → abstained")
	if n := w.count(t, "#against1 article"); n == 0 || n >= all || n != w.count(t, `#against1 article[data-kind="right → abstained"]`) {
		t.Errorf("one change shows %d of %d", n, all)
	}
	w.clean(t)
}

// comparison is a page of two runs against one, some of whose answers changed.
func comparison(t *testing.T) string {
	t.Helper()
	base := answers("runs/before", 120, plain)
	others := []*stored.Answers{answers("runs/after", 120, plain), answers("runs/"+strings.Repeat("long", 40), 120, plain)}
	for k, b := range others {
		for i := range b.Run.Traces {
			x := &b.Run.Traces[i]
			switch {
			case x.Outcome != scoring.Answered || i%(3+k) != 0:
			case i%2 == 0:
				x.Outcome, x.Confidence, x.Correct, x.Reward = scoring.Abstained, nil, 0, .8
			default:
				x.Outcome, x.Verdict, x.Confidence, x.Correct, x.Reward, x.Text = scoring.Malformed, nil, nil, 0, 0, strings.Repeat("x", 5000)
			}
		}
		b.Rows = b.Run.Rows()
	}
	r, err := compare.Answers(context.Background(), base, others, compare.Request{Options: scoring.Options{Bootstrap: 50}})
	if err != nil {
		t.Fatal(err)
	}
	var changed []dossier.Changes
	for _, b := range others {
		c := dossier.Between(context.Background(), base, b, dossier.Options{})
		for i := range c.Kept {
			c.Kept[i].Image = picture(t)
		}
		changed = append(changed, c)
	}
	var w bytes.Buffer
	if err := page.Compare(&w, r, changed); err != nil {
		t.Fatal(err)
	}
	return w.String()
}

// A sweep: one metric at a time is shown, and another at a choice; the joint
// table sorts, and filters by axis.
func TestBrowserSweep(t *testing.T) {
	b := start(t)
	for axes, cells := range map[int]int{2: 6, 3: 24} {
		w := b.open(t, sweepPage(t, swept(t, axes)))
		w.looks(t, fmt.Sprintf("sweep%d", axes))
		w.prints(t, fmt.Sprintf("sweep%d", axes), 8+cells)
		views := w.count(t, "[data-group=views]")
		w.set(t, "[data-choice=views]", "ece")
		if one := w.count(t, `[data-view=ece][data-group=views] svg.figure`); views != 1 || w.count(t, "[data-group=views]") != 1 || one != 3 {
			t.Errorf("%d axes: %d metrics at once, %d figures of the ECE; want 1 and 3", axes, views, one)
		}
		w.set(t, "[data-choice=differences1]", "accuracy")
		if n := w.count(t, "[data-group=differences1]"); n != 1 {
			t.Errorf("%d axes: differences in %d metrics at once", axes, n)
		}
		sorts(t, w, "All cells", 3)
		sorts(t, w, "Ranking", 1)
		w.set(t, "[data-filter=axis1]", "log")
		if n := w.count(t, "#joint tbody tr"); n != cells/2 {
			t.Errorf("%d axes: cells of one rule: %d; want %d", axes, n, cells/2)
		}
		w.clean(t)
	}
}

// What others wrote is text: no script runs, no element appears, and the page
// has one script still.
func TestBrowserHostile(t *testing.T) {
	w := start(t).open(t, written(t, hostile(t)))
	w.looks(t, "hostile")
	var scripts, images int
	var owned bool
	w.eval(t, `document.scripts.length`, &scripts)
	w.eval(t, `document.querySelectorAll("img").length`, &images)
	w.eval(t, `"owned" in window`, &owned)
	if scripts != 1 || images != 0 || owned {
		t.Errorf("%d scripts, %d images, ran: %v; want 1, 0, false", scripts, images, owned)
	}
	w.clean(t)
}

// Ten thousand tasks, all of them on the page: it opens, filters and sorts while
// a person waits.
func TestBrowserMany(t *testing.T) {
	const tasks = 10_000
	began := time.Now()
	d, err := dossier.Of(context.Background(), answers("runs/many", tasks, plain), dossier.Options{Traces: tasks, Scoring: scoring.Options{Bootstrap: 50, FloorDraws: 100}})
	if err != nil {
		t.Fatal(err)
	}
	html := written(t, []*dossier.Dossier{d})
	made := time.Since(began)
	w := start(t).open(t, html)
	var loaded, filtered float64
	w.eval(t, `performance.getEntriesByType("navigation")[0].loadEventEnd`, &loaded)
	if n := w.count(t, "article"); n != tasks {
		t.Errorf("%d tasks are there; want %d", n, tasks)
	}
	const filter = `(() => { const c = document.querySelector(".traces [data-filter=%s]"), began = performance.now(); c.value = %q; c.dispatchEvent(new Event(%q)); document.body.offsetHeight; return performance.now() - began; })()`
	for _, f := range [][3]string{{"text", "thing7 ", "input"}, {"kind", "malformed", "change"}, {"text", "", "input"}} {
		var took float64
		w.eval(t, fmt.Sprintf(filter, f[0], f[1], f[2]), &took)
		filtered = max(filtered, took)
	}
	if n := w.count(t, "article"); n != d.Outcomes[dossier.Malformed] || n == 0 {
		t.Errorf("malformed only shows %d of %d", n, d.Outcomes[dossier.Malformed])
	}
	t.Logf("%d tasks: made in %v, %.1f MB, loaded in %.0f ms, filtered in %.0f ms at most", tasks, made.Round(time.Millisecond), float64(len(html))/1e6, loaded, filtered)
	// Slower by far than was ever seen, on a machine with other things to do.
	if len(html) > 16<<20 || loaded > 20_000 || filtered > 5_000 {
		t.Errorf("too large or too slow: %d bytes, %.0f ms to load, %.0f ms to filter", len(html), loaded, filtered)
	}
	w.clean(t)
}

// What runs can be like: none of it breaks the page, and each says what it is.
func TestBrowserOdd(t *testing.T) {
	b := start(t)
	for name, row := range map[string]struct {
		change func(*stored.Answers)
		says   []string
	}{
		"one task":       {func(a *stored.Answers) { keep(a, 1) }, []string{"1 task on"}},
		"none":           {func(a *stored.Answers) { keep(a, 0) }, []string{"No figure is drawn", "no task"}},
		"all abstained":  {func(a *stored.Answers) { all(a, scoring.Abstained) }, []string{"No figure is drawn", "answered"}},
		"all malformed":  {func(a *stored.Answers) { all(a, scoring.Malformed) }, []string{"No figure is drawn", "answered"}},
		"incomplete":     {func(a *stored.Answers) { a.Run.Manifest.Tasks = 100 }, []string{"30 of 100"}},
		"some in error":  {func(a *stored.Answers) { a.Rows[3].Outcome = scoring.Errored }, []string{"1 of 30 tasks ended in error", "not scored"}},
		"no image":       {func(a *stored.Answers) {}, []string{"no image", "the images are not here"}},
		"long and odd":   {func(a *stored.Answers) { texts(a, strings.Repeat("wordless", 130_000)) }, []string{"1038500 more characters"}},
		"right to left":  {func(a *stored.Answers) { texts(a, "هل هناك كلب في الصورة؟ \u202e{}") }, []string{"هل هناك كلب", `\u202E`}},
		"NUL and halves": {func(a *stored.Answers) { texts(a, "a\x00b\xed\xa0\x80c\u2028d\ufeffe") }, []string{`a\u0000b`, "\ufffd", `\u2028d\uFEFFe`}},
	} {
		t.Run(name, func(t *testing.T) {
			a := answers("runs/odd", 30, plain)
			row.change(a)
			html := written(t, []*dossier.Dossier{gathered(t, a)})
			for _, want := range row.says {
				if !strings.Contains(html, want) {
					t.Errorf("the page does not say %q", want)
				}
			}
			if strings.Contains(html, ">NaN") || strings.Contains(html, "+Inf") {
				t.Error("NaN or Inf in the page")
			}
			w := b.open(t, html)
			w.fits(t, "odd-"+strings.ReplaceAll(name, " ", "-"), 360)
			w.clean(t)
		})
	}
}

func keep(a *stored.Answers, n int) {
	a.Run.Traces, a.Run.Manifest.Tasks = a.Run.Traces[:n], n
	a.Rows = a.Run.Rows()
}

func all(a *stored.Answers, outcome scoring.Outcome) {
	for i := range a.Run.Traces {
		a.Run.Traces[i].Outcome, a.Run.Traces[i].Confidence = outcome, nil
	}
	a.Rows = a.Run.Rows()
}

// texts puts a text wherever a model or a data set has one.
func texts(a *stored.Answers, text string) {
	for i := range a.Run.Traces {
		x := &a.Run.Traces[i]
		x.Text = text
		if i%2 == 0 {
			x.Thinking = text
		}
		x.Claim, x.ImageSource = text[:min(len(text), 3000)], text[:min(len(text), 200)]
	}
}
