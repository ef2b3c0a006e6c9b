package scene

import "math"

func drawBall(p *pen, c rgb) {
	p.solid(c, circle(.5, .5, .48))
	white := rgb{250, 250, 248}
	for _, a := range []float64{20, 140, 260} {
		p.fill(white, wedge(.46, .44, .2, a, a+60), append(arc(.46, .44, .18, .18, a, a+60), reversed(arc(.5, .5, .47, .47, a-2, a+66))...))
	}
	p.fill(c.darker(.2), circle(.46, .44, .07))
	p.fill(white, ellipse(.32, .24, .07, .045))
}

// reversed runs a line of points the other way.
func reversed(s polygon) polygon {
	out := make(polygon, len(s))
	for i, v := range s {
		out[len(s)-1-i] = v
	}
	return out
}

func drawBottle(p *pen, c rgb) {
	body := polygon{{.12, .02}, {.24, .02}, {.24, .24}}
	body = append(body, bend(point{.24, .24}, point{.25, .34}, point{.34, .42})...)
	body = append(body, arc(.29, .93, .05, .05, 0, 90)...)
	body = append(body, arc(.07, .93, .05, .05, 90, 180)...)
	body = append(body, bend(point{.02, .42}, point{.11, .34}, point{.12, .24})...)
	p.solid(c, body)
	p.solid(rgb{214, 190, 140}, rounded(.105, .0, .255, .08, .02))
	p.fill(rgb{246, 240, 224}, rect(.035, .56, .325, .8))
	p.fill(c.darker(.3), rect(.08, .62, .28, .65), rect(.08, .69, .22, .72))
	p.fill(c.lighter(.5), rounded(.06, .43, .09, .54, .014))
}

func drawChair(p *pen, c rgb) {
	dark := c.darker(.2)
	p.solid(dark, rect(.44, .55, .5, .98), rect(.16, .58, .21, .9))
	p.solid(c, rect(.05, .02, .12, .98), rect(.52, .58, .58, .98))
	p.solid(c, rounded(.05, .48, .58, .58, .03))
	p.solid(c, poly(.06, .03, .17, .03, .17, .1, .06, .1), poly(.06, .16, .17, .16, .17, .23, .06, .23), poly(.06, .29, .17, .29, .17, .36, .06, .36))
	p.solid(c, rect(.15, .02, .2, .5))
}

func drawClock(p *pen, c rgb) {
	p.solid(c, circle(.5, .5, .48))
	p.fill(rgb{252, 250, 244}, circle(.5, .5, .38))
	ink := rgb{36, 36, 40}
	for i := range 12 {
		sin, cos := math.Sincos(float64(i) * math.Pi / 6)
		p.line(ink, .025, point{.5 + .31*cos, .5 + .31*sin}, point{.5 + .35*cos, .5 + .35*sin})
	}
	p.line(ink, .05, point{.5, .5}, point{.36, .38})
	p.line(ink, .035, point{.5, .5}, point{.62, .24})
	p.fill(ink, circle(.5, .5, .04))
}

func drawCup(p *pen, c rgb) {
	p.line(c.darker(.15), .1, arc(.84, .5, .2, .22, -95, 95)...)
	body := polygon{{.06, .12}, {.88, .12}, {.86, .6}}
	body = append(body, bend(point{.86, .6}, point{.84, .96}, point{.6, .97})...)
	body = append(body, bend(point{.34, .97}, point{.1, .96}, point{.08, .6})...)
	p.solid(c, body)
	p.solid(c.lighter(.35), ellipse(.47, .13, .42, .1))
	p.fill(rgb{86, 54, 34}, ellipse(.47, .14, .35, .07))
	p.fill(c.lighter(.4), rounded(.16, .32, .23, .72, .03))
}

