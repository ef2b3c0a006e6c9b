package dossier

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"strings"

	"candor/harness/claim"
	"candor/harness/run"
	"candor/imageproc"

	"golang.org/x/image/draw"
)

// wanted is a task that a picture is to stand beside.
type wanted struct {
	trace run.Trace
	image *[]byte
}

// pictures puts small images beside tasks, the first ones first, as long as
// they keep within the budget, and says why some have none. Nothing is fetched:
// a set of the Hub has none here. An image that is no longer the one that was
// asked about is left out.
func pictures(ctx context.Context, m run.Manifest, tasks []wanted, budget int) string {
	set, err := claim.Loader{Images: m.Config.Images}.Load(ctx, m.Config.Dataset)
	if err != nil {
		return "the images are not here: " + err.Error()
	}
	small := map[string][]byte{}
	missing, changed, over := 0, 0, 0
	for _, t := range tasks {
		source := t.trace.ImageSource
		b, known := small[source]
		if !known {
			data, _, err := set.Images.Open(ctx, source)
			sum := sha256.Sum256(data)
			switch {
			case err != nil:
				missing++
			case hex.EncodeToString(sum[:]) != t.trace.Image.SourceSHA256:
				changed++
			default:
				if b, err = thumbnail(data); err != nil {
					missing++
				}
			}
			small[source] = b
		}
		if len(b) > budget {
			over++
			continue
		}
		budget -= len(b)
		*t.image = b
	}
	return told(missing, changed, over)
}

func told(missing, changed, over int) string {
	var parts []string
	for _, p := range []struct {
		n          int
		what, told string
	}{
		{changed, "image", "no longer what was asked about, and not shown"},
		{missing, "image", "not to be read again"},
		{over, "task", "shown without an image, to keep the page small"},
	} {
		switch {
		case p.n == 1:
			parts = append(parts, fmt.Sprintf("1 %s is %s", p.what, p.told))
		case p.n > 1:
			parts = append(parts, fmt.Sprintf("%d %ss are %s", p.n, p.what, p.told))
		}
	}
	return strings.Join(parts, "; ")
}

const thumbnailSide = 200 // pixels, the longer side

// thumbnail decodes as a run does, with its limits and upright, and makes it
// small.
func thumbnail(data []byte) ([]byte, error) {
	family, err := imageproc.FamilyByName("qwen3.5")
	if err != nil {
		return nil, err
	}
	prepared, err := imageproc.Prepare(data, family, imageproc.PolicyReference)
	if err != nil {
		return nil, err
	}
	img, _, err := image.Decode(bytes.NewReader(prepared.Data))
	if err != nil {
		return nil, err
	}
	size := img.Bounds().Size()
	scale := min(1, thumbnailSide/float64(max(size.X, size.Y)))
	out := image.NewRGBA(image.Rect(0, 0, max(1, int(float64(size.X)*scale)), max(1, int(float64(size.Y)*scale))))
	draw.Draw(out, out.Bounds(), image.NewUniform(color.White), image.Point{}, draw.Src)
	draw.ApproxBiLinear.Scale(out, out.Bounds(), img, img.Bounds(), draw.Over, nil)
	var b bytes.Buffer
	if err := jpeg.Encode(&b, out, &jpeg.Options{Quality: 70}); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
