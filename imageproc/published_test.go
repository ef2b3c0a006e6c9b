package imageproc

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"image"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/image/draw"
)

// What the published processors (transformers' Qwen2VLImageProcessor in its
// Pillow form, with each line's patch and limits) make of sizes and of images:
// recorded by scripts/record.sh images. CANDOR_PUBLISHED names another
// recording.
func published(t *testing.T) string {
	t.Helper()
	if folder := os.Getenv("CANDOR_PUBLISHED"); folder != "" {
		return folder
	}
	return filepath.Join("testdata", "published")
}

// Fit is the smart resize of the published processors at any size and limits,
// and refuses what they refuse.
func TestFitIsAsPublished(t *testing.T) {
	file, err := os.Open(filepath.Join(published(t), "sizes.tsv.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	plain, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for {
		var name string
		var width, height, least, most, w, h int
		_, err := fmt.Fscanln(plain, &name, &width, &height, &least, &most, &w, &h)
		if err == io.EOF {
			break
		}
		f, unknown := FamilyByName(name)
		if err != nil || unknown != nil {
			t.Fatal(err, unknown)
		}
		if count[name]%2 == 0 && (f.MinPixels != least || f.MaxPixels != most) {
			t.Fatalf("%s was recorded with %d to %d pixels; here it has %d to %d", name, least, most, f.MinPixels, f.MaxPixels)
		}
		count[name]++
		f.MinPixels, f.MaxPixels = least, most
		if gotW, gotH, err := f.Fit(width, height); gotW != w || gotH != h || (err != nil) != (w == 0) {
			t.Errorf("%s, %d to %d pixels: Fit(%d, %d) = %d, %d, %v; the processor says %d, %d", name, least, most, width, height, gotW, gotH, err, w, h)
		}
	}
	for _, f := range families() {
		if count[f.Name] != 2000 {
			t.Errorf("%s: %d sizes; want 2000", f.Name, count[f.Name])
		}
	}
}

// likeness is how far two images of one size are apart.
type likeness struct {
	mean float64 // of the absolute differences, in levels of 255
	psnr float64 // in dB
}

func compare(t *testing.T, a, b *image.NRGBA) likeness {
	t.Helper()
	if a.Rect != b.Rect {
		t.Fatalf("%v and %v", a.Rect, b.Rect)
	}
	var sum, squares float64
	for i := range a.Pix {
		if i%4 < 3 {
			d := math.Abs(float64(a.Pix[i]) - float64(b.Pix[i]))
			sum, squares = sum+d, squares+d*d
		}
	}
	n := float64(len(a.Pix) / 4 * 3)
	return likeness{sum / n, 10 * math.Log10(255*255*n/max(squares, 1e-9))}
}

// By PolicyReference the model sees the published processor's pixels: within
// half a level on average and 45 dB, whatever the file. Beside it, in the log
// (go test -v) and lower by at least 6 dB, stands what the server's own resize
// (x/image's BiLinear, as in the engine's model/imageproc) would have shown.
func TestPixelsAreAsPublished(t *testing.T) {
	seen, err := filepath.Glob(filepath.Join(published(t), "*@*.png"))
	if err != nil || len(seen) < 14 {
		t.Fatalf("%d images, %v", len(seen), err)
	}
	for _, path := range seen {
		name, family, _ := strings.Cut(strings.TrimSuffix(filepath.Base(path), ".png"), "@")
		sources, err := filepath.Glob(filepath.Join(published(t), name+".*"))
		if err != nil || len(sources) != 1 {
			t.Fatalf("%s: %v, %v", name, sources, err)
		}
		data, err := os.ReadFile(sources[0])
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		f, err := FamilyByName(family)
		if err != nil {
			t.Fatal(err)
		}
		p, err := Prepare(data, f, PolicyReference)
		if err != nil {
			t.Errorf("%s: %v", sources[0], err)
			continue
		}
		goal := decoded(t, want)
		ours, server := compare(t, decoded(t, p.Data), goal), compare(t, engineSees(t, data, goal.Rect), goal)
		t.Logf("%-14s %-9s %d×%d: sent by reference: %.2f levels, %.1f dB; by server: %.2f levels, %.1f dB",
			filepath.Base(sources[0]), family, p.Width, p.Height, ours.mean, ours.psnr, server.mean, server.psnr)
		if ours.mean > 0.5 || ours.psnr < 45 {
			t.Errorf("%s, %s: %.2f levels and %.1f dB from the published processor", sources[0], family, ours.mean, ours.psnr)
		}
		if server.psnr > ours.psnr-6 {
			t.Errorf("%s, %s: the server's resize is as near, %.1f dB against %.1f", sources[0], family, server.psnr, ours.psnr)
		}
	}
}

// engineSees decodes and resizes a file as the engine does under PolicyServer:
// composed on white, then draw.BiLinear.
func engineSees(t *testing.T, data []byte, size image.Rectangle) *image.NRGBA {
	t.Helper()
	img, _, err := image.Decode(bufio.NewReader(strings.NewReader(string(data))))
	if err != nil {
		t.Fatal(err)
	}
	flat := image.NewRGBA(img.Bounds())
	draw.Draw(flat, flat.Rect, image.White, image.Point{}, draw.Src)
	draw.Draw(flat, flat.Rect, img, flat.Rect.Min, draw.Over)
	dst := image.NewRGBA(size)
	draw.BiLinear.Scale(dst, size, flat, flat.Rect, draw.Over, nil)
	return &image.NRGBA{Pix: dst.Pix, Stride: dst.Stride, Rect: dst.Rect}
}
