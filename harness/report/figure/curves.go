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
	Name     string // "": "risk-coverage"
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
		Name: cmp.Or(r.Name, "risk-coverage"), Title: cmp.Or(r.Title, "Risk against coverage"),
		Caption: "Errors among the answers if only the most confident are kept; equal confidences in random order. " +
			"The filled dot ends the curve: beyond it the model abstained or was malformed. " + r.stop() +
			"A curve near the dotted line ranks no better than chance.",
	})
}

func (r RiskCoverage) stop() string {
	if r.Sure == nil {
		return ""
	}
	return "The hollow one is where " + cmp.Or(r.Payoff, "its own confidence") + " would have had it stop. "
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
