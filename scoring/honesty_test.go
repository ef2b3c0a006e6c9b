package scoring

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

func ExampleWhatHonestyEarns() {
	pay, err := NewPayment(Brier{}, nil)
	if err != nil {
		panic(err)
	}
	var rows []Row // says .95, is right half of the time
	for i := range 10 {
		rows = append(rows, Row{ID: fmt.Sprint(i), Image: fmt.Sprint(i), Outcome: Answered, Confidence: 0.95, Correct: i%2 == 0})
	}
	h, err := WhatHonestyEarns(context.Background(), rows, []Payment{pay}, nil, Options{})
	if err != nil {
		panic(err)
	}
	fmt.Printf("earned %.4f; saying .5 would have earned %.4f, and abstaining %.4f\n", *h[0].R0, *h[0].R1, *h[0].R2)
	// Output: earned 0.5475; saying .5 would have earned 0.7500, and abstaining 0.8000
}

func honesty(t *testing.T, rows []Row, pay Payment, g func(float64) float64, opt Options) Honesty {
	t.Helper()
	out, err := WhatHonestyEarns(t.Context(), rows, []Payment{pay}, g, opt)
	if err != nil {
		t.Fatal(err)
	}
	return out[0]
}

func logPay(t testing.TB) Payment {
	t.Helper()
	pay, err := NewPayment(Log{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return pay
}

// By the definitions, task by task: every step under both rules, with maps
// that lie above, below and across the threshold.
func TestHonestyByDefinition(t *testing.T) {
	maps := map[string]func(float64) float64{
		"itself": func(c float64) float64 { return c }, "squared": func(c float64) float64 { return c * c },
		"towards ½": func(c float64) float64 { return 0.5 + (c-0.5)/3 }, "sure": func(float64) float64 { return 0.99 },
	}
	for _, pay := range []Payment{brier(t), logPay(t), {Brier{}, 0.9}} {
		for name, g := range maps {
			rows := mixed(300, 40, 9, 3)
			var want [stepCount]float64
			n := 0.0
			for _, r := range rows {
				if r.Outcome == Errored {
					continue
				}
				n++
				earn := [stepCount]float64{}
				switch r.Outcome {
				case Abstained:
					for s := range earn {
						earn[s] = pay.Abstain
					}
				case Malformed:
					earn[stepFormatted] = pay.Abstain
				case Answered:
					s, mapped := pay.Rule.Score(r.Confidence, r.Correct), pay.Rule.Score(g(r.Confidence), r.Correct)
					chow := func(belief, otherwise float64) float64 {
						if pay.Rule.Value(belief) < pay.Abstain {
							return pay.Abstain
						}
						return otherwise
					}
					honest := chow(g(r.Confidence), mapped)
					earn = [stepCount]float64{s, mapped, honest, honest, chow(r.Confidence, s), max(s, pay.Abstain)}
				}
				for s := range earn {
					want[s] += earn[s]
				}
			}
			h := honesty(t, rows, pay, g, Options{})
			for s, got := range []*float64{h.R0, h.R1, h.R2, h.R3, h.OwnConfidence, h.Oracle} {
				near(t, fmt.Sprintf("%s, %s, %s", pay.Rule.Name(), name, step(s).name()), got, want[s]/n, 1e-12)
			}
			near(t, "miscalibration", h.Miscalibration, (want[1]-want[0])/n, 1e-12)
			near(t, "abstention", h.AbstentionPolicy, (want[2]-want[1])/n, 1e-12)
			near(t, "format", h.Format, (want[3]-want[2])/n, 1e-12)
			if h.Optimistic || h.N != int(n) || h.AsIf != AsIf || !slices.Contains(h.Notes, NeedlessUnseen) {
				t.Errorf("%+v", h)
			}
		}
	}
}

// With Brier and the map fitted in sample, what miscalibration cost is
// coverage · MCB: of the same isotonic fit, by two ways.
func TestMiscalibrationIsMCB(t *testing.T) {
	for seed := range uint64(40) {
		rows := mixed(20+int(seed)*9, 25, int(seed)%8, seed)
		s, h := summary(t, rows, Options{}), honesty(t, rows, brier(t), nil, Options{})
		near(t, fmt.Sprint("seed ", seed), h.Miscalibration, *s.Coverage**s.CORP.MCB, 1e-12)
		near(t, "r0", h.R0, *s.Reward, 1e-12)
		if !h.Optimistic || h.Map != InSampleMap {
			t.Errorf("%+v", h)
		}
	}
}

// In sample no step can lose: a calibrated belief earns at least what was
// earned, abstaining where it pays earns more, and the oracle more still than
// the own confidence followed.
func TestHonestyNeverLosesInSample(t *testing.T) {
	for seed := range uint64(20) {
		out, err := WhatHonestyEarns(t.Context(), mixed(200, 30, int(seed)%5, seed), PayoffGrid(), nil, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range out {
			if *h.Miscalibration < -1e-12 || *h.AbstentionPolicy < -1e-12 || *h.Format < -1e-12 || *h.Oracle < max(*h.R0, *h.OwnConfidence)-1e-12 || *h.R3 > 1 {
				t.Errorf("seed %d: %+v", seed, h)
			}
		}
	}
}

// Under the identity nothing is miscalibrated, and the abstention policy is
// the own confidence's: answers below the threshold are what is lost.
func TestIdentityMap(t *testing.T) {
	var rows []Row
	for i := range 4000 {
		c := float64(55+i%45) / 100
		rows = append(rows, Row{ID: fmt.Sprint(i), Image: fmt.Sprint(i), Outcome: Answered, Confidence: c, Correct: float64((i*7919)%4000)/4000 < c})
	}
	h := honesty(t, rows, brier(t), func(c float64) float64 { return c }, Options{})
	near(t, "miscalibration", h.Miscalibration, 0, 0)
	if *h.AbstentionPolicy <= 0 || *h.R2 != *h.OwnConfidence {
		t.Errorf("abstaining below the threshold pays: %+v", h)
	}
}

// Given a map, every figure has an interval; fitted in sample, what depends on
// it has a spread. The played reward has the summary's own interval.
func TestHonestyIntervals(t *testing.T) {
	rows := mixed(400, 60, 10, 6)
	opt := Options{Bootstrap: 300, Seed: 2}
	want := summary(t, rows, opt)
	given, fitted := honesty(t, rows, brier(t), math.Sqrt, opt), honesty(t, rows, brier(t), nil, opt)
	if len(given.CI) != 9 || len(given.Spread) != 0 || len(fitted.CI) != 3 || len(fitted.Spread) != 6 {
		t.Errorf("given %d ci, %d spread; fitted %d ci, %d spread", len(given.CI), len(given.Spread), len(fitted.CI), len(fitted.Spread))
	}
	for _, h := range []Honesty{given, fitted} {
		for i := range 2 {
			near(t, "r0", &h.CI["r0"][i], want.CI["reward"][i], 1e-12)
		}
	}
	for name, at := range given.CI {
		if !(at[0] < at[1]) {
			t.Errorf("%s: %v", name, at)
		}
	}
	// Replicates fit anew: the spread of the in-sample miscalibration is the
	// one of coverage · MCB, and lies above 0.
	if at := fitted.Spread["miscalibration"]; at[0] <= 0 || at[1] < *fitted.Miscalibration {
		t.Errorf("miscalibration %v in %v", *fitted.Miscalibration, at)
	}
}

// The order of rows cannot matter, and the grid is both rules at the same
// thresholds.
func TestPayoffCurves(t *testing.T) {
	rows, grid := mixed(200, 30, 0, 1), PayoffGrid()
	text := func(rows []Row) string {
		out, err := WhatHonestyEarns(t.Context(), rows, grid, nil, Options{Bootstrap: 50})
		if err != nil {
			t.Fatal(err)
		}
		b, err := json.Marshal(out)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	want := text(rows)
	if got := text(shuffled(rows, 3)); got != want {
		t.Error("another order, other curves")
	}
	if n := strings.Count(want, "as if: answers given under the run's own rule and payoff"); n != len(grid) {
		t.Errorf("%d of %d curves say under what the answers were given", n, len(grid))
	}
	half := len(grid) / 2
	for i := range half {
		if a, b := grid[i].Threshold(), grid[i+half].Threshold(); math.Abs(a-b) > 1e-9 || math.Abs(a-(0.55+0.025*float64(i))) > 1e-9 {
			t.Errorf("thresholds %v and %v", a, b)
		}
		if _, err := NewPayment(grid[i+half].Rule, &grid[i+half].Abstain); err != nil {
			t.Error(err)
		}
	}
}

// What cannot be computed is refused, or undefined.
func TestHonestyRefuses(t *testing.T) {
	rows := mixed(50, 9, 3, 1)
	for name, g := range map[string]func(float64) float64{"NaN": func(float64) float64 { return math.NaN() }, "above 1": func(float64) float64 { return 1.1 }} {
		if _, err := WhatHonestyEarns(t.Context(), rows, []Payment{brier(t)}, g, Options{}); err == nil || !strings.Contains(err.Error(), "map") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := WhatHonestyEarns(t.Context(), rows, []Payment{{Brier{}, 0.75}}, nil, Options{}); !errors.As(err, new(*PayoffError)) {
		t.Errorf("payoff at the floor: %v", err)
	}
	if _, err := WhatHonestyEarns(t.Context(), []Row{{Outcome: "x"}}, []Payment{brier(t)}, nil, Options{}); !errors.As(err, new(*RowError)) {
		t.Errorf("bad row: %v", err)
	}
	null(t, "no rows", honesty(t, nil, brier(t), nil, Options{Bootstrap: 10}).R0)
	near(t, "abstained only", honesty(t, outcomes(Abstained, 0, 3), brier(t), nil, Options{Bootstrap: 10}).R3, 0.8, 1e-15)
}

// One right and one wrong on each image: every resample has accuracy 0.5, and
// the interval of no width is said to be none.
func TestRateOfNoWidth(t *testing.T) {
	var rows []Row
	for i := range 80 {
		confidence := .6 + .01*float64(i%17)
		rows = append(rows, Row{ID: fmt.Sprint(i), Image: fmt.Sprint(i / 2), Outcome: Answered, Confidence: confidence, Supported: true, Correct: i%2 == 0})
	}
	s := summary(t, rows, Options{Bootstrap: 100})
	if at := s.CI["accuracy"]; at == nil || *at != (Interval{.5, .5}) {
		t.Fatalf("interval %v", at)
	}
	for _, w := range s.Warnings {
		if w.Code == WarnDegenerate {
			if !strings.Contains(w.Message, ": accuracy") {
				t.Errorf("%q", w.Message)
			}
			return
		}
	}
	t.Errorf("no warning: %v", s.Warnings)
}
