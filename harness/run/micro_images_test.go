package run_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"candor/harness/claim"

	"golang.org/x/image/bmp"
)

// rewrite gives an image of the demo another file: its name and bytes. data are
// those of the demo, next those of another image of it.
type rewrite func(t *testing.T, data, next []byte) (extension string, rewritten []byte)

// rewritten makes a run ask the demo's claims about files written anew.
func rewritten(file rewrite) func(*setup) {
	return func(s *setup) { s.dataset, s.images = writeDemo(s.t, file) }
}

// writeDemo writes the demo's claims as a data set in POPE's form, a file a
// split, and its eval images, as file makes them, to a folder.
func writeDemo(t *testing.T, file rewrite) (dataset, images string) {
	t.Helper()
	set, err := claim.Demo(0)
	if err != nil {
		t.Fatal(err)
	}
	dataset, images = t.TempDir(), t.TempDir()
	rows := map[string]*strings.Builder{}
	var names []string
	known := map[string]bool{}
	for _, c := range set.Claims {
		if rows[c.Split] == nil {
			rows[c.Split] = &strings.Builder{}
		}
		fmt.Fprintf(rows[c.Split], `{"question_id":%q,"image":%q,"text":%q,"label":%q}`+"\n", c.QuestionID, c.ImageSource, c.Question, c.Label)
		if claim.InEval(c.ImageSource) && !known[c.ImageSource] {
			known[c.ImageSource] = true
			names = append(names, c.ImageSource)
		}
	}
	for split, text := range rows {
		write(t, filepath.Join(dataset, "coco_pope_"+split+".json"), []byte(text.String()))
	}
	original := make([][]byte, len(names))
	for i, name := range names {
		if original[i], _, err = set.Images.Open(t.Context(), name); err != nil {
			t.Fatal(err)
		}
	}
	for i, name := range names {
		extension, data := file(t, original[i], original[(i+1)%len(names)])
		if err := os.WriteFile(filepath.Join(images, name+extension), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dataset, images
}

// swapped shows the next image.
func swapped(_ *testing.T, _, next []byte) (string, []byte) { return ".jpg", next }

func asPNG(t *testing.T, data, _ []byte) (string, []byte) {
	return ".png", encodedPNG(t, opened(t, data))
}

func asBMP(t *testing.T, data, _ []byte) (string, []byte) {
	var b bytes.Buffer
	if err := bmp.Encode(&b, opened(t, data)); err != nil {
		t.Fatal(err)
	}
	return ".bmp", b.Bytes()
}

// asTurnedPNG stores the image lying on its side, and says so in its EXIF data
// (orientation 6: to be turned a quarter clockwise to be seen).
func asTurnedPNG(t *testing.T, data, _ []byte) (string, []byte) {
	img := opened(t, data)
	side := image.NewNRGBA(image.Rect(0, 0, img.Rect.Dy(), img.Rect.Dx()))
	for y := range img.Rect.Dy() {
		for x := range img.Rect.Dx() {
			side.SetNRGBA(y, img.Rect.Dx()-1-x, img.NRGBAAt(x, y))
		}
	}
	plain := encodedPNG(t, side)
	const head = 8 + 25 // signature and IHDR, after which the chunk may stand
	exif := []byte("MM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00\x06\x00\x00\x00\x00\x00\x00")
	chunk := binary.BigEndian.AppendUint32(nil, uint32(len(exif)))
	chunk = append(append(chunk, "eXIf"...), exif...)
	chunk = binary.BigEndian.AppendUint32(chunk, crc32.ChecksumIEEE(chunk[4:]))
	return ".png", append(append(plain[:head:head], chunk...), plain[head:]...)
}

func asGrey(t *testing.T, data, _ []byte) (string, []byte) {
	img := opened(t, data)
	grey := image.NewGray(img.Rect)
	draw.Draw(grey, img.Rect, img, image.Point{}, draw.Src)
	return ".png", encodedPNG(t, grey)
}

func asPoorJPEG(t *testing.T, data, _ []byte) (string, []byte) {
	var b bytes.Buffer
	if err := jpeg.Encode(&b, opened(t, data), &jpeg.Options{Quality: 50}); err != nil {
		t.Fatal(err)
	}
	return ".jpg", b.Bytes()
}

// The damage below keeps an image's size.

// coarse keeps one pixel of every 8 × 8, and shows it in place of all.
func coarse(img *image.NRGBA) { remap(img, func(x, y, _, _ int) (int, int) { return x &^ 7, y &^ 7 }) }

// squashed shows the whole image in its upper half, and again below.
func squashed(img *image.NRGBA) {
	remap(img, func(x, y, _, h int) (int, int) { return x, 2 * y % h })
}

func turned(img *image.NRGBA) {
	remap(img, func(x, y, w, h int) (int, int) { return w - 1 - x, h - 1 - y })
}

// exchanged has its first and its last channel exchanged.
func exchanged(img *image.NRGBA) {
	for i := 0; i < len(img.Pix); i += 4 {
		img.Pix[i], img.Pix[i+2] = img.Pix[i+2], img.Pix[i]
	}
}

// remap shows at each place the pixel of another one.
func remap(img *image.NRGBA, from func(x, y, w, h int) (int, int)) {
	w, h := img.Rect.Dx(), img.Rect.Dy()
	before := image.NRGBA{Pix: append([]uint8(nil), img.Pix...), Stride: img.Stride, Rect: img.Rect}
	for y := range h {
		for x := range w {
			fx, fy := from(x, y, w, h)
			img.SetNRGBA(x, y, before.NRGBAAt(fx, fy))
		}
	}
}

func opened(t *testing.T, data []byte) *image.NRGBA {
	t.Helper()
	img, err := pixels(data)
	if err != nil {
		t.Fatal(err)
	}
	return img
}

func pixels(data []byte) (*image.NRGBA, error) {
	img, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	out := image.NewNRGBA(image.Rect(0, 0, img.Bounds().Dx(), img.Bounds().Dy()))
	for y := range out.Rect.Dy() {
		for x := range out.Rect.Dx() {
			// As decoders give them, pixel by pixel: quicker ways round otherwise.
			out.Set(x, y, color.NRGBAModel.Convert(img.At(img.Bounds().Min.X+x, img.Bounds().Min.Y+y)))
		}
	}
	return out, nil
}

func encodedPNG(t *testing.T, img image.Image) []byte {
	t.Helper()
	data, err := encodePNG(img)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func encodePNG(img image.Image) ([]byte, error) {
	var b bytes.Buffer
	err := png.Encode(&b, img)
	return b.Bytes(), err
}
