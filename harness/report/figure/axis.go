package figure

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Axis is how a value goes along one axis of a grid: a dot for each cell with
// its interval, those that are equal in all else joined.
type Axis struct {
	Name, Title, Caption string
	X, Y                 string   // the axis and the value
	Values               []string // along the axis
	Lines                []Line
	Low, High            float64 // of the value, shared by the figures beside each other; equal: its own
}

// Line is the cells that are equal in all but one axis.
type Line struct {
	Name  string // what they have in common
	Cells []Cell // one to each value of the axis
}

// mostNamed bounds the lines that get a look of their own.
const mostNamed = 5

// Figure is the axis.
func (a Axis) Figure() Figure {
	p := newPlot(a.X, a.Y)
	p.X.Min, p.X.Max = -.5, float64(len(a.Values))-.5
	p.Y.Min, p.Y.Max = a.Low, a.High
	if a.Low >= a.High {
		p.Y.Min, p.Y.Max = a.Span()
	}
	named := len(a.Lines) > 1 && len(a.Lines) <= mostNamed
	if named {
		p.Y.Max += float64(len(a.Lines)) * .055 * (p.Y.Max - p.Y.Min) // room above for the legend
	}
	var ticks plot.ConstantTicks
	for i, v := range a.Values {
		ticks = append(ticks, plot.Tick{Value: float64(i), Label: fit(style(textSize-1), v, 320/vg.Length(len(a.Values)))})
	}
	p.X.Tick.Marker, p.Y.Tick.Marker = ticks, ratesFrom(p.Y.Min, p.Y.Max)
	looks := []swatch{stroke(model, 1.6), stroke(second, 1.6, 5, 2), stroke(third, 1.6, 1, 2), stroke(better, 1.6, 8, 2, 1, 2), stroke(worse, 1.6, 3, 1)}
	for i, l := range a.Lines {
		look := stroke(faint, .8)
		if named || len(a.Lines) == 1 {
			look = looks[i]
		}
		p.Add(l.plotter(look, .5*(float64(i)+.5)/float64(len(a.Lines))-.25))
		if named {
			p.Legend.Add(fit(style(textSize-1), l.Name, 280), look)
		}
	}
	p.Legend.Top, p.Legend.Left = true, true
	p.Legend.XOffs, p.Legend.YOffs = vg.Points(6), vg.Points(-2)
	return single(p, Figure{Name: a.Name, Title: a.Title, Caption: a.Caption})
}

// plotter draws a line, so far to the side that lines do not hide each other.
func (l Line) plotter(look swatch, aside float64) plotter {
	return func(c draw.Canvas, at func(x, y float64) vg.Point) {
		dots := look.line.Color
		if dots == faint {
			dots = model
		}
		var before *vg.Point
		for i, v := range l.Cells {
			if v.Value == nil {
				before = nil
				continue
			}
			x := float64(i) + aside
			where := at(x, *v.Value)
			if before != nil {
				c.StrokeLine2(look.line, before.X, before.Y, where.X, where.Y)
			}
			before = &where
			if v.Interval != nil {
				from, to := at(x, v.Interval[0]), at(x, v.Interval[1])
				c.StrokeLine2(draw.LineStyle{Color: dots, Width: vg.Points(.8)}, from.X, from.Y, to.X, to.Y)
			}
		}
		for i, v := range l.Cells {
			if v.Value != nil {
				dot(xy{float64(i) + aside, *v.Value}, 3, dots, false)(c, at)
			}
		}
	}
}

// Span holds all that the axis shows.
func (a Axis) Span() (lo, hi float64) {
	rows := Intervals{}
	for _, l := range a.Lines {
		for _, v := range l.Cells {
			rows.Rows = append(rows.Rows, Interval{Value: v.Value, Inner: v.Interval})
		}
	}
	return rows.span()
}
