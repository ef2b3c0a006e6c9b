package scoring

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
)

// slow skips what takes minutes; scripts/test.sh --peers runs it.
func slow(t *testing.T) {
	t.Helper()
	if os.Getenv("CANDOR_SLOW") != "1" {
		t.Skip("takes minutes: CANDOR_SLOW=1 runs it")
	}
}

// world is a population of images and of a model's answers about them, of
// which every figure is known. Images are easy or hard; on hard ones there are
// fewer tasks, lower confidences, more abstentions, and at the same confidence
// fewer right answers, so that the tasks of an image are not independent.
type world struct {
	accuracy func(confidence float64) float64
}

var (
	worldLevels  = [...]float64{0.55, 0.65, 0.75, 0.85, 0.9, 0.95, 0.99}
	worldHard    = 0.4
	worldTasks   = [2]int{6, 4} // easy, hard
	worldChance  = [2][len(worldLevels)]float64{{0.05, 0.05, 0.1, 0.15, 0.2, 0.25, 0.2}, {0.2, 0.2, 0.2, 0.15, 0.1, 0.1, 0.05}}
	worldAbstain = [2]float64{0.03, 0.15}
	worldBroken  = [2]float64{0.02, 0.04} // malformed
)

// share is the expected number of answers to an image of a kind at a level.
func (w world) share(hard, l int) float64 {
	kind := 1 - worldHard
	if hard == 1 {
		kind = worldHard
	}
	return kind * float64(worldTasks[hard]) * (1 - worldAbstain[hard] - worldBroken[hard]) * worldChance[hard][l]
}

// chance is the probability of being right at a level: easy images lie above
// the level's accuracy and hard ones below, so that together they meet it.
func (w world) chance(hard, l int) float64 {
	mean := w.accuracy(worldLevels[l])
	ofHard := w.share(1, l) / (w.share(0, l) + w.share(1, l))
	gap := min(0.3, (1-mean)/ofHard)
	if hard == 1 {
		return mean - gap*(1-ofHard)
	}
	return mean + gap*ofHard
}

// truth computes the figures of the population.
func (w world) truth() map[string]float64 {
	var n, right, wrong [len(worldLevels)]float64
	tasks, abstained := 0.0, 0.0
	for hard, kind := range []float64{1 - worldHard, worldHard} {
		tasks += kind * float64(worldTasks[hard])
		abstained += kind * float64(worldTasks[hard]) * worldAbstain[hard]
		for l := range worldLevels {
			n[l] += w.share(hard, l)
			right[l] += w.share(hard, l) * w.chance(hard, l)
		}
	}
	m, correct, squares := 0.0, 0.0, 0.0
	for l, c := range worldLevels {
		wrong[l] = n[l] - right[l]
		m += n[l]
		correct += right[l]
		squares += right[l]*(1-c)*(1-c) + wrong[l]*c*c
	}
	below, ordered, above, area := 0.0, 0.0, 0.0, 0.0
	for l := range worldLevels {
		ordered += right[l] * (below + wrong[l]/2)
		below += wrong[l]
	}
	for l := len(worldLevels) - 1; l >= 0; l-- {
		area += n[l] * (above + wrong[l]/2)
		above += wrong[l]
	}
	return map[string]float64{
		"accuracy": correct / m, "brier": squares / m, "reward": (m - squares + 0.8*abstained) / tasks,
		"auroc": ordered / (correct * (m - correct)), "augrc": area / (m * m),
	}
}

// run draws the answers to so many images.
func (w world) run(images int, r *rand.Rand) []Row {
	var rows []Row
	for i := range images {
		hard := one(r.Float64() < worldHard)
		for j := range worldTasks[hard] {
			row := Row{ID: fmt.Sprint(i, "/", j), Image: fmt.Sprintf("%04d", i), Outcome: Answered, Supported: j%2 == 0}
			switch u := r.Float64(); {
			case u < worldAbstain[hard]:
				row.Outcome = Abstained
			case u < worldAbstain[hard]+worldBroken[hard]:
				row.Outcome = Malformed
			default:
				l, u := 0, r.Float64()
				for u >= worldChance[hard][l] && l < len(worldLevels)-1 {
					u -= worldChance[hard][l]
					l++
				}
				row.Confidence, row.Correct = worldLevels[l], r.Float64() < w.chance(hard, l)
			}
			rows = append(rows, row)
		}
	}
	return rows
}

func worlds() map[string]world {
	return map[string]world{
		"calibrated":    {func(c float64) float64 { return c }},
		"miscalibrated": {func(c float64) float64 { return 0.5 + 0.6*(c-0.5) }},
	}
}

// The truth that the coverage is counted against is what a very large run
// comes to.
func TestWorldTruth(t *testing.T) {
	for name, w := range worlds() {
		s, truth := summary(t, w.run(60_000, rand.New(rand.NewPCG(1, 2))), Options{FloorDraws: 1}), w.truth()
		for figure, got := range map[string]*float64{"accuracy": s.Accuracy, "brier": s.Brier, "reward": s.Reward, "auroc": s.AUROC, "augrc": s.AUGRC} {
			near(t, name+" "+figure, got, truth[figure], 0.006)
		}
	}
}

