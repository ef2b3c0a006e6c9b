package scene

import (
	"bytes"
	"crypto/sha256"
	"image"
	"math"
	"reflect"
	"slices"
	"testing"
)

func generate(t testing.TB, seed uint64, difficulty float64) Scene {
	t.Helper()
	s, err := Generate(seed, Options{Difficulty: &difficulty})
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	return s
}

// Every scene keeps what the package promises about it, hard ones too.
func TestGenerateKeepsItsPromises(t *testing.T) {
	for seed := range uint64(150) {
		s := generate(t, seed, float64(seed%6)/5)
		if n := len(s.Present()); n < 3 || n > 6 {
			t.Errorf("seed %d: %d kinds; want 3 to 6", seed, n)
		}
		for _, o := range s.Objects {
			if o.Doubtful {
				continue // see TestDoubtfulObjects
			}
			if o.Visible < MinVisible || o.Visible > 1 {
				t.Errorf("seed %d: %s is %.2f visible", seed, o.Kind, o.Visible)
			}
			if s.Difficulty == 0 && o.Visible < .9 {
				t.Errorf("seed %d: %s is %.2f visible in an easy scene", seed, o.Kind, o.Visible)
			}
			if o.Box.W*o.Box.H < 150 || !image.Rect(o.Box.X, o.Box.Y, o.Box.X+o.Box.W-1, o.Box.Y+o.Box.H-1).In(s.bounds()) {
				t.Errorf("seed %d: %s at %+v of %d×%d", seed, o.Kind, o.Box, s.Width, s.Height)
			}
			if o.Likeness < s.Difficulty/2 || o.Likeness > s.Difficulty {
				t.Errorf("seed %d: %s has likeness %.2f at difficulty %.2f", seed, o.Kind, o.Likeness, s.Difficulty)
			}
			if !slices.Contains(Colors(), o.Color) || !slices.Contains(Kinds(), o.Kind) {
				t.Errorf("seed %d: a %s %s", seed, o.Color, o.Kind)
			}
		}
	}
}

// The ground truth is that of the pixels: where the plan says an object is
// visible, taking it away changes the picture, and nowhere outside its box.
func TestDrawAgreesWithThePlan(t *testing.T) {
	for seed := range uint64(12) {
		s := generate(t, seed, float64(seed)/11)
		with := drawn(t, s)
		for i, o := range s.Objects {
			less := s
			less.Objects = slices.Concat(s.Objects[:i], s.Objects[i+1:])
			without := drawn(t, less)
			changed, grown := 0, image.Rect(o.Box.X-4, o.Box.Y-4, o.Box.X+o.Box.W+4, o.Box.Y+o.Box.H+4)
			for y := range s.Height {
				for x := range s.Width {
					if with.RGBAAt(x, y) == without.RGBAAt(x, y) {
						continue
					}
					changed++
					if !(image.Point{x, y}).In(grown) {
						t.Fatalf("seed %d: %s changes pixel %d,%d outside its box %+v", seed, o.Kind, x, y, o.Box)
					}
				}
			}
			if changed < s.Width*s.Height/600 && !o.Doubtful {
				t.Errorf("seed %d: %s shows in %d pixels only", seed, o.Kind, changed)
			}
		}
	}
}

func drawn(t testing.TB, s Scene) *image.RGBA {
	t.Helper()
	img, err := Draw(s)
	if err != nil {
		t.Fatal(err)
	}
	return img
}

func TestSameSeedSamePicture(t *testing.T) {
	var sums [][sha256.Size]byte
	for _, seed := range []uint64{7, 7, 8} {
		s := generate(t, seed, .5)
		file, err := EncodeJPEG(drawn(t, s))
		if err != nil || !bytes.HasPrefix(file, []byte("\xff\xd8\xff")) {
			t.Fatalf("no JPEG: %v", err)
		}
		sums = append(sums, sha256.Sum256(file))
	}
	if a, b := generate(t, 7, .5), generate(t, 7, .5); !reflect.DeepEqual(a, b) {
		t.Error("one seed, two plans")
	}
	if sums[0] != sums[1] || sums[0] == sums[2] {
		t.Error("pictures of one seed differ, or those of two do not")
	}
}

// Every kind has a drawing that fills its box and differs from the others'.
func TestEveryKindIsDrawn(t *testing.T) {
	seen := make(map[[sha256.Size]byte]string)
	for _, name := range Kinds() {
		k, _ := kindNamed(name)
		canvas := image.Rect(0, 0, 240, 240)
		p := &pen{mask: image.NewAlpha(canvas), dst: image.NewRGBA(canvas)}
		if !paintObject(p, Object{Kind: name, Color: "red", Pose: Pose{X: 120, Y: 120, Height: 100}}, 1) {
			t.Fatalf("%s: not drawn", name)
		}
		if b := p.bounds(); float64(b.H)/2 < 84 || float64(b.H)/2 > 105 || math.Abs(float64(b.W)/2-100*k.aspect) > 12 {
			t.Errorf("%s covers %d×%d of %.0f×100", name, b.W/2, b.H/2, 100*k.aspect)
		}
		sum := sha256.Sum256(p.dst.Pix)
		if other, ok := seen[sum]; ok {
			t.Errorf("%s looks like %s", name, other)
		}
		seen[sum] = name
	}
}

// A theme's kinds exist, and every kind is at home somewhere.
func TestThemesShareOutAllKinds(t *testing.T) {
	home := make(map[string]bool)
	for _, th := range themes() {
		for _, s := range th.kinds {
			if _, ok := kindNamed(s.kind); !ok || s.weight < 1 {
				t.Errorf("theme %s: %+v", th.name, s)
			}
			home[s.kind] = true
		}
	}
	for _, k := range Kinds() {
		if !home[k] {
			t.Errorf("%s is in no theme", k)
		}
	}
}

func TestRefusals(t *testing.T) {
	bad := math.NaN()
	for _, opt := range []Options{{Theme: "moonbase"}, {Width: 10}, {Height: 1 << 20}, {Objects: 9}, {Difficulty: &bad}} {
		if _, err := Generate(1, opt); err == nil {
			t.Errorf("%+v was accepted", opt)
		}
	}
	for _, s := range []Scene{{}, {Theme: "park"}, {Theme: "park", Width: 96, Height: 96, Objects: []Object{{Kind: "unicorn"}}}} {
		if _, err := Draw(s); err == nil {
			t.Errorf("%+v was drawn", s)
		}
	}
}

func BenchmarkDraw(b *testing.B) {
	s := generate(b, 3, .6)
	for b.Loop() {
		drawn(b, s)
	}
}

func BenchmarkGenerate(b *testing.B) {
	for b.Loop() {
		generate(b, 3, .6)
	}
}
