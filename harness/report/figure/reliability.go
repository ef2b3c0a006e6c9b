package figure

import (
	"cmp"
	"math"
	"slices"

	"candor/scoring"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Reliability is how often confidences are right: the CORP curve with its
// consistency band, the bins of the ECE, and below them how often each
// confidence is stated.
type Reliability struct {
	Name  string // "": "reliability"
	Title string
	Curve []scoring.CurvePoint
	Band  []scoring.BandPoint // with a lower and an upper quantile; may be empty
	Bins  []scoring.Bin
}

// mostSpikes bounds the distinct confidences that get a spike of their own; of
// more, those stated most often have theirs.
const mostSpikes = 2000

// Figure is the diagram.
func (r Reliability) Figure() Figure {
	return Figure{
		Name: cmp.Or(r.Name, "reliability"), Title: cmp.Or(r.Title, "Reliability diagram"), width: 380, height: 400,
		Caption: "How often answers are right, against the confidence they state. On the diagonal is honest; below it overconfident. " +
			"The shaded band is where 90 % of the curves of a perfectly calibrated model with these confidences lie, point by point. " +
			"Gap bars: the bins of the ECE, each from its mean confidence to its accuracy. Below: how often each distinct confidence is stated (logarithmic).",
		draw: func(c draw.Canvas) {
			lo := r.low()
			stacked(c, r.diagram(lo), r.counts(lo), .26)
		},
	}
}

// low is where both axes begin: at ½ or, where anything lies below, at a
// multiple of a tenth below that. The band may be wide where little is stated,
// and is cut there.
func (r Reliability) low() float64 {
	lo := .5
	for _, p := range r.Curve {
		lo = min(lo, p.Forecast, p.Estimate)
	}
	for _, b := range r.Bins {
		lo = min(lo, b.Accuracy)
	}
	return max(0, math.Floor(lo*10)/10)
}

func (r Reliability) diagram(lo float64) *plot.Plot {
	p := newPlot("", "share right")
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = lo, 1, lo, 1
	p.X.Tick.Marker, p.Y.Tick.Marker = tenths(lo), tenths(lo)
	diagonal, gap, corp := stroke(faint, 1, 4, 3), swatch{fill: thin(worse)}, stroke(model, 1.8)
	if len(r.Band) > 0 {
		s := swatch{fill: band}
		var lower, upper []xy
		for _, b := range r.Band {
			lower, upper = append(lower, xy{b.Forecast, b.Quantiles[0]}), append(upper, xy{b.Forecast, b.Quantiles[1]})
		}
		p.Add(s.between(lower, upper))
		p.Legend.Add("calibrated, 90 %", s)
	}
	p.Add(diagonal.curve([]xy{{0, 0}, {1, 1}}))
	for _, b := range r.Bins {
		p.Add(gapBar(b, gap))
	}
	p.Legend.Add("gap of a bin", gap)
	var line []xy
	for _, q := range r.Curve {
		line = append(line, xy{q.Forecast, q.Estimate})
	}
	p.Add(corp.curve(line))
	if len(line) <= 60 {
		for _, q := range line {
			p.Add(dot(q, 2, model, false))
		}
	}
	p.Legend.Add("right as stated (CORP)", corp)
	p.Legend.Top, p.Legend.Left = true, true
	p.Legend.XOffs, p.Legend.YOffs = vg.Points(6), vg.Points(-4)
	return p
}

// gapBar stands at a bin's mean confidence, from there to its accuracy.
func gapBar(b scoring.Bin, s swatch) plotter {
	return func(c draw.Canvas, at func(x, y float64) vg.Point) {
		from, to := at(b.Confidence, b.Confidence), at(b.Confidence, b.Accuracy)
		const half = 4
		c.FillPolygon(s.fill, c.ClipPolygonXY([]vg.Point{{X: from.X - half, Y: from.Y}, {X: from.X + half, Y: from.Y}, {X: to.X + half, Y: to.Y}, {X: to.X - half, Y: to.Y}}))
		c.StrokeLine2(draw.LineStyle{Color: worse, Width: vg.Points(1.2)}, max(c.Min.X, to.X-half), to.Y, min(c.Max.X, to.X+half), to.Y)
	}
}

// counts has a spike for each confidence, however rare beside the others: its
// scale is logarithmic, from half a task on.
func (r Reliability) counts(lo float64) *plot.Plot {
	p := newPlot("stated confidence", "answers")
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = lo, 1, .5, 2
	spikes := slices.Clone(r.Curve)
	if len(spikes) > mostSpikes {
		slices.SortStableFunc(spikes, func(a, b scoring.CurvePoint) int { return cmp.Compare(b.N, a.N) })
		spikes = spikes[:mostSpikes]
	}
	for _, q := range spikes {
		p.Y.Max = max(p.Y.Max, 1.3*float64(q.N))
	}
	p.Y.Scale = plot.LogScale{}
	p.X.Tick.Marker, p.Y.Tick.Marker = tenths(lo), powers(p.Y.Max)
	width := 2.4
	if len(spikes) > 60 {
		width = .8
	}
	p.Add(plotter(func(c draw.Canvas, at func(x, y float64) vg.Point) {
		for _, q := range spikes {
			foot, tip := at(q.Forecast, .5), at(q.Forecast, float64(q.N))
			c.StrokeLine2(draw.LineStyle{Color: model, Width: vg.Points(width)}, foot.X, foot.Y, tip.X, tip.Y)
		}
	}))
	return p
}

// tenths are ticks at the tenths from lo to 1, labelled so that they do not
// crowd.
func tenths(lo float64) plot.Ticker {
	var ticks plot.ConstantTicks
	first := int(math.Round(lo * 10))
	for i := first; i <= 10; i++ {
		t := plot.Tick{Value: float64(i) / 10}
		if (10-i)%2 == 0 || first >= 5 {
			t.Label = decimal(t.Value)
		}
		ticks = append(ticks, t)
	}
	return ticks
}

// powers are ticks at the powers of ten below a bound.
func powers(below float64) plot.Ticker {
	var ticks plot.ConstantTicks
	for v := 1.0; v <= below; v *= 10 {
		ticks = append(ticks, plot.Tick{Value: v, Label: whole(v)})
	}
	return ticks
}
