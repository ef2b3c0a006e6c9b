package page_test

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	devtools "github.com/chromedp/cdproto/page"
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

// browser is a headless Chromium.
type browser struct{ ctx context.Context }

// start starts one; the test is skipped where there is none.
func start(t *testing.T) browser {
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
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewExecAllocator(ctx, append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(bin), chromedp.NoSandbox)...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	if err := chromedp.Run(ctx); err != nil {
		t.Fatal(err)
	}
	return browser{ctx}
}

// open shows a page in a tab of its own.
func (b browser) open(t *testing.T, html string) *watched {
	t.Helper()
	file := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(file, []byte(html), 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := chromedp.NewContext(b.ctx)
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

// media chooses light, dark or paper.
func (w *watched) media(t *testing.T, kind, scheme string) {
	t.Helper()
	w.do(t, emulation.SetEmulatedMedia().WithMedia(kind).WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}))
}

// looks opens the page at three widths in light and dark: nothing is wider than
// the window, no picture is broken, and light and dark differ. With
// CANDOR_SCREENSHOTS naming a folder, pictures of all that go there.
func (w *watched) looks(t *testing.T, name string) {
	t.Helper()
	w.fits(t, name, 360, 800, 1280)
}

func (w *watched) fits(t *testing.T, name string, widths ...int64) {
	t.Helper()
	background := map[string]string{}
	for _, scheme := range []string{"light", "dark"} {
		for _, width := range widths {
			w.media(t, "screen", scheme)
			w.do(t, chromedp.EmulateViewport(width, 900))
			var wide int64
			w.eval(t, "document.documentElement.scrollWidth", &wide)
			if wide > width {
				t.Errorf("%s, %s, %d px: the page is %d px wide", name, scheme, width, wide)
			}
			var out []string
			w.eval(t, overflowing, &out)
			if len(out) > 0 {
				t.Errorf("%s, %s, %d px: out of the window: %q", name, scheme, width, out)
			}
			if dir := os.Getenv("CANDOR_SCREENSHOTS"); dir != "" {
				var png []byte
				w.do(t, chromedp.FullScreenshot(&png, 100))
				if err := os.WriteFile(filepath.Join(dir, name+"-"+scheme+"-"+strconv.FormatInt(width, 10)+".png"), png, 0o644); err != nil {
					t.Fatal(err)
				}
			}
		}
		var color string
		w.eval(t, "getComputedStyle(document.body).backgroundColor", &color)
		background[scheme] = color
	}
	if background["light"] == background["dark"] {
		t.Errorf("%s: light and dark are both %s", name, background["light"])
	}
	var broken int
	w.eval(t, `[...document.images].filter(i => i.complete && i.naturalWidth === 0).length`, &broken)
	if broken > 0 {
		t.Errorf("%s: %d pictures are broken", name, broken)
	}
}

// overflowing lists what stands out of the window and is in nothing that
// scrolls, and text that is cut off on its right by its own box.
const overflowing = `(() => {
  const scrolls = (e) => { for (; e; e = e.parentElement) { const o = getComputedStyle(e).overflowX; if (o === "auto" || o === "scroll" || o === "hidden") return true; } return false; };
  const out = [];
  for (const e of document.querySelectorAll("main *")) {
    const box = e.getBoundingClientRect();
    if (box.width > 0 && box.right > document.documentElement.clientWidth + 1 && !scrolls(e)) out.push(e.tagName + "." + e.className + ": " + e.textContent.slice(0, 40));
  }
  return out.slice(0, 5);
})()`

// prints lays the page out for paper: no controls, nothing folded, on white, and
// as few pages as a person prints. It returns their number.
func (w *watched) prints(t *testing.T, name string, most int) {
	t.Helper()
	w.media(t, "print", "dark")
	var white bool
	w.eval(t, `getComputedStyle(document.body).backgroundColor === "rgb(255, 255, 255)"`, &white)
	var controls int
	w.eval(t, `[...document.querySelectorAll(".controls")].filter(c => getComputedStyle(c).display !== "none").length`, &controls)
	var pdf []byte
	w.do(t, chromedp.ActionFunc(func(ctx context.Context) (err error) {
		pdf, _, err = devtools.PrintToPDF().WithPrintBackground(true).Do(ctx)
		return err
	}))
	var folded int
	w.eval(t, `document.querySelectorAll("details:not(article details):not([open])").length`, &folded)
	if !white || controls > 0 || folded > 0 {
		t.Errorf("%s on paper: white %v, %d controls, %d folded parts", name, white, controls, folded)
	}
	pages := len(regexp.MustCompile(`/Type /Page\b`).FindAll(pdf, -1))
	if pages < 1 || pages > most {
		t.Errorf("%s takes %d pages; want 1 to %d", name, pages, most)
	}
	if dir := os.Getenv("CANDOR_SCREENSHOTS"); dir != "" {
		if err := os.WriteFile(filepath.Join(dir, name+".pdf"), pdf, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	w.media(t, "screen", "light")
}

// clean wants neither a fault nor a request.
func (w *watched) clean(t *testing.T) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.faults) > 0 {
		t.Errorf("in the browser: %q", w.faults)
	}
}

// set gives a control a value, as a person does.
func (w *watched) set(t *testing.T, control, value string) {
	t.Helper()
	var found bool
	w.eval(t, `(() => { const c = document.querySelector(`+strconv.Quote(control)+`); if (!c) return false; c.value = `+strconv.Quote(value)+
		`; c.dispatchEvent(new Event(c.tagName === "SELECT" ? "change" : "input")); return c.value === `+strconv.Quote(value)+`; })()`, &found)
	if !found {
		t.Errorf("%s cannot be set to %q", control, value)
	}
}

// count counts what can be seen.
func (w *watched) count(t *testing.T, selector string) (n int) {
	t.Helper()
	w.eval(t, `[...document.querySelectorAll(`+strconv.Quote(selector)+`)].filter(e => e.checkVisibility()).length`, &n)
	return n
}

func viewport(width int64) chromedp.Action { return chromedp.EmulateViewport(width, 900) }

// picture is a small JPEG.
func picture(t *testing.T) []byte {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, 200, 150))
	draw.Draw(img, img.Bounds(), image.NewUniform(color.RGBA{90, 140, 200, 255}), image.Point{}, draw.Src)
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
