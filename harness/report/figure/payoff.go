package figure

import (
	"cmp"
	"math"

	"candor/scoring"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Payoff is what was earned under a grid of payoffs of one rule, by rising
// threshold, and below it what was lost to what.
type Payoff struct {
	Title string
	Rule  string
	AsIf  string // under what the answers were really given
	Curve []scoring.Honesty
	Own   *float64 // threshold that they were given under; nil if it was another rule's
}

// Figure is the rewards above, and the losses below them.
func (f Payoff) Figure() Figure {
	caption := f.AsIf + ". Had the payoff for abstaining been another, the same answers would have earned this, and lost that much to miscalibration, " +
		"to abstaining too seldom and to malformed replies, by a map fitted to these very answers (optimistic)."
	if f.intervals() {
		caption += " Shaded above: the 95 % interval of what was earned; below: the middle 95 % of resamples, each with a map of its own."
	}
	return Figure{
		Name: "payoff-" + f.Rule, Title: cmp.Or(f.Title, "Payoff curve, "+f.Rule+" rule"), Caption: caption, width: 380, height: 440,
		draw: func(c draw.Canvas) { stacked(c, f.rewards(), f.losses(), .4) },
	}
}

func (f Payoff) intervals() bool {
	for _, h := range f.Curve {
		if h.CI["r0"] != nil {
			return true
		}
	}
	return false
}

// curve is one figure along the thresholds, with its interval or spread.
type curve struct{ line, lower, upper []xy }

func (f Payoff) curve(key string, value func(scoring.Honesty) *float64) (out curve) {
	for _, h := range f.Curve {
		v := value(h)
		if v == nil {
			continue
		}
		out.line = append(out.line, xy{h.Threshold, *v})
		if i := cmp.Or(h.CI[key], h.Spread[key]); i != nil {
			out.lower, out.upper = append(out.lower, xy{h.Threshold, i[0]}), append(out.upper, xy{h.Threshold, i[1]})
		}
	}
	return out
}

// stretch widens a range to hold all that is drawn.
func (c curve) stretch(lo, hi *float64) {
	for _, points := range [][]xy{c.line, c.lower, c.upper} {
		for _, p := range points {
			*lo, *hi = min(*lo, p.y), max(*hi, p.y)
		}
	}
}

func (f Payoff) rewards() *plot.Plot {
	p := thresholds("", "mean reward, as if")
	played := f.curve("r0", func(h scoring.Honesty) *float64 { return h.R0 })
	own := f.curve("own_confidence", func(h scoring.Honesty) *float64 { return h.OwnConfidence })
	oracle := f.curve("oracle", func(h scoring.Honesty) *float64 { return h.Oracle })
	lo, hi := math.Inf(1), 1.0
	played.stretch(&lo, &hi)
	curve{line: own.line}.stretch(&lo, &hi)
	if math.IsInf(lo, 1) {
		lo = 0
	}
	p.Y.Max = hi
	p.Y.Min = math.Floor(lo*50)/50 - .35*(1-lo) // room below for the legend
	p.Y.Tick.Marker = ratesFrom(p.Y.Min, 1)
	if f.Own != nil {
		given := stroke(faint, 1, 4, 3)
		p.Add(given.curve([]xy{{*f.Own, p.Y.Min}, {*f.Own, p.Y.Max}}))
		p.Legend.Add("given under", given)
	}
	p.Add(swatch{fill: faded(model, veil)}.between(played.lower, played.upper))
	for _, s := range []struct {
		curve
		name string
		look swatch
	}{
		{played, "as played", stroke(model, 1.8)},
		{own, "abstaining by own confidence", stroke(ink, 1.2, 1, 2)},
		{oracle, "oracle", stroke(better, 1.4, 5, 2)},
	} {
		p.Add(s.look.curve(s.line))
		p.Legend.Add(s.name, s.look)
	}
	p.Legend.Left = true
	p.Legend.XOffs, p.Legend.YOffs = vg.Points(6), vg.Points(4)
	return p
}

// losses is the regret split.
func (f Payoff) losses() *plot.Plot {
	p := thresholds("belief above which a verdict beats ABSTAIN", "reward lost")
	lo, hi := 0.0, .001
	for _, s := range []struct {
		curve
		name string
		fill swatch
		look swatch
	}{
		{f.curve("format", func(h scoring.Honesty) *float64 { return h.Format }), "to format", swatch{fill: faded(third, veil)}, stroke(third, 1.4, 1, 2)},
		{f.curve("abstention_policy", func(h scoring.Honesty) *float64 { return h.AbstentionPolicy }), "to abstention policy", swatch{fill: faded(second, veil)}, stroke(second, 1.4, 5, 2)},
		{f.curve("miscalibration", func(h scoring.Honesty) *float64 { return h.Miscalibration }), "to miscalibration", swatch{fill: faded(worse, veil)}, stroke(worse, 1.8)},
	} {
		s.stretch(&lo, &hi)
		p.Add(s.fill.between(s.lower, s.upper), s.look.curve(s.line))
		p.Legend.Add(s.name, s.look)
	}
	p.Y.Min, p.Y.Max = lo, hi+.45*(hi-lo) // room above for the legend
	p.Y.Tick.Marker = ratesFrom(p.Y.Min, p.Y.Max)
	p.Legend.Top, p.Legend.Left = true, true
	p.Legend.XOffs, p.Legend.YOffs = vg.Points(6), vg.Points(-2)
	return p
}

// thresholds is a plot over the grid of payoffs.
func thresholds(x, y string) *plot.Plot {
	p := newPlot(x, y)
	p.X.Min, p.X.Max = .55, .975
	p.X.Tick.Marker = plot.ConstantTicks{{Value: .6, Label: "0.6"}, {Value: .7, Label: "0.7"}, {Value: .8, Label: "0.8"}, {Value: .9, Label: "0.9"}}
	return p
}
