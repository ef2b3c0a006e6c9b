package scene

import "math"

// poly is a polygon of x, y pairs.
func poly(xy ...float64) polygon {
	out := make(polygon, len(xy)/2)
	for i := range out {
		out[i] = point{xy[2*i], xy[2*i+1]}
	}
	return out
}

func rect(x0, y0, x1, y1 float64) polygon { return poly(x0, y0, x1, y0, x1, y1, x0, y1) }

func circle(cx, cy, r float64) polygon { return ellipse(cx, cy, r, r) }

func ellipse(cx, cy, rx, ry float64) polygon {
	return arc(cx, cy, rx, ry, 0, 360)[1:]
}

// arc is the points of an ellipse from one angle to another, in degrees
// clockwise from the right.
func arc(cx, cy, rx, ry, from, to float64) polygon {
	return arcOf(max(4, int(math.Ceil(math.Abs(to-from)/9))), cx, cy, rx, ry, from, to)
}

// arcOf is an arc of n pieces.
func arcOf(n int, cx, cy, rx, ry, from, to float64) polygon {
	out := make(polygon, n+1)
	for i := range out {
		sin, cos := math.Sincos((from + (to-from)*float64(i)/float64(n)) * math.Pi / 180)
		out[i] = point{cx + float64(rx*cos), cy + float64(ry*sin)}
	}
	return out
}

// wedge is a slice of a disc.
func wedge(cx, cy, r, from, to float64) polygon {
	return append(arc(cx, cy, r, r, from, to), point{cx, cy})
}

// rounded is a rectangle with round corners.
func rounded(x0, y0, x1, y1, r float64) polygon {
	var out polygon
	out = append(out, arc(x1-r, y0+r, r, r, -90, 0)...)
	out = append(out, arc(x1-r, y1-r, r, r, 0, 90)...)
	out = append(out, arc(x0+r, y1-r, r, r, 90, 180)...)
	return append(out, arc(x0+r, y0+r, r, r, 180, 270)...)
}

// bend is a quadratic Bézier curve.
func bend(a, ctrl, b point) polygon {
	const n = 12
	out := make(polygon, n+1)
	for i := range out {
		t := float64(i) / n
		u := 1 - t
		out[i] = point{
			float64(u*u*a.x) + float64(2*u*t*ctrl.x) + float64(t*t*b.x),
			float64(u*u*a.y) + float64(2*u*t*ctrl.y) + float64(t*t*b.y),
		}
	}
	return out
}

// spikes is a star of n points.
func spikes(cx, cy, outer, inner float64, n int) polygon {
	out := make(polygon, 2*n)
	for i := range out {
		r := outer
		if i%2 == 1 {
			r = inner
		}
		sin, cos := math.Sincos(math.Pi*float64(i)/float64(n) - math.Pi/2)
		out[i] = point{cx + float64(r*cos), cy + float64(r*sin)}
	}
	return out
}
