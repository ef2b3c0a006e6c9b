package imageproc

import (
	"image"

	"github.com/disintegration/imaging"
)

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
