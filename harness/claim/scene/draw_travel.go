package scene

func drawBoat(p *pen, c rgb) {
	p.solid(rgb{110, 80, 50}, rect(.5, .02, .55, .74))
	p.solid(rgb{250, 248, 240}, append(bend(point{.58, .05}, point{.98, .3}, point{1.02, .64}), point{.58, .64}))
	p.solid(c.lighter(.45), poly(.47, .14, .47, .64, .12, .64))
	hull := append(bend(point{.02, .72}, point{.08, .96}, point{.28, .97}), bend(point{.82, .97}, point{1.02, .94}, point{1.08, .72})...)
	p.solid(c, hull)
	p.fill(c.darker(.3), append(bend(point{.09, .86}, point{.14, .96}, point{.28, .97}), bend(point{.82, .97}, point{.98, .94}, point{1.02, .86})...))
}

func drawCar(p *pen, c rgb) {
	cabin := append(bend(point{.38, .46}, point{.48, .08}, point{.72, .08}), bend(point{1.22, .08}, point{1.4, .1}, point{1.62, .46})...)
	p.solid(c, cabin, rounded(.03, .42, 1.97, .8, .14))
	glass := rgb{188, 220, 238}
	p.fill(glass, append(bend(point{.5, .43}, point{.56, .17}, point{.74, .16}), point{.92, .16}, point{.92, .43}))
	p.fill(glass, append(polygon{{1, .43}, {1, .16}, {1.18, .16}}, bend(point{1.18, .16}, point{1.34, .18}, point{1.48, .43})...))
	p.fill(c.darker(.3), rect(.05, .66, 1.95, .7), rect(1.04, .5, 1.18, .53))
	p.fill(rgb{255, 240, 160}, ellipse(1.9, .54, .06, .06))
	p.fill(rgb{200, 30, 30}, rounded(.04, .5, .12, .6, .02))
	for _, x := range []float64{.48, 1.5} {
		p.fill(rgb{30, 30, 34}, circle(x, .79, .2))
		p.fill(rgb{196, 200, 206}, circle(x, .79, .1))
		p.fill(rgb{90, 92, 98}, circle(x, .79, .035))
	}
}

func drawHouse(p *pen, c rgb) {
	p.solid(c, rect(.1, .44, .9, .98))
	roof := rgb{150, 60, 48}
	if c.apart(roof) < 150 {
		roof = rgb{78, 82, 96}
	}
	p.solid(roof, poly(.02, .47, .5, .03, .98, .47))
	p.solid(rgb{104, 68, 44}, rect(.42, .64, .6, .98))
	p.fill(rgb{240, 210, 90}, circle(.56, .82, .018))
	for _, x := range []float64{.17, .67} {
		p.solid(rgb{250, 250, 246}, rect(x, .55, x+.18, .75))
		p.fill(rgb{150, 200, 232}, rect(x+.02, .57, x+.08, .64), rect(x+.1, .57, x+.16, .64), rect(x+.02, .66, x+.08, .73), rect(x+.1, .66, x+.16, .73))
	}
}

func drawKite(p *pen, c rgb) {
	tail := bend(point{.35, .66}, point{.1, .74}, point{.3, .82})
	tail = append(tail, bend(point{.3, .82}, point{.5, .9}, point{.34, .99})...)
	p.line(rgb{70, 60, 60}, .022, tail...)
	for _, v := range []point{{.25, .76}, {.37, .87}} {
		p.fill(c.lighter(.3), poly(v.x-.08, v.y-.04, v.x, v.y, v.x-.08, v.y+.04), poly(v.x+.08, v.y-.04, v.x, v.y, v.x+.08, v.y+.04))
	}
	p.solid(c, poly(.35, .01, .68, .26, .35, .68, .02, .26))
	p.fill(c.lighter(.6*(1-.7*p.likeness)), poly(.35, .01, .35, .26, .02, .26), poly(.35, .26, .68, .26, .35, .68))
	p.line(c.darker(.5), .02, point{.35, .01}, point{.35, .68})
	p.line(c.darker(.5), .02, point{.02, .26}, point{.68, .26})
}

func drawTruck(p *pen, c rgb) {
	top := .05 + .26*p.likeness // of the load, which comes down towards a car's roof
	p.solid(c.lighter(.45*(1-.7*p.likeness)), rect(.04, top, 1.2, .74))
	for _, x := range []float64{.33, .62, .91} {
		p.fill(c.darker(.12), rect(x-.012, top+.05, x+.012, .7))
	}
	cab := append(polygon{{1.22, .78}, {1.22, .26}}, bend(point{1.56, .26}, point{1.66, .27}, point{1.7, .48})...)
	p.solid(c, append(cab, bend(point{1.84, .5}, point{1.86, .52}, point{1.87, .78})...), rect(.04, .7, 1.3, .8))
	p.fill(rgb{188, 220, 238}, append(polygon{{1.32, .5}, {1.32, .33}}, bend(point{1.5, .33}, point{1.58, .34}, point{1.62, .5})...))
	p.fill(rgb{255, 240, 160}, ellipse(1.81, .6, .05, .05))
	for _, x := range []float64{.38, 1.48} {
		p.fill(rgb{30, 30, 34}, circle(x, .8, .19))
		p.fill(rgb{196, 200, 206}, circle(x, .8, .09))
		p.fill(rgb{90, 92, 98}, circle(x, .8, .035))
	}
}
