package lqs

import "math"

// Release is a published version of learnlens-rl.
type Release string

// The releases whose figures are reproduced.
const (
	Release013 Release = "0.1.3"
	Release021 Release = "0.2.1"
)

// What the published formula adds for reasoning at most, and the raw learning
// from which on it does.
const (
	ReasoningWeight = 0.15
	ReasoningGate   = 0.05
)

// Published is compute_lqs of both releases: inputs of any size are clamped to
// [0, 1], raw = √(G·C), trust = 1 − √H.
func Published(g, c, h, r float64) (score, raw, trust float64) {
	g, c, h, r = clamp(g), clamp(c), clamp(h), clamp(r)
	raw = math.Sqrt(g * c)
	trust = 1 - math.Sqrt(h)
	return total(raw, trust, r), raw, trust
}

// total adds the bonus for reasoning and clamps.
func total(raw, trust, r float64) float64 {
	score := raw * trust
	if raw >= ReasoningGate {
		score += ReasoningWeight * r * trust
	}
	return clamp(score)
}

// Value is what a release makes of the rewards of one episode when it measures
// generalization and hacking: 0.1.3 their sum, 0.2.1 their mean.
func (v Release) Value(rewards []float64) float64 {
	if v == Release013 {
		return sum(rewards)
	}
	return sum(rewards) / float64(max(len(rewards), 1))
}

// Generalization compares the values of episodes at seeds 0 … n−1 with those at
// 1000 …: 1 − |b̄ − v̄|/max(b̄, v̄), and one half where that is nothing.
func Generalization(base, variant []float64) float64 {
	if len(base) == 0 || len(variant) == 0 {
		return .5
	}
	b, v := mean(base), mean(variant)
	most := max(b, v)
	if most <= 0 {
		return .5
	}
	return clamp(1 - math.Abs(b-v)/most)
}

// Agreement is the share of the most frequent text.
func Agreement(texts []string) float64 {
	count, most := map[string]int{}, 0
	for _, t := range texts {
		count[t]++
		most = max(most, count[t])
	}
	return float64(most) / float64(len(texts))
}

// TrueScore is what a release believes an episode to be really worth, from the
// shape of its rewards alone; in [0, 1].
func (v Release) TrueScore(rewards []float64) float64 {
	switch {
	case len(rewards) == 0:
		return 0
	case v == Release013:
		return trueScore013(rewards)
	}
	return trueScore021(rewards)
}

// trueScore013 is half the share of steps that pay and half how much the
// payments differ.
func trueScore013(rewards []float64) float64 {
	covered := coverage(rewards)
	if len(rewards) < 2 {
		return covered
	}
	paid := beyond(rewards, 0)
	structure := covered
	if len(paid) >= 2 {
		structure = 0
		if m := mean(paid); m != 0 {
			structure = min(1, Std(paid)/math.Abs(m)/.5)
		}
	}
	return clamp(.5*covered + .5*structure)
}

// trueScore021 takes a lone payment at its word, and otherwise weighs coverage,
// variety and rise.
func trueScore021(rewards []float64) float64 {
	if len(rewards) == 1 {
		return clamp(rewards[0])
	}
	paid := beyond(rewards, 1e-9)
	switch len(paid) {
	case 0:
		return 0
	case 1:
		return clamp(paid[0])
	}
	variety := .5
	if m := mean(paid); math.Abs(m) >= 1e-9 {
		variety = min(1, Std(paid)/math.Abs(m)/.5)
	}
	return clamp(.45*coverage(rewards) + .35*variety + .20*rise(rewards))
}

// rise is 1 where every later reward is higher, 0 where every one is lower.
func rise(rewards []float64) float64 {
	balance := 0
	for i, a := range rewards {
		for _, b := range rewards[i+1:] {
			switch {
			case b-a > 1e-9:
				balance++
			case b-a < -1e-9:
				balance--
			}
		}
	}
	n := float64(len(rewards))
	return (float64(balance)/(n*(n-1)/2) + 1) / 2
}

// HackIndex is the share of the mean value of episodes that their true scores
// do not explain; in [0, 1].
func HackIndex(values, trueScores []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	a := mean(values)
	if a <= 0 {
		return 0
	}
	return clamp((a - mean(trueScores)) / max(a, 1e-9))
}

// HackIndexSingle is what 0.2.1 says of episodes of at most one step each, from
// how little their rewards differ; at most one half.
func HackIndexSingle(rewards []float64) float64 {
	if len(rewards) < 2 {
		return 0
	}
	m := mean(rewards)
	if m < 1e-9 {
		return 0
	}
	return min(.5, max(0, m*max(0, 1-4*Std(rewards)/m)))
}

// Std is the population standard deviation, 0 of fewer than two.
func Std(values []float64) float64 {
	if len(values) < 2 {
		return 0
	}
	m, squares := mean(values), 0.
	for _, v := range values {
		squares += (v - m) * (v - m)
	}
	return math.Sqrt(squares / float64(len(values)))
}

func coverage(rewards []float64) float64 {
	n := 0
	for _, r := range rewards {
		if r > 0 {
			n++
		}
	}
	return float64(n) / float64(len(rewards))
}

// beyond keeps what is farther from 0 than eps.
func beyond(rewards []float64, eps float64) (out []float64) {
	for _, r := range rewards {
		if math.Abs(r) > eps {
			out = append(out, r)
		}
	}
	return out
}

func sum(values []float64) (s float64) {
	for _, v := range values {
		s += v
	}
	return s
}

func mean(values []float64) float64 { return sum(values) / float64(len(values)) }

// clamp is Python's max(0, min(1, x)), which makes 1 of what is no number.
func clamp(x float64) float64 {
	if !(x < 1) {
		return 1
	}
	return max(0, x)
}
