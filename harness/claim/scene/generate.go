package scene

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// Options bound what Generate may plan. The zero value draws size, theme,
// number of objects and difficulty from the seed.
type Options struct {
	Width, Height int      // pixels, at least 96 each; 0: one of several sizes from 224 to 384
	Theme         string   // one of Themes; "": drawn
	Objects       int      // number of different kinds, 1 to 8; 0: 3 to 6
	Difficulty    *float64 // 0 to 1; nil: drawn evenly
}

// Generate plans a scene. Every object keeps at least MinVisible of its pixels
// uncovered, and in easy scenes nearly all; but one scene in about 25 has, behind
// all others and beside the number asked for, one that is doubtful. Equal
// arguments give equal plans.
func Generate(seed uint64, opt Options) (Scene, error) {
	rng := rand.New(rand.NewPCG(seed, layoutStream))
	s := Scene{Seed: seed, Width: opt.Width, Height: opt.Height}
	t, err := opt.settle(rng, &s)
	if err != nil {
		return Scene{}, err
	}
	s.Theme, s.Outlined, s.Horizon = t.name, rng.Float64() < .7, .42+.22*rng.Float64()
	want := opt.Objects
	if want == 0 {
		want = 3 + rng.IntN(4)
	}
	// A layout that does not work out is begun again with smaller objects.
	cover := newCovers(&s)
	for shrink := 1.0; shrink > .2; shrink *= .96 {
		cover.reset()
		lay := &layout{scene: &s, theme: t, rng: rng, shrink: shrink, cover: cover}
		if lay.fillWith(want) {
			s.Objects = lay.withDoubt()
			return s, nil
		}
	}
	return Scene{}, fmt.Errorf("no room for %d objects in %d×%d pixels", want, s.Width, s.Height)
}

// Streams of random numbers, so that one part of a picture may change without
// the others.
const (
	layoutStream = iota + 1
	backdropStream
	frontClutterStream
	backClutterStream
	grainStream
	doubtStream
)

const minSide, maxSide = 96, 4096 // pixels

func (opt Options) settle(rng *rand.Rand, s *Scene) (theme, error) {
	size := sizes()[rng.IntN(len(sizes()))]
	s.Width, s.Height = cmp.Or(s.Width, size[0]), cmp.Or(s.Height, size[1])
	t := drawTheme(rng)
	s.Difficulty = rng.Float64()
	if opt.Difficulty != nil {
		s.Difficulty = *opt.Difficulty
	}
	if opt.Theme != "" {
		var ok bool
		if t, ok = themeNamed(opt.Theme); !ok {
			return theme{}, fmt.Errorf("unknown theme %q: use one of %s", opt.Theme, strings.Join(Themes(), ", "))
		}
	}
	switch {
	case min(s.Width, s.Height) < minSide || max(s.Width, s.Height) > maxSide:
		return theme{}, fmt.Errorf("scene of %d×%d pixels: sides go from %d to %d", s.Width, s.Height, minSide, maxSide)
	case !(s.Difficulty >= 0 && s.Difficulty <= 1):
		return theme{}, fmt.Errorf("difficulty %v is not between 0 and 1", s.Difficulty)
	case opt.Objects < 0 || opt.Objects > 8:
		return theme{}, fmt.Errorf("%d objects: from 1 to 8 are possible", opt.Objects)
	}
	return t, nil
}

// sizes are on the grid of 32 pixels and off it, wide, square and tall. All are
// small, from 65,536 pixels, the least the models see as it is, to 100,000, so
// that a model answers quickly.
func sizes() [][2]int {
	return [][2]int{
		{320, 224}, {256, 256}, {320, 256}, {256, 320}, {288, 256}, {352, 256}, {256, 288},
		{340, 250}, {333, 250}, {250, 333}, {300, 225}, {270, 270}, {375, 250},
	}
}

// layout is a scene being filled.
type layout struct {
	scene   *Scene
	theme   theme
	rng     *rand.Rand
	shrink  float64
	objects []Object
	cover   *covers
	row     int // of the object being put, among those on the ground
	rows    int
}

