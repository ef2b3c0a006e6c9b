package main

import (
	"bytes"
	"image"
	_ "image/jpeg"
	_ "image/png"

	"candor/harness/claim/scene"
	"candor/imageproc"
)

// prepare takes a scene along the product's path of an image.
func prepare(s scene.Scene, family imageproc.Family) (*imageproc.Prepared, error) {
	img, err := scene.Draw(s)
	if err != nil {
		return nil, err
	}
	file, err := scene.EncodeJPEG(img)
	if err != nil {
		return nil, err
	}
	return imageproc.Prepare(file, family, imageproc.PolicyReference)
}

// rgbOf decodes what would be sent, as the server does.
func rgbOf(p *imageproc.Prepared) ([]byte, error) {
	img, _, err := image.Decode(bytes.NewReader(p.Data))
	if err != nil {
		return nil, err
	}
	b := img.Bounds()
	out := make([]byte, 0, 3*b.Dx()*b.Dy())
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			r, g, b, _ := img.At(x, y).RGBA()
			out = append(out, byte(r>>8), byte(g>>8), byte(b>>8))
		}
	}
	return out, nil
}
