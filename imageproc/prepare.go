package imageproc

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"image"
)

// Policy says who resizes an image, this package or the server.
type Policy string

const (
	// PolicyReference sends the pixels the model's own processor would have
	// made: resized here, by antialiased bicubic, to the exact grid.
	PolicyReference Policy = "reference"
	// PolicyServer sends a file as it is wherever the server can read it right,
	// and leaves resizing to the server.
	PolicyServer Policy = "server"
)

// ParsePolicy returns the policy of a name.
func ParsePolicy(name string) (Policy, error) {
	switch p := Policy(name); p {
	case PolicyReference, PolicyServer:
		return p, nil
	}
	return "", fmt.Errorf("unknown image policy %q: use %s or %s", name, PolicyReference, PolicyServer)
}

// Prepared is an image ready to be sent, with what was done to it.
type Prepared struct {
	Data   []byte // the bytes to send; the source's own when PassedThrough
	Format string // of Data: jpeg, png, webp, bmp or tiff

	SourceFormat              string // of the source: the above, or gif
	SourceWidth, SourceHeight int    // pixels as stored, before Orientation
	Width, Height             int    // pixels of Data
	Tokens                    int    // visual tokens the model spends on Data
	Orientation               int    // EXIF, 1 to 8; 1 is upright

	SourceSHA256, SentSHA256 string // lower-case hex
	PassedThrough            bool   // Data is the source byte for byte
}

// Prepare makes the bytes of any image ready for models of a family. It
// decodes every pixel, whatever the policy, so that a damaged file is found
// here. Turning upright, painting transparent parts on white, and making RGB
// of CMYK come before the resize; what is not passed through is sent as PNG.
//
// Errors about the image match ErrNotImage, ErrDecode, ErrTooLarge or
// ErrAspect; a family without a grid or an unknown policy is refused before it
// is looked at. No input makes it panic, and its memory is bounded by
// MaxPixels. A Preparer does the same for many images.
func Prepare(data []byte, f Family, p Policy) (*Prepared, error) {
	preparer, err := NewPreparer(f, p)
	if err != nil {
		return nil, err
	}
	return preparer.Prepare(context.Background(), data)
}

// plan decides the size to send and whether the file can go as it is.
func plan(pic *picture, f Family, p Policy) (width, height int, pass bool, err error) {
	w, h := uprightSize(pic.width, pic.height, pic.orientation)
	width, height, err = f.Sent(w, h)
	if err != nil {
		return 0, 0, false, err
	}
	fitted := w == width && h == height
	if p == PolicyServer && f.serverFits(w, h) {
		// The server's resize does the rest: only what it would misread changes.
		return w, h, pic.sendable(), nil
	}
	return width, height, fitted && pic.sendable() && pic.faithful() && pic.opaque(), nil
}

// serverFits reports whether the engine's own resize takes such an image and
// arrives at what Sent says.
func (f Family) serverFits(w, h int) bool {
	if min(w, h) < f.Factor() {
		return false
	}
	fw, fh, err := f.Sent(w, h)
	sw, sh := f.smartResize(float64(w), float64(h))
	return err == nil && fw == sw && fh == sh
}

// sendable reports whether a server shows the model this file as it looks:
// servers ignore EXIF, do not read GIF or animations, not all agree on the inks
// of CMYK, and some files they misread.
func (p *picture) sendable() bool {
	_, cmyk := p.image.(*image.CMYK)
	return p.still && p.orientation == 1 && !cmyk && !p.misread
}

// faithful reports whether the server's decoder makes of the file the pixels
// that the published processors see. Lossy WebP it reads with the contrast of
// the narrow video range (see decodeWebP).
func (p *picture) faithful() bool {
	_, solid := p.image.(*image.YCbCr)
	_, alpha := p.image.(*image.NYCbCrA)
	return p.format != "webp" || !solid && !alpha
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
