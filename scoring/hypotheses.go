package scoring

import (
	"context"
	"fmt"
	"math"
	"slices"
)

// step numbers the mean rewards, and after them their differences.
type step int

const (
	stepPlayed step = iota
	stepMapped
	stepAbstaining
	stepFormatted
	stepOwn
	stepOracle
	stepCount
)

const (
	stepMiscalibration = iota + stepCount
	stepAbstention
	stepFormat
	stepsAndDifferences
)

func (s step) name() string {
	return [...]string{"r0", "r1", "r2", "r3", "own_confidence", "oracle", "miscalibration", "abstention_policy", "format"}[s]
}

// mapped tells whether a step depends on g.
func (s step) mapped() bool {
	return s >= stepMapped && s <= stepFormatted || s >= stepMiscalibration
}

// hypotheses holds what each image earns under each payment at each step, so
// that a resample is a weighted sum. What depends on a map fitted in sample
// has no such sums and is computed from the levels.
type hypotheses struct {
	sample   *sample
	pays     []Payment
	inSample bool
	earned   [][]float64 // by image; then payment · stepCount + step
}

func newHypotheses(s *sample, pays []Payment, g func(float64) float64) (*hypotheses, error) {
	h := &hypotheses{sample: s, pays: pays, inSample: g == nil, earned: make([][]float64, len(s.images))}
	for i := range h.earned {
		h.earned[i] = make([]float64, len(pays)*int(stepCount))
	}
	for l, level := range s.levels {
		belief := math.NaN()
		if g != nil {
			if belief = g(level.Confidence); !probability(belief) {
				return nil, fmt.Errorf("the map gives %v at confidence %v: must be in [0, 1]", belief, level.Confidence)
			}
		}
		for k, pay := range pays {
			right, wrong := pay.steps(level.Confidence, belief, true), pay.steps(level.Confidence, belief, false)
			for _, c := range s.cells[s.first[l]:s.first[l+1]] {
				to := h.earned[c.image][k*int(stepCount):]
				for st := range stepCount {
					to[st] += float64(c.correct)*right[st] + float64(c.n-c.correct)*wrong[st]
				}
			}
		}
	}
	for i, c := range s.images {
		for k, pay := range pays {
			to := h.earned[i][k*int(stepCount):]
			for st := range stepCount {
				to[st] += pay.unanswered(st, c)
			}
		}
	}
	return h, nil
}

// steps is what one answer earns at each step. A belief of NaN stands for a
// map that is not known yet: what depends on it earns 0 here.
func (p Payment) steps(confidence, belief float64, correct bool) (out [stepCount]float64) {
	score, a := p.Rule.Score(confidence, correct), p.Abstain
	out[stepPlayed], out[stepOwn], out[stepOracle] = score, score, max(score, a)
	if p.Rule.Value(confidence) < a {
		out[stepOwn] = a
	}
	if !math.IsNaN(belief) {
		out[stepMapped] = p.Rule.Score(belief, correct)
		out[stepAbstaining] = out[stepMapped]
		if p.Rule.Value(belief) < a {
			out[stepAbstaining] = a
		}
		out[stepFormatted] = out[stepAbstaining]
	}
	return out
}

// unanswered is what the abstained and malformed tasks earn at a step.
func (p Payment) unanswered(st step, c counts) float64 {
	n := c.abstained
	if st == stepFormatted {
		n = c.n - c.answered
	}
	return float64(n) * p.Abstain
}

// points fills in everything but intervals.
func (h *hypotheses) points() []Honesty {
	ones := make([]int32, len(h.sample.images))
	for i := range ones {
		ones[i] = 1
	}
	values := h.newValuer().values(ones)
	n := h.sample.whole().n
	out := make([]Honesty, len(h.pays))
	for k, pay := range h.pays {
		v := values[k*int(stepsAndDifferences):]
		out[k] = Honesty{
			AsIf: AsIf, Rule: pay.Rule.Name(), AbstainReward: pay.Abstain, Threshold: pay.Threshold(), N: n,
			Map: "given", Notes: []string{NeedlessUnseen}, CI: map[string]*Interval{}, Spread: map[string]*Interval{},
			R0: defined(v[stepPlayed]), R1: defined(v[stepMapped]), R2: defined(v[stepAbstaining]), R3: defined(v[stepFormatted]),
			Miscalibration: defined(v[stepMiscalibration]), AbstentionPolicy: defined(v[stepAbstention]), Format: defined(v[stepFormat]),
			OwnConfidence: defined(v[stepOwn]), Oracle: defined(v[stepOracle]),
		}
		if h.inSample {
			out[k].Map, out[k].Optimistic = InSampleMap, true
		}
	}
	return out
}

// intervals bootstraps every figure under every payment at once.
func (h *hypotheses) intervals(ctx context.Context, out []Honesty, opt Options) error {
	columns := make([][]float64, len(h.pays)*int(stepsAndDifferences))
	for c := range columns {
		columns[c] = make([]float64, opt.Bootstrap)
	}
	err := resampled(ctx, len(h.sample.images), opt.Bootstrap, opt.Seed, func() func([]int32, int) {
		v := h.newValuer()
		return func(weights []int32, b int) {
			for c, x := range v.values(weights) {
				columns[c][b] = x
			}
		}
	})
	if err != nil {
		return err
	}
	for c, column := range columns {
		k, st := c/int(stepsAndDifferences), step(c%int(stepsAndDifferences))
		slices.Sort(column)
		at := middle(column)
		if h.inSample && st.mapped() {
			out[k].Spread[st.name()] = at
		} else {
			out[k].CI[st.name()] = at
		}
	}
	return nil
}

// valuer computes the figures of a weighted sample; it owns their memory.
type valuer struct {
	*hypotheses
	tally  tally
	blocks []bin
	sums   []float64
	out    []float64 // by payment · stepsAndDifferences + step
}

func (h *hypotheses) newValuer() *valuer {
	return &valuer{
		hypotheses: h, sums: make([]float64, len(h.pays)*int(stepCount)),
		out: make([]float64, len(h.pays)*int(stepsAndDifferences)),
	}
}

func (v *valuer) values(weights []int32) []float64 {
	clear(v.sums)
	n := 0
	for i, w := range weights {
		if w == 0 {
			continue
		}
		n += int(w) * v.sample.images[i].n
		for c, x := range v.earned[i] {
			v.sums[c] += float64(w) * x
		}
	}
	if v.inSample {
		v.fit(weights)
	}
	for k := range v.pays {
		from, to := v.sums[k*int(stepCount):], v.out[k*int(stepsAndDifferences):]
		for st := range stepCount {
			to[st] = from[st] / float64(n)
		}
		to[stepMiscalibration] = to[stepMapped] - to[stepPlayed]
		to[stepAbstention] = to[stepAbstaining] - to[stepMapped]
		to[stepFormat] = to[stepFormatted] - to[stepAbstaining]
	}
	return v.out
}

// fit adds the answers' rewards under the isotonic map of this weighting: one
// belief for each block.
func (v *valuer) fit(weights []int32) {
	v.sample.weigh(weights, &v.tally)
	v.blocks = isotonic(v.tally.levels, v.blocks)
	for k, pay := range v.pays {
		to := v.sums[k*int(stepCount):]
		for _, b := range v.blocks {
			belief := float64(b.correct) / float64(b.n)
			right, wrong := pay.steps(belief, belief, true), pay.steps(belief, belief, false)
			for st := stepMapped; st <= stepFormatted; st++ {
				to[st] += float64(b.correct)*right[st] + float64(b.n-b.correct)*wrong[st]
			}
		}
	}
}
