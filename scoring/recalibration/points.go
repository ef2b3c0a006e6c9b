package recalibration

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
)

// point is all the answers that stated one confidence, after clipping.
type point struct {
	confidence    float64
	weight, right float64 // summed weight of all, and of the correct
}

func (p point) rate() float64 { return p.right / p.weight }

// gather checks the answers and groups them by confidence, upwards. Every map
// is a function of these points alone.
func gather(confidence []float64, correct []bool, weights []float64) ([]point, error) {
	n := len(confidence)
	if len(correct) != n || (weights != nil && len(weights) != n) {
		return nil, fmt.Errorf("%d confidences, %d truths, %d weights: must be as many of each", n, len(correct), len(weights))
	}
	var singles []point
	for i, c := range confidence {
		w := 1.0
		if weights != nil {
			w = weights[i]
		}
		switch {
		case !(c >= 0 && c <= 1):
			return nil, fmt.Errorf("confidence[%d] = %v: must be a number in [0, 1]", i, c)
		case !(w >= 0 && w <= math.MaxFloat64):
			return nil, fmt.Errorf("weight[%d] = %v: must be finite and not negative", i, w)
		case w == 0:
			continue
		}
		p := point{confidence: clip(c), weight: w}
		if correct[i] {
			p.right = w
		}
		singles = append(singles, p)
	}
	if len(singles) < 2 {
		return nil, fmt.Errorf("%w by %d answers: at least 2 are needed", ErrUndefined, len(singles))
	}
	return merge(singles)
}

// merge adds up equal confidences, in an order that that of the answers
// cannot change.
func merge(singles []point) ([]point, error) {
	slices.SortFunc(singles, func(a, b point) int {
		return cmp.Or(cmp.Compare(a.confidence, b.confidence), cmp.Compare(a.weight, b.weight), cmp.Compare(a.right, b.right))
	})
	points, all := singles[:0], 0.0
	for _, p := range singles {
		all += p.weight
		if last := len(points) - 1; last >= 0 && points[last].confidence == p.confidence {
			points[last].weight += p.weight
			points[last].right += p.right
			continue
		}
		points = append(points, p)
	}
	if math.IsInf(all, 0) {
		return nil, errors.New("the weights add up to more than a number can hold: scale them down")
	}
	return points, nil
}

// total adds up the weights.
func total(points []point) (weight, right float64) {
	for _, p := range points {
		weight += p.weight
		right += p.right
	}
	return weight, right
}
