// Package recalibration mends stated confidences: a map fitted on the answers
// to some images turns the confidences given on other images into ones that
// hold what they say.
//
// Five maps, all from [0, 1] to [0, 1]: [Temperature], [Platt] and [Beta] are
// logistic curves, fitted by the gradient of a Gorgonia graph; [Isotonic] and
// [Histogram] follow the data. Confidences are first clipped to
// [Clip, 1 − Clip], so that a stated certainty has a finite logit; two that
// differ only beyond the clip become one. Temperature, Beta and, with a
// positive slope, Platt rise strictly and so leave every ranking figure
// (AUROC, AURC, …) of confidences inside the clip alone; Isotonic and
// Histogram may tie what was apart.
//
// [Fit] on answered tasks only, and never on an image that the map is then
// judged by: [CheckDisjoint] refuses that.
package recalibration

import (
	"errors"
	"fmt"
	"math"
)

// Clip is the least distance of a confidence from 0 and 1.
const Clip = 1e-4

// Ridge is the weight λ of ½λ‖θ‖² beside the mean loss of [Platt] and [Beta],
// the intercept included: it keeps their parameters finite whatever the data.
const Ridge = 1e-6

// Bins is the most bins of a [Histogram].
const Bins = 15

// Map is a fitted recalibration. The maps of this package are plain values
// that [Encode] writes and [Decode] reads with all their parameters.
type Map interface {
	// Apply is the recalibrated confidence, in [0, 1], of a stated one in
	// [0, 1]. NaN stays NaN.
	Apply(confidence float64) float64
	// Name is the word for the kind of map, one of [Names].
	Name() string
}

// ErrUndefined is matched by the errors of [Fit] for answers that determine
// no map of the kind.
var ErrUndefined = errors.New("no map is determined")

// kind is what there is to know of one kind of map.
type kind struct {
	name   string
	fit    func([]point) (Map, error)
	decode func([]byte) (Map, error)
}

func kinds() []kind {
	return []kind{
		{Temperature{}.Name(), fitTemperature, decode[Temperature]},
		{Platt{}.Name(), fitPlatt, decode[Platt]},
		{Beta{}.Name(), fitBeta, decode[Beta]},
		{Isotonic{}.Name(), fitIsotonic, decode[Isotonic]},
		{Histogram{}.Name(), fitHistogram, decode[Histogram]},
	}
}

// Names lists the kinds of map.
func Names() []string {
	var names []string
	for _, k := range kinds() {
		names = append(names, k.name)
	}
	return names
}

func kindNamed(name string) (kind, error) {
	for _, k := range kinds() {
		if k.name == name {
			return k, nil
		}
	}
	return kind{}, fmt.Errorf("recalibration map %q: must be one of %q", name, Names())
}

// Fit fits the named kind of map to n ≥ 2 answers: stated confidences in
// [0, 1] and whether each was correct. Weights are finite and not negative;
// nil means 1 each. Answers of weight 0 do not count.
//
// Fewer than two answers are an error that matches [ErrUndefined]; so is, for
// a temperature only, a likelihood without a maximum at a finite, positive T.
// With all answers right or all wrong Platt gives its smoothed rate, Beta a
// rate that the ridge keeps off 0 and 1, Isotonic and Histogram exactly 1 or
// 0. With one confidence only, Platt and Beta meet its rate to within the
// ridge (Platt: its smoothed rate), Isotonic and Histogram are that rate
// everywhere. No input gives NaN.
func Fit(name string, confidence []float64, correct []bool, weights []float64) (Map, error) {
	k, err := kindNamed(name)
	if err != nil {
		return nil, err
	}
	points, err := gather(confidence, correct, weights)
	if err != nil {
		return nil, fmt.Errorf("fitting %s: %w", name, err)
	}
	m, err := k.fit(points)
	if err != nil {
		return nil, fmt.Errorf("fitting %s: %w", name, err)
	}
	return m, nil
}

func clip(c float64) float64 { return min(max(c, Clip), 1-Clip) }

func logit(c float64) float64 { return math.Log(c) - math.Log1p(-c) }

// sigmoid is 1/(1 + e^−x) without overflow on either side.
func sigmoid(x float64) float64 {
	if x < 0 {
		e := math.Exp(x)
		return e / (1 + e)
	}
	return 1 / (1 + math.Exp(-x))
}
