package figure

import (
	"cmp"
	"math"

	"candor/scoring"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Intervals are values with their intervals, one below the other, each under
// its name.
type Intervals struct {
	Name, Title, Caption string
	Axis                 string // what the values are
	Zero                 bool   // a line where there is no difference
	Rows                 []Interval
}

// Interval is one value. Outer holds for all rows at once; both may be missing.
type Interval struct {
	Name         string
	Value        *float64
	Inner, Outer *scoring.Interval
}

const rowHeight = 25

// Figure is the rows, the first at the top.
func (f Intervals) Figure() Figure {
	p := newPlot(f.Axis, "")
	p.HideY()
	p.X.Min, p.X.Max = f.span()
	p.Y.Min, p.Y.Max = 0, float64(len(f.Rows))
	p.X.Tick.Marker = ratesFrom(p.X.Min, p.X.Max)
	if f.Zero {
		p.Add(stroke(faint, 1, 4, 3).curve([]xy{{0, 0}, {0, p.Y.Max}}))
	}
	p.Add(plotter(func(c draw.Canvas, at func(x, y float64) vg.Point) {
		for i, r := range f.Rows {
			r.draw(c, func(x float64) vg.Point { return at(x, p.Y.Max-float64(i)-.72) })
		}
	}))
	out := single(p, Figure{Name: f.Name, Title: f.Title, Caption: f.Caption, height: rowHeight*vg.Length(len(f.Rows)) + 40})
	out.draw = func(c draw.Canvas) { p.Draw(draw.Crop(c, 12, -12, 0, -6)) } // room for half a tick's label
	return out
}

func (r Interval) draw(c draw.Canvas, at func(x float64) vg.Point) {
	write(c, style(textSize-1), c.Min.X+2, at(0).Y+7, r.Name, text.XLeft, c.Max.X-c.Min.X-4)
	for _, i := range []struct {
		*scoring.Interval
		width float64
	}{{r.Outer, 1}, {r.Inner, 3.2}} {
		if i.Interval == nil {
			continue
		}
		from, to := at(i.Interval[0]), at(i.Interval[1])
		c.StrokeLine2(draw.LineStyle{Color: model, Width: vg.Points(i.width)}, from.X, from.Y, to.X, to.Y)
		if i.width < 2 {
			for _, end := range []vg.Point{from, to} {
				c.StrokeLine2(draw.LineStyle{Color: model, Width: vg.Points(1)}, end.X, end.Y-3, end.X, end.Y+3)
			}
		}
	}
	if r.Value != nil {
		where := at(*r.Value)
		c.DrawGlyphNoClip(draw.GlyphStyle{Color: model, Radius: vg.Points(4), Shape: draw.CircleGlyph{}}, where)
		c.DrawGlyphNoClip(draw.GlyphStyle{Color: paper, Radius: vg.Points(2.4), Shape: draw.CircleGlyph{}}, where)
	}
}

// span holds all that is drawn, with some room.
func (f Intervals) span() (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	take := func(x float64) { lo, hi = min(lo, x), max(hi, x) }
	if f.Zero {
		take(0)
	}
	for _, r := range f.Rows {
		if r.Value != nil {
			take(*r.Value)
		}
		for _, i := range []*scoring.Interval{r.Inner, r.Outer} {
			if i != nil {
				take(i[0])
				take(i[1])
			}
		}
	}
	return roomy(lo, hi)
}

// roomy is a range a little wider, and never empty.
func roomy(lo, hi float64) (float64, float64) {
	if lo > hi {
		return 0, 1
	}
	room := cmp.Or(.06*(hi-lo), .001)
	return lo - room, hi + room
}
