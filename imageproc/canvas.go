package imageproc

import (
	"image"
	"image/draw"
)

// paint draws what of img lies within dst on it, as libjpeg and libwebp show it, on which the published
// processors build: where chroma is stored at half the resolution, each pixel
// takes three quarters of the nearest sample and one of the next (the "triangle
// filter" of libjpeg's jdsample.c). Go's own conversion repeats samples, which
// at edges of strong colours is off by more than all else together.
func paint(dst *image.RGBA, img image.Image) {
	switch m := img.(type) {
	case *image.YCbCr:
		if halved(m) && across(m.Rect, dst.Rect) {
			paintYCbCr(dst, m)
			return
		}
	case *image.NYCbCrA:
		if halved(&m.YCbCr) && across(m.Rect, dst.Rect) {
			paintYCbCr(dst, &m.YCbCr)
			bleach(dst, m)
			return
		}
	}
	draw.Draw(dst, img.Bounds(), img, img.Bounds().Min, draw.Over)
}

// across tells that whole rows of an image lie within a part.
func across(img, part image.Rectangle) bool {
	return img.Min.X >= part.Min.X && img.Max.X <= part.Max.X
}

func halved(m *image.YCbCr) bool {
	switch m.SubsampleRatio {
	case image.YCbCrSubsampleRatio420, image.YCbCrSubsampleRatio422, image.YCbCrSubsampleRatio440:
		return true
	}
	return false
}

func paintYCbCr(dst *image.RGBA, m *image.YCbCr) {
	width, rows := m.Rect.Dx(), m.Rect.Intersect(dst.Rect)
	cb, cr := newChroma(m, m.Cb), newChroma(m, m.Cr)
	for y := rows.Min.Y - m.Rect.Min.Y; y < rows.Max.Y-m.Rect.Min.Y; y++ {
		luma := m.Y[y*m.YStride:][:width]
		at := dst.PixOffset(m.Rect.Min.X, m.Rect.Min.Y+y)
		paintRow(dst.Pix[at:at+4*width], luma, cb.row(y), cr.row(y))
	}
}

// paintRow is JFIF's conversion in fixed point: R = Y + 1.402 Cr and so on.
func paintRow(dst, luma, blue, red []uint8) {
	const half = 1 << 15
	blue, red = blue[:len(luma)], red[:len(luma)]
	for x, v := range luma {
		y, cb, cr := int32(v), int32(blue[x])-128, int32(red[x])-128
		p := dst[4*x:][:4:4]
		p[0] = clamp(y + (91881*cr+half)>>16)
		p[1] = clamp(y + (half-22554*cb-46802*cr)>>16)
		p[2] = clamp(y + (116130*cb+half)>>16)
		p[3] = 255
	}
}

func clamp(v int32) uint8 { return uint8(min(max(v, 0), 255)) }

// chroma enlarges one plane of chroma row by row. Its buffers are reused.
type chroma struct {
	plane         []uint8
	stride        int
	width, height int  // samples
	across, down  bool // which directions are halved
	sum           []int32
	out           []uint8
}

func newChroma(m *image.YCbCr, plane []uint8) *chroma {
	c := &chroma{plane: plane, stride: m.CStride, width: m.Rect.Dx(), height: m.Rect.Dy()}
	c.across = m.SubsampleRatio != image.YCbCrSubsampleRatio440
	c.down = m.SubsampleRatio != image.YCbCrSubsampleRatio422
	if c.across {
		c.width = (c.width + 1) / 2
	}
	if c.down {
		c.height = (c.height + 1) / 2
	}
	c.sum, c.out = make([]int32, c.width), make([]uint8, 2*c.width)
	return c
}

// row is the plane at a row of the image, valid until the next call.
func (c *chroma) row(y int) []uint8 {
	switch {
	case !c.down:
		for i, v := range c.samples(y) {
			c.sum[i] = int32(v)
		}
		return c.widen(1, 2, 2)
	case c.across:
		c.mix(y)
		return c.widen(8, 7, 4)
	default:
		c.mix(y)
		for i, v := range c.sum {
			c.out[i] = uint8((v + 1 + int32(y&1)) >> 2)
		}
		return c.out
	}
}

func (c *chroma) samples(y int) []uint8 {
	y = min(max(y, 0), c.height-1)
	return c.plane[y*c.stride:][:c.width]
}

// mix sums three parts of the row of samples nearest to y and one of the next.
func (c *chroma) mix(y int) {
	near, far := c.samples(y/2), c.samples(y/2-1+2*(y&1))
	for i, v := range near {
		c.sum[i] = 3*int32(v) + int32(far[i])
	}
}

// widen does the same along the row of sums; the roundings of even and odd
// pixels differ, so that none drifts.
func (c *chroma) widen(even, odd int32, shift uint) []uint8 {
	last := len(c.sum) - 1
	for i, v := range c.sum {
		left, right := c.sum[max(i-1, 0)], c.sum[min(i+1, last)]
		c.out[2*i] = uint8((3*v + left + even) >> shift)
		c.out[2*i+1] = uint8((3*v + right + odd) >> shift)
	}
	return c.out
}

// bleach lets white shine through what was painted, as the alpha of m says.
func bleach(dst *image.RGBA, m *image.NYCbCrA) {
	part := m.Rect.Intersect(dst.Rect)
	for y := part.Min.Y; y < part.Max.Y; y++ {
		for x := part.Min.X; x < part.Max.X; x++ {
			alpha := uint32(m.A[m.AOffset(x, y)])
			p := dst.Pix[dst.PixOffset(x, y):][:3:3]
			for i, v := range p {
				p[i] = uint8((uint32(v)*alpha + 255*(255-alpha) + 127) / 255)
			}
		}
	}
}
