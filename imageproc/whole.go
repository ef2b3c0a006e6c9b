package imageproc

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// wholeness finds files cut off in places where the decoders would not look,
// and sizes that the bytes present cannot possibly fill, before memory is
// spent on them.
func wholeness(data []byte, format string, pixels int) error {
	switch format {
	case "jpeg":
		// One bit at least for every block of 8×8.
		return enough(data, pixels, 512)
	case "png":
		// Deflate packs at most 1032 to 1, of eight pixels a byte.
		return enough(data, pixels, 8*1032)
	case "bmp":
		// The decoder reads none that are compressed: one bit at least a pixel.
		return enough(data, pixels, 8)
	case "gif":
		return gifWhole(data)
	case "webp":
		return webpWhole(data)
	}
	return nil
}

func enough(data []byte, pixels, perByte int) error {
	if len(data) < pixels/perByte {
		return fmt.Errorf("unexpected end: %d bytes cannot hold %d pixels", len(data), pixels)
	}
	return nil
}

// webpWhole compares the size declared with the bytes present.
func webpWhole(data []byte) error {
	// A last pad byte may be missing.
	if declared := 8 + int64(binary.LittleEndian.Uint32(data[4:])); declared > int64(len(data))+1 {
		return fmt.Errorf("unexpected end: %d bytes of %d", len(data), declared)
	}
	return nil
}

// gifWhole walks the blocks after the screen descriptor without decoding any:
// only the first frame is decoded, but a file cut off later is damaged too. A
// missing trailer alone is forgiven.
func gifWhole(data []byte) error {
	const screen = 13
	if len(data) < screen {
		return errCutOff
	}
	pos := screen + gifPalette(data[10])
	for pos < len(data) {
		switch kind := data[pos]; kind {
		case 0x3b:
			return nil
		case 0x21: // extension: label, sub-blocks
			pos += 2
		case 0x2c: // frame: place, size and flags, palette, code size, sub-blocks
			if pos+10 > len(data) {
				return errCutOff
			}
			pos += 11 + gifPalette(data[pos+9])
		default:
			return fmt.Errorf("unknown block 0x%02x", kind)
		}
		for size := -1; size != 0; pos += 1 + size {
			if pos >= len(data) {
				return errCutOff
			}
			size = int(data[pos])
		}
	}
	if pos > len(data) {
		return errCutOff
	}
	return nil
}

// gifPalette is the size in bytes of the colour table that flags announce.
func gifPalette(flags byte) int {
	if flags&0x80 == 0 {
		return 0
	}
	return 3 << (flags&7 + 1)
}

var errCutOff = errors.New("unexpected end")
