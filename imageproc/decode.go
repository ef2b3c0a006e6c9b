package imageproc

import (
	"bytes"
	"fmt"
	"image"
	"image/draw"
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
	decode func(io.Reader) (image.Image, error)
}

func decoderOf(format string) decoder {
	switch format {
	case "jpeg":
		return decoder{jpeg.DecodeConfig, jpeg.Decode}
	case "png":
		return decoder{png.DecodeConfig, png.Decode}
	case "gif":
		return decoder{gif.DecodeConfig, gif.Decode}
	case "webp":
		return decoder{webp.DecodeConfig, decodeWebP}
	case "bmp":
		return decoder{bmp.DecodeConfig, bmp.Decode}
	default:
		return decoder{tiff.DecodeConfig, tiff.Decode}
	}
}

// picture is a decoded image before it is turned upright.
type picture struct {
	format        string
	width, height int // as stored
	orientation   int // EXIF, 1 to 8
	image         image.Image
}

// open finds the format, checks the declared size and decodes every pixel.
func open(data []byte) (*picture, error) {
	format, err := Sniff(data)
	if err != nil {
		return nil, err
	}
	dec := decoderOf(format)
	cfg, err := guard(func() (image.Config, error) { return dec.config(bytes.NewReader(data)) })
	if err != nil {
		return nil, damaged(format, "header", err)
	}
	if err := checkSize(cfg.Width, cfg.Height); err != nil {
		return nil, fmt.Errorf("%s: %w", format, err)
	}
	if err := wholeness(data, format, cfg.Width*cfg.Height); err != nil {
		return nil, damaged(format, fmt.Sprintf("%d×%d pixels", cfg.Width, cfg.Height), err)
	}
	img, err := guard(func() (image.Image, error) { return dec.decode(bytes.NewReader(data)) })
	if err != nil {
		return nil, damaged(format, fmt.Sprintf("%d×%d pixels", cfg.Width, cfg.Height), err)
	}
	// A GIF's first frame may cover only a part of its screen; all others fill theirs.
	if got := img.Bounds(); format != "gif" && got != image.Rect(0, 0, cfg.Width, cfg.Height) {
		return nil, damaged(format, "pixels", fmt.Errorf("header says %d×%d, the data %v", cfg.Width, cfg.Height, got.Size()))
	}
	return &picture{format, cfg.Width, cfg.Height, orientationOf(data, format), img}, nil
}

// decodeWebP gives lossy WebP its right colours. VP8 holds luma in 16…235 and
// chroma in 16…240 (RFC 6386 §9.2); the decoder hands that out as if it were
// JPEG's full range, so that white would come out as light gray.
func decodeWebP(r io.Reader) (image.Image, error) {
	img, err := webp.Decode(r)
	switch m := img.(type) {
	case *image.YCbCr:
		widen(m)
	case *image.NYCbCrA:
		widen(&m.YCbCr)
	}
	return img, err
}

func widen(m *image.YCbCr) {
	var luma, chroma [256]uint8
	for i := range 256 {
		luma[i] = uint8(min(max((float64(i)-16)*255/219, 0), 255) + .5)
		chroma[i] = uint8(min(max(128+(float64(i)-128)*255/224, 0), 255) + .5)
	}
	for i, v := range m.Y {
		m.Y[i] = luma[v]
	}
	for i := range m.Cb {
		m.Cb[i], m.Cr[i] = chroma[m.Cb[i]], chroma[m.Cr[i]]
	}
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

// flatten paints the picture on white: RGB pixels, every alpha 255. It copies
// any kind of image, paletted ones with wild indices included, here where a
// panic is recovered: imaging would meet them on goroutines of its own. Being
// opaque, the pixels are the same bytes as NRGBA as they are as RGBA.
func (p *picture) flatten() (*image.NRGBA, error) {
	return guard(func() (*image.NRGBA, error) {
		dst := image.NewRGBA(image.Rect(0, 0, p.width, p.height))
		for i := range dst.Pix {
			dst.Pix[i] = 0xff
		}
		draw.Draw(dst, p.image.Bounds(), p.image, p.image.Bounds().Min, draw.Over)
		return &image.NRGBA{Pix: dst.Pix, Stride: dst.Stride, Rect: dst.Rect}, nil
	})
}
