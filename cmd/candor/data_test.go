package main

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"strings"
)

// writeClaims writes n images with three claims each to dir, in POPE's form,
// and the flags of a run over them to dir.toml.
func writeClaims(dir string, n int) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	var rows strings.Builder
	for i := range n {
		name := fmt.Sprintf("%d.png", i)
		b, err := pictureBytes("png", uint8(i))
		if err = errors.Join(err, os.WriteFile(filepath.Join(dir, name), b, 0o644)); err != nil {
			return err
		}
		for j, object := range []string{"dog", "cat", "car"} {
			fmt.Fprintf(&rows, `{"question_id":%d,"image":%q,"text":"Is there a %s in the image?","label":%q}`+"\n",
				3*i+j, name, object, []string{"yes", "no"}[(i+j)%2])
		}
	}
	file := filepath.Join(dir, "coco_pope_random.json")
	flags := fmt.Sprintf("model = \"fake\"\nsplit = \"random\"\npartition = \"all\"\ndataset = %q\nimages = %q\n", file, dir)
	return errors.Join(os.WriteFile(file, []byte(rows.String()), 0o644), os.WriteFile(dir+".toml", []byte(flags), 0o644))
}

// shareClaims writes a second split to dir, popular, that has another third
// claim about each image than the first.
func shareClaims(dir string) error {
	rows, err := os.ReadFile(filepath.Join(dir, "coco_pope_random.json"))
	return errors.Join(err, os.WriteFile(filepath.Join(dir, "coco_pope_popular.json"), bytes.ReplaceAll(rows, []byte("a car"), []byte("a bus")), 0o644))
}

// pictureBytes is an image of 64 by 48 pixels; kind is png, jpeg, cut (60 % of
// a JPEG) or html (an error page).
func pictureBytes(kind string, shade uint8) ([]byte, error) {
	img := image.NewRGBA(image.Rect(0, 0, 64, 48))
	for i := range 64 * 48 {
		img.Set(i%64, i/64, color.RGBA{shade, uint8(i), uint8(i * i), 255})
	}
	var b bytes.Buffer
	var err error
	switch kind {
	case "png":
		err = png.Encode(&b, img)
	case "jpeg", "cut":
		err = jpeg.Encode(&b, img, nil)
	case "html":
		b.WriteString("<!DOCTYPE html><html><body>404 not found</body></html>\n")
	default:
		err = fmt.Errorf("unknown kind of picture %q", kind)
	}
	if kind == "cut" {
		b.Truncate(b.Len() * 6 / 10)
	}
	return b.Bytes(), err
}
