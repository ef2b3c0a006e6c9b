package imageproc

import (
	"image"
	"runtime"

	"github.com/disintegration/imaging"
)

// shrink makes of a picture what flatten, upright and Resize make of it, byte
// for byte, without ever having all of it painted: rows are first resized along
// themselves, a strip of about so many pixels at a time.
//
// The rows of a picture that lies on its side are columns of what is decoded.
// They are taken from a canvas, which only then is needed.
func (p *picture) shrink(width, height, stripPixels int) (*image.NRGBA, error) {
	w, h := uprightSize(p.width, p.height, p.orientation)
	var pix []uint8
	band := func(part image.Rectangle) (*image.NRGBA, error) {
		img, err := p.flatten(pix, part)
		if err == nil {
			pix = img.Pix
		}
		return img, err
	}
	if p.orientation >= 5 {
		canvas, err := p.flatten(nil, p.whole())
		if err != nil {
			return nil, err
		}
		p.image = nil // it is on the canvas
		band = func(part image.Rectangle) (*image.NRGBA, error) { return canvas.SubImage(part).(*image.NRGBA), nil }
	}
	narrow := image.NewNRGBA(image.Rect(0, 0, width, h))
	left := 0 // by strips that are done, in bytes
	for y, rows := 0, max(1, stripPixels/w); y < h; y += rows {
		if left += 4 * rows * w; left > mostKept {
			runtime.GC() // there is little to look at, and much to gain
			left = 0
		}
		strip, err := band(p.rows(y, min(y+rows, h)))
		if err != nil {
			return nil, err
		}
		strip = upright(strip, p.orientation)
		strip = imaging.Resize(strip, width, strip.Rect.Dy(), imaging.CatmullRom)
		copy(narrow.Pix[y*narrow.Stride:], strip.Pix)
	}
	return imaging.Resize(narrow, width, height, imaging.CatmullRom), nil
}

// rows is where the upright picture's rows from y to end lie in what is decoded.
func (p *picture) rows(y, end int) image.Rectangle {
	_, h := uprightSize(p.width, p.height, p.orientation)
	switch p.orientation {
	case 3, 4, 7, 8: // from the other end
		y, end = h-end, h-y
	}
	if p.orientation >= 5 {
		return image.Rect(y, 0, end, p.height)
	}
	return image.Rect(0, y, p.width, end)
}
