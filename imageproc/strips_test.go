package imageproc

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"testing"

	"github.com/disintegration/imaging"
)

// kinds are pictures of noise of every kind that decoders make.
func kinds(w, h int) map[string]image.Image {
	rng := rand.New(rand.NewPCG(1, 2))
	noise := func(b []uint8) {
		for i := range b {
			b[i] = uint8(rng.Uint32())
		}
	}
	all, r := map[string]image.Image{}, image.Rect(0, 0, w, h)
	for _, ratio := range []image.YCbCrSubsampleRatio{image.YCbCrSubsampleRatio444, image.YCbCrSubsampleRatio422, image.YCbCrSubsampleRatio420, image.YCbCrSubsampleRatio440} {
		m := image.NewYCbCr(r, ratio)
		noise(m.Y)
		noise(m.Cb)
		noise(m.Cr)
		all[ratio.String()] = m
	}
	alpha := image.NewNYCbCrA(r, image.YCbCrSubsampleRatio420)
	noise(alpha.Y)
	noise(alpha.Cb)
	noise(alpha.Cr)
	noise(alpha.A)
	n, d, c, g := image.NewNRGBA(r), image.NewNRGBA64(r), image.NewCMYK(r), image.NewGray(r)
	noise(n.Pix)
	noise(d.Pix)
	noise(c.Pix)
	noise(g.Pix)
	part := image.NewPaletted(image.Rect(7, 5, w-9, h-11), color.Palette{color.RGBA{200, 10, 10, 255}, color.Transparent, color.RGBA{3, 200, 90, 255}})
	for i := range part.Pix {
		part.Pix[i] = uint8(rng.IntN(3))
	}
	all["NYCbCrA"], all["NRGBA"], all["NRGBA64"], all["CMYK"], all["Gray"], all["a part of the screen"] = alpha, n, d, c, g, part
	return all
}

// A picture shrunk strip by strip is, byte for byte, the one painted whole,
// turned and resized.
func TestShrink(t *testing.T) {
	const w, h = 61, 47
	for name, img := range kinds(w, h) {
		for orientation := 1; orientation <= 8; orientation++ {
			for _, size := range [][2]int{{32, 16}, {w, 16}, {16, h}} {
				pic := func() *picture {
					return &picture{header: header{format: "test", width: w, height: h, orientation: orientation}, image: img}
				}
				all, err := pic().flatten(nil, pic().whole())
				if err != nil {
					t.Fatal(err)
				}
				want := imaging.Resize(upright(all, orientation), size[0], size[1], imaging.CatmullRom)
				for _, strip := range []int{1, 700} {
					got, err := pic().shrink(size[0], size[1], strip)
					if err != nil {
						t.Fatal(err)
					}
					if got.Rect != want.Rect || !bytes.Equal(got.Pix, want.Pix) {
						t.Fatalf("%s, orientation %d, to %v, strips of %d: not the same pixels", name, orientation, size, strip)
					}
				}
			}
		}
	}
}

// What a decoder needs is known from the first bytes.
func TestBytesNeeded(t *testing.T) {
	encode := func(img image.Image) []byte {
		var b bytes.Buffer
		if err := png.Encode(&b, img); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	var plain bytes.Buffer
	if err := jpeg.Encode(&plain, image.NewGray(image.Rect(0, 0, 8, 4)), nil); err != nil {
		t.Fatal(err)
	}
	scans := bytes.Replace(plain.Bytes(), []byte{0xff, 0xc0}, []byte{0xff, 0xc2}, 1)
	for i, tt := range []struct {
		data []byte
		want int64
	}{
		{encode(image.NewNRGBA(image.Rect(0, 0, 8, 4))), 8 * 4 * 4},
		{encode(image.NewNRGBA64(image.Rect(0, 0, 8, 4))), 8 * 4 * 8},
		{encode(image.NewGray16(image.Rect(0, 0, 8, 4))), 8 * 4 * 8},
		{plain.Bytes(), 8 * 4 * 4},
		{scans, 8 * 4 * 8},
		{append([]byte{0xff, 0xd8, 0xff}, scans[2:]...), 8 * 4 * 8}, // a fill byte
	} {
		if h, err := look(tt.data); err != nil || h.bytes != tt.want {
			t.Errorf("%d: %d bytes, %v; want %d", i, h.bytes, err, tt.want)
		}
	}
	for n := range scans { // cut anywhere
		progressive(scans[:n])
	}
}
