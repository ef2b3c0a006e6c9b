package imageproc

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"
	"golang.org/x/image/webp"
)

// MaxPixels is the largest number of pixels an image's header may declare;
// more is refused before anything is decoded.
const MaxPixels = 100_000_000

// decoder is the pair of functions every image package offers.
type decoder struct {
	config func(io.Reader) (image.Config, error)
	decode func([]byte) (image.Image, error)
}

func decoderOf(format string) decoder {
	switch format {
	case "jpeg":
		return decoder{jpeg.DecodeConfig, reading(jpeg.Decode)}
	case "png":
		return decoder{png.DecodeConfig, reading(png.Decode)}
	case "gif":
		return decoder{gif.DecodeConfig, reading(gif.Decode)}
	case "webp":
		return decoder{webp.DecodeConfig, decodeWebP}
	case "bmp":
		return decoder{bmp.DecodeConfig, decodeBMP}
	default:
		return decoder{tiff.DecodeConfig, decodeTIFF}
	}
}

func reading(decode func(io.Reader) (image.Image, error)) func([]byte) (image.Image, error) {
	return func(data []byte) (image.Image, error) { return decode(bytes.NewReader(data)) }
}

// header is what the first bytes of an image tell.
type header struct {
	format        string
	width, height int   // as stored
	orientation   int   // EXIF, 1 to 8
	bytes         int64 // that a decoder is known to need, of its pixels or coefficients
}

// look reads an image's header and checks the size it declares.
func look(data []byte) (header, error) {
	format, err := Sniff(data)
	if err != nil {
		return header{}, err
	}
	cfg, err := guard(func() (image.Config, error) { return decoderOf(format).config(bytes.NewReader(data)) })
	if err != nil {
		return header{}, damaged(format, "header", err)
	}
	if err := checkSize(cfg.Width, cfg.Height); err != nil {
		return header{}, fmt.Errorf("%s: %w", format, err)
	}
	h := header{format, cfg.Width, cfg.Height, orientationOf(data, format), int64(cfg.Width) * int64(cfg.Height) * perPixel}
	if deep(cfg.ColorModel) || format == "jpeg" && progressive(data) {
		h.bytes *= 2
	}
	return h, nil
}

// perPixel is what a pixel takes at most, decoded or painted, in bytes; one of
// 16 bits a channel, or of a progressive JPEG, whose coefficients are all
// kept until the last scan, takes twice that.
const perPixel = 4

func deep(m color.Model) bool {
	return m == color.NRGBA64Model || m == color.RGBA64Model || m == color.Gray16Model
}

// progressive tells a JPEG whose first frame header is SOF2.
func progressive(data []byte) bool {
	for at := 2; at+4 <= len(data) && data[at] == 0xff; {
		switch marker := data[at+1]; {
		case marker == 0xff: // fill
			at++
			continue
		case marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc:
			return marker == 0xc2
		case marker == 0xda:
			return false
		}
		at += 2 + int(data[at+2])<<8 + int(data[at+3])
	}
	return false
}

// picture is a decoded image before it is turned upright.
type picture struct {
	header
	still   bool // the file holds nothing else
	misread bool // servers would show it with other pixels
	image   image.Image
}

// open decodes every pixel of an image whose header has been looked at.
func (h header) open(data []byte) (*picture, error) {
	if err := wholeness(data, h.format, h.width*h.height); err != nil {
		return nil, damaged(h.format, fmt.Sprintf("%d×%d pixels", h.width, h.height), err)
	}
	img, err := guard(func() (image.Image, error) { return decoderOf(h.format).decode(data) })
	if err != nil {
		return nil, damaged(h.format, fmt.Sprintf("%d×%d pixels", h.width, h.height), err)
	}
	screen, got := image.Rect(0, 0, h.width, h.height), img.Bounds()
	// The first frame of an animation may cover only a part of its screen; all others fill theirs.
	still := h.format != "gif" && (h.format != "webp" || !animated(data))
	if still && got != screen || !got.In(screen) {
		return nil, damaged(h.format, "pixels", fmt.Errorf("header says %d×%d, the data %v", h.width, h.height, got))
	}
	return &picture{h, still, misread(data, h.format), img}, nil
}

func checkSize(width, height int) error {
	if width < 1 || height < 1 {
		return fmt.Errorf("%w: its header says %d×%d pixels", ErrDecode, width, height)
	}
	if width > MaxPixels/height {
		return fmt.Errorf("%w: its header says %d×%d pixels, the limit is %d million: scale it down", ErrTooLarge, width, height, MaxPixels/1_000_000)
	}
	return nil
}

func damaged(format, what string, err error) error {
	return fmt.Errorf("%w: %s, %s: %w (damaged, cut off, or a kind that is not supported: save it anew)", ErrDecode, format, what, err)
}

// guard turns a decoder's panic on hostile bytes into an error.
func guard[T any](f func() (T, error)) (v T, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("decoder panicked: %v", r)
		}
	}()
	return f()
}

// opaque reports whether every pixel of the picture is there and solid.
func (p *picture) opaque() bool {
	solid, err := guard(func() (bool, error) {
		o, ok := p.image.(interface{ Opaque() bool })
		return ok && o.Opaque(), nil
	})
	return solid && err == nil && p.image.Bounds() == image.Rect(0, 0, p.width, p.height)
}

// flatten paints a part of the picture on white: RGB pixels, every alpha 255, in
// pix if that is long enough. It copies any kind of image, paletted ones with wild
// indices included, here where a panic is recovered: imaging would meet them on
// goroutines of its own. Being opaque, the pixels are the same bytes as NRGBA
// as they are as RGBA.
func (p *picture) flatten(pix []uint8, part image.Rectangle) (*image.NRGBA, error) {
	return guard(func() (*image.NRGBA, error) {
		n := 4 * part.Dx() * part.Dy()
		if cap(pix) < n {
			pix = make([]uint8, n)
		}
		dst := &image.RGBA{Pix: pix[:n], Stride: 4 * part.Dx(), Rect: part}
		if m, ok := p.image.(*image.YCbCr); !ok || !part.In(m.Rect) {
			for i := range dst.Pix {
				dst.Pix[i] = 0xff
			}
		}
		paint(dst, p.image)
		return &image.NRGBA{Pix: dst.Pix, Stride: dst.Stride, Rect: image.Rect(0, 0, part.Dx(), part.Dy())}, nil
	})
}

// whole is all of the picture.
func (p *picture) whole() image.Rectangle { return image.Rect(0, 0, p.width, p.height) }
