package page_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"candor/harness/report/page"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// watched is a page in a headless Chromium, and what went wrong in it.
type watched struct {
	ctx context.Context

	mu     sync.Mutex
	faults []string
}

func (w *watched) fault(s string) { w.mu.Lock(); w.faults = append(w.faults, s); w.mu.Unlock() }

// open shows a page in a real browser; the test is skipped where there is none.
func open(t *testing.T, html []byte) *watched {
	t.Helper()
	bin := os.Getenv("CANDOR_CHROMIUM")
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); bin == "" && err == nil {
			bin = path
		}
	}
	if bin == "" {
		t.Skip("no Chromium here: scripts/test.sh --peers installs one, CANDOR_CHROMIUM names one")
	}
	file := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(file, html, 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewExecAllocator(ctx, append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(bin), chromedp.NoSandbox)...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	w := &watched{ctx: ctx}
	chromedp.ListenTarget(ctx, func(ev any) {
		switch e := ev.(type) {
		case *runtime.EventExceptionThrown:
			w.fault("exception: " + e.ExceptionDetails.Text)
		case *runtime.EventConsoleAPICalled:
			w.fault("console: " + string(e.Type))
		case *log.EventEntryAdded:
			w.fault("log: " + e.Entry.Text)
		case *network.EventRequestWillBeSent:
			if url := e.Request.URL; url != "file://"+file && !strings.HasPrefix(url, "data:") {
				w.fault("request: " + url)
			}
		}
	})
	w.do(t, log.Enable(), network.Enable(), runtime.Enable(), chromedp.Navigate("file://"+file))
	return w
}

func (w *watched) do(t *testing.T, actions ...chromedp.Action) {
	t.Helper()
	if err := chromedp.Run(w.ctx, actions...); err != nil {
		t.Fatal(err)
	}
}

func (w *watched) eval(t *testing.T, js string, to any) {
	t.Helper()
	w.do(t, chromedp.Evaluate(js, to))
}

// The page in a real browser: nothing wider than the window at any width, in
// light and dark, tables that sort, lists that filter, and neither a fault nor a
// request.
func TestBrowser(t *testing.T) {
	var b bytes.Buffer
	if err := page.Write(&b, dossiers(t, 400, 1)); err != nil {
		t.Fatal(err)
	}
	w := open(t, b.Bytes())
	background := map[string]string{}
	for _, scheme := range []string{"light", "dark"} {
		for _, width := range []int64{360, 800, 1400} {
			w.do(t, emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}),
				chromedp.EmulateViewport(width, 900))
			var wide int64
			w.eval(t, "document.documentElement.scrollWidth", &wide)
			if wide > width {
				t.Errorf("%s, %d px: the page is %d px wide", scheme, width, wide)
			}
			if dir := os.Getenv("CANDOR_SCREENSHOTS"); dir != "" {
				var png []byte
				w.do(t, chromedp.FullScreenshot(&png, 100))
				if err := os.WriteFile(filepath.Join(dir, scheme+"-"+strconv.FormatInt(width, 10)+".png"), png, 0o644); err != nil {
					t.Fatal(err)
				}
			}
		}
		var color string
		w.eval(t, "getComputedStyle(document.body).backgroundColor", &color)
		background[scheme] = color
	}
	if background["light"] == background["dark"] {
		t.Errorf("light and dark are both %s", background["light"])
	}
	sorts(t, w)
	filters(t, w)
	if len(w.faults) > 0 {
		t.Errorf("in the browser: %q", w.faults)
	}
}

// sorts clicks a heading twice: largest first, then smallest.
func sorts(t *testing.T, w *watched) {
	t.Helper()
	const table = `[...document.querySelectorAll("table.sortable")].find(t => t.ariaLabel === "Objects")`
	const tasks = table + `.tBodies[0]`
	for _, down := range []bool{true, false} {
		w.eval(t, table+`.tHead.rows[0].cells[3].querySelector("button").click()`, nil)
		var values []string
		w.eval(t, `[...`+tasks+`.rows].map(r => r.cells[3].textContent)`, &values)
		var numbers []float64
		for _, v := range values {
			if x, err := strconv.ParseFloat(v, 64); err == nil {
				numbers = append(numbers, x)
			}
		}
		if down {
			slices.Reverse(numbers)
		}
		if len(numbers) < 3 || !slices.IsSorted(numbers) || numbers[0] == numbers[len(numbers)-1] {
			t.Errorf("down %v: not sorted by accuracy: %v", down, values)
		}
	}
}

// filters chooses an outcome, then words as well.
func filters(t *testing.T, w *watched) {
	t.Helper()
	set := func(control, value, event string) {
		w.eval(t, `{const c = document.querySelector(".traces [data-filter=`+control+`]"); c.value = `+strconv.Quote(value)+`; c.dispatchEvent(new Event("`+event+`"));}`, nil)
	}
	visible := func() (kinds []string) {
		w.eval(t, `[...document.querySelectorAll("article")].filter(a => a.offsetParent !== null).map(a => a.dataset.kind)`, &kinds)
		return kinds
	}
	all := len(visible())
	set("kind", "malformed", "change")
	some := visible()
	if len(some) == 0 || len(some) >= all || slices.ContainsFunc(some, func(k string) bool { return k != "malformed" }) {
		t.Errorf("malformed only shows %v of %d", some, all)
	}
	set("text", "no task has these words", "input")
	if got := visible(); len(got) != 0 {
		t.Errorf("words that are nowhere leave %v", got)
	}
}

// What others wrote is text: no script runs, no element appears, and the page
// has one script still.
func TestBrowserHostile(t *testing.T) {
	var b bytes.Buffer
	if err := page.Write(&b, hostile(t)); err != nil {
		t.Fatal(err)
	}
	w := open(t, b.Bytes())
	var scripts, images int
	var owned bool
	w.eval(t, `document.scripts.length`, &scripts)
	w.eval(t, `document.querySelectorAll("img").length`, &images)
	w.eval(t, `"owned" in window`, &owned)
	if scripts != 1 || images != 0 || owned {
		t.Errorf("%d scripts, %d images, ran: %v; want 1, 0, false", scripts, images, owned)
	}
	if len(w.faults) > 0 {
		t.Errorf("in the browser: %q", w.faults)
	}
}
