package imageproc

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image"

	"golang.org/x/image/webp"
)

// decodeWebP decodes a WebP file, of an animation the first frame, and gives
// lossy ones their right colours. VP8 holds luma in 16…235 and chroma in
// 16…240 (RFC 6386 §9.2); the decoder hands that out as if it were JPEG's full
// range, so that white would come out as light gray.
func decodeWebP(data []byte) (image.Image, error) {
	if animated(data) {
		return firstFrame(data)
	}
	img, err := webp.Decode(bytes.NewReader(data))
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

// animated reports whether the extended header of a WebP file says so.
func animated(data []byte) bool {
	const header, flag = 12 + 8, 2
	return len(data) > header && string(data[12:16]) == "VP8X" && data[header]&flag != 0
}

// firstFrame decodes the first frame of an animation, in its place on the
// canvas, by making a still file of it.
func firstFrame(data []byte) (image.Image, error) {
	frame := chunkOf(data[12:], "ANMF")
	// Place and size in three bytes each, duration, flags, then the chunks of a still image.
	const head = 16
	if len(frame) < head+8 {
		return nil, errors.New("an animation without a frame")
	}
	at := image.Pt(2*uint24(frame), 2*uint24(frame[3:]))
	size := image.Pt(1+uint24(frame[6:]), 1+uint24(frame[9:]))
	still := stillWebP(size, frame[head:])
	if cfg, err := webp.DecodeConfig(bytes.NewReader(still)); err != nil || cfg.Width != size.X || cfg.Height != size.Y {
		return nil, fmt.Errorf("its first frame of %d×%d pixels is damaged (%v)", size.X, size.Y, err)
	}
	img, err := decodeWebP(still)
	if err != nil {
		return nil, err
	}
	return moved(img, at)
}

func uint24(b []byte) int { return int(b[0]) | int(b[1])<<8 | int(b[2])<<16 }

// stillWebP wraps the chunks of one frame into a file of their own.
func stillWebP(size image.Point, chunks []byte) []byte {
	le := binary.LittleEndian
	var body []byte
	if bytes.HasPrefix(chunks, []byte("ALPH")) { // transparency needs the extended header
		w, h := uint32(size.X-1), uint32(size.Y-1)
		body = append(le.AppendUint32([]byte("VP8X"), 10), 0x10, 0, 0, 0, byte(w), byte(w>>8), byte(w>>16), byte(h), byte(h>>8), byte(h>>16))
	}
	body = append(body, chunks...)
	file := le.AppendUint32([]byte("RIFF"), uint32(4+len(body)))
	return append(append(file, "WEBP"...), body...)
}

// chunkOf is the payload of the first chunk of a kind, nil where there is none
// or it is cut off.
func chunkOf(chunks []byte, kind string) []byte {
	for len(chunks) >= 8 {
		n := uint64(binary.LittleEndian.Uint32(chunks[4:]))
		if n+8 > uint64(len(chunks)) {
			return nil
		}
		if string(chunks[:4]) == kind {
			return chunks[8 : 8+n]
		}
		chunks = chunks[min(8+n+n%2, uint64(len(chunks))):]
	}
	return nil
}

// moved shifts an image, as the WebP decoder makes them, to its place.
func moved(img image.Image, at image.Point) (image.Image, error) {
	switch m := img.(type) {
	case *image.YCbCr:
		m.Rect = m.Rect.Add(at)
	case *image.NYCbCrA:
		m.Rect = m.Rect.Add(at)
	case *image.NRGBA:
		m.Rect = m.Rect.Add(at)
	default:
		return nil, fmt.Errorf("a frame of %T", img)
	}
	return img, nil
}
