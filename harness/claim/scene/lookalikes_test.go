package scene

import (
	"image"
	"math"
	"slices"
	"testing"
)

// Look-alikes are kinds there are, each the other's, met in one setting.
func TestLookAlikesGoBothWays(t *testing.T) {
	for _, k := range Kinds() {
		for _, other := range LookAlikes(k) {
			if !slices.Contains(Kinds(), other) || other == k || !slices.Contains(LookAlikes(other), k) {
				t.Errorf("%s is like %s, which is like %v", k, other, LookAlikes(other))
			}
			if !slices.ContainsFunc(themes(), func(th theme) bool { return th.has(k) && th.has(other) }) {
				t.Errorf("%s and %s meet in no theme", k, other)
			}
		}
	}
	if got := LookAlikes("house"); got != nil {
		t.Errorf("a house is like %v", got)
	}
}

func (t theme) has(kind string) bool {
	return slices.ContainsFunc(t.kinds, func(s share) bool { return s.kind == kind })
}

// The more likeness, the nearer the drawings of a pair; and they never become
// the same, so that one who looks closely can tell.
func TestLikenessBringsLookAlikesNearer(t *testing.T) {
	for _, pair := range lookAlikes() {
		apart, alike := distance(pair, 0), distance(pair, 1)
		// A table is near a stool as it is: neither changes.
		if alike >= apart && pair != [2]string{"table", "stool"} {
			t.Errorf("%v are %.3f apart, and %.3f where they are most alike", pair, apart, alike)
		}
		if alike < .03 {
			t.Errorf("%v are only %.3f apart where they are most alike", pair, alike)
		}
	}
}

// distance is how much of a pair's pixels differ, drawn in one colour and in
// the sizes they have in a scene, and laid over each other as well as may be.
func distance(pair [2]string, likeness float64) float64 {
	var pictures [2]*image.RGBA
	for i, name := range pair {
		k, _ := kindNamed(name)
		pictures[i] = image.NewRGBA(image.Rect(0, 0, 120, 120))
		o := Object{Kind: name, Color: "teal", Likeness: likeness, Pose: Pose{X: 60, Y: 60, Height: 60 * k.size}}
		paintObject(&pen{dst: pictures[i]}, o, 1)
	}
	best := math.Inf(1)
	for dy := -12; dy <= 12; dy += 2 {
		for dx := -12; dx <= 12; dx += 2 {
			best = min(best, apart(pictures[0], pictures[1], dx, dy))
		}
	}
	return best
}

// apart is the mean difference, 0 to 1, of the pixels that either picture has,
// the second one moved.
func apart(a, b *image.RGBA, dx, dy int) float64 {
	differ, either := 0, 0
	for y := 20; y < 100; y++ {
		for x := 20; x < 100; x++ {
			p, q := a.RGBAAt(x, y), b.RGBAAt(x+dx, y+dy)
			one, other := rgb{int(p.R), int(p.G), int(p.B)}, rgb{int(q.R), int(q.G), int(q.B)}
			differ += one.apart(other)
			if one != (rgb{}) || other != (rgb{}) {
				either++
			}
		}
	}
	return float64(differ) / float64(3*255*max(either, 1))
}
