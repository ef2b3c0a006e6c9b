package recalibration

import (
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// graph is the loss of a logistic curve as a Gorgonia expression, whose
// gradient nobody derived by hand. It belongs to one goroutine.
type graph struct {
	theta *gorgonia.Node // [parameters]
	at    []float64      // theta's memory
	loss  gorgonia.Value
	vm    gorgonia.VM
	err   error // the first of a run
}

func newGraph(samples []sample, parameters int, ridge float64) (*graph, error) {
	g := gorgonia.NewGraph()
	x, w, wt := columns(samples, parameters)
	out := &graph{at: make([]float64, parameters)}
	out.theta = vector(g, "theta", out.at)
	features := gorgonia.NewMatrix(g, tensor.Float64, gorgonia.WithName("x"), gorgonia.WithShape(len(w), parameters),
		gorgonia.WithValue(tensor.New(tensor.WithShape(len(w), parameters), tensor.WithBacking(x))))
	e := chain{}
	scores := e.do(gorgonia.Mul(features, out.theta))
	loss := e.do(gorgonia.Sub(
		e.do(gorgonia.Sum(e.do(gorgonia.HadamardProd(vector(g, "w", w), e.do(gorgonia.Softplus(scores)))))),
		e.do(gorgonia.Sum(e.do(gorgonia.HadamardProd(vector(g, "wt", wt), scores))))))
	if ridge > 0 {
		squares := e.do(gorgonia.Sum(e.do(gorgonia.Square(out.theta))))
		loss = e.do(gorgonia.Add(loss, e.do(gorgonia.Mul(gorgonia.NewConstant(ridge/2), squares))))
	}
	if e.err != nil {
		return nil, e.err
	}
	if _, err := gorgonia.Grad(loss, out.theta); err != nil {
		return nil, err
	}
	gorgonia.Read(loss, &out.loss)
	out.vm = gorgonia.NewTapeMachine(g, gorgonia.BindDualValues(out.theta))
	return out, nil
}

// columns lays the samples out: x [samples × parameters], the weights as
// shares of their sum, and these times the targets. Gorgonia takes a vector of
// one for a scalar, so a lone sample gets a second of no weight beside it.
func columns(samples []sample, parameters int) (x, w, wt []float64) {
	all := 0.0
	for _, s := range samples {
		all += s.weight
	}
	for _, s := range samples {
		x = append(x, s.x...)
		w = append(w, s.weight/all)
		wt = append(wt, s.weight/all*s.target)
	}
	if len(samples) == 1 {
		x, w, wt = append(x, make([]float64, parameters)...), append(w, 0), append(wt, 0)
	}
	return x, w, wt
}

func vector(g *gorgonia.ExprGraph, name string, values []float64) *gorgonia.Node {
	return gorgonia.NewVector(g, tensor.Float64, gorgonia.WithName(name), gorgonia.WithShape(len(values)),
		gorgonia.WithValue(tensor.New(tensor.WithShape(len(values)), tensor.WithBacking(values))))
}

// chain keeps the first error of an expression.
type chain struct{ err error }

func (c *chain) do(n *gorgonia.Node, err error) *gorgonia.Node {
	if c.err == nil {
		c.err = err
	}
	return n
}

// value is the loss at theta.
func (g *graph) value(theta []float64) float64 {
	g.run(theta)
	return g.loss.Data().(float64)
}

// gradient is the loss's gradient at theta.
func (g *graph) gradient(into, theta []float64) {
	g.run(theta)
	slope, err := g.theta.Grad()
	if err != nil {
		g.fail(err)
		return
	}
	copy(into, slope.Data().([]float64))
}

// run evaluates the graph, forwards and backwards. Gradients add up from run
// to run unless they are zeroed.
func (g *graph) run(theta []float64) {
	copy(g.at, theta)
	if slope, err := g.theta.Grad(); err == nil && slope != nil { // none before the first run
		gorgonia.ZeroValue(slope)
	}
	if err := g.vm.RunAll(); err != nil {
		g.fail(err)
	}
	g.vm.Reset()
}

func (g *graph) fail(err error) {
	if g.err == nil {
		g.err = err
	}
}

func (g *graph) close() { g.vm.Close() }
