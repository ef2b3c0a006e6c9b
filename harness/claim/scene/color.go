package scene

// rgb is a colour, 0 to 255 each.
type rgb [3]int

func (c rgb) darker(share float64) rgb  { return c.mix(rgb{}, share) }
func (c rgb) lighter(share float64) rgb { return c.mix(rgb{255, 255, 255}, share) }

// mix goes a share of the way to another colour.
func (c rgb) mix(to rgb, share float64) rgb {
	w := int(share*256 + .5)
	for i := range c {
		c[i] = (c[i]*(256-w) + to[i]*w) >> 8
	}
	return c
}

func (c rgb) plus(d rgb) rgb {
	for i := range c {
		c[i] = min(max(c[i]+d[i], 0), 255)
	}
	return c
}

// apart is the distance of two colours, the sum over channels.
func (c rgb) apart(d rgb) int {
	sum := 0
	for i := range c {
		sum += max(c[i]-d[i], d[i]-c[i])
	}
	return sum
}

// Colors lists the names of the objects' colours.
func Colors() []string {
	var names []string
	for _, c := range palette() {
		names = append(names, c.name)
	}
	return names
}

type named struct {
	name  string
	color rgb
}

func palette() []named {
	return []named{
		{"red", rgb{214, 40, 46}}, {"orange", rgb{242, 133, 32}}, {"yellow", rgb{247, 207, 50}},
		{"green", rgb{52, 152, 66}}, {"teal", rgb{28, 150, 160}}, {"blue", rgb{44, 98, 206}},
		{"purple", rgb{126, 66, 176}}, {"pink", rgb{240, 130, 176}}, {"brown", rgb{136, 88, 48}},
		{"white", rgb{246, 246, 242}}, {"gray", rgb{140, 144, 150}}, {"black", rgb{42, 42, 46}},
	}
}

// colorNamed is gray for a name that is none.
func colorNamed(name string) rgb {
	for _, c := range palette() {
		if c.name == name {
			return c.color
		}
	}
	return rgb{140, 144, 150}
}