func drawFlag(p *pen, c rgb) {
	cloth := append(bend(point{.1, .06}, point{.3, -.04}, point{.47, .08}), bend(point{.47, .08}, point{.64, .2}, point{.84, .08})...)
	cloth = append(cloth, bend(point{.84, .5}, point{.64, .62}, point{.47, .5})...)
	cloth = append(cloth, bend(point{.47, .5}, point{.3, .38}, point{.1, .48})...)
	p.solid(c, cloth)
	band := append(bend(point{.1, .21}, point{.3, .11}, point{.47, .23}), bend(point{.47, .23}, point{.64, .35}, point{.84, .23})...)
	band = append(band, bend(point{.84, .35}, point{.64, .47}, point{.47, .35})...)
	band = append(band, bend(point{.47, .35}, point{.3, .23}, point{.1, .33})...)
	p.fill(c.lighter(.75), band)
	p.solid(rgb{120, 96, 70}, rect(.05, .03, .1, .99))
	p.fill(rgb{240, 200, 70}, circle(.075, .035, .04))
}

func drawHeart(p *pen, c rgb) {
	var s polygon
	for i := range 60 {
		t := float64(i) * math.Pi / 30
		sin := math.Sin(t)
		x := 16 * sin * sin * sin
		y := 13*math.Cos(t) - 5*math.Cos(2*t) - 2*math.Cos(3*t) - math.Cos(4*t)
		s = append(s, point{.54 + x*.0325, .47 - y*.0325})
	}
	p.solid(c, s)
	p.fill(c.lighter(.5), ellipse(.3, .27, .07, .09))
}

func drawKey(p *pen, c rgb) {
	if p.outlined {
		p.line(c.darker(.55), .155, arc(.23, .2, .15, .15, 0, 360)...)
		p.line(c.darker(.55), .125, point{.23, .4}, point{.23, .94})
	}
	p.line(c, .1, arc(.23, .2, .15, .15, 0, 360)...)
	p.line(c, .075, point{.23, .36}, point{.23, .94})
	p.fill(c, rect(.24, .7, .42, .765), rect(.24, .84, .44, .91))
	p.fill(c.lighter(.4), circle(.13, .12, .02))
}

func drawLadder(p *pen, c rgb) {
	for i := range 6 {
		y := .12 + .15*float64(i)
		p.solid(c.darker(.12), rect(.05, y-.022, .37, y+.022))
	}
	p.solid(c, poly(.05, .01, .1, .01, .075, .99, .015, .99), poly(.32, .01, .37, .01, .405, .99, .345, .99))
}

func drawTable(p *pen, c rgb) {
	dark := c.darker(.28)
	p.solid(dark, rect(.36, .3, .44, .8), rect(1.16, .3, 1.24, .8))
	p.solid(c.darker(.1), rect(.1, .3, .2, .98), rect(1.4, .3, 1.5, .98))
	p.solid(c.darker(.18), rect(.12, .28, 1.48, .4))
	p.solid(c, poly(.22, .04, 1.38, .04, 1.58, .24, .02, .24))
	p.solid(c.darker(.12), rect(.02, .24, 1.58, .31))
}

func drawUmbrella(p *pen, c rgb) {
	wood := rgb{104, 72, 44}
	p.line(wood, .04, point{.525, .04}, point{.525, .86})
	p.line(wood, .045, arc(.44, .86, .085, .1, 0, 170)...)
	dome := arc(.525, .5, .5, .44, 180, 360)
	for i := 3; i >= 0; i-- { // the scalloped hem, from right to left
		x := .025 + .25*float64(i)
		dome = append(dome, bend(point{x + .25, .5}, point{x + .125, .4}, point{x, .5})...)
	}
	p.solid(c, dome)
	p.fill(c.lighter(.55), append(bend(point{.525, .06}, point{.3, .16}, point{.275, .46}), bend(point{.275, .5}, point{.4, .4}, point{.525, .5})...))
	p.fill(c.lighter(.55), append(bend(point{.525, .06}, point{.94, .12}, point{1.02, .47}), append(bend(point{1.02, .5}, point{.9, .4}, point{.775, .5}), bend(point{.775, .46}, point{.74, .16}, point{.525, .06})...)...))
	p.fill(wood, circle(.525, .045, .03))
}
