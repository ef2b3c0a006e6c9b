package batch

import (
	"fmt"
	"math"

	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"candor/scoring"
)

// Rewards pays every task of every run, by one Gorgonia graph over the whole
// tensors: what [scoring.Payment.Reward] pays, to rounding, at [run, task].
// Malformed answers, and tasks that are not there, earn 0. The rule must be
// Brier or log.
func (r *Runs) Rewards(pay scoring.Payment) (*tensor.Dense, error) {
	if _, err := scoring.NewPayment(pay.Rule, &pay.Abstain); err != nil {
		return nil, err
	}
	g := &payGraph{graph: gorgonia.NewGraph()}
	confidence, correct := g.input("confidence", r.Confidence), g.input("correct", r.Correct)
	score, err := g.score(pay.Rule, confidence, correct)
	if err != nil {
		return nil, err
	}
	answered := g.times(g.input("answered", r.Answered), score)
	abstained := g.times(g.input("abstained", r.Abstained), g.constant(pay.Abstain))
	reward := g.do(gorgonia.Add(answered, abstained))
	if g.err != nil {
		return nil, fmt.Errorf("building the graph of the %s rule: %w", pay.Rule.Name(), g.err)
	}
	vm := gorgonia.NewTapeMachine(g.graph)
	defer vm.Close()
	if err := vm.RunAll(); err != nil {
		return nil, fmt.Errorf("running the graph of the %s rule: %w", pay.Rule.Name(), err)
	}
	return reward.Value().(*tensor.Dense), nil
}

// payGraph builds an expression and keeps its first error.
type payGraph struct {
	graph *gorgonia.ExprGraph
	err   error
}

func (g *payGraph) score(rule scoring.Rule, confidence, correct *gorgonia.Node) (*gorgonia.Node, error) {
	switch rule := rule.(type) {
	case scoring.Brier:
		return g.brier(confidence, correct), nil
	case scoring.Log:
		return g.log(confidence, correct, rule.CutOff()), nil
	}
	return nil, fmt.Errorf("scoring rule %s: only brier and log have a graph", rule.Name())
}

// brier is 1 − (c − y)².
func (g *payGraph) brier(confidence, correct *gorgonia.Node) *gorgonia.Node {
	miss := g.do(gorgonia.Sub(confidence, correct))
	return g.do(gorgonia.Sub(g.constant(1), g.times(miss, miss)))
}

// log is 1 − ln(max(p, ε))/ln ε with p = c where y is 1 and 1 − c where it is
// 0: sums of products with 0 and 1, which are exact.
func (g *payGraph) log(confidence, correct *gorgonia.Node, epsilon float64) *gorgonia.Node {
	p := g.either(correct, confidence, g.do(gorgonia.Sub(g.constant(1), confidence)))
	above := g.do(gorgonia.Gt(p, g.constant(epsilon), true))
	clipped := g.either(above, p, g.constant(epsilon))
	share := g.do(gorgonia.HadamardDiv(g.do(gorgonia.Log(clipped)), g.constant(math.Log(epsilon))))
	return g.do(gorgonia.Sub(g.constant(1), share))
}

// either is a where the mask is 1 and b where it is 0.
func (g *payGraph) either(mask, a, b *gorgonia.Node) *gorgonia.Node {
	rest := g.do(gorgonia.Sub(g.constant(1), mask))
	return g.do(gorgonia.Add(g.times(mask, a), g.times(rest, b)))
}

func (g *payGraph) times(a, b *gorgonia.Node) *gorgonia.Node {
	return g.do(gorgonia.HadamardProd(a, b))
}

func (g *payGraph) input(name string, value *tensor.Dense) *gorgonia.Node {
	return gorgonia.NewMatrix(g.graph, tensor.Float64, gorgonia.WithName(name), gorgonia.WithShape(value.Shape()...), gorgonia.WithValue(value))
}

func (g *payGraph) constant(v float64) *gorgonia.Node { return gorgonia.NewConstant(v) }

func (g *payGraph) do(n *gorgonia.Node, err error) *gorgonia.Node {
	if g.err == nil {
		g.err = err
	}
	return n
}