// What the intervals promise: on 500 images, 95 % of them hold the truth of
// calibrated and of miscalibrated models (93 to 97 % of 2000 runs). On 100
// images it is reported.
func TestIntervalCoverage(t *testing.T) {
	slow(t)
	const runs, replicates = 2000, 2000
	for _, images := range []int{500, 100} {
		for _, name := range sortedKeys(worlds()) {
			w := worlds()[name]
			truth, held := w.truth(), map[string]int{}
			for seed := range uint64(runs) {
				for key, at := range intervalsOf(t, w.run(images, rand.New(rand.NewPCG(seed, uint64(images)))), replicates, seed) {
					if x, ok := truth[key]; ok && at != nil && at[0] <= x && x <= at[1] {
						held[key]++
					}
				}
			}
			for _, key := range sortedKeys(truth) {
				share := float64(held[key]) / runs
				t.Logf("%d images, %s model: %s %.4f, held by %.2f %% of the intervals", images, name, key, truth[key], 100*share)
				if images == 500 && (share < 0.93 || share > 0.97) {
					t.Errorf("%s, %s: %.2f %% of the intervals hold the truth", name, key, 100*share)
				}
			}
		}
	}
}

// intervalsOf is what Summarize does for its intervals, less smooth ECE, whose
// replicates would take most of the time.
func intervalsOf(t *testing.T, rows []Row, count int, seed uint64) map[string]*Interval {
	t.Helper()
	s, err := newSample(rows, brier(t))
	if err != nil {
		t.Fatal(err)
	}
	reps := newReplicates(count)
	err = resampled(t.Context(), len(s.images), count, seed, func() func([]int32, int) {
		q, tally := &measurer{bins: defaultBins, skipSmooth: true}, &tally{}
		return func(weights []int32, b int) {
			s.weigh(weights, tally)
			for f, x := range q.measure(tally) {
				reps[f][b] = x
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return s.intervals((&measurer{bins: defaultBins, skipSmooth: true}).measure(s.whole()), reps).ci
}

// p_calibrated is a p-value: uniform where the model is calibrated and its
// tasks are independent (Kolmogorov–Smirnov), small where it is not. Where the
// tasks of an image hang together it is not quite: that is reported.
func TestPCalibratedIsUniform(t *testing.T) {
	slow(t)
	const runs, draws = 2000, 1000
	simulate := func(rows func(r *rand.Rand) []Row) []float64 {
		var out []float64
		for seed := range uint64(runs) {
			s, err := newSample(rows(rand.New(rand.NewPCG(seed, 77))), brier(t))
			if err != nil {
				t.Fatal(err)
			}
			f, err := calibratedFloor(t.Context(), s.levels, defaultBins, draws, seed)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, *f.PCalibrated)
		}
		return out
	}
	alone := func(accuracy func(float64) float64) func(r *rand.Rand) []Row {
		return func(r *rand.Rand) []Row {
			rows := make([]Row, 800)
			for i := range rows {
				c := math.Round(100*(0.5+0.5*r.Float64())) / 100
				rows[i] = Row{ID: fmt.Sprint(i), Image: fmt.Sprint(i), Outcome: Answered, Confidence: c, Correct: r.Float64() < accuracy(c)}
			}
			return rows
		}
	}
	p := simulate(alone(func(c float64) float64 { return c }))
	d := kolmogorov(p)
	t.Logf("calibrated, 800 independent answers: KS distance %.4f (5 %% critical %.4f), %.2f %% below .05", d, 1.358/math.Sqrt(runs), 100*below(p, 0.05))
	if d > 1.358/math.Sqrt(runs) {
		t.Errorf("p_calibrated is not uniform: KS distance %v", d)
	}
	p = simulate(alone(func(c float64) float64 { return 0.5 + 0.7*(c-0.5) }))
	t.Logf("overconfident: %.2f %% below .05", 100*below(p, 0.05))
	if below(p, 0.05) < 0.9 {
		t.Errorf("only %v of overconfident runs are found out", below(p, 0.05))
	}
	w := worlds()["calibrated"]
	p = simulate(func(r *rand.Rand) []Row {
		return slices.DeleteFunc(w.run(500, r), func(row Row) bool { return row.Outcome != Answered })
	})
	t.Logf("calibrated, tasks of an image hang together: KS distance %.4f, %.2f %% below .05", kolmogorov(p), 100*below(p, 0.05))
}

// kolmogorov is the largest distance of the values' distribution from the
// uniform one.
func kolmogorov(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n, d := float64(len(sorted)), 0.0
	for i, x := range sorted {
		d = max(d, float64(i+1)/n-x, x-float64(i)/n)
	}
	return d
}

func below(values []float64, x float64) float64 {
	n := 0
	for _, v := range values {
		n += one(v < x)
	}
	return float64(n) / float64(len(values))
}
