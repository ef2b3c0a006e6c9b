package recalibration

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/optimize"
)

// sample is one x with the weight and the target of the answers that have it.
type sample struct {
	x              []float64
	weight, target float64 // target: in [0, 1]
}

const (
	// The ridge leaves directions in which the loss bends as little as 1e-6, so
	// that a gradient of 1e-8 would still leave the second digit open there.
	// Separable answers are like that; elsewhere 1e-11 is reached in ten steps.
	gradientThreshold = 1e-11 // where BFGS stops
	gradientAccepted  = 2e-6  // what must be reached where rounding stops it: a loss within g²/2λ of the least
	maxIterations     = 1000
	descents          = 8
)

// fitLogistic finds the θ, from start, that minimises
//
//	Σ wᵢ·(softplus(θ·xᵢ) − tᵢ·θ·xᵢ) / Σ wᵢ + ½λ‖θ‖²,
//
// the mean negative log-likelihood of σ(θ·x) and a ridge: loss and gradient by
// a Gorgonia graph, the way down by gonum's BFGS.
func fitLogistic(samples []sample, start []float64, ridge float64) (theta []float64, loss float64, err error) {
	g, err := newGraph(samples, len(start), ridge)
	if err != nil {
		return nil, 0, fmt.Errorf("building the graph of the loss: %w", err)
	}
	defer g.close()
	slope := math.Inf(1)
	theta = start
	for range descents {
		found, stopped := g.descend(theta)
		if g.err != nil {
			return nil, 0, fmt.Errorf("running the graph of the loss: %w", g.err)
		}
		if found == nil {
			return nil, 0, fmt.Errorf("minimising the loss: %w", stopped)
		}
		before := slope
		theta, loss, slope = found.X, found.F, g.steepest(found.X)
		if !(slope > gradientThreshold && slope < before/2) {
			break // there, or as far as the digits go
		}
	}
	if !(slope <= gradientAccepted) {
		return nil, 0, fmt.Errorf("minimising the loss: stopped on a slope of %v", slope)
	}
	return theta, loss, nil
}

// descend goes down as far as it can. In the last digits the line search may
// fail short of the threshold; another descent from there, which has forgotten
// the curvature, often gets on.
func (g *graph) descend(from []float64) (*optimize.Result, error) {
	return optimize.Minimize(
		optimize.Problem{Func: g.value, Grad: g.gradient}, from,
		&optimize.Settings{
			GradientThreshold: gradientThreshold,
			MajorIterations:   maxIterations,
			Converger:         optimize.NeverTerminate{},
		},
		&optimize.BFGS{},
	)
}

// steepest is the largest component of the gradient, NaN if any is.
func (g *graph) steepest(theta []float64) float64 {
	slope := make([]float64, len(theta))
	g.gradient(slope, theta)
	most := 0.0
	for _, d := range slope {
		most = max(most, math.Abs(d)) // NaN stays
	}
	return most
}
