package imageproc

import (
	"bytes"
	"image"

	"github.com/bep/imagemeta"
	"github.com/disintegration/imaging"
)

// orientationOf reads the EXIF orientation, 1 to 8. Files without one, with
// damaged EXIF, or with a number outside that range are taken as upright, 1.
func orientationOf(data []byte, format string) int {
	kind, ok := map[string]imagemeta.ImageFormat{
		"jpeg": imagemeta.JPEG, "png": imagemeta.PNG, "webp": imagemeta.WebP, "tiff": imagemeta.TIFF,
	}[format]
	if !ok {
		return 1
	}
	found := 1
	_, _ = guard(func() (struct{}, error) { // what was found before an error counts
		_, err := imagemeta.Decode(imagemeta.Options{
			R:               bytes.NewReader(data),
			ImageFormat:     kind,
			Sources:         imagemeta.EXIF,
			ShouldHandleTag: isOrientation,
			HandleTag: func(tag imagemeta.TagInfo) error {
				if n := integer(tag.Value); n >= 1 && n <= 8 {
					found = n
				}
				return imagemeta.ErrStopWalking
			},
		})
		return struct{}{}, err
	})
	return found
}

// isOrientation keeps the tag of the main image: a thumbnail has its own.
func isOrientation(tag imagemeta.TagInfo) bool {
	return tag.Tag == "Orientation" && tag.Namespace == "IFD0"
}

func integer(v any) int {
	switch n := v.(type) {
	case uint16:
		return int(n)
	case uint32:
		return int(min(n, 1<<16))
	case uint8:
		return int(n)
	case int:
		return n
	}
	return 0
}

// upright turns an image stored with an EXIF orientation the right way up.
func upright(img *image.NRGBA, orientation int) *image.NRGBA {
	switch orientation {
	case 2:
		return imaging.FlipH(img)
	case 3:
		return imaging.Rotate180(img)
	case 4:
		return imaging.FlipV(img)
	case 5:
		return imaging.Transpose(img)
	case 6:
		return imaging.Rotate270(img)
	case 7:
		return imaging.Transverse(img)
	case 8:
		return imaging.Rotate90(img)
	default:
		return img
	}
}

// uprightSize is the size after upright: orientations 5 to 8 swap the sides.
func uprightSize(width, height, orientation int) (int, int) {
	if orientation >= 5 {
		return height, width
	}
	return width, height
}
