package scene

import (
	"math"
	"math/rand/v2"
)

// stroke is a bit of clutter: a bent line of no meaning, in pixels.
type stroke struct {
	color   rgb
	width   float64
	a, c, b point
}

func (s stroke) scaled(f float64) polygon {
	out := bend(s.a, s.c, s.b)
	for i := range out {
		out[i].x *= f
		out[i].y *= f
	}
	return out
}

// frontClutter is a few thin strokes before everything, in harder scenes.
func frontClutter(s *Scene) []stroke {
	rng := rand.New(rand.NewPCG(s.Seed, frontClutterStream))
	return strokes(s, rng, int(14*s.Difficulty), 1.2, 2.4)
}

// backClutter lies behind the objects.
func backClutter(s *Scene) []stroke {
	rng := rand.New(rand.NewPCG(s.Seed, backClutterStream))
	return strokes(s, rng, 6+int(60*s.Difficulty), 1, 4)
}

func strokes(s *Scene, rng *rand.Rand, n int, thin, thick float64) []stroke {
	t, _ := themeNamed(s.Theme)
	out := make([]stroke, n)
	for i := range out {
		a := point{rng.Float64() * float64(s.Width), rng.Float64() * float64(s.Height)}
		sin, cos := math.Sincos(rng.Float64() * 2 * math.Pi)
		length := (.03 + .1*rng.Float64()) * float64(min(s.Width, s.Height))
		b := point{a.x + length*cos, a.y + length*sin}
		sway := (rng.Float64() - .5) * length
		ground := t.colorAt(a.y/float64(s.Height), s.Horizon)
		tint := palette()[rng.IntN(len(palette()))].color
		out[i] = stroke{
			color: ground.mix(tint, .35+.5*s.Difficulty*rng.Float64()),
			width: thin + (thick-thin)*rng.Float64(),
			a:     a, b: b, c: point{(a.x+b.x)/2 - sway*sin, (a.y+b.y)/2 + sway*cos},
		}
	}
	return out
}
