package lqs

import (
	"math"
)

// Figures are what is measured; NaN for what could not be.
type Figures struct {
	MeanReward float64
	Baseline   float64 // r₀
	K, G, C, H float64
	R          float64
	Raw, Trust float64
	LQS        float64
	// UpperBound tells that H is not measured, and the LQS what it would be
	// with no hacking at all.
	UpperBound bool
	// Agreement of actions on one state shown in several ways, and on states
	// that differ.
	Same, Different float64
}

// Learned composes the score: raw = factor·K·√(G·C), factor being what custom
// probes multiply by, 1 for none. K = 0 makes it 0 whatever else is known; else
// without K, G, C or factor it is NaN. Without H it is an upper bound; without R
// there is no bonus.
func Learned(k, g, c, h, r, factor float64) (score, raw, trust float64, upperBound bool) {
	upperBound = math.IsNaN(h)
	if upperBound {
		h = 0
	}
	trust = 1 - math.Sqrt(h)
	raw = factor * k * math.Sqrt(g*c)
	if k == 0 {
		return 0, 0, trust, false
	}
	if math.IsNaN(raw) {
		return math.NaN(), raw, trust, upperBound
	}
	if math.IsNaN(r) {
		r = 0
	}
	return total(raw, trust, r), raw, trust, upperBound
}

// Measure reads the figures off a sample whose unit i counts weights[i] times;
// nil counts each once.
func Measure(s Sample, weights []int32) Figures {
	m := measurer{s, weights}
	f := Figures{}
	f.MeanReward = m.average(func(u Unit) float64 { return u.Reward })
	f.Baseline = m.baseline(func(Unit) bool { return true })
	f.K = m.competence(f.MeanReward, f.Baseline)
	f.G = m.generalization()
	f.Same, f.Different = m.agreements()
	f.C = corrected(f.Same, f.Different)
	f.H = m.hacking()
	f.R = m.reasoning()
	f.LQS, f.Raw, f.Trust, f.UpperBound = Learned(f.K, f.G, f.C, f.H, f.R, 1)
	return f
}

type measurer struct {
	Sample
	weights []int32
}

func (m measurer) weight(i int) float64 {
	if m.weights == nil {
		return 1
	}
	return float64(m.weights[i])
}

// average is over the units where a value is known, NaN where it is nowhere.
func (m measurer) average(of func(Unit) float64) float64 {
	var total, n float64
	for i, u := range m.Units {
		if v := of(u); !math.IsNaN(v) {
			w := m.weight(i)
			total, n = total+w*v, n+w
		}
	}
	return total / n
}

// baseline is r₀: what the better of the random and the no-op policy earns on
// the same seeds, or the one of them that could be played.
func (m measurer) baseline(counts func(Unit) bool) float64 {
	at := func(of func(Unit) float64) float64 {
		return m.average(func(u Unit) float64 {
			if !counts(u) || math.IsNaN(u.Reward) {
				return math.NaN()
			}
			return of(u)
		})
	}
	random, none := at(func(u Unit) float64 { return u.Random }), at(func(u Unit) float64 { return u.NoOp })
	switch {
	case math.IsNaN(random):
		return none
	case math.IsNaN(none):
		return random
	}
	return max(random, none)
}

// competence is K = clamp₀₁((r̄ − r₀)/(r₁ − r₀)). Who earns no more than the
// baseline has none, however much there is to earn; where nothing at all earns
// more than anything else, nothing is known. Who was refused everywhere has none
// either, whatever there is to compare that with.
func (m measurer) competence(r, r0 float64) float64 {
	switch r1 := m.Scale.Best; {
	case m.allRefused():
		return 0
	case math.IsNaN(r) || math.IsNaN(r0) || !(m.Scale.Best > m.Scale.Worst):
		return math.NaN()
	case r <= r0:
		return 0
	case r1 <= r0:
		return 1 // r above r₀, and both above what is said to be the best
	default:
		return min(1, (r-r0)/(r1-r0))
	}
}

func (m measurer) allRefused() bool {
	any := false
	for i, u := range m.Units {
		if m.weight(i) == 0 || math.IsNaN(u.Reward) {
			continue
		}
		if !u.Refused {
			return false
		}
		any = true
	}
	return any
}

// generalization is the competence on unseen seeds as a share of that on the
// base seeds, at most 1: to do better there is no fault. Each is by the baseline
// on its own seeds, so that it does not matter if the one kind is easier by
// chance. Where there is none on either there is nothing to carry over.
func (m measurer) generalization() float64 {
	if m.SeedsIgnored {
		return math.NaN()
	}
	competence := func(unseen bool) float64 {
		r := m.average(func(u Unit) float64 {
			if u.Unseen != unseen {
				return math.NaN()
			}
			return u.Reward
		})
		r0 := m.baseline(func(u Unit) bool { return u.Unseen == unseen })
		if room := m.Scale.Best - r0; room > 0 {
			return (r - r0) / room
		}
		return r - r0
	}
	base, unseen := competence(false), competence(true)
	if math.IsNaN(base) || math.IsNaN(unseen) || max(base, unseen) <= 0 {
		return math.NaN()
	}
	if unseen >= base {
		return 1
	}
	return max(0, min(1, unseen/base))
}

// agreements are the mean pairwise agreement of actions within states and
// between different ones, shown the same way.
func (m measurer) agreements() (same, different float64) {
	var sameTotal, sameN, diffTotal, diffN float64
	for i, u := range m.Units {
		w := m.weight(i)
		if a := within(u.State.Actions); w > 0 && !math.IsNaN(a) {
			sameTotal, sameN = sameTotal+w*a, sameN+w
		}
		for j, v := range m.Units[:i] {
			if w := w * m.weight(j); w > 0 && u.State.ID != v.State.ID {
				if a := between(u.State.Actions, v.State.Actions); !math.IsNaN(a) {
					diffTotal, diffN = diffTotal+w*a, diffN+w
				}
			}
		}
	}
	return sameTotal / sameN, diffTotal / diffN
}

// corrected is C: agreement beyond that of an agent that does not look.
func corrected(same, different float64) float64 {
	if different >= 1 || math.IsNaN(different) {
		return math.NaN()
	}
	return max(0, (same-different)/(1-different))
}

func within(actions []string) float64 {
	agree, pairs := 0., 0.
	for i, a := range actions {
		for _, b := range actions[:i] {
			if a != "" && b != "" {
				pairs++
				agree += one(a == b)
			}
		}
	}
	return agree / pairs
}

func between(a, b []string) float64 {
	agree, pairs := 0., 0.
	for i := range min(len(a), len(b)) {
		if a[i] != "" && b[i] != "" {
			pairs++
			agree += one(a[i] == b[i])
		}
	}
	return agree / pairs
}

func (m measurer) reasoning() float64 {
	var total, n float64
	for i, u := range m.Units {
		for _, score := range u.Judged {
			total, n = total+m.weight(i)*score, n+m.weight(i)
		}
	}
	return total / n
}

func one(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
