package recalibration

import (
	"fmt"
	"math"
)

// Temperature is σ(logit(c)/T) (Guo et al. 2017 for one confidence): T > 1
// draws confidences towards ½, T < 1 away from it. It is fitted by maximum
// likelihood, without a ridge.
type Temperature struct {
	T float64 `json:"temperature"` // > 0
}

// Name is "temperature".
func (Temperature) Name() string { return "temperature" }

// Apply is σ(logit(c)/T).
func (m Temperature) Apply(confidence float64) float64 { return sigmoid(logit(clip(confidence)) / m.T) }

// fitTemperature looks for a = 1/T > 0, in which the loss is convex. It has a
// minimum there just if it falls at 0, where its slope is −Σ(y − ½)·logit, and
// rises somewhere, which an answer on the wrong side of ½ makes it do.
func fitTemperature(points []point) (Map, error) {
	gain, wrongSide, apart := 0.0, false, false
	samples := make([]sample, len(points))
	for i, p := range points {
		z := logit(p.confidence)
		samples[i] = sample{x: []float64{z}, weight: p.weight, target: p.rate()}
		gain += (p.right - p.weight/2) * z
		wrongSide = wrongSide || (z > 0 && p.right < p.weight) || (z < 0 && p.right > 0)
		apart = apart || z != 0
	}
	switch {
	case !apart: // all at ½, where every temperature maps it to itself
		return Temperature{T: 1}, nil
	case !(gain > 0):
		return nil, fmt.Errorf("%w: the stated confidences say no more than ½ would, so the best temperature is infinite", ErrUndefined)
	case !wrongSide:
		return nil, fmt.Errorf("%w: every answer above ½ is right and every one below wrong, so the best temperature is 0", ErrUndefined)
	}
	theta, _, err := fitLogistic(samples, []float64{1}, 0)
	if err != nil {
		return nil, err
	}
	if !(theta[0] > 0) || math.IsInf(1/theta[0], 0) {
		return nil, fmt.Errorf("%w: the best temperature is infinite to working precision", ErrUndefined)
	}
	return Temperature{T: 1 / theta[0]}, nil
}

// Platt is σ(A·logit(c) + B) (Platt 1999, on the logit). Targets are his
// smoothed ones, (N₊ + 1)/(N₊ + 2) for the N₊ correct answers and 1/(N₋ + 2)
// for the others, by weight. A negative slope A says that the confidence ranks
// backwards; the map then turns the ranking round.
type Platt struct {
	A float64 `json:"slope"`
	B float64 `json:"intercept"`
}

// Name is "platt".
func (Platt) Name() string { return "platt" }

// Apply is σ(A·logit(c) + B).
func (m Platt) Apply(confidence float64) float64 { return sigmoid(m.A*logit(clip(confidence)) + m.B) }

func fitPlatt(points []point) (Map, error) {
	all, right := total(points)
	high, low := (right+1)/(right+2), 1/(all-right+2)
	samples := make([]sample, len(points))
	for i, p := range points {
		target := (p.right*high + (p.weight-p.right)*low) / p.weight
		samples[i] = sample{x: []float64{logit(p.confidence), 1}, weight: p.weight, target: target}
	}
	theta, _, err := fitLogistic(samples, []float64{1, 0}, Ridge)
	if err != nil {
		return nil, err
	}
	return Platt{A: theta[0], B: theta[1]}, nil
}

// Beta is σ(A·ln c − B·ln(1 − c) + C) with A, B ≥ 0 (Kull, Silva Filho & Flach
// 2017): the likelihood ratio of two beta distributions. A = B = 1, C = 0
// changes nothing.
type Beta struct {
	A float64 `json:"a"`
	B float64 `json:"b"`
	C float64 `json:"c"`
}

// Name is "beta".
func (Beta) Name() string { return "beta" }

// Apply is σ(A·ln c − B·ln(1 − c) + C).
func (m Beta) Apply(confidence float64) float64 {
	c := clip(confidence)
	return sigmoid(m.A*math.Log(c) - m.B*math.Log1p(-c) + m.C)
}

// fitBeta fits all three parameters; should a slope come out negative, the
// best map lies where one or both are 0.
func fitBeta(points []point) (Map, error) {
	best, _, err := fitBetaWith(points, true, true)
	if err != nil {
		return nil, err
	}
	if best.rises() {
		return best, nil
	}
	least := math.Inf(1)
	for _, free := range [][2]bool{{true, false}, {false, true}, {false, false}} {
		m, loss, err := fitBetaWith(points, free[0], free[1])
		if err != nil {
			return nil, err
		}
		if m.rises() && loss < least {
			best, least = m, loss
		}
	}
	return best, nil
}

func (m Beta) rises() bool { return m.A >= 0 && m.B >= 0 }

// fitBetaWith leaves out, as 0, the slopes that are not free.
func fitBetaWith(points []point, freeA, freeB bool) (Beta, float64, error) {
	samples := make([]sample, len(points))
	for i, p := range points {
		var x []float64
		if freeA {
			x = append(x, math.Log(p.confidence))
		}
		if freeB {
			x = append(x, -math.Log1p(-p.confidence))
		}
		samples[i] = sample{x: append(x, 1), weight: p.weight, target: p.rate()}
	}
	start := make([]float64, len(samples[0].x))
	theta, loss, err := fitLogistic(samples, start, Ridge)
	if err != nil {
		return Beta{}, 0, err
	}
	m := Beta{C: theta[len(theta)-1]}
	if freeA {
		m.A = theta[0]
	}
	if freeB {
		m.B = theta[len(theta)-2]
	}
	return m, loss, nil
}
