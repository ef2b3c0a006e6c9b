package page_test

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/chromedp/chromedp"
)

var (
	ofRun   = flag.String("run-page", "", "page of a run from which the pictures of the README are made anew")
	ofSweep = flag.String("sweep-page", "", "page of a sweep, for the same")
)

const mostBytes = 150_000 // of a picture in the README

// shot is a picture of the README: what stands from one element to the end of
// another.
type shot struct {
	name     string
	width    int64
	scheme   string
	from, to string // selectors; to "" is so many pixels down
	height   int64
	sweep    bool
}

func shots() []shot {
	return []shot{
		{name: "report.png", width: 1100, scheme: "light", from: "h1", to: ".pair"},
		{name: "report-figures.png", width: 1100, scheme: "light", from: ".figures", to: ".figures"},
		{name: "report-tasks.png", width: 800, scheme: "dark", from: ".traces", height: 620},
		{name: "report-sweep.png", width: 1100, scheme: "light", from: "h1", to: "#group1 .pair", sweep: true},
	}
}

// The README's pictures are of pages that Candor wrote; scripts/screenshots.sh
// makes them anew. All are there, small enough for a README, and no blank.
func TestScreenshots(t *testing.T) {
	folder := filepath.Join("..", "testdata")
	if *ofRun != "" && *ofSweep != "" {
		b := start(t)
		for _, s := range shots() {
			from := *ofRun
			if s.sweep {
				from = *ofSweep
			}
			html, err := os.ReadFile(from)
			if err != nil {
				t.Fatal(err)
			}
			w := b.open(t, string(html))
			if err := os.WriteFile(filepath.Join(folder, s.name), w.shoot(t, s), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, s := range shots() {
		data, err := os.ReadFile(filepath.Join(folder, s.name))
		if err != nil {
			t.Fatal(err)
		}
		img, err := png.Decode(bytes.NewReader(data))
		if err != nil {
			t.Fatalf("%s: %v", s.name, err)
		}
		seen := map[color.Color]bool{}
		for i := range img.Bounds().Dx() * img.Bounds().Dy() {
			seen[img.At(i%img.Bounds().Dx(), i/img.Bounds().Dx())] = true
		}
		if len(data) > mostBytes || img.Bounds().Dx() != int(s.width) || len(seen) < 32 {
			t.Errorf("%s: %d bytes, %v, %d colours; want at most %d bytes, %d pixels wide", s.name, len(data), img.Bounds(), len(seen), mostBytes, s.width)
		}
	}
}

// shoot is the part of the page as a PNG of 256 colours.
func (w *watched) shoot(t *testing.T, s shot) []byte {
	t.Helper()
	w.media(t, "screen", s.scheme)
	var all []byte
	w.do(t, viewport(s.width), chromedp.FullScreenshot(&all, 100))
	var top, bottom float64
	const box = `document.querySelector(%q).getBoundingClientRect().%s + scrollY`
	w.eval(t, fmt.Sprintf(box, s.from, "top"), &top)
	bottom = top + float64(s.height)
	if s.to != "" {
		w.eval(t, fmt.Sprintf(box, s.to, "bottom"), &bottom)
	}
	img, err := png.Decode(bytes.NewReader(all))
	if err != nil {
		t.Fatal(err)
	}
	const margin = 14
	part := image.Rect(0, max(0, int(top)-margin), int(s.width), min(int(bottom)+margin, img.Bounds().Max.Y))
	out := image.NewPaletted(image.Rect(0, 0, part.Dx(), part.Dy()), commonest(img, part))
	draw.Draw(out, out.Bounds(), img, part.Min, draw.Src)
	var b bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, out); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// commonest are the 256 colours that stand for most of a picture: each the mean
// of those that share its first five bits in every channel.
func commonest(img image.Image, part image.Rectangle) color.Palette {
	type sum struct{ r, g, b, n int }
	of := map[[3]uint8]*sum{}
	for y := part.Min.Y; y < part.Max.Y; y++ {
		for x := part.Min.X; x < part.Max.X; x++ {
			c := color.NRGBAModel.Convert(img.At(x, y)).(color.NRGBA)
			key := [3]uint8{c.R >> 3, c.G >> 3, c.B >> 3}
			if of[key] == nil {
				of[key] = &sum{}
			}
			s := of[key]
			s.r, s.g, s.b, s.n = s.r+int(c.R), s.g+int(c.G), s.b+int(c.B), s.n+1
		}
	}
	var all []*sum
	for _, s := range of {
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b *sum) int {
		return cmp.Or(cmp.Compare(b.n, a.n), cmp.Compare(b.r, a.r), cmp.Compare(b.g, a.g), cmp.Compare(b.b, a.b))
	})
	var out color.Palette
	for _, s := range all[:min(256, len(all))] {
		out = append(out, color.NRGBA{uint8(s.r / s.n), uint8(s.g / s.n), uint8(s.b / s.n), 255})
	}
	return out
}
