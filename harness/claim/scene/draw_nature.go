package scene

import "math"

func drawApple(p *pen, c rgb) {
	own := 1 - .7*p.likeness // how much is left of what tells it from an orange
	p.line(rgb{92, 62, 36}, .05, point{.48, .24}, point{.48 + .04*own, .24 - .2*own})
	tip := point{.52 + .32*own, .16 - .12*own}
	p.fill(rgb{70, 150, 60}, append(bend(point{.52, .16}, point{.52 + .1*own, .16 - .18*own}, tip), bend(tip, point{.52 + .22*own, .16 + .06*own}, point{.52, .16})...))
	p.solid(c, ellipse(.31, .56, .27, .36), ellipse(.63, .56, .28, .36), ellipse(.47, .66, .3, .32))
	p.fill(c.darker(.35), ellipse(.475, .24, .11, .035))
	p.fill(c.lighter(.55), ellipse(.21, .42, .05, .1))
}

func drawCloud(p *pen, c rgb) {
	p.solid(c, circle(.42, .6, .34), circle(.85, .42, .4), circle(1.3, .55, .36), circle(1.52, .7, .25), rounded(.2, .58, 1.7, .95, .18))
	p.fill(c.darker(.1), rounded(.3, .78, 1.6, .92, .07))
}

func drawFish(p *pen, c rgb) {
	p.solid(c.darker(.15), poly(1.25, .5, 1.72, .12, 1.64, .5, 1.72, .88))
	p.solid(c.darker(.15), poly(.55, .2, .8, .0, 1.05, .16, .95, .3))
	p.solid(c, ellipse(.72, .5, .68, .37))
	for _, x := range []float64{.62, .86, 1.08} {
		p.line(c.lighter(.6), .055, bend(point{x, .22}, point{x + .14, .5}, point{x, .78})...)
	}
	p.fill(c.darker(.25), poly(.62, .56, .86, .62, .66, .76))
	p.fill(rgb{255, 255, 255}, circle(.3, .42, .09))
	p.fill(rgb{20, 20, 24}, circle(.28, .42, .05))
	p.line(c.darker(.6), .03, bend(point{.06, .56}, point{.14, .64}, point{.22, .6})...)
}

func drawFlower(p *pen, c rgb) {
	green := rgb{60, 140, 60}
	p.line(green, .05, bend(point{.3, .34}, point{.26, .7}, point{.32, .98})...)
	p.solid(green, append(bend(point{.3, .82}, point{.1, .56}, point{.02, .66}), bend(point{.02, .66}, point{.06, .84}, point{.3, .82})...))
	p.solid(green, append(bend(point{.3, .74}, point{.5, .5}, point{.58, .6}), bend(point{.58, .6}, point{.52, .78}, point{.3, .74})...))
	var petals []polygon
	for i := range 6 {
		sin, cos := math.Sincos(float64(i) * math.Pi / 3)
		petals = append(petals, circle(.3+.155*cos, .29+.155*sin, .115))
	}
	p.solid(c, petals...)
	p.fill(c.darker(.2), circle(.3, .29, .13))
	p.fill(rgb{250, 200, 40}.mix(c.darker(.5), .12), circle(.3, .29, .1))
}

func drawMoon(p *pen, c rgb) {
	crescent := arc(.46, .5, .46, .48, 60, 300)
	crescent = append(crescent, arc(.74, .5, .4, .42, 250, 110)...)
	p.solid(c, crescent)
	for _, v := range []point{{.14, .42}, {.22, .66}, {.2, .26}} {
		p.fill(c.darker(.16), circle(v.x, v.y, .05))
	}
}

func drawMushroom(p *pen, c rgb) {
	thin := .09 * p.likeness // as an umbrella's stick
	p.solid(rgb{240, 228, 204}, append(bend(point{.36 + thin, .5}, point{.38 + thin, .8}, point{.28 + thin, .98}), bend(point{.68 - thin, .98}, point{.58 - thin, .8}, point{.6 - thin, .5})...))
	p.solid(c, append(arc(.475, .54, .46, .5, 180, 360), bend(point{.935, .54}, point{.475, .68}, point{.015, .54})...))
	for _, d := range []struct{ x, y, r float64 }{{.28, .34, .08}, {.52, .2, .07}, {.68, .4, .085}, {.46, .46, .05}} {
		p.fill(rgb{252, 250, 244}.mix(c, .7*p.likeness), circle(d.x, d.y, d.r))
	}
}

func drawOrange(p *pen, c rgb) {
	p.solid(c, circle(.5, .53, .45))
	pore := c.darker(.22 * (1 - .8*p.likeness))
	for _, d := range []point{{.3, .6}, {.44, .74}, {.62, .68}, {.72, .5}, {.56, .46}, {.4, .46}, {.66, .32}, {.28, .8}, {.6, .86}, {.8, .68}} {
		p.fill(pore, circle(d.x, d.y, .03))
	}
	p.fill(rgb{70, 150, 60}, spikes(.5, .15, .15, .07, 5))
	p.fill(c.lighter(.5), ellipse(.3, .36, .06, .09))
}

func drawSnowman(p *pen, c rgb) {
	snow, coal := rgb{244, 248, 252}, rgb{34, 34, 40}
	p.line(rgb{96, 66, 40}, .025, point{.2, .52}, point{.02, .36})
	p.line(rgb{96, 66, 40}, .025, point{.46, .52}, point{.64, .36})
	p.solid(snow, circle(.33, .77, .22))
	p.solid(snow, circle(.33, .5, .165))
	p.solid(snow, circle(.33, .275, .125))
	p.fill(snow.darker(.08), ellipse(.36, .92, .15, .05))
	p.solid(coal, rect(.24, .03, .42, .16), rounded(.17, .145, .49, .185, .015))
	p.fill(coal, circle(.29, .25, .018), circle(.37, .25, .018), circle(.33, .48, .02), circle(.33, .56, .02))
	p.fill(rgb{240, 120, 30}, poly(.33, .27, .33, .31, .47, .3))
	p.solid(c, rounded(.215, .36, .445, .41, .02), poly(.38, .39, .46, .39, .46, .55, .39, .55))
}

func drawStar(p *pen, c rgb) {
	p.solid(c, spikes(.51, .53, .5, .205+.07*p.likeness, 5))
	p.fill(c.lighter(.3), spikes(.51, .53, .26, .11+.05*p.likeness, 5))
}

func drawSun(p *pen, c rgb) {
	p.solid(c, spikes(.5, .5, .5, .34-.06*p.likeness, 12-int(5*p.likeness)))
	p.fill(c.lighter(.35*(1-.5*p.likeness)), circle(.5, .5, .28-.06*p.likeness))
}

func drawTree(p *pen, c rgb) {
	bark := rgb{112, 76, 44}
	p.solid(bark, poly(.33, .55, .43, .55, .46, .98, .29, .98))
	p.line(bark, .03, point{.38, .66}, point{.52, .55})
	p.solid(c, circle(.38, .22, .2), circle(.2, .38, .18), circle(.56, .38, .18), circle(.38, .42, .22))
	p.fill(c.lighter(.18), circle(.3, .2, .09), circle(.5, .34, .07), circle(.18, .34, .07))
	p.fill(c.darker(.22), ellipse(.4, .54, .2, .06))
}
