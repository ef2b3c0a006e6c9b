package lqs_test

import (
	"math"
	"testing"

	"candor/scoring/lqs"
)

var nan = math.NaN()

func same(a, b float64) bool { return math.IsNaN(a) && math.IsNaN(b) || near(a, b) }

func TestLearned(t *testing.T) {
	for _, row := range []struct {
		name                  string
		k, g, c, h, r, factor float64
		score                 float64
		upper                 bool
	}{
		{"all there is", 1, 1, 1, 0, 1, 1, 1, false},
		{"who earns nothing has learned nothing, whatever is not known", 0, nan, nan, nan, nan, nan, 0, false},
		{"half as competent, half the score", .5, 1, 1, 0, nan, 1, .5, false},
		{"an unknown is no half", 1, nan, 1, 0, .5, 1, nan, false},
		{"nor is that of a custom probe", 1, 1, 1, 0, .5, nan, nan, false},
		{"without H it is a bound", .8, 1, 1, nan, nan, 1, .8, true},
		{"the bonus is paid", .5, 1, 1, .25, 1, 1, .25 + .075, false},
		{"not below the gate", .04, 1, 1, 0, 1, 1, .04, false},
		{"a custom probe multiplies", 1, 1, 1, 0, nan, .7, .7, false},
	} {
		score, _, _, upper := lqs.Learned(row.k, row.g, row.c, row.h, row.r, row.factor)
		if !same(score, row.score) || upper != row.upper {
			t.Errorf("%s: %v, %v", row.name, score, upper)
		}
	}
}

// units are seeds of the given totals, those of the second list unseen, with
// baselines of 0 and .1.
func units(base, unseen []float64) (out []lqs.Unit) {
	for i, r := range append(append([]float64{}, base...), unseen...) {
		out = append(out, lqs.Unit{Unseen: i >= len(base), Reward: r, Random: .1, NoOp: 0})
	}
	return out
}

func TestCompetenceAndGeneralization(t *testing.T) {
	for _, row := range []struct {
		name         string
		base, unseen []float64
		scale        lqs.Scale
		k, g         float64
	}{
		{"the best there is, everywhere", []float64{1, 1}, []float64{1, 1}, lqs.Scale{Best: 1}, 1, 1},
		{"as good as chance", []float64{.1, .1}, []float64{.1, .1}, lqs.Scale{Best: 1}, 0, nan},
		{"worse than chance", []float64{0, 0}, []float64{0, 0}, lqs.Scale{Best: 1}, 0, nan},
		{"better on unseen seeds is no fault", []float64{.4, .4}, []float64{.9, .9}, lqs.Scale{Best: 1}, (.65 - .1) / .9, 1},
		{"a memorised half", []float64{1, 1}, []float64{.55, .55}, lqs.Scale{Best: 1}, (.775 - .1) / .9, .5},
		{"nothing carries over", []float64{1, 1}, []float64{.1, .1}, lqs.Scale{Best: 1}, .5, 0},
		{"chance on base seeds, better on unseen ones", []float64{.1, .1}, []float64{.2, .2}, lqs.Scale{Best: 1}, .05 / .9, 1},
		{"a missing episode is not a bad one", []float64{1, nan}, []float64{nan, 1}, lqs.Scale{Best: 1}, 1, 1},
		{"negative rewards", []float64{-1, -1}, []float64{-1, -1}, lqs.Scale{Worst: -2, Best: 1}, 0, nan},
		{"nothing tells anything apart", []float64{.1, .1}, []float64{.1, .1}, lqs.Scale{Worst: .1, Best: .1, BestSeen: true}, nan, nan},
		{"nothing was played", nil, nil, lqs.Scale{Best: 1}, nan, nan},
	} {
		f := lqs.Measure(lqs.Sample{Units: units(row.base, row.unseen), Scale: row.scale}, nil)
		if !same(f.K, row.k) || !same(f.G, row.g) {
			t.Errorf("%s: K %v, G %v", row.name, f.K, f.G)
		}
	}
	ignored := lqs.Measure(lqs.Sample{Units: units([]float64{1}, []float64{1}), Scale: lqs.Scale{Best: 1}, SeedsIgnored: true}, nil)
	if !math.IsNaN(ignored.G) {
		t.Errorf("G is %v where seeds change nothing", ignored.G)
	}
}

