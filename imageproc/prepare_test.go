package imageproc

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// tiny is a family whose grid of 16 pixels the test images (64×48) are on.
func tiny() Family {
	return Family{Name: "tiny", Patch: 8, Merge: 2, MinPixels: 256, MaxPixels: 1 << 20}
}

func read(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Every kind of file shows the model the same picture: four quadrants, upright.
func TestPrepareShowsTheSamePicture(t *testing.T) {
	tests := []struct {
		file      string
		reference bool // passes through by PolicyReference
		server    bool // passes through by PolicyServer
		tolerance int
	}{
		{"baseline.jpg", true, true, 12},
		{"progressive.jpg", true, true, 12},
		{"orient1.jpg", true, true, 12},
		// EXIF: no server reads it.
		{"orient2.jpg", false, false, 12},
		{"orient3.jpg", false, false, 12},
		{"orient4.jpg", false, false, 12},
		{"orient5.jpg", false, false, 12},
		{"orient6.jpg", false, false, 12},
		{"orient7.jpg", false, false, 12},
		{"orient8.jpg", false, false, 12},
		{"orient6.png", false, false, 0},
		{"orient6.webp", false, false, 0},
		{"orient6.tiff", false, false, 0},
		// Adobe's inverted inks, as they are and as luma and chroma.
		{"cmyk.jpg", false, false, 12},
		{"ycck.jpg", false, false, 12},
		{"restart.jpg", true, true, 12},
		{"chroma422.jpg", true, true, 12},
		{"chroma444.jpg", true, true, 12},
		// Profiles are ignored by all.
		{"profile.jpg", true, true, 12},
		// The engine shows it with less contrast.
		{"lossy.webp", false, true, 12},
		{"lossless.webp", true, true, 0},
		{"interlaced.png", true, true, 0},
		{"rgb16.png", true, true, 0},
		{"palette.png", true, true, 2},
		{"palette2.png", true, true, 2},
		{"palette.bmp", true, true, 2},
		{"plain.bmp", true, true, 0},
		{"plain.tiff", true, true, 0},
		{"deflate.tiff", true, true, 0},
		{"lzw.tiff", true, true, 0},
		// No server reads GIF; of an animation the first frame counts.
		{"still.gif", false, false, 2},
		{"animated.gif", false, false, 2},
		{"animated.webp", false, false, 0},
		{"animated_lossy.webp", false, false, 12},
		// An animated PNG's first frame is an image by itself, to servers too.
		{"animated.png", true, true, 0},
	}
	for _, tt := range tests {
		for _, policy := range []Policy{PolicyReference, PolicyServer} {
			data := read(t, tt.file)
			got, err := Prepare(data, tiny(), policy)
			if err != nil {
				t.Errorf("%s: %v", tt.file, err)
				continue
			}
			want := tt.reference
			if policy == PolicyServer {
				want = tt.server
			}
			if got.PassedThrough != want || bytes.Equal(got.Data, data) != want {
				t.Errorf("%s, %s: passed through: %v; want %v", tt.file, policy, got.PassedThrough, want)
			}
			if got.Width != 64 || got.Height != 48 || got.Tokens != 14 {
				t.Errorf("%s: %d×%d pixels, %d tokens; want 64×48, 14", tt.file, got.Width, got.Height, got.Tokens)
			}
			checkQuadrants(t, tt.file, got, tt.tolerance)
		}
	}
}

func checkQuadrants(t *testing.T, name string, p *Prepared, tolerance int) {
	t.Helper()
	if format, err := Sniff(p.Data); err != nil || format != p.Format {
		t.Errorf("%s: sent as %q, which it is not (%v)", name, p.Format, err)
	}
	if p.SentSHA256 != digest(p.Data) {
		t.Errorf("%s: digest of what is sent is wrong", name)
	}
	img := decoded(t, p.Data)
	for i, want := range []color.NRGBA{{200, 30, 30, 255}, {30, 170, 40, 255}, {40, 60, 200, 255}, {230, 200, 40, 255}} {
		x, y := 16+32*(i%2), 12+24*(i/2)
		if got := img.NRGBAAt(x, y); distance(got, want) > tolerance {
			t.Errorf("%s: pixel %d,%d is %v; want %v", name, x, y, got, want)
		}
	}
}

// opened decodes a file as Prepare does.
func opened(data []byte) (*picture, error) {
	h, err := look(data)
	if err != nil {
		return nil, err
	}
	return h.open(data)
}

func decoded(t testing.TB, data []byte) *image.NRGBA {
	t.Helper()
	pic, err := opened(data)
	if err != nil {
		t.Fatal(err)
	}
	img, err := pic.flatten(nil, pic.whole())
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// distance is the largest difference of a channel.
func distance(a, b color.NRGBA) int {
	diff := func(x, y uint8) int { return max(int(x)-int(y), int(y)-int(x)) }
	return max(diff(a.R, b.R), diff(a.G, b.G), diff(a.B, b.B), diff(a.A, b.A))
}

func TestPreparePaintsAlphaOnWhite(t *testing.T) {
	for _, name := range []string{"alpha.png", "alpha.webp", "alpha_lossy.webp", "palette_alpha.png"} {
		p, err := Prepare(read(t, name), tiny(), PolicyReference)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := decoded(t, p.Data).NRGBAAt(5, 5); got != (color.NRGBA{255, 255, 255, 255}) {
			t.Errorf("%s: transparent pixel became %v; want white", name, got)
		}
		if img, err := png.Decode(bytes.NewReader(p.Data)); err != nil || !img.(interface{ Opaque() bool }).Opaque() {
			t.Errorf("%s: still transparent (%v)", name, err)
		}
	}
}

// A GIF's first frame may be smaller than the screen it is shown on.
func TestPrepareGIFFrameOnItsScreen(t *testing.T) {
	// A 2×1 screen; one red pixel at (1,0).
	data := []byte("GIF89a\x02\x00\x01\x00\x80\x00\x00\xff\x00\x00\x00\x00\x00,\x01\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;")
	pic, err := opened(data)
	if err != nil {
		t.Fatal(err)
	}
	img, err := pic.flatten(nil, pic.whole())
	if err != nil || img.Bounds() != image.Rect(0, 0, 2, 1) {
		t.Fatalf("bounds %v, %v; want 2×1", img.Bounds(), err)
	}
	if white, red := img.NRGBAAt(0, 0), img.NRGBAAt(1, 0); white.G != 255 || red != (color.NRGBA{255, 0, 0, 255}) {
		t.Errorf("got %v, %v; want white, red", white, red)
	}
}

// Gray images of one, eight and sixteen bits, with and without alpha.
func TestPrepareGray(t *testing.T) {
	want := color.NRGBA{81, 81, 81, 255} // the luma of the red quadrant
	for name, tolerance := range map[string]int{"gray.png": 0, "gray16.png": 0, "grayalpha.png": 0, "gray.jpg": 3} {
		p, err := Prepare(read(t, name), tiny(), PolicyReference)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := decoded(t, p.Data).NRGBAAt(16, 12); distance(got, want) > tolerance {
			t.Errorf("%s: %v; want %v", name, got, want)
		}
	}
	if p, err := Prepare(read(t, "bilevel.png"), tiny(), PolicyReference); err != nil || !p.PassedThrough {
		t.Errorf("bilevel.png: %v", err)
	}
}

// The resize agrees with Pillow's bicubic, which the published processors use,
// when shrinking (where an unfiltered bicubic would alias) and enlarging.
func TestPrepareResizesAsPillow(t *testing.T) {
	tests := []struct {
		family Family
		oracle string
	}{
		{Family{Name: "small", Patch: 4, Merge: 2, MinPixels: 64, MaxPixels: 512}, "texture_24x16.png"},
		{Family{Name: "large", Patch: 8, Merge: 2, MinPixels: 2100, MaxPixels: 1 << 20}, "texture_64x48.png"},
	}
	for _, tt := range tests {
		p, err := Prepare(read(t, "texture.png"), tt.family, PolicyReference)
		if err != nil {
			t.Fatal(err)
		}
		got, want := decoded(t, p.Data), decoded(t, read(t, tt.oracle))
		if got.Bounds() != want.Bounds() {
			t.Fatalf("%s: %v; want %v", tt.oracle, got.Bounds(), want.Bounds())
		}
		for i := range got.Pix {
			if d := int(got.Pix[i]) - int(want.Pix[i]); d < -2 || d > 2 {
				t.Fatalf("%s: byte %d is %d; Pillow makes it %d", tt.oracle, i, got.Pix[i], want.Pix[i])
			}
		}
	}
}

// The engine panics on a side shorter than its factor, under either policy.
func TestPrepareEnlargesSmallImages(t *testing.T) {
	f, _ := FamilyByName("qwen3vl")
	for _, size := range [][2]int{{257, 27}, {305, 30}, {1, 1}, {31, 640}} {
		data := blank(t, size[0], size[1])
		for _, policy := range []Policy{PolicyReference, PolicyServer} {
			p, err := Prepare(data, f, policy)
			if err != nil {
				t.Errorf("%v: %v", size, err)
				continue
			}
			cfg, err := png.DecodeConfig(bytes.NewReader(p.Data))
			if err != nil || cfg.Width != p.Width || cfg.Height != p.Height || !f.serverFits(p.Width, p.Height) {
				t.Errorf("%v, %s: sent %d×%d (%v, %v)", size, policy, p.Width, p.Height, cfg, err)
			}
		}
	}
}

func TestPolicies(t *testing.T) {
	f, _ := FamilyByName("qwen3vl")
	data := blank(t, 640, 427)
	p, err := Prepare(data, f, PolicyReference)
	if err != nil || p.PassedThrough || p.Width != 640 || p.Height != 416 || p.SourceHeight != 427 {
		t.Errorf("reference: %+v, %v; want 640×416", p, err)
	}
	p, err = Prepare(data, f, PolicyServer)
	if err != nil || !p.PassedThrough || p.Height != 427 || p.Tokens != 262 || p.SentSHA256 != p.SourceSHA256 {
		t.Errorf("server: %+v, %v; want 640×427 as it is", p, err)
	}
	if _, err := Prepare(data, f, "best"); err == nil || !strings.Contains(err.Error(), `"best"`) {
		t.Errorf("policy best: %v", err)
	}
	if _, err := Prepare(data, Family{}, PolicyServer); err == nil {
		t.Error("an empty family was accepted")
	}
	// 33 rows round to 32: the engine would make 6600/32 > 200 of it and panic.
	for _, policy := range []Policy{PolicyReference, PolicyServer} {
		if p, err = Prepare(blank(t, 6600, 33), f, policy); err != nil || p.Width != 6400 || p.Height != 32 {
			t.Errorf("6600×33, %s: %+v, %v; want 6400×32", policy, p, err)
		}
	}
	if _, err = Prepare(blank(t, 6700, 33), f, PolicyServer); !errors.Is(err, ErrAspect) {
		t.Errorf("6700×33: %v; want ErrAspect", err)
	}
}

func blank(t testing.TB, width, height int) []byte {
	t.Helper()
	var buf bytes.Buffer
	img := image.NewGray(image.Rect(0, 0, width, height))
	if err := png.Encode(&buf, img); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}
