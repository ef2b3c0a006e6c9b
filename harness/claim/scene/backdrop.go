package scene

import "math/rand/v2"

// colorAt is the backdrop's colour at a height, 0 the top and 1 the bottom.
func (t theme) colorAt(y, horizon float64) rgb {
	if y < horizon {
		return t.back.mix(t.haze, max(y, 0)/horizon)
	}
	return t.floor.darker(.18 * min((y-horizon)/(1-horizon), 1))
}

// paintBackdrop fills the picture with sky or wall, ground, and their texture.
func paintBackdrop(p *pen, s *Scene, t theme) {
	rng := rand.New(rand.NewPCG(s.Seed, backdropStream))
	coarse, fine := newNoise(rng, 34), newNoise(rng, 7)
	line := int(s.Horizon * float64(s.Height))
	for y := range s.Height {
		base := t.colorAt(float64(y)/float64(s.Height), s.Horizon)
		row := p.dst.Pix[p.dst.PixOffset(0, y):]
		for x := range s.Width {
			c := t.pattern(base, x, y, line)
			depth := t.texture
			if y < line {
				depth /= 4
			}
			shift := ((coarse.at(x, y)+fine.at(x, y*2))*depth*(2+int(3*s.Difficulty)) - 255*depth*(2+int(3*s.Difficulty))) / 1024
			c = c.plus(rgb{shift, shift, shift})
			row[4*x], row[4*x+1], row[4*x+2], row[4*x+3] = uint8(c[0]), uint8(c[1]), uint8(c[2]), 255
		}
	}
}

// pattern adds the theme's marks to a pixel of the backdrop.
func (t theme) pattern(c rgb, x, y, line int) rgb {
	switch {
	case t.wall == tiles && y < line && (x%36 < 2 || y%36 < 2):
		return c.lighter(.35)
	case t.wall == stripes && y < line && x%40 < 14:
		return c.darker(.07)
	case t.wall == waves && y >= line*3/5 && y < line:
		sea := rgb{48, 128, 180}
		if (x+(y*y)/9)%53 < 16 && y%7 < 2 {
			return sea.lighter(.3)
		}
		return sea
	case t.wall == stars && y < line && (x*7919+y*104729)%1543 == 0:
		return c.lighter(.6)
	case (t.wall == tiles || t.wall == stripes) && y >= line && ((y-line)%22 < 2 || (x+(y-line)/22*61)%122 < 2):
		return c.darker(.16)
	case y == line || y == line+1:
		return c.darker(.15)
	}
	return c
}

// noise is smooth value noise from a lattice of random numbers, in integers.
type noise struct {
	cell    int
	lattice [64][64]int // 0 to 255
}

func newNoise(rng *rand.Rand, cell int) *noise {
	n := &noise{cell: cell}
	for i := range n.lattice {
		for j := range n.lattice[i] {
			n.lattice[i][j] = rng.IntN(256)
		}
	}
	return n
}

// at interpolates between the four nearest lattice points: 0 to 255.
func (n *noise) at(x, y int) int {
	i, j, u, v := y/n.cell&63, x/n.cell&63, x%n.cell, y%n.cell
	i1, j1 := (i+1)&63, (j+1)&63
	top := n.lattice[i][j]*(n.cell-u) + n.lattice[i][j1]*u
	low := n.lattice[i1][j]*(n.cell-u) + n.lattice[i1][j1]*u
	return (top*(n.cell-v) + low*v) / (n.cell * n.cell)
}