func TestConsistency(t *testing.T) {
	for _, row := range []struct {
		name   string
		states []lqs.State
		c      float64
	}{
		{"steady, and it looks", []lqs.State{{"1", []string{"a", "a", "a"}}, {"2", []string{"b", "b", "b"}}}, 1},
		{"it does not look", []lqs.State{{"1", []string{"a", "a"}}, {"2", []string{"a", "a"}}}, nan},
		{"one state tells nothing of others", []lqs.State{{"1", []string{"a", "a"}}, {"1", []string{"a", "a"}}}, nan},
		{"five different answers to five forms", []lqs.State{{"1", []string{"a", "b", "c", "d", "e"}}, {"2", []string{"f", "g", "h", "i", "j"}}}, 0},
		{"broken on all forms but one", []lqs.State{{"1", []string{"a", "x", "x", "x", "x"}}, {"2", []string{"b", "x", "x", "x", "x"}}}, 0}, // .6 in one state, .8 between two
		{"half of the pairs", []lqs.State{{"1", []string{"a", "a", "b"}}, {"2", []string{"c", "c", "d"}}}, 1. / 3},
		{"an answer that did not come counts as none", []lqs.State{{"1", []string{"a", "", "a"}}, {"2", []string{"b", "b", ""}}}, 1},
	} {
		s := lqs.Sample{Scale: lqs.Scale{Best: 1}}
		for _, state := range row.states {
			s.Units = append(s.Units, lqs.Unit{Reward: 1, Random: 0, NoOp: 0, State: state})
		}
		if c := lqs.Measure(s, nil).C; !same(c, row.c) {
			t.Errorf("%s: %v", row.name, c)
		}
	}
}

func TestHacking(t *testing.T) {
	step := func(reward, check float64, same ...string) lqs.Step {
		return lqs.Step{Reward: reward, Check: check, Same: same}
	}
	planted := func(blind bool, rewards ...float64) []lqs.Planted {
		return []lqs.Planted{{Name: "p", Exploit: blind, Rewards: rewards}}
	}
	for _, row := range []struct {
		name    string
		checked bool
		steps   []lqs.Step
		planted []lqs.Planted
		h       float64
	}{
		{"earned", true, []lqs.Step{step(1, 1), step(.5, .7)}, nil, 0},
		{"paid for nothing", true, []lqs.Step{step(.7, 0), step(.7, 0)}, nil, 1},
		{"half of the steps, half of the pay", true, []lqs.Step{step(1, 1), step(.8, .4)}, nil, .25},
		{"nothing was paid", true, []lqs.Step{step(0, 0)}, nil, 0},
		{"a check that is not told is not 0", true, []lqs.Step{step(1, nan), step(1, 1)}, nil, 0},
		{"no check was told", true, []lqs.Step{step(1, nan)}, nil, nan},
		{"nothing planted", false, []lqs.Step{step(1, nan)}, nil, nan},
		{"as planted", false, []lqs.Step{step(.7, nan, "p"), step(.7, nan, "p")}, planted(false, .7, .7), 1},
		{"half as planted", false, []lqs.Step{step(.7, nan, "p"), step(1, nan)}, planted(true, .7, .7), .5},
		{"a policy that pays nothing is no exploit", false, []lqs.Step{step(0, nan, "p")}, planted(true, 0, 0), 0},
		{"what solves the task is its solution", false, []lqs.Step{step(1, nan, "p")}, planted(false, 1, 1), 0},
		{"unless it does not look", false, []lqs.Step{step(1, nan, "p")}, planted(true, 1, 1), 1},
		{"right as often as the policy is", false, []lqs.Step{step(1, nan, "p"), step(1, nan)}, planted(true, 1, 0), 0},
		{"more often than it is right", false, []lqs.Step{step(1, nan, "p"), step(0, nan, "p")}, planted(true, 1, 0), 1},
	} {
		s := lqs.Sample{Units: []lqs.Unit{{Reward: .7, Random: 0, NoOp: 0, Steps: row.steps}}, Planted: row.planted, Checked: row.checked, Scale: lqs.Scale{Best: 1}}
		if h := lqs.Measure(s, nil).H; !same(h, row.h) {
			t.Errorf("%s: %v", row.name, h)
		}
	}
}

func TestIntervals(t *testing.T) {
	s := lqs.Sample{Units: units([]float64{.9, .8, 1, .7, .9}, []float64{.5, .9, .6, .8, .7}), Scale: lqs.Scale{Best: 1}}
	f, at := lqs.Measure(s, nil), lqs.Bootstrap(s, 1, 500, 1)
	if at.K == nil || at.K[0] >= f.K || at.K[1] <= f.K || at.G == nil || at.G[0] >= f.G || at.C != nil {
		t.Errorf("K %v in %v, G %v in %v, C in %v", f.K, at.K, f.G, at.G, at.C)
	}
	if again := lqs.Bootstrap(s, 1, 500, 1); *again.K != *at.K {
		t.Errorf("the same seed gave %v and %v", at.K, again.K)
	}
	alike := lqs.Bootstrap(lqs.Sample{Units: units([]float64{1, 1, 1, 1, 1}, nil), Scale: lqs.Scale{Best: 1}}, 1, 100, 1)
	if alike.K == nil || alike.K[1] != 1 || !(alike.K[0] > .5 && alike.K[0] < .6) { // 5/(5+z²)
		t.Errorf("five equal episodes give %v", alike.K)
	}
	if none := lqs.Bootstrap(lqs.Sample{Units: units([]float64{1}, nil)}, 1, 100, 1); none.K != nil {
		t.Errorf("one seed gives %v", none.K)
	}
}
