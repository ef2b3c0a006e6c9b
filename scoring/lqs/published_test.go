package lqs_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"candor/scoring/lqs"
)

// recorded is what scripts/record/lens.py wrote of one release.
type recorded struct {
	LQS            [][2][]float64       `json:"lqs"` // G, C, H, R; LQS, raw, trust
	TrueScore      [][]json.RawMessage  `json:"true_score"`
	HackIndex      [][]json.RawMessage  `json:"hack_index"`
	SingleStep     [][]json.RawMessage  `json:"single_step"`
	Generalization [][]json.RawMessage  `json:"generalization"`
	Std            [][]json.RawMessage  `json:"std"`
	Agreement      [][2]json.RawMessage `json:"agreement"`
}

func into(t *testing.T, raw []json.RawMessage, targets ...any) {
	t.Helper()
	for i, target := range targets {
		if err := json.Unmarshal(raw[i], target); err != nil {
			t.Fatal(err)
		}
	}
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(1, math.Abs(b)) }

// Every figure is the release's own for the same numbers.
func TestPublishedFigures(t *testing.T) {
	for _, release := range []lqs.Release{lqs.Release013, lqs.Release021} {
		t.Run(string(release), func(t *testing.T) {
			text, err := os.ReadFile("testdata/learnlens-" + string(release) + ".json")
			if err != nil {
				t.Fatal(err)
			}
			var r recorded
			if err := json.Unmarshal(text, &r); err != nil {
				t.Fatal(err)
			}
			checkFigures(t, release, r)
		})
	}
}

func checkFigures(t *testing.T, release lqs.Release, r recorded) {
	compared := 0
	check := func(got, want float64, of ...any) {
		compared++
		if !near(got, want) {
			t.Errorf("%v: %v, not %v", of, got, want)
		}
	}
	for _, row := range r.LQS {
		in := row[0]
		score, raw, trust := lqs.Published(in[0], in[1], in[2], in[3])
		check(score, row[1][0], "LQS", in)
		check(raw, row[1][1], "raw", in)
		check(trust, row[1][2], "trust", in)
	}
	var a, b []float64
	var want float64
	for _, row := range r.TrueScore {
		into(t, row, &a, &want)
		check(release.TrueScore(a), want, "true score", a)
	}
	for _, row := range r.HackIndex {
		into(t, row, &a, &b, &want)
		check(lqs.HackIndex(a, b), want, "hack index", a, b)
	}
	for _, row := range r.SingleStep {
		into(t, row, &a, &want)
		check(lqs.HackIndexSingle(a), want, "hack index of single steps", a)
	}
	for _, row := range r.Generalization {
		into(t, row, &a, &b, &want)
		check(lqs.Generalization(a, b), want, "generalization", a, b)
	}
	for _, row := range r.Std {
		into(t, row, &a, &want)
		check(lqs.Std(a), want, "deviation", a)
	}
	for _, row := range r.Agreement {
		var answers []string
		into(t, row[:], &answers, &want)
		for i, a := range answers {
			answers[i] = strings.TrimSpace(a)
		}
		check(lqs.Agreement(answers), want, "agreement", answers)
	}
	if compared < 1000 {
		t.Errorf("only %d figures were compared", compared)
	}
}

// The profiles of the published README, to its three digits, and its sample
// report, which does not follow the formula: .0961 and not .27.
func ExamplePublished() {
	for _, p := range [][4]float64{{1, 1, 0, 1}, {.8, .8, .95, .5}, {.18, .88, .12, .5}, {.7, .7, .1, 0}, {.21, .31, .05, .1}, {.9, .9, 1, 1}, {.41, .68, .71, .55}} {
		score, raw, trust := lqs.Published(p[0], p[1], p[2], p[3])
		fmt.Printf("%.4f = %.4f, %.4f\n", score, raw, trust)
	}
	// Output:
	// 1.0000 = 1.0000, 1.0000
	// 0.0222 = 0.8000, 0.0253
	// 0.3091 = 0.3980, 0.6536
	// 0.4786 = 0.7000, 0.6838
	// 0.2097 = 0.2551, 0.7764
	// 0.0000 = 0.9000, 0.0000
	// 0.0961 = 0.5280, 0.1574
}
