package scene

import (
	"image"
	"math/bits"
	"slices"
)

// covers knows which pixels each object of a layout takes, at half the
// picture's size, and so what each leaves visible of those behind it.
type covers struct {
	scene *Scene
	paper *pen      // draws one mask at a time
	front mask      // of the clutter before everything
	all   []covered // one for each object, back to front
}

// covered is an object among those before it.
type covered struct {
	whole mask // its pixels
	left  mask // those that nothing covers
	size  int  // how many whole has
	box   Box
}

// mask has one bit a pixel.
type mask []uint64

// coverScale is the size of the masks beside that of the picture.
const coverScale = .5

// newCovers has no object yet. One serves every layout of a scene, as the
// clutter stays: see reset.
func newCovers(s *Scene) *covers {
	w, h := (s.Width+1)/2, (s.Height+1)/2
	c := &covers{scene: s, paper: &pen{mask: image.NewAlpha(image.Rect(0, 0, w, h)), outlined: s.Outlined}}
	for _, st := range frontClutter(s) {
		c.paper.place = pixels()
		c.paper.line(st.color, st.width*coverScale, st.scaled(coverScale)...)
	}
	c.front = c.paper.pack()
	return c
}

func (c *covers) reset() { c.all = nil }

// add takes in one more object in front of the others, unless it or one behind
// it would be left with too little visible, or it is too small to be seen.
func (c *covers) add(o Object, tolerance float64) bool {
	// Most are refused, and most of these for what they cover without their
	// rim, which takes long to draw.
	if c.scene.Outlined && !c.spared(c.of(o, false), tolerance) {
		return false
	}
	m := c.of(o, c.scene.Outlined)
	added := covered{m, m.without(c.front), count(m), c.paper.bounds()}
	if !c.spared(m, tolerance) || !c.shows(count(added.left), added.size, tolerance) {
		return false
	}
	for i := range c.all {
		c.all[i].left.remove(m)
	}
	c.all = append(c.all, added)
	return true
}

// of is where an object would be; it stays on the paper.
func (c *covers) of(o Object, outlined bool) mask {
	for y := c.paper.touched.Min.Y; y < c.paper.touched.Max.Y; y++ {
		clear(c.paper.mask.Pix[y*c.paper.mask.Stride:][:c.paper.mask.Stride])
	}
	c.paper.touched, c.paper.outlined = image.Rectangle{}, outlined
	paintObject(c.paper, o, coverScale)
	return c.paper.pack()
}

// spared reports whether enough is left of every object behind a mask.
func (c *covers) spared(m mask, tolerance float64) bool {
	for _, o := range c.all {
		if !c.shows(o.left.countWithout(m), o.size, tolerance) {
			return false
		}
	}
	return true
}

// shows reports whether the pixels of an object that can be seen are enough.
func (c *covers) shows(seen, size int, tolerance float64) bool {
	return seen*4 >= c.scene.Width*c.scene.Height/400 && float64(seen) >= tolerance*float64(size)
}

func (c *covers) box(i int) Box { return c.all[i].box }

// visible is the share of an object's pixels that nothing before it covers.
func (c *covers) visible(i int) float64 {
	return float64(count(c.all[i].left)) / float64(max(c.all[i].size, 1))
}

// behind measures an object that all others stand before: how many of its
// pixels show, and the box around those within the frame.
func (c *covers) behind(o Object) (seen int, box Box) {
	left := c.of(o, c.scene.Outlined).without(c.front)
	for _, other := range c.all {
		left = left.without(other.whole)
	}
	return count(left), c.paper.bounds()
}

// size is how many pixels an object has where the frame does not cut it.
func (c *covers) size(o Object) int {
	o.Pose.X, o.Pose.Y = float64(c.scene.Width)/2, float64(c.scene.Height)/2
	return count(c.of(o, c.scene.Outlined))
}

func (m mask) without(over mask) mask {
	out := make(mask, len(m))
	for i, w := range m {
		out[i] = w &^ over[i]
	}
	return out
}

// remove is without, in place.
func (m mask) remove(over mask) {
	for i, w := range over {
		m[i] &^= w
	}
}

// countWithout is count of without.
func (m mask) countWithout(over mask) (n int) {
	for i, w := range m {
		n += bits.OnesCount64(w &^ over[i])
	}
	return n
}

func count(m mask) int {
	n := 0
	for _, w := range m {
		n += bits.OnesCount64(w)
	}
	return n
}

// pack turns the pen's mask into one bit a pixel.
func (p *pen) pack() mask {
	pix, stride := p.mask.Pix, p.mask.Stride
	out := make(mask, (len(pix)+63)/64)
	from, to := p.touched.Min.Y*stride, p.touched.Max.Y*stride
	for w := from / 64; 64*w < to; w++ {
		var word uint64
		for i, a := range pix[64*w : min(64*w+64, len(pix))] {
			word |= uint64(a>>7) << i // 128 and more count
		}
		out[w] = word
	}
	return out
}

// bounds is the box in picture pixels around the pen's half-size mask.
func (p *pen) bounds() Box {
	r := image.Rectangle{}
	held := func(a uint8) bool { return a >= 128 }
	for y := p.touched.Min.Y; y < p.touched.Max.Y; y++ {
		row := p.mask.Pix[y*p.mask.Stride:][:p.mask.Stride]
		first := slices.IndexFunc(row, held)
		if first < 0 {
			continue
		}
		last := len(row) - 1
		for !held(row[last]) {
			last--
		}
		r = r.Union(image.Rect(first, y, last+1, y+1))
	}
	return Box{X: 2 * r.Min.X, Y: 2 * r.Min.Y, W: 2 * r.Dx(), H: 2 * r.Dy()}
}
