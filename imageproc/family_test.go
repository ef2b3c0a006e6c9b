package imageproc

import (
	"errors"
	"math/rand/v2"
	"testing"
)

func TestFit(t *testing.T) {
	tests := []struct {
		family        string
		width, height int
		w, h, tokens  int
	}{
		// Already on the grid of 32: unchanged.
		{"qwen3vl", 640, 480, 640, 480, 302},
		// The same on the grid of 28: 480/28 = 17.14.
		{"qwen2.5vl", 640, 480, 644, 476, 393},
		// 427/32 = 13.34 rounds down.
		{"qwen3.5", 640, 427, 640, 416, 262},
		// 16.5 and 14.5 cells: half goes to the even count.
		{"qwen3vl", 528, 464, 512, 448, 226},
		// Above the cap of 2 Mi pixels.
		{"qwen3vl", 4000, 3000, 1664, 1248, 2030},
		{"qwen2.5vl", 4000, 3000, 1652, 1232, 2598},
		// Below the floor of 64 Ki pixels.
		{"qwen3vl", 100, 100, 256, 256, 66},
		// Qwen2.5-VL's floor is only 56×56.
		{"qwen2.5vl", 40, 40, 56, 56, 6},
		// A side under the factor is scaled up; by the area alone where that is
		// too small, so that a thin image loses its proportions.
		{"qwen3vl", 257, 27, 800, 96, 77},
		{"qwen3vl", 305, 30, 832, 96, 80},
		{"qwen2.5vl", 100, 10, 196, 28, 9},
		{"qwen2.5vl", 2000, 10, 812, 28, 31},
		{"qwen3vl", 1, 1, 256, 256, 66},
		// The longest shape there is, and one that rounding pushes past it: the
		// tokens are those of what is sent.
		{"qwen3vl", 6400, 32, 6400, 32, 202},
		{"qwen3vl", 1, 200, 32, 3648, 116},
		{"qwen3vl", 6600, 33, 6592, 32, 202},
	}
	for _, tt := range tests {
		f, err := FamilyByName(tt.family)
		if err != nil {
			t.Fatal(err)
		}
		w, h, err := f.Fit(tt.width, tt.height)
		if w != tt.w || h != tt.h || err != nil {
			t.Errorf("%s Fit(%d, %d) = %d, %d, %v; want %d, %d", tt.family, tt.width, tt.height, w, h, err, tt.w, tt.h)
		}
		if got := f.Tokens(tt.width, tt.height); got != tt.tokens {
			t.Errorf("%s Tokens(%d, %d) = %d; want %d", tt.family, tt.width, tt.height, got, tt.tokens)
		}
	}
}

func TestFitRefuses(t *testing.T) {
	f, _ := FamilyByName("qwen3vl")
	for _, size := range [][2]int{{6432, 32}, {1, 201}, {201, 1}, {100_000, 10}} {
		if _, _, err := f.Fit(size[0], size[1]); !errors.Is(err, ErrAspect) {
			t.Errorf("Fit(%v) = %v; want ErrAspect", size, err)
		}
	}
	for _, size := range [][2]int{{0, 10}, {10, -1}} {
		if _, _, err := f.Fit(size[0], size[1]); err == nil {
			t.Errorf("Fit(%v) accepted", size)
		}
	}
	if _, _, err := (Family{}).Fit(10, 10); err == nil {
		t.Error("a family without a patch size was accepted")
	}
	if f.Tokens(0, 0) != 0 {
		t.Error("tokens of no image")
	}
}

// What is sent must be left alone by the server's own resize: on the grid,
// within the family's bounds, never a shape on which the engine panics.
func TestSentIsFixedPoint(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, f := range families() {
		for range 20_000 {
			width := 1 + rng.IntN(1<<rng.IntN(16))
			height := min(max(1+rng.IntN(1<<rng.IntN(16)), (width+199)/200), width*200)
			w, h, err := f.Sent(width, height)
			if err != nil {
				t.Fatalf("%s Sent(%d, %d): %v", f.Name, width, height, err)
			}
			if fw, fh, err := f.Fit(width, height); (fw != w || fh != h) != tooLong(fw, fh) || err != nil {
				t.Fatalf("%s Sent(%d, %d) = %d, %d; but Fit %d, %d, %v", f.Name, width, height, w, h, fw, fh, err)
			}
			if w2, h2, err := f.Fit(w, h); w2 != w || h2 != h || err != nil || !f.serverFits(w, h) {
				t.Fatalf("%s Sent(%d, %d) = %d, %d; again %d, %d, %v", f.Name, width, height, w, h, w2, h2, err)
			}
			if w%f.Factor() != 0 || h%f.Factor() != 0 || w < f.Factor() || h < f.Factor() {
				t.Fatalf("%s Sent(%d, %d) = %d, %d is off the grid", f.Name, width, height, w, h)
			}
			if w*h < f.MinPixels || w*h > f.MaxPixels {
				t.Fatalf("%s Sent(%d, %d) = %d, %d is out of bounds", f.Name, width, height, w, h)
			}
		}
	}
}

func TestFamilies(t *testing.T) {
	arch := map[string]string{
		"qwen25vl": "qwen2.5vl", "qwen3vl": "qwen3vl", "qwen3vlmoe": "qwen3vl",
		"qwen35": "qwen3.5", "qwen35moe": "qwen3.5", "qwen3next": "qwen3.5",
	}
	for name, want := range arch {
		if f, ok := FamilyOf(name); !ok || f.Name != want {
			t.Errorf("FamilyOf(%q) = %q, %v; want %q", name, f.Name, ok, want)
		}
	}
	if _, ok := FamilyOf("llama"); ok {
		t.Error("llama is no family of these")
	}
	if f, err := FamilyByName("Qwen2.5-VL"); err != nil || f.Factor() != 28 {
		t.Errorf("Qwen2.5-VL: %+v, %v", f, err)
	}
	if _, err := FamilyByName("llava"); err == nil {
		t.Error("llava accepted")
	}
}

// Of a model's metadata the engine honours the grid, and one bound of each line.
func TestFamilyAs(t *testing.T) {
	told := Metadata{PatchSize: 12, SpatialMergeSize: 3, ShortestEdge: 4096, MaxPixels: 602112}
	for name, want := range map[string]Family{
		"qwen2.5vl": {"qwen2.5vl", 12, 3, 56 * 56, 602112},
		"qwen3vl":   {"qwen3vl", 12, 3, 4096, 2 << 20},
		"qwen3.5":   {"qwen3.5", 12, 3, 4096, 2 << 20},
	} {
		f, err := FamilyByName(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := f.As(told); got != want {
			t.Errorf("%s: %+v; want %+v", name, got, want)
		}
		if got := f.As(Metadata{}); got != f {
			t.Errorf("%s: %+v of no metadata; want %+v", name, got, f)
		}
	}
}
