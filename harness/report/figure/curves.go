package figure

import (
	"cmp"
	"fmt"
	"math"
	"strconv"

	"candor/scoring"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
)

// RiskCoverage is what errors cost who believes only the most confident
// answers. Coverage is counted over all tasks, so that the curve ends where the
// model itself stopped answering.
type RiskCoverage struct {
	Title    string
	Answered float64             // share of all tasks
	Model    []scoring.RiskPoint // coverage over the answered
	Best     []scoring.RiskPoint // the same answers in the best order
	Error    float64             // rate over all the answered
	Sure     *scoring.RiskPoint  // answers whose confidence says that answering pays; nil for none
	Payoff   string              // what says so, for the legend
}

// Figure is the curve.
func (r RiskCoverage) Figure() Figure {
	p := newPlot("share of all tasks answered", "errors among them")
	p.X.Min, p.X.Max = 0, 1
	line, best, chance := stroke(model, 1.8), stroke(better, 1.4, 5, 2), stroke(faint, 1.2, 1, 2)
	scaled := func(points []scoring.RiskPoint) []xy {
		out := make([]xy, len(points))
		for i, q := range points {
			out[i] = xy{q.Coverage * r.Answered, q.Risk}
			p.Y.Max = max(p.Y.Max, q.Risk)
		}
		return out
	}
	p.Y.Min, p.Y.Max = 0, 0
	curve, oracle := scaled(r.Model), scaled(r.Best)
	// Room above for the legend.
	p.Y.Max = min(max(1.75*p.Y.Max, .02), 1.4)
	p.Y.Tick.Marker = rates(p.Y.Max)
	p.X.Tick.Marker = tenths(0)
	p.Add(chance.curve([]xy{{0, r.Error}, {r.Answered, r.Error}}), best.curve(oracle), line.curve(curve))
	p.Legend.Add("most confident first", line)
	p.Legend.Add("best order (oracle)", best)
	p.Legend.Add("random order", chance)
	if r.Sure != nil {
		p.Add(dot(xy{r.Sure.Coverage * r.Answered, r.Sure.Risk}, 6, second, true))
		p.Legend.Add("where its confidence says so", mark{second, true})
	}
	if len(curve) > 0 {
		p.Add(dot(xy{r.Answered, r.Error}, 4, model, false))
		p.Legend.Add("where the model abstains", mark{model, false})
	}
	p.Legend.Top, p.Legend.Left = true, true
	p.Legend.XOffs, p.Legend.YOffs = vg.Points(6), vg.Points(-2)
	return single(p, Figure{
		Name: "risk-coverage", Title: cmp.Or(r.Title, "Risk against coverage"),
		Caption: "Errors among the answers if only the most confident are kept; equal confidences in random order. " +
			"The filled dot ends the curve: beyond it the model abstained or was malformed. The hollow one is where " + cmp.Or(r.Payoff, "its own confidence") +
			" would have had it stop. A curve near the dotted line ranks no better than chance.",
	})
}

// Payoff is what was earned and what honesty would have earned under a grid of
// payoffs of one rule, by rising threshold.
type Payoff struct {
	Title string
	Rule  string
	AsIf  string // under what the answers were really given
	Curve []scoring.Honesty
	Own   *float64 // threshold that they were given under; nil if it was another rule's
}

// Figure is the curves with the regret split between them.
func (f Payoff) Figure() Figure {
	p := newPlot("belief above which a verdict pays better than ABSTAIN", "mean reward, as if")
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = .55, .975, math.Inf(1), 1
	series := map[string][]xy{}
	for _, h := range f.Curve {
		for name, v := range map[string]*float64{"r0": h.R0, "r1": h.R1, "r2": h.R2, "r3": h.R3, "own": h.OwnConfidence, "oracle": h.Oracle} {
			if v != nil {
				series[name] = append(series[name], xy{h.Threshold, *v})
				p.Y.Min = min(p.Y.Min, *v)
			}
		}
	}
	if math.IsInf(p.Y.Min, 1) {
		p.Y.Min = 0
	}
	p.Y.Min = math.Floor(p.Y.Min*50)/50 - .3*(1-p.Y.Min) // room below for the legend
	p.Y.Tick.Marker = ratesFrom(p.Y.Min, 1)
	p.X.Tick.Marker = plot.ConstantTicks{{Value: .6, Label: "0.6"}, {Value: .7, Label: "0.7"}, {Value: .8, Label: "0.8"}, {Value: .9, Label: "0.9"}}
	if f.Own != nil {
		own := stroke(faint, 1, 4, 3)
		p.Add(own.curve([]xy{{*f.Own, p.Y.Min}, {*f.Own, p.Y.Max}}))
		p.Legend.Add("given under", own)
	}
	for _, s := range []struct {
		lower, upper, name string
		look               swatch
	}{
		{"r2", "r3", "lost to format", swatch{fill: thin(third)}},
		{"r1", "r2", "lost to abstention policy", swatch{fill: thin(second)}},
		{"r0", "r1", "lost to miscalibration", swatch{fill: thin(worse)}},
	} {
		p.Add(s.look.between(series[s.lower], series[s.upper]))
		p.Legend.Add(s.name, s.look)
	}
	for _, s := range []struct {
		key, name string
		look      swatch
	}{
		{"r0", "as played", stroke(model, 1.8)},
		{"own", "abstaining by own confidence", stroke(ink, 1.2, 1, 2)},
		{"oracle", "oracle", stroke(better, 1.4, 5, 2)},
	} {
		p.Add(s.look.curve(series[s.key]))
		p.Legend.Add(s.name, s.look)
	}
	p.Legend.Top, p.Legend.Left = false, true
	p.Legend.XOffs, p.Legend.YOffs = vg.Points(6), vg.Points(4)
	return single(p, Figure{
		Name: "payoff-" + f.Rule, Title: cmp.Or(f.Title, "Payoff curve, "+f.Rule+" rule"), height: 320,
		Caption: f.AsIf + ". Had the payoff for abstaining been another, the same answers would have earned this. " +
			"The shaded parts are what was lost to miscalibration, to abstaining too seldom and to malformed replies, by a map fitted to these very answers (optimistic).",
	})
}

// ratesFrom are about five ticks over a range.
func ratesFrom(lo, hi float64) plot.Ticker {
	step := niceStep((hi - lo) / 5)
	var ticks plot.ConstantTicks
	for i := math.Ceil(lo/step - 1e-9); i*step <= hi+1e-9; i++ {
		ticks = append(ticks, plot.Tick{Value: i * step, Label: decimal(i * step)})
	}
	return ticks
}

func rates(hi float64) plot.Ticker { return ratesFrom(0, hi) }

// niceStep is the next of 1, 2 and 5 times a power of ten.
func niceStep(x float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(x)))
	for _, m := range []float64{1, 2, 5} {
		if m*power >= x*(1-1e-9) {
			return m * power
		}
	}
	return 10 * power
}

func decimal(x float64) string {
	return strconv.FormatFloat(math.Round(x*1e6)/1e6+0, 'g', -1, 64) // −0 becomes 0
}

func whole(x float64) string { return fmt.Sprintf("%.0f", x) }
