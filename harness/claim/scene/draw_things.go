package scene

import "math"

func drawBall(p *pen, c rgb) {
	p.solid(c, circle(.5, .5, .48))
	white := rgb{250, 250, 248}
	panel := white.mix(c, .75*p.likeness)
	for _, a := range []float64{20, 140, 260} {
		p.fill(panel, wedge(.46, .44, .2, a, a+60), append(arc(.46, .44, .18, .18, a, a+60), reversed(arc(.5, .5, .47, .47, a-2, a+66))...))
	}
	p.fill(c.darker(.2), circle(.46, .44, .07))
	p.fill(white, ellipse(.32, .24, .07, .045))
}

func drawBalloon(p *pen, c rgb) {
	p.line(rgb{96, 92, 92}, .026, bend(point{.31, .68}, point{.18 + .1*p.likeness, .82}, point{.33, .99 - .14*p.likeness})...)
	p.solid(c.darker(.12), poly(.31, .6, .39, .71, .23, .71))
	p.solid(c, ellipse(.31, .33, .3-.02*(1-p.likeness), .32))
	p.fill(c.lighter(.6), ellipse(.2, .2, .05, .08))
	p.fill(c.darker(.14*(1-p.likeness)), ellipse(.38, .5, .12, .07))
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

func drawBucket(p *pen, c rgb) {
	high := .33 - .2*p.likeness // the wire, which lies lower the more it is like a cup
	p.line(rgb{120, 122, 128}, .045, arc(.475, .36, .37, high, 180, 360)...)
	p.solid(c, poly(.06, .36, .89, .36, .76-.02*p.likeness, .97, .19+.02*p.likeness, .97))
	p.fill(c.darker(.22), poly(.09, .5, .86, .5, .845, .57, .105, .57))
	p.solid(c.lighter(.35), ellipse(.475, .36, .415, .1))
	p.fill(c.darker(.55), ellipse(.475, .37, .34, .065))
}

func drawChair(p *pen, c rgb) {
	dark := c.darker(.2)
	up := .23 * p.likeness // how much the back is lower, as a stool has none
	p.solid(dark, rect(.44, .55, .5, .98), rect(.16, .58, .21, .9))
	p.solid(c, rect(.05, .02+up, .12, .98), rect(.52, .58, .58, .98))
	p.solid(c, rounded(.05, .48, .58, .58, .03))
	for _, y := range []float64{.03 + up, .16 + .7*up, .29 + .4*up} {
		p.solid(c, rect(.06, y, .17, y+.07))
	}
	p.solid(c, rect(.15, .02+up, .2, .5))
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
	less := .09 * p.likeness // a smaller ear and a narrower foot, as a bucket's
	p.line(c.darker(.15), .1-.4*less, arc(.84-.6*less, .5, .2-less, .22-less, -95, 95)...)
	body := polygon{{.06, .12}, {.88, .12}, {.86 - less/2, .6}}
	body = append(body, bend(point{.86 - less/2, .6}, point{.84 - less, .96}, point{.6, .97})...)
	body = append(body, bend(point{.34, .97}, point{.1 + less, .96}, point{.08 + less/2, .6})...)
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
	p.fill(c.lighter(.75*(1-.8*p.likeness)), band)
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

func drawStool(p *pen, c rgb) {
	p.solid(c.darker(.2), poly(.24, .14, .3, .14, .26, .9, .2, .9), poly(.4, .14, .46, .14, .5, .9, .44, .9))
	p.solid(c.darker(.08), rect(.13, .62, .57, .68))
	p.solid(c, poly(.1, .12, .18, .12, .1, .98, .02, .98), poly(.52, .12, .6, .12, .68, .98, .6, .98))
	p.solid(c.lighter(.1), rounded(.03, .02, .67, .17, .06))
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
	gore := c.lighter(.55 * (1 - .7*p.likeness))
	p.fill(gore, append(bend(point{.525, .06}, point{.3, .16}, point{.275, .46}), bend(point{.275, .5}, point{.4, .4}, point{.525, .5})...))
	p.fill(gore, append(bend(point{.525, .06}, point{.94, .12}, point{1.02, .47}), append(bend(point{1.02, .5}, point{.9, .4}, point{.775, .5}), bend(point{.775, .46}, point{.74, .16}, point{.525, .06})...)...))
	p.fill(wood, circle(.525, .045, .03))
}
