package audit

import (
	"bytes"
	"context"
	"image"
	"image/color"
	_ "image/gif" // the headers of this and of the following kinds are read
	_ "image/jpeg"
	_ "image/png"
	"path"
	"strings"

	"candor/harness/claim"
	"candor/imageproc"

	_ "golang.org/x/image/bmp"
	_ "golang.org/x/image/tiff"
	_ "golang.org/x/image/webp"
)

// picture is what one image file tells.
type picture struct {
	err           error
	format        string // by its first bytes
	ext           string // of its file's name
	colour        string
	width, height int // pixels as stored
	turned        bool
	hash          string
}

// lookAt reads and decodes an image as a run would.
func lookAt(ctx context.Context, images claim.Images, name string, f imageproc.Family) (p picture) {
	data, file, err := images.Open(ctx, name)
	if err != nil {
		return picture{err: err}
	}
	ready, err := imageproc.Prepare(data, f, imageproc.PolicyServer)
	if err != nil {
		return picture{err: err}
	}
	return picture{
		format: ready.SourceFormat, ext: strings.ToLower(path.Ext(file)), colour: colourOf(data),
		width: ready.SourceWidth, height: ready.SourceHeight, turned: ready.Orientation > 1, hash: ready.SourceSHA256,
	}
}

// colourOf is how an image holds its colours, by its header.
func colourOf(data []byte) string {
	cfg, _, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return "unknown"
	}
	if _, ok := cfg.ColorModel.(color.Palette); ok {
		return "palette"
	}
	switch cfg.ColorModel {
	case color.GrayModel, color.Gray16Model:
		return "gray"
	case color.CMYKModel:
		return "cmyk"
	case color.NRGBAModel, color.NRGBA64Model, color.NYCbCrAModel, color.AlphaModel:
		return "rgba"
	}
	return "rgb"
}

// misnamed tells a file whose name says another kind than its bytes. A name
// without an extension, or with one of no image, says none.
func (p picture) misnamed() bool {
	said := map[string]string{".jpg": "jpeg", ".jpeg": "jpeg", ".png": "png", ".gif": "gif", ".webp": "webp", ".bmp": "bmp", ".tif": "tiff", ".tiff": "tiff"}[p.ext]
	return said != "" && said != p.format
}
