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
	front []uint64   // bits of the clutter before everything
	masks [][]uint64 // one for each object, back to front
	boxes []Box
}

// coverScale is the size of the masks beside that of the picture.
const coverScale = .5

// newCovers has no object yet. One serves every layout of a scene, as the
// clutter stays: see reset.
func newCovers(s *Scene) *covers {
	c := &covers{scene: s}
	p := c.pen()
	for _, st := range frontClutter(s) {
		p.place = pixels()
		p.line(st.color, st.width*coverScale, st.scaled(coverScale)...)
	}
	c.front = pack(p.mask)
	return c
}

func (c *covers) reset() { c.masks, c.boxes = nil, nil }

func (c *covers) pen() *pen {
	w, h := (c.scene.Width+1)/2, (c.scene.Height+1)/2
	return &pen{mask: image.NewAlpha(image.Rect(0, 0, w, h)), outlined: c.scene.Outlined}
}

// add takes in one more object in front of the others, unless it or one behind
// it would be left with too little visible, or it is too small to be seen.
func (c *covers) add(o Object, tolerance float64) bool {
	p := c.pen()
	paintObject(p, o, coverScale)
	mask := pack(p.mask)
	c.masks = append(c.masks, mask)
	box := bounds(p.mask)
	c.boxes = append(c.boxes, box)
	least := c.scene.Width * c.scene.Height / 400
	for i := range c.masks {
		if seen := c.seen(i); seen*4 < least || float64(seen) < tolerance*float64(count(c.masks[i])) {
			c.masks, c.boxes = c.masks[:len(c.masks)-1], c.boxes[:len(c.boxes)-1]
			return false
		}
	}
	return true
}

func (c *covers) box(i int) Box { return c.boxes[i] }

// visible is the share of an object's pixels that nothing before it covers.
func (c *covers) visible(i int) float64 {
	return float64(c.seen(i)) / float64(max(count(c.masks[i]), 1))
}

func (c *covers) seen(i int) int {
	n := 0
	for w, own := range c.masks[i] {
		own &^= c.front[w]
		for _, over := range c.masks[i+1:] {
			own &^= over[w]
		}
		n += bits.OnesCount64(own)
	}
	return n
}

func count(mask []uint64) int {
	n := 0
	for _, w := range mask {
		n += bits.OnesCount64(w)
	}
	return n
}

// pack turns a mask into one bit a pixel.
func pack(m *image.Alpha) []uint64 {
	out := make([]uint64, (len(m.Pix)+63)/64)
	for w := range out {
		var word uint64
		for i, a := range m.Pix[64*w : min(64*w+64, len(m.Pix))] {
			word |= uint64(a>>7) << i // 128 and more count
		}
		out[w] = word
	}
	return out
}

// bounds is the box in picture pixels around what a half-size mask holds.
func bounds(m *image.Alpha) Box {
	r := image.Rectangle{}
	touched := func(a uint8) bool { return a >= 128 }
	for y := range m.Rect.Dy() {
		row := m.Pix[y*m.Stride:][:m.Rect.Dx()]
		first := slices.IndexFunc(row, touched)
		if first < 0 {
			continue
		}
		last := len(row) - 1
		for !touched(row[last]) {
			last--
		}
		r = r.Union(image.Rect(first, y, last+1, y+1))
	}
	return Box{X: 2 * r.Min.X, Y: 2 * r.Min.Y, W: 2 * r.Dx(), H: 2 * r.Dy()}
}
