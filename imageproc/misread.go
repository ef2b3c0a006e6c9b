package imageproc

import (
	"encoding/binary"
	"image"

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"
)

// misread reports whether Go's decoders, and so the engine's, show a file with
// other pixels than libtiff and Pillow do:
//
//   - a TIFF of CCITT's fax coding whose zeros are black comes out inverted: the
//     coding's white runs are zeros (TIFF 6.0, section 10), whatever zero means
//   - a BMP of 32 bits a pixel without bit masks (BI_RGB) under a header longer
//     than BITMAPINFOHEADER has its unused fourth byte taken for alpha
//
// Decoding here puts both right; such a file is never sent as it is.
func misread(data []byte, format string) bool {
	switch format {
	case "tiff":
		return faxInverted(data)
	case "bmp":
		return paddedBMP(data)
	default:
		return false
	}
}

func faxInverted(data []byte) bool {
	const compression, photometric = 259, 262
	const group3, group4, blackIsZero = 3, 4, 1
	coding, _ := tiffTag(data, compression)
	zero, _ := tiffTag(data, photometric)
	return (coding == group3 || coding == group4) && zero == blackIsZero
}

func paddedBMP(data []byte) bool {
	const infoHeader, rgb = 40, 0
	le := binary.LittleEndian
	return len(data) >= 34 && le.Uint32(data[14:]) > infoHeader && le.Uint16(data[28:]) == 32 && le.Uint32(data[30:]) == rgb
}

func decodeTIFF(data []byte) (image.Image, error) {
	img, err := reading(tiff.Decode)(data)
	if gray, ok := img.(*image.Gray); ok && faxInverted(data) {
		for i, v := range gray.Pix {
			gray.Pix[i] = ^v
		}
	}
	return img, err
}

func decodeBMP(data []byte) (image.Image, error) {
	img, err := reading(bmp.Decode)(data)
	if m, ok := img.(*image.NRGBA); ok && paddedBMP(data) {
		for i := 3; i < len(m.Pix); i += 4 {
			m.Pix[i] = 255
		}
	}
	return img, err
}