// fillWith plans objects of n different kinds, back to front, and reports
// whether all found a place.
func (l *layout) fillWith(n int) bool {
	chosen := l.choose(n)
	for _, k := range chosen {
		if k.spot == ground {
			l.rows++
		}
	}
	for _, k := range chosen {
		if !l.put(k) {
			return false
		}
		if k.spot == ground {
			l.row++
		}
	}
	for i := range l.objects {
		l.objects[i].Visible = l.cover.visible(i)
	}
	return true
}

// choose draws n different kinds, now and then one of them twice, and orders
// them from the back: the sky, then what is far, then what is near.
func (l *layout) choose(n int) []kind {
	var chosen []kind
	for len(chosen) < n {
		k := l.theme.drawKind(l.rng)
		if !slices.ContainsFunc(chosen, func(o kind) bool { return o.name == k.name }) {
			chosen = append(chosen, k)
		}
	}
	if k := chosen[l.rng.IntN(n)]; n < 6 && l.rng.Float64() < .25 && k.name != "sun" && k.name != "moon" {
		chosen = append(chosen, k)
	}
	l.rng.Shuffle(len(chosen), func(i, j int) { chosen[i], chosen[j] = chosen[j], chosen[i] })
	slices.SortStableFunc(chosen, func(a, b kind) int { return cmp.Compare(a.spot, b.spot) })
	return chosen
}

// put tries places for one more object, in front of those there are.
func (l *layout) put(k kind) bool {
	for range 60 {
		o := l.propose(k)
		if l.cover.add(o, l.tolerance()) {
			o.Box = l.cover.box(len(l.objects))
			l.objects = append(l.objects, o)
			return true
		}
	}
	return false
}

// tolerance is the least share of an object that must stay visible.
func (l *layout) tolerance() float64 { return .97 - (.97-MinVisible)*l.scene.Difficulty }

// propose draws a pose and a colour.
func (l *layout) propose(k kind) Object {
	w, h, d := float64(l.scene.Width), float64(l.scene.Height), l.scene.Difficulty
	short := min(w, h)
	size := k.size * short * (.38 - .14*d + (.14+.06*d)*(l.rng.Float64()-.5)) * l.shrink
	size = max(size, (.14-.03*d)*short)
	half := max(size, size*k.aspect) / 2
	pose := Pose{
		Height: size,
		X:      half*.9 + l.rng.Float64()*max(w-1.8*half, 0),
		Angle:  (l.rng.Float64()*2 - 1) * (.05 + .3*d),
		Flip:   l.rng.Float64() < .5,
	}
	u := l.rng.Float64()
	switch horizon := l.scene.Horizon * h; k.spot {
	case sky:
		pose.Y = size*.52 + u*max(horizon-size*.7, 0)
	case ground: // each nearer, and so lower, than the one before
		near := (float64(l.row) + u) / float64(l.rows)
		foot := max(horizon, size) + (.12+.86*near)*(h-max(horizon, size))
		pose.Y = min(foot, h*.985) - size/2
		pose.Angle *= .5
	default:
		pose.Y = size*.52 + u*max(h-size*1.04, 0)
	}
	if k.name == "clock" || k.name == "house" {
		pose.Flip = false
	}
	likeness := d * (.5 + .5*l.rng.Float64())
	name, jitter := l.color(k, pose, likeness)
	return Object{Kind: k.name, Color: name, Pose: pose, Shade: jitter, Likeness: likeness}
}

// color picks a colour that stands out from the ground behind, more or less as
// the difficulty allows, and among its look-alikes' where it is like them.
func (l *layout) color(k kind, pose Pose, likeness float64) (string, rgb) {
	colors := k.colors
	if likeness > .4 {
		colors = slices.Concat(colors, k.alike)
	}
	behind := l.theme.colorAt(pose.Y/float64(l.scene.Height), l.scene.Horizon)
	jitter := rgb{l.rng.IntN(31) - 15, l.rng.IntN(31) - 15, l.rng.IntN(31) - 15}
	best, far := k.colors[0], -1
	for range 4 {
		name := colors[l.rng.IntN(len(colors))]
		apart := colorNamed(name).plus(jitter).apart(behind)
		if apart >= 190-int(80*l.scene.Difficulty) {
			return name, jitter
		}
		if apart > far {
			best, far = name, apart
		}
	}
	return best, jitter
}
