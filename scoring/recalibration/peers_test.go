package recalibration

import (
	"encoding/json"
	"math"
	"os"
	"testing"
)

// peerCurve is what scikit-learn fitted, and its values on the file's grid.
type peerCurve struct {
	Parameters []float64
	Values     []float64
}

type peerCase struct {
	Name       string
	Confidence []float64
	Correct    []int
	Weights    []float64
	Platt      *peerCurve
	Sigmoid    *peerCurve
	Beta       *peerCurve
	Isotonic   *peerCurve
}

// scikit-learn's isotonic regression to 1e-9 and its logistic regression with
// our targets and ridge to 1e-6; its own Platt scaling, which has no ridge and
// stops earlier, to 2e-3 in the confidence.
func TestScikitLearn(t *testing.T) {
	data, err := os.ReadFile("testdata/scikit-learn.json")
	if err != nil {
		t.Fatal(err)
	}
	var recorded struct {
		Grid  []float64
		Cases []peerCase
	}
	if err := json.Unmarshal(data, &recorded); err != nil {
		t.Fatal(err)
	}
	compared := map[string]int{}
	for _, c := range recorded.Cases {
		correct := make([]bool, len(c.Correct))
		for i, y := range c.Correct {
			correct[i] = y == 1
		}
		for _, peer := range []struct {
			what, name string
			curve      *peerCurve
			tolerance  float64
		}{
			{"platt", "platt", c.Platt, 1e-6},
			{"sigmoid", "platt", c.Sigmoid, 2e-3},
			{"beta", "beta", c.Beta, 1e-6},
			{"isotonic", "isotonic", c.Isotonic, 1e-9},
		} {
			if peer.curve == nil {
				continue
			}
			compared[peer.what]++
			m := fitted(t, peer.name, c.Confidence, correct, c.Weights)
			worst, at := 0.0, 0.0
			for i, x := range recorded.Grid {
				if d := math.Abs(m.Apply(x) - peer.curve.Values[i]); !(d <= worst) {
					worst, at = d, x
				}
			}
			if !(worst <= peer.tolerance) {
				t.Errorf("%s, %s: differs by %g at %v (%+v, peer %v)", c.Name, peer.what, worst, at, m, peer.curve.Parameters)
			}
		}
	}
	for _, what := range []string{"platt", "sigmoid", "beta", "isotonic"} {
		if compared[what] < 20 {
			t.Errorf("%s: only %d cases compared", what, compared[what])
		}
	}
}
