package scene

import (
	"image"
	"image/draw"
	"math"

	"golang.org/x/image/vector"
)

// point is a place in a drawing: y runs from 0 at the top to 1, x from 0 to
// the drawing's aspect.
type point struct{ x, y float64 }

type polygon []point

// pen draws filled shapes, antialiased, into a picture, and keeps a mask of
// every pixel it touched. With no picture it only keeps the mask.
type pen struct {
	dst      *image.RGBA  // may be nil
	mask     *image.Alpha // may be nil
	place    placement
	outlined bool
	likeness float64 // Object.Likeness of what is drawn

	touched image.Rectangle // around all that was painted

	ras    vector.Rasterizer
	buf    image.Alpha
	placed []polygon // of the shapes being painted, kept for the next
	points polygon   // what placed is cut from
	disc   polygon   // a dot of radius 1
	round  polygon   // the latest dot
}

// placement maps a drawing's points to pixels.
type placement struct {
	pose     Pose
	aspect   float64
	scale    float64 // of the canvas: 1, or ½ for a quick mask
	sin, cos float64 // of the pose's angle
}

func place(pose Pose, aspect, scale float64) placement {
	sin, cos := math.Sincos(pose.Angle)
	return placement{pose, aspect, scale, sin, cos}
}

// pixels is the identity: points are pixels already.
func pixels() placement { return placement{} }

// at rounds to 1/64 pixel: differences of the last bit between processors
// vanish, and drawings come out the same.
func (t placement) at(p point) point {
	if t.scale != 0 {
		x, y := (p.x-t.aspect/2)*t.pose.Height, (p.y-.5)*t.pose.Height
		if t.pose.Flip {
			x = -x
		}
		p = point{t.scale * (t.pose.X + float64(x*t.cos) - float64(y*t.sin)), t.scale * (t.pose.Y + float64(x*t.sin) + float64(y*t.cos))}
	}
	return point{math.Round(p.x*64) / 64, math.Round(p.y*64) / 64}
}

// unit is one pixel in the drawing's own measure.
func (t placement) unit() float64 {
	if t.scale == 0 {
		return 1
	}
	return 1 / t.pose.Height
}

// fill paints the union of polygons in one colour.
func (p *pen) fill(c rgb, shapes ...polygon) {
	p.begin()
	for _, s := range shapes {
		p.add(point{}, s...)
	}
	p.paint(c)
}

// begin forgets the shapes of before.
func (p *pen) begin() { p.placed, p.points = p.placed[:0], p.points[:0] }

// add takes one more shape to be painted, moved by a way.
func (p *pen) add(by point, shape ...point) {
	from := len(p.points)
	for _, v := range shape {
		p.points = append(p.points, p.place.at(point{v.x + by.x, v.y + by.y}))
	}
	p.placed = append(p.placed, p.points[from:])
}

// solid is fill with, in an outlined scene, a dark rim around the union.
func (p *pen) solid(c rgb, shapes ...polygon) {
	if p.outlined {
		rim := max(.025, 1.6*p.place.unit())
		for _, s := range shapes {
			p.line(c.darker(.55), rim, append(s[:len(s):len(s)], s[0])...)
		}
	}
	p.fill(c, shapes...)
}

// line paints a stroke with round joints and ends.
func (p *pen) line(c rgb, width float64, pts ...point) {
	p.begin()
	r := width / 2
	dot := p.dot(r)
	for i, b := range pts {
		p.add(b, dot...)
		if i == 0 {
			continue
		}
		a := pts[i-1]
		dx, dy := b.x-a.x, b.y-a.y
		if n := math.Hypot(dx, dy); n > 0 {
			nx, ny := -dy/n*r, dx/n*r
			p.add(point{}, point{a.x + nx, a.y + ny}, point{b.x + nx, b.y + ny}, point{b.x - nx, b.y - ny}, point{a.x - nx, a.y - ny})
		}
	}
	p.paint(c)
}

// dot is a disc of a radius around nothing, good until the next.
func (p *pen) dot(r float64) polygon {
	if p.disc == nil {
		p.disc = arcOf(12, 0, 0, 1, 1, 0, 360)[1:]
	}
	p.round = p.round[:0]
	for _, v := range p.disc {
		p.round = append(p.round, point{r * v.x, r * v.y})
	}
	return p.round
}

// paint rasterises the union of the shapes added.
func (p *pen) paint(c rgb) {
	area := extent(p.placed).Intersect(p.canvas())
	if area.Empty() {
		return
	}
	p.touched = p.touched.Union(area)
	p.ras.Reset(area.Dx(), area.Dy())
	for _, s := range p.placed {
		p.trace(s, area.Min)
	}
	n := area.Dx() * area.Dy()
	if cap(p.buf.Pix) < n {
		p.buf.Pix = make([]uint8, n)
	}
	p.buf = image.Alpha{Pix: p.buf.Pix[:n], Stride: area.Dx(), Rect: image.Rect(0, 0, area.Dx(), area.Dy())}
	p.ras.DrawOp = draw.Src
	p.ras.Draw(&p.buf, p.buf.Rect, image.Opaque, image.Point{})
	for y := range area.Dy() {
		p.blend(c, p.buf.Pix[y*area.Dx():][:area.Dx()], area.Min.X, area.Min.Y+y)
	}
}

// trace adds a polygon, always turning the same way, so that overlapping ones
// add up and do not cancel.
func (p *pen) trace(s polygon, origin image.Point) {
	var twice float64
	for i, a := range s {
		b := s[(i+1)%len(s)]
		twice += float64(a.x*b.y) - float64(b.x*a.y)
	}
	for i := range s {
		v := s[i]
		if twice < 0 {
			v = s[len(s)-1-i]
		}
		x, y := float32(v.x-float64(origin.X)), float32(v.y-float64(origin.Y))
		if i == 0 {
			p.ras.MoveTo(x, y)
		} else {
			p.ras.LineTo(x, y)
		}
	}
	p.ras.ClosePath()
}

// blend mixes a colour into one row of pixels by its coverage.
func (p *pen) blend(c rgb, coverage []uint8, x, y int) {
	for i, a := range coverage {
		if a == 0 {
			continue
		}
		if p.mask != nil {
			m := &p.mask.Pix[p.mask.PixOffset(x+i, y)]
			*m = max(*m, a)
		}
		if p.dst != nil {
			px := p.dst.Pix[p.dst.PixOffset(x+i, y):][:3]
			for k, v := range c {
				px[k] = uint8((int(px[k])*(255-int(a)) + v*int(a) + 127) / 255)
			}
		}
	}
}

func (p *pen) canvas() image.Rectangle {
	if p.dst != nil {
		return p.dst.Rect
	}
	return p.mask.Rect
}

func extent(shapes []polygon) image.Rectangle {
	x0, y0, x1, y1 := math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for _, s := range shapes {
		for _, v := range s {
			x0, y0, x1, y1 = min(x0, v.x), min(y0, v.y), max(x1, v.x), max(y1, v.y)
		}
	}
	if x0 > x1 {
		return image.Rectangle{}
	}
	return image.Rect(int(math.Floor(x0)), int(math.Floor(y0)), int(math.Ceil(x1)), int(math.Ceil(y1)))
}
