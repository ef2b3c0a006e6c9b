package imageproc

import (
	"bytes"
	"encoding/binary"
)

// orientationOf reads the EXIF orientation, 1 to 8, of a JPEG, PNG, WebP or
// TIFF file. Files without one, with damaged EXIF, or with a number outside
// that range are taken as upright, 1, as viewers do.
//
// It is a reader of its own because the library tried for it loses the EXIF of
// a WebP file whose picture has an odd number of bytes.
func orientationOf(data []byte, format string) int {
	switch format {
	case "jpeg":
		return tiffOrientation(jpegEXIF(data))
	case "png":
		return tiffOrientation(pngEXIF(data))
	case "webp":
		return tiffOrientation(webpEXIF(data))
	case "tiff":
		return tiffOrientation(data)
	default:
		return 1
	}
}

// exifPrefix stands before the TIFF structure in JPEG, and wrongly in some WebP.
const exifPrefix = "Exif\x00\x00"

func jpegEXIF(data []byte) []byte {
	for rest := data[min(len(data), 2):]; len(rest) >= 4 && rest[0] == 0xff; {
		marker := rest[1]
		switch {
		case marker == 0xff: // a fill byte
			rest = rest[1:]
			continue
		case marker == 0x01 || marker >= 0xd0 && marker <= 0xd8: // no payload
			rest = rest[2:]
			continue
		case marker == 0xda || marker == 0xd9: // pixels, end
			return nil
		}
		n := 2 + int(binary.BigEndian.Uint16(rest[2:]))
		if n < 4 || n > len(rest) {
			return nil
		}
		if payload := rest[4:n]; marker == 0xe1 && bytes.HasPrefix(payload, []byte(exifPrefix)) {
			return payload[len(exifPrefix):]
		}
		rest = rest[n:]
	}
	return nil
}

// pngEXIF walks the chunks: length, type, payload, checksum.
func pngEXIF(data []byte) []byte {
	for rest := data[min(len(data), 8):]; len(rest) >= 12; {
		n := uint64(binary.BigEndian.Uint32(rest))
		if n+12 > uint64(len(rest)) {
			return nil
		}
		if string(rest[4:8]) == "eXIf" {
			return rest[8 : 8+n]
		}
		rest = rest[12+n:]
	}
	return nil
}

// webpEXIF may bear JPEG's prefix.
func webpEXIF(data []byte) []byte {
	return bytes.TrimPrefix(chunkOf(data[min(len(data), 12):], "EXIF"), []byte(exifPrefix))
}

// tiffOrientation is that of the main image: a thumbnail's stands in a later
// directory.
func tiffOrientation(t []byte) int {
	const orientation = 274
	if n, ok := tiffTag(t, orientation); ok && n >= 1 && n <= 8 {
		return int(n)
	}
	return 1
}

// tiffTag reads a tag of one whole number in the first directory of a TIFF
// structure; false if it is not there or is something else.
func tiffTag(t []byte, tag uint16) (uint32, bool) {
	const entrySize, short, long = 12, 3, 4
	if len(t) < 8 {
		return 0, false
	}
	var order binary.ByteOrder = binary.LittleEndian
	if string(t[:2]) == "MM" {
		order = binary.BigEndian
	} else if string(t[:2]) != "II" {
		return 0, false
	}
	dir := uint64(order.Uint32(t[4:]))
	if dir+2 > uint64(len(t)) {
		return 0, false
	}
	entries := t[dir+2:]
	for range order.Uint16(t[dir:]) {
		if len(entries) < entrySize {
			return 0, false
		}
		if order.Uint16(entries) == tag {
			switch order.Uint16(entries[2:]) {
			case short:
				return uint32(order.Uint16(entries[8:])), true
			case long:
				return order.Uint32(entries[8:]), true
			}
			return 0, false
		}
		entries = entries[entrySize:]
	}
	return 0, false
}
