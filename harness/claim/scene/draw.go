package scene

import (
	"bytes"
	"fmt"
	"image"
	"image/jpeg"
	"math/rand/v2"
)

// Draw paints a scene. It fails for a plan that names a theme or kind that
// does not exist, or sides out of range; every plan of Generate can be drawn.
// A colour that does not exist is drawn gray.
func Draw(s Scene) (*image.RGBA, error) {
	t, ok := themeNamed(s.Theme)
	if !ok {
		return nil, fmt.Errorf("scene: unknown theme %q", s.Theme)
	}
	if s.Width < 1 || s.Height < 1 || s.Width > maxSide || s.Height > maxSide {
		return nil, fmt.Errorf("scene of %d×%d pixels: sides go from 1 to %d", s.Width, s.Height, maxSide)
	}
	p := &pen{dst: image.NewRGBA(s.bounds()), outlined: s.Outlined}
	paintBackdrop(p, &s, t)
	paintStrokes(p, backClutter(&s))
	for _, o := range s.Objects {
		if !paintObject(p, o, 1) {
			return nil, fmt.Errorf("scene: unknown kind %q", o.Kind)
		}
	}
	paintStrokes(p, frontClutter(&s))
	develop(p.dst, &s, t)
	return p.dst, nil
}

// EncodeJPEG is a picture's file, of quality 90.
func EncodeJPEG(img *image.RGBA) ([]byte, error) {
	var buf bytes.Buffer
	if err := jpeg.Encode(&buf, img, &jpeg.Options{Quality: 90}); err != nil {
		return nil, fmt.Errorf("scene: %w", err)
	}
	return buf.Bytes(), nil
}

// paintObject draws one object, in the picture's size times scale.
func paintObject(p *pen, o Object, scale float64) bool {
	k, ok := kindNamed(o.Kind)
	if !ok {
		return false
	}
	p.place, p.likeness = place(o.Pose, k.aspect, scale), o.Likeness
	k.draw(p, colorNamed(o.Color).plus(o.Shade))
	return true
}

func paintStrokes(p *pen, all []stroke) {
	p.place = pixels()
	for _, s := range all {
		p.line(s.color, s.width, s.scaled(1)...)
	}
}

// develop lays haze over the picture and grain into it, more of both the
// harder the scene.
func develop(img *image.RGBA, s *Scene, t theme) {
	rng := rand.New(rand.NewPCG(s.Seed, grainStream))
	haze, grain := .28*s.Difficulty*rng.Float64(), 2+int(20*s.Difficulty)
	for i := 0; i < len(img.Pix); i += 4 {
		bits := rng.Uint64()
		for k := range 3 {
			// The sum of two draws is a triangle, near enough film grain.
			g := int(bits>>(16*k)&0xff) + int(bits>>(16*k+8)&0xff) - 255
			v := rgb{int(img.Pix[i+k])}.mix(rgb{t.haze[k]}, haze)[0] + g*grain/255
			img.Pix[i+k] = uint8(min(max(v, 0), 255))
		}
	}
}
