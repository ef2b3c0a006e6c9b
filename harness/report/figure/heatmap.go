package figure

import (
	"fmt"
	"math"

	"candor/scoring"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// HeatMap is one value for each pair of two things: a grid whose cells hold the
// value and its interval, and are the darker the greater it is.
type HeatMap struct {
	Name, Title, Caption string
	X, Y                 string   // what the columns and the rows are values of
	Columns, Rows        []string // those values
	Cells                [][]Cell // by row, then column
}

// Cell is a value; a nil one is undefined, or has no run.
type Cell struct {
	Value    *float64
	Interval *scoring.Interval
}

const (
	cellHeight = 34
	leastCell  = 62 // the least width of a cell
	heatTop    = 34 // above the cells
)

// Figure is the grid.
func (h HeatMap) Figure() Figure {
	label := style(textSize - 1)
	left := vg.Length(0)
	for _, row := range h.Rows {
		left = max(left, label.Width(row))
	}
	left = min(max(left, label.Width(h.Y)), 130) + 12
	cell := max((380-left)/vg.Length(max(1, len(h.Columns))), leastCell)
	f := Figure{Name: h.Name, Title: h.Title, Caption: h.Caption, width: left + cell*vg.Length(len(h.Columns)) + 2, height: heatTop + cellHeight*vg.Length(len(h.Rows)) + 4}
	f.draw = func(c draw.Canvas) {
		top := c.Max.Y - heatTop
		write(c, label, left/2-6, c.Max.Y-26, h.Y, text.XCenter, left-6)
		write(c, label, (left+c.Max.X)/2, c.Max.Y-10, h.X, text.XCenter, c.Max.X-left)
		for j, name := range h.Columns {
			write(c, label, left+cell*(vg.Length(j)+.5), c.Max.Y-26, name, text.XCenter, cell-4)
		}
		lo, hi := h.span()
		for i, name := range h.Rows {
			y := top - cellHeight*vg.Length(i+1)
			write(c, label, left-8, y+cellHeight/2-3, name, text.XRight, left-10)
			for j := range h.Columns {
				h.cell(c, left+cell*vg.Length(j), y, cell, h.Cells[i][j], lo, hi)
			}
		}
	}
	return f
}

func (h HeatMap) cell(c draw.Canvas, x, y, width vg.Length, v Cell, lo, hi float64) {
	const gap = 1
	corners := []vg.Point{{X: x + gap, Y: y + gap}, {X: x + width - gap, Y: y + gap}, {X: x + width - gap, Y: y + cellHeight - gap}, {X: x + gap, Y: y + cellHeight - gap}}
	if v.Value == nil {
		write(c, style(textSize-1), x+width/2, y+cellHeight/2-3, "–", text.XCenter, width)
		return
	}
	levels := heat()
	level := len(levels) / 2
	if hi > lo {
		level = int(math.Round((*v.Value - lo) / (hi - lo) * float64(len(levels)-1)))
	}
	c.FillPolygon(faded(model, levels[level]), corners)
	at := y + cellHeight/2 - 3
	if v.Interval != nil {
		at += 5
		write(c, style(textSize-3), x+width/2, y+6, fmt.Sprintf("%.3f – %.3f", v.Interval[0], v.Interval[1]), text.XCenter, width-2)
	}
	write(c, style(textSize), x+width/2, at, fmt.Sprintf("%.4f", *v.Value), text.XCenter, width-2)
}

// span is the least and the greatest value.
func (h HeatMap) span() (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, row := range h.Cells {
		for _, v := range row {
			if v.Value != nil {
				lo, hi = min(lo, *v.Value), max(hi, *v.Value)
			}
		}
	}
	return lo, hi
}

// write puts a text on the canvas, cut to the room that it has.
func write(c draw.Canvas, s text.Style, x, y vg.Length, words string, align text.XAlignment, room vg.Length) {
	s.XAlign, s.YAlign = align, text.YBottom
	c.FillText(s, vg.Point{X: x, Y: y}, fit(s, words, room))
}

// fit cuts a text to the room that it has; other fonts than ours may be wider.
func fit(s text.Style, words string, room vg.Length) string {
	runes := []rune(words)
	for n := len(runes); n > 0 && s.Width(words) > .94*room; n-- {
		words = string(runes[:n-1]) + "…"
	}
	return words
}
