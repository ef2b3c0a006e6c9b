// Package figure draws what confidences are worth, of a run (a reliability
// diagram, a risk-coverage curve, payoff curves) and of many (a heat map, values
// along an axis, intervals below each other). A figure is a value that
// draws itself, always to the same bytes, as SVG, as PNG, or as SVG inside a
// page whose style sheet gives it colours for light and dark. Axes, scales and
// text are gonum/plot's; bands, gap bars and spikes are drawn on its canvas
// here, since it has no such plotters.
package figure

import (
	"bytes"
	"cmp"
	"fmt"
	"html"
	"io"
	"regexp"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Figure is a picture of figures, drawn on demand.
type Figure struct {
	Name    string // stem of its file: "reliability"
	Title   string // stands above it
	Caption string // how to read it

	width, height vg.Length
	draw          func(c draw.Canvas)
}

// SVG writes the figure as a file of its own, on white.
func (f Figure) SVG(w io.Writer) error {
	svg := f.svg()
	start := strings.Index(svg, "<svg")
	head := fmt.Sprintf(`<svg role="img" width="%gpt" height="%gpt" viewBox="0 0 %[1]g %[2]g" xmlns="http://www.w3.org/2000/svg">%s<rect width="100%%" height="100%%" fill="#FFFFFF"/>`,
		f.width.Points(), f.height.Points(), f.told())
	_, err := io.WriteString(w, svg[:start]+svgHead.ReplaceAllLiteralString(svg[start:], head))
	return err
}

// told is what a reader who does not see the figure is given of it.
func (f Figure) told() string {
	return "<title>" + html.EscapeString(f.Title) + "</title><desc>" + html.EscapeString(f.Caption) + "</desc>"
}

// Width is the width, in points, at which the text has its size.
func (f Figure) Width() float64 { return f.width.Points() }

// Inline is the figure as an element of an HTML page: as wide as there is room,
// its colours the style sheet's variables --figure-ROLE (see [Roles]), with the
// colours of the SVG file where a page sets none.
func (f Figure) Inline() string {
	svg := f.svg()
	svg = svg[strings.Index(svg, "<svg"):]
	head := fmt.Sprintf(`<svg class="figure" role="img" viewBox="0 0 %g %g" xmlns="http://www.w3.org/2000/svg">%s`,
		f.width.Points(), f.height.Points(), f.told())
	svg = svgHead.ReplaceAllLiteralString(svg, head)
	for _, role := range Roles() {
		variable := ":var(--figure-" + role.Name + "," + hex(role.Color) + ")"
		svg = strings.ReplaceAll(svg, ":"+hex(role.Color), variable)
		for _, alpha := range append(heat(), shade, veil) {
			svg = strings.ReplaceAll(svg, ":"+fadedHex(role.Color, alpha)+";fill-opacity", variable+";fill-opacity")
		}
	}
	return svg
}

// PNG writes the figure as an image, scale pixels to a point.
func (f Figure) PNG(w io.Writer, scale int) error {
	c := vgimg.NewWith(vgimg.UseWH(f.width, f.height), vgimg.UseDPI(72*scale))
	f.draw(draw.New(c))
	_, err := vgimg.PngCanvas{Canvas: c}.WriteTo(w)
	return err
}

// svgHead is the start tag as vgsvg writes it.
var svgHead = regexp.MustCompile(`(?s)^<svg[^>]*>`)

// svg is the figure as vgsvg writes it, with fonts that other systems have too.
func (f Figure) svg() string {
	c := vgsvg.New(f.width, f.height)
	f.draw(draw.New(c))
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		panic(err) // a bytes.Buffer takes everything
	}
	return strings.ReplaceAll(b.String(), "font-family:Liberation Sans;", "font-family:Liberation Sans,Arial,Helvetica,sans-serif;")
}

// single is a figure of one plot.
func single(p *plot.Plot, f Figure) Figure {
	f.width, f.height = cmp.Or(f.width, 380), cmp.Or(f.height, 280)
	f.draw = func(c draw.Canvas) { p.Draw(draw.Crop(c, 0, -10, 0, -6)) }
	return f
}

// stacked draws two plots above each other, the lower with that share of the
// height, so that their axes begin at one x.
func stacked(c draw.Canvas, upper, lower *plot.Plot, share vg.Length) {
	height := c.Max.Y - c.Min.Y
	above, below := draw.Crop(c, 0, -10, height*share, -6), draw.Crop(c, 0, -10, 0, -height*(1-share)-8)
	by := upper.DataCanvas(above).Min.X - lower.DataCanvas(below).Min.X
	if by > 0 {
		below = draw.Crop(below, by, 0, 0, 0)
	} else {
		above = draw.Crop(above, -by, 0, 0, 0)
	}
	upper.Draw(above)
	lower.Draw(below)
}
