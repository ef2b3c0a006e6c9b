package imageproc

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"runtime"
	"sync"

	"github.com/disintegration/imaging"
	"golang.org/x/sync/semaphore"
)

// Preparer prepares many images for one family by one policy. It may be used
// by any number of goroutines at once: they share their buffers, and together
// on no more at a time than MaxPixels pixels take, or on one image that takes
// more.
type Preparer struct {
	family Family
	policy Policy

	room     *semaphore.Weighted // in bytes
	canvases sync.Pool           // of *[]uint8
	encoded  sync.Pool           // of *bytes.Buffer
	encoders encoders
}

// mostKept is the size of the largest canvas that is kept for the next image:
// one of sixteen million pixels. A few larger ones, of files that are rare,
// would hold more memory than everything else.
const mostKept = 64 << 20 // bytes

// strip is about how many pixels of a larger image are painted at once.
const strip = 2 << 20

// most is what the images under way take together, in bytes.
const most = MaxPixels * perPixel

// NewPreparer refuses a family without a grid and an unknown policy.
func NewPreparer(f Family, p Policy) (*Preparer, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	if _, err := ParsePolicy(string(p)); err != nil {
		return nil, err
	}
	return &Preparer{family: f, policy: p, room: semaphore.NewWeighted(most)}, nil
}

// Prepare does what the function of that name does. It waits for room, as long
// as ctx lasts; what has begun is finished.
func (p *Preparer) Prepare(ctx context.Context, data []byte) (*Prepared, error) {
	h, err := look(data)
	if err != nil {
		return nil, err
	}
	room := min(h.bytes, most)
	if err := p.room.Acquire(ctx, room); err != nil {
		return nil, err
	}
	defer p.room.Release(room)
	if h.bytes > mostKept {
		runtime.GC() // lest it lie beside what the last such image left
	}
	pic, err := h.open(data)
	if err != nil {
		return nil, err
	}
	width, height, pass, err := plan(pic, p.family, p.policy)
	if err != nil {
		return nil, err
	}
	out := &Prepared{
		Data: data, Format: pic.format, PassedThrough: pass,
		SourceFormat: pic.format, SourceWidth: pic.width, SourceHeight: pic.height, Orientation: pic.orientation,
		Width: width, Height: height, Tokens: p.family.Tokens(width, height),
		SourceSHA256: digest(data),
	}
	if out.SentSHA256 = out.SourceSHA256; pass {
		return out, nil
	}
	if out.Data, err = p.render(pic, width, height); err != nil {
		return nil, err
	}
	out.Format, out.SentSHA256 = "png", digest(out.Data)
	return out, nil
}

// render draws the picture upright at the size given and encodes it as PNG.
func (p *Preparer) render(pic *picture, width, height int) ([]byte, error) {
	if 4*pic.width*pic.height > mostKept && 2*width*height < pic.width*pic.height {
		img, err := pic.shrink(width, height, strip)
		if err != nil {
			return nil, damaged(pic.format, "pixels", err)
		}
		return p.encode(img)
	}
	canvas, _ := p.canvases.Get().(*[]uint8)
	if canvas == nil {
		canvas = new([]uint8)
	}
	defer func() {
		if cap(*canvas) <= mostKept {
			p.canvases.Put(canvas)
		}
	}()
	img, err := pic.flatten(*canvas, pic.whole())
	if err != nil {
		return nil, damaged(pic.format, "pixels", err)
	}
	*canvas = img.Pix
	img = upright(img, pic.orientation)
	if size := img.Bounds().Size(); size != image.Pt(width, height) {
		// a = −½ like the bicubic of the published processors, and as theirs
		// widened when shrinking, so that fine detail does not alias.
		img = imaging.Resize(img, width, height, imaging.CatmullRom)
	}
	return p.encode(img)
}

func (p *Preparer) encode(img *image.NRGBA) ([]byte, error) {
	buf, _ := p.encoded.Get().(*bytes.Buffer)
	if buf == nil {
		buf = new(bytes.Buffer)
	}
	defer p.encoded.Put(buf)
	buf.Reset()
	enc := png.Encoder{CompressionLevel: png.BestSpeed, BufferPool: &p.encoders}
	if err := enc.Encode(buf, img); err != nil {
		return nil, fmt.Errorf("encoding %v PNG: %w", img.Bounds().Size(), err)
	}
	return bytes.Clone(buf.Bytes()), nil
}

// encoders lends the PNG encoder its buffers.
type encoders struct{ pool sync.Pool }

func (e *encoders) Get() *png.EncoderBuffer {
	b, _ := e.pool.Get().(*png.EncoderBuffer)
	return b
}

func (e *encoders) Put(b *png.EncoderBuffer) { e.pool.Put(b) }
