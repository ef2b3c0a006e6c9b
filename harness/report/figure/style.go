package figure

import (
	"fmt"
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Role is what a colour stands for.
type Role struct {
	Name  string
	Color color.NRGBA
}

// The colours, all different so that a page can tell them apart. They were
// chosen to differ in lightness as well as in hue.
var (
	ink    = color.NRGBA{0x24, 0x29, 0x2E, 0xFF} // text and axes
	faint  = color.NRGBA{0x8B, 0x94, 0x9E, 0xFF} // what one compares with
	model  = color.NRGBA{0x0B, 0x5C, 0xAD, 0xFF} // what was measured
	better = color.NRGBA{0x1A, 0x7F, 0x37, 0xFF} // what could have been
	worse  = color.NRGBA{0xC7, 0x3E, 0x1D, 0xFF} // what was lost
	band   = color.NRGBA{0xD5, 0xDF, 0xEA, 0xFF} // what luck explains
	second = color.NRGBA{0xB3, 0x6B, 0x00, 0xFF} // a second measured thing
	third  = color.NRGBA{0x7A, 0x3E, 0x9D, 0xFF} // a third
	paper  = color.NRGBA{0xFF, 0xFF, 0xFE, 0xFF} // inside hollow marks
)

// Roles are the colours that a page may set anew, as --figure-NAME.
func Roles() []Role {
	return []Role{{"ink", ink}, {"faint", faint}, {"model", model}, {"better", better}, {"worse", worse},
		{"band", band}, {"second", second}, {"third", third}, {"paper", paper}}
}

func hex(c color.NRGBA) string { return fmt.Sprintf("#%02X%02X%02X", c.R, c.G, c.B) }

// The opacities, of 255, of what is laid over other things.
const (
	shade = 100
	veil  = 48
)

// heat are the opacities of a heat map's cells, the least first.
func heat() []uint8 { return []uint8{10, 24, 40, 56, 72, 88, 104, 120, 136} }

func thin(c color.NRGBA) color.NRGBA               { c.A = shade; return c }
func faded(c color.NRGBA, alpha uint8) color.NRGBA { c.A = alpha; return c }

// fadedHex is how vgsvg writes a colour of that opacity: it undoes the
// multiplication by the opacity with a rounding error.
func fadedHex(c color.NRGBA, alpha uint8) string {
	r, g, b, a := faded(c, alpha).RGBA()
	undo := func(x uint32) int { return int(float64(x) * 255 / float64(a)) }
	return fmt.Sprintf("#%02X%02X%02X", undo(r), undo(g), undo(b))
}

const textSize = 11

// style is text of known widths in that size.
func style(size vg.Length) text.Style {
	handler := text.Plain{Fonts: font.NewCache(liberation.Collection())}
	return text.Style{Color: ink, Font: font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}, Handler: handler}
}

// newPlot is an empty plot in the style of all: no background, so that a page's
// shows, and a font of known widths.
func newPlot(x, y string) *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	p.TextHandler = style(textSize).Handler
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		was, label := a.Tick.Label, a.Label.TextStyle
		a.Tick.Label, a.Label.TextStyle = style(textSize-1), style(textSize)
		a.Tick.Label.XAlign, a.Tick.Label.YAlign = was.XAlign, was.YAlign
		a.Label.TextStyle.XAlign, a.Label.TextStyle.YAlign = label.XAlign, label.YAlign
		a.Label.TextStyle.Rotation = label.Rotation
		a.LineStyle = draw.LineStyle{Color: ink, Width: vg.Points(.7)}
		a.Tick.LineStyle = a.LineStyle
		a.Tick.Length = vg.Points(4)
		a.Padding = 0
	}
	p.X.Label.Text, p.Y.Label.Text = x, y
	legend := style(textSize - 1)
	legend.XAlign, legend.YAlign = p.Legend.TextStyle.XAlign, p.Legend.TextStyle.YAlign
	p.Legend.TextStyle = legend
	p.Legend.ThumbnailWidth = vg.Points(18)
	p.Legend.Padding = vg.Points(2)
	return p
}

// plotter draws on the data canvas of a plot.
type plotter func(c draw.Canvas, at func(x, y float64) vg.Point)

// Plot implements plot.Plotter.
func (d plotter) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	d(c, func(px, py float64) vg.Point { return vg.Point{X: x(px), Y: y(py)} })
}

// xy is a point in the data's own units.
type xy struct{ x, y float64 }

// swatch is how a thing looks in a plot and in its legend.
type swatch struct {
	line draw.LineStyle
	fill color.Color // nil: a line
}

func stroke(c color.Color, width float64, dashes ...vg.Length) swatch {
	return swatch{line: draw.LineStyle{Color: c, Width: vg.Points(width), Dashes: dashes}}
}

// Thumbnail implements plot.Thumbnailer.
func (s swatch) Thumbnail(c *draw.Canvas) {
	if s.fill != nil {
		c.FillPolygon(s.fill, []vg.Point{c.Min, {X: c.Min.X, Y: c.Max.Y}, c.Max, {X: c.Max.X, Y: c.Min.Y}})
		return
	}
	y := c.Center().Y
	c.StrokeLine2(s.line, c.Min.X, y, c.Max.X, y)
}

// curve draws points joined by straight lines, and nothing outside the axes.
func (s swatch) curve(points []xy) plotter {
	return func(c draw.Canvas, at func(x, y float64) vg.Point) {
		line := make([]vg.Point, len(points))
		for i, p := range points {
			line[i] = at(p.x, p.y)
		}
		c.StrokeLines(s.line, c.ClipLinesXY(line)...)
	}
}

// between fills what lies between two curves over the same x.
func (s swatch) between(lower, upper []xy) plotter {
	return func(c draw.Canvas, at func(x, y float64) vg.Point) {
		var outline []vg.Point
		for _, p := range lower {
			outline = append(outline, at(p.x, p.y))
		}
		for i := len(upper) - 1; i >= 0; i-- {
			outline = append(outline, at(upper[i].x, upper[i].y))
		}
		if clipped := c.ClipPolygonXY(outline); len(clipped) > 2 {
			c.FillPolygon(s.fill, clipped)
		}
	}
}

// dot marks a point: filled, or hollow.
func dot(p xy, radius float64, c color.Color, hollow bool) plotter {
	return func(canvas draw.Canvas, at func(x, y float64) vg.Point) {
		where := at(p.x, p.y)
		if !canvas.Contains(where) {
			return
		}
		canvas.DrawGlyphNoClip(draw.GlyphStyle{Color: c, Radius: vg.Points(radius), Shape: draw.CircleGlyph{}}, where)
		if hollow {
			canvas.DrawGlyphNoClip(draw.GlyphStyle{Color: paper, Radius: vg.Points(radius - 1.2), Shape: draw.CircleGlyph{}}, where)
		}
	}
}

// mark is a dot in a legend.
type mark struct {
	color  color.Color
	hollow bool
}

// Thumbnail implements plot.Thumbnailer.
func (m mark) Thumbnail(c *draw.Canvas) {
	c.DrawGlyphNoClip(draw.GlyphStyle{Color: m.color, Radius: vg.Points(3.5), Shape: draw.CircleGlyph{}}, c.Center())
	if m.hollow {
		c.DrawGlyphNoClip(draw.GlyphStyle{Color: paper, Radius: vg.Points(2.3), Shape: draw.CircleGlyph{}}, c.Center())
	}
}
