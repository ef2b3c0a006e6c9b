package imageproc

import (
	"encoding/binary"
	"image"
	"image/color"
	"testing"
)

// What Go's decoders show otherwise than Pillow is put right, by either policy,
// and not left to a server that has the same decoders.
func TestPrepareFax(t *testing.T) {
	want := decoded(t, read(t, "group4.png")) // the same picture, by Pillow
	for _, name := range []string{"group3.tiff", "group4.tiff", "group4_white.tiff"} {
		for _, policy := range []Policy{PolicyReference, PolicyServer} {
			p, err := Prepare(read(t, name), tiny(), policy)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if whiteIsZero := name == "group4_white.tiff"; p.PassedThrough != whiteIsZero {
				t.Errorf("%s by %s: passed through %v", name, policy, p.PassedThrough)
			}
			pic, err := open(p.Data)
			if err != nil {
				t.Fatal(err)
			}
			got, err := pic.flatten(nil, pic.whole())
			if err != nil {
				t.Fatal(err)
			}
			for y := range 48 {
				for x := range 64 {
					if g, w := got.NRGBAAt(x, y), want.NRGBAAt(x, y); g != w {
						t.Fatalf("%s by %s at %d, %d: %v; Pillow shows %v", name, policy, x, y, g, w)
					}
				}
			}
		}
	}
}

// The fourth byte of a pixel is nothing without bit masks, and alpha with them.
func TestPrepareBMPAlpha(t *testing.T) {
	grey, white := color.NRGBA{90, 80, 70, 255}, color.NRGBA{255, 255, 255, 255}
	for _, tt := range []struct {
		name        string
		header      uint32
		compression uint32
		want        color.NRGBA
		passed      bool
	}{
		{"40 bytes, no masks", 40, 0, grey, true},
		{"V4, no masks", 108, 0, grey, false},
		{"V5, no masks", 124, 0, grey, false},
		{"V5, masks", 124, 3, white, false}, // transparent throughout, painted on white
	} {
		p, err := Prepare(bmp32(tt.header, tt.compression, 64, 48), tiny(), PolicyReference)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		pic, err := open(p.Data)
		if err != nil {
			t.Fatal(err)
		}
		img, err := pic.flatten(nil, pic.whole())
		if got := img.NRGBAAt(5, 5); err != nil || got != tt.want || p.PassedThrough != tt.passed || img.Bounds().Size() != image.Pt(64, 48) {
			t.Errorf("%s: %v, passed through %v, %v; want %v, %v", tt.name, got, p.PassedThrough, err, tt.want, tt.passed)
		}
	}
}

func open(data []byte) (*picture, error) {
	h, err := look(data)
	if err != nil {
		return nil, err
	}
	return h.open(data)
}

// bmp32 is a BMP of one colour whose fourth bytes are all zero.
func bmp32(header, compression uint32, width, height int) []byte {
	le := binary.LittleEndian
	b := make([]byte, 14+int(header)+4*width*height)
	copy(b, "BM")
	le.PutUint32(b[2:], uint32(len(b)))
	le.PutUint32(b[10:], 14+header)
	le.PutUint32(b[14:], header)
	le.PutUint32(b[18:], uint32(width))
	le.PutUint32(b[22:], uint32(height))
	le.PutUint16(b[26:], 1)
	le.PutUint16(b[28:], 32)
	le.PutUint32(b[30:], compression)
	if compression == 3 {
		for i, mask := range []uint32{0xff0000, 0xff00, 0xff, 0xff000000} {
			le.PutUint32(b[54+4*i:], mask)
		}
	}
	for i := 14 + int(header); i < len(b); i += 4 {
		b[i], b[i+1], b[i+2] = 70, 80, 90
	}
	return b
}
