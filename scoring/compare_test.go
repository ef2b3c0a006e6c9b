package scoring

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func ExampleCompare() {
	pay, err := NewPayment(Brier{}, nil)
	if err != nil {
		panic(err)
	}
	before := []Row{
		{ID: "a", Image: "1", Outcome: Answered, Confidence: 0.9, Correct: true},
		{ID: "b", Image: "2", Outcome: Answered, Confidence: 0.9, Correct: false, Supported: true},
		{ID: "c", Image: "3", Outcome: Abstained},
	}
	after := slices.Clone(before)
	after[1].Correct, after[1].Supported = true, false
	c, err := Compare(context.Background(), Contender{"before", before}, []Contender{{"after", after}}, pay, Options{})
	if err != nil {
		panic(err)
	}
	with := c.Against[0]
	fmt.Printf("accuracy %+.2f, reward %+.3f, p = %.1f\n",
		*with.Own["accuracy"].Difference, *with.Own["reward"].Difference, with.Correctness.Both.PSignFlip)
	// Output: accuracy +0.50, reward +0.267, p = 1.0
}

// compare fails the test on an error.
func compare(t testing.TB, opt Options, runs ...[]Row) *Comparison {
	t.Helper()
	var others []Contender
	for i, rows := range runs[1:] {
		others = append(others, Contender{fmt.Sprint("other", i), rows})
	}
	c, err := Compare(t.Context(), Contender{"base", runs[0]}, others, brier(t), opt)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// paired makes two runs that mostly fail on the same tasks: the images differ
// much in difficulty, and b is right on a few tasks more, a by chance on some.
func paired(images, each int, gain float64, seed uint64) (a, b []Row) {
	r := rand.New(rand.NewPCG(seed, 3))
	for i := range images {
		easy := 0.35 + 0.6*r.Float64()
		for j := range each {
			right := r.Float64() < easy
			row := Row{
				ID: fmt.Sprintf("%04d-%d", i, j), Image: fmt.Sprintf("img%04d", i), Outcome: Answered,
				Confidence: math.Round(20*(0.3+0.6*easy)) / 20, Correct: right, Supported: j%2 == 0, Label: []string{"REFUTED", "SUPPORTED"}[one(right == (j%2 == 0))],
			}
			a = append(a, row)
			row.Correct = right && r.Float64() > 0.01 || !right && r.Float64() < gain
			row.Supported = row.Correct == (row.Label == "SUPPORTED")
			b = append(b, row)
		}
	}
	return a, b
}

// What the comparison is for: a small difference between runs that mostly
// agree. Intervals of each run alone overlap widely, and their widths added as
// if the runs were independent would hide it; paired, it is clear.
func TestPairingFindsWhatUnpairedMisses(t *testing.T) {
	a, b := paired(250, 4, 0.07, 1)
	opt := Options{Bootstrap: 400, FloorDraws: 1}
	alone := [2]*Summary{summary(t, a, opt), summary(t, b, opt)}
	d := *alone[1].Accuracy - *alone[0].Accuracy
	half := func(s *Summary) float64 { return (s.CI["accuracy"][1] - s.CI["accuracy"][0]) / 2 }
	if unpaired := math.Hypot(half(alone[0]), half(alone[1])); d > unpaired {
		t.Fatalf("difference %v against ±%v: an unpaired test finds it too", d, unpaired)
	}
	with := compare(t, opt, a, b).Against[0]
	got := with.Own["accuracy"]
	near(t, "difference", got.Difference, d, 1e-12)
	if got.CI == nil || got.CI[0] <= 0 || got.Simultaneous[0] <= 0 || *got.AdjustedP > 0.01 {
		t.Errorf("accuracy %v, ci %v, simultaneous %v, p %v", *got.Difference, got.CI, got.Simultaneous, *got.AdjustedP)
	}
	if c := with.Correctness.Both; c.PSignFlip > 0.01 || c.McNemar.P > 0.01 || c.Exhaustive || c.McNemar.Note != "ignores clustering" {
		t.Errorf("correctness %+v", c)
	}
	// Confidences are the same, so their mean is too, without doubt.
	if m := with.Own["mean_confidence"]; *m.Difference != 0 || *m.CI != (Interval{}) || *m.AdjustedP != 1 {
		t.Errorf("mean confidence %+v", m)
	}
}

// Swapping the runs turns every sign and leaves every p.
func TestComparisonIsSymmetric(t *testing.T) {
	a, b := mixed(600, 80, 10, 1), mixed(600, 80, 10, 1)
	r := rand.New(rand.NewPCG(1, 1))
	for i := range b {
		if b[i].Outcome = a[i].Outcome; r.IntN(3) == 0 {
			b[i].Confidence, b[i].Outcome = r.Float64(), []Outcome{Answered, Abstained, Malformed, Errored}[r.IntN(4)]
		}
	}
	opt := Options{Bootstrap: 400, Seed: 3}
	ab, ba := compare(t, opt, a, b), compare(t, opt, b, a)
	if ab.Tasks != ba.Tasks || ab.Tasks == 0 || len(ab.LeftOut) == 0 || ab.Tasks+len(ab.LeftOut) != 600 {
		t.Errorf("%d and %d tasks, %d left out", ab.Tasks, ba.Tasks, len(ab.LeftOut))
	}
	for i, tables := range [][2]map[string]Difference{
		{ab.Against[0].Own, ba.Against[0].Own}, {ab.Against[0].Both, ba.Against[0].Both},
	} {
		for name, d := range tables[0] {
			e := tables[1][name]
			near(t, name, e.Difference, -*d.Difference, 1e-12)
			near(t, name+" base", e.Base, *d.Other, 0)
			for _, pair := range [][2]*Interval{{d.CI, e.CI}, {d.Spread, e.Spread}, {d.Simultaneous, e.Simultaneous}} {
				if pair[0] == nil {
					null(t, name, pair[1])
					continue
				}
				near(t, name+" low", &pair[1][0], -pair[0][1], 1e-12)
				near(t, name+" high", &pair[1][1], -pair[0][0], 1e-12)
			}
			if d.AdjustedP != nil {
				near(t, name+" p", e.AdjustedP, *d.AdjustedP, 1e-12)
			}
		}
		if len(tables[0]) < 20 {
			t.Errorf("view %d has %d figures", i, len(tables[0]))
		}
	}
	for i, pair := range [][2]PairedTest{
		{ab.Against[0].Correctness.Both, ba.Against[0].Correctness.Both}, {ab.Against[0].Correctness.All, ba.Against[0].Correctness.All},
	} {
		if pair[0].PSignFlip != pair[1].PSignFlip || pair[0].McNemar != pair[1].McNemar || pair[0].OnlyBase != pair[1].OnlyOther || *pair[0].Difference != -*pair[1].Difference {
			t.Errorf("correctness %d: %+v and %+v", i, pair[0], pair[1])
		}
	}
}

// A run against itself: no difference anywhere, and p = 1.
func TestSameRun(t *testing.T) {
	rows := mixed(400, 60, 7, 2)
	with := compare(t, Options{Bootstrap: 200}, rows, shuffled(rows, 4)).Against[0]
	for _, table := range []map[string]Difference{with.Own, with.Both} {
		for name, d := range table {
			f := figureOf(name)
			if *d.Difference != 0 || *d.Base != *d.Other {
				t.Errorf("%s differs: %+v", name, d)
			}
			if inferred := f.treatment() == asRate || f.treatment() == asInterval; inferred && (*d.CI != Interval{} || *d.AdjustedP != 1 || *d.Simultaneous != Interval{}) {
				t.Errorf("%s: %+v", name, d)
			}
		}
	}
	for _, c := range []PairedTest{with.Correctness.Both, with.Correctness.All} {
		if c.PSignFlip != 1 || c.McNemar.P != 1 || *c.Difference != 0 || !c.Exhaustive {
			t.Errorf("%+v", c)
		}
	}
	if with.Correctness.All.Tasks <= with.Correctness.Both.Tasks || with.Correctness.Both.Tasks != with.AnsweredByBoth {
		t.Errorf("%+v", with.Correctness)
	}
}

func figureOf(name string) figure {
	for f := range figureCount {
		if f.name() == name {
			return f
		}
	}
	return -1
}

// The order of rows, of either run, cannot matter: same bytes. Nor can the
// number of IDs that recur, or images that are not told.
func TestComparisonRowOrder(t *testing.T) {
	a, b := paired(40, 3, 0.2, 5)
	for i := range a {
		a[i].ID, a[i].Split = fmt.Sprint(i/2), []string{"popular", "random"}[i%2] // recurring IDs
		b[i].ID, b[i].Split = a[i].ID, a[i].Split
		if i%5 == 0 {
			a[i].Image, b[i].Image = "", ""
		}
	}
	text := func(a, b []Row) string {
		out, err := json.Marshal(compare(t, Options{Bootstrap: 100}, a, b))
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	want := text(a, b)
	for seed := range uint64(10) {
		if got := text(shuffled(a, seed), shuffled(b, seed+50)); got != want {
			t.Fatalf("shuffle %d:\n%s\nwant\n%s", seed, got, want)
		}
	}
}

// Each view agrees with the summary of the rows that it says it is over.
func TestViewsAreSummaries(t *testing.T) {
	a, b := mixed(500, 60, 6, 8), mixed(500, 60, 6, 8)
	r := rand.New(rand.NewPCG(2, 2))
	for i := range b {
		if b[i].Outcome == Answered && r.IntN(3) == 0 {
			b[i].Outcome = []Outcome{Abstained, Malformed, Errored}[r.IntN(3)]
		}
	}
	with := compare(t, Options{}, a, b).Against[0]
	var own, both []Row
	for i := range b {
		if a[i].Outcome != Errored && b[i].Outcome != Errored {
			own = append(own, b[i])
			if a[i].Outcome == Answered && b[i].Outcome == Answered {
				both = append(both, a[i])
			}
		}
	}
	of, ofBoth := summary(t, own, Options{}), summary(t, both, Options{})
	for name, pair := range map[string][2]*float64{
		"own accuracy": {with.Own["accuracy"].Other, of.Accuracy}, "own reward": {with.Own["reward"].Other, of.Reward},
		"own ece": {with.Own["ece"].Other, of.ECE}, "own coverage": {with.Own["coverage"].Other, of.Coverage},
		"base, both answered, auroc": {with.Both["auroc"].Base, ofBoth.AUROC}, "aurc": {with.Both["aurc"].Base, ofBoth.AURC},
		"at 0.8": {with.Both["selective_accuracy@0.8"].Base, ofBoth.SelectiveAccuracy["0.8"]},
	} {
		near(t, name, pair[0], *pair[1], 1e-12)
	}
	if _, told := with.Both["coverage"]; told {
		t.Error("coverage over what both answered says nothing")
	}
	if d := with.Own["accuracy"]; d.CI != nil || d.AdjustedP != nil || d.Simultaneous != nil {
		t.Errorf("no bootstrap was asked for: %+v", d)
	}
}

// Hand-computed p-values of the exact McNemar test.
func TestMcNemar(t *testing.T) {
	for _, row := range []struct {
		b, c int
		want float64
	}{
		{0, 0, 1},           // no task tells the runs apart
		{1, 0, 1},           // 2·½
		{0, 5, 0.0625},      // 2/32
		{5, 0, 0.0625},      // the other way round
		{1, 5, 0.21875},     // 2·(1 + 6)/64
		{3, 3, 1},           // capped
		{2, 8, 0.109375},    // 2·(1 + 10 + 45)/1024
		{0, 10, 2.0 / 1024}, //
	} {
		if got := mcNemar(row.b, row.c); math.Abs(got-row.want) > 1e-12 {
			t.Errorf("mcNemar(%d, %d) = %v, want %v", row.b, row.c, got, row.want)
		}
	}
}

// A sign-flip test small enough to count by hand: images gain 2, 1, 1 and lose
// 1, so the sum is 3 of at most 5. Of the 16 patterns, ±5 is reached by 1 each
// and ±3 by 3 each: p = 8/16. An image where gain and loss cancel has no say.
func TestSignFlipByHand(t *testing.T) {
	gains := []struct{ image, right, wrong int }{{0, 2, 0}, {1, 1, 0}, {2, 1, 0}, {3, 0, 1}, {4, 1, 1}}
	var base, other []Row
	for _, g := range gains {
		for i := range g.right + g.wrong {
			row := Row{ID: fmt.Sprint(g.image, "-", i), Image: fmt.Sprint(g.image), Outcome: Answered, Confidence: 0.8, Correct: i >= g.right}
			base = append(base, row)
			row.Correct = !row.Correct
			row.Supported = true
			other = append(other, row)
		}
	}
	got := compare(t, Options{}, base, other).Against[0].Correctness.Both
	want := PairedTest{Tasks: 7, OnlyBase: 2, OnlyOther: 5, Difference: got.Difference, PSignFlip: 0.5, Flips: 32 / 2, Exhaustive: true, McNemar: McNemar{P: got.McNemar.P, Note: mcNemarNote}}
	if got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	near(t, "difference", got.Difference, 3.0/7, 1e-12)
	near(t, "mcnemar", &got.McNemar.P, 2*(1+7+21)/128.0, 1e-12)
}

// Where patterns are drawn, p comes near the exact one, which a convolution
// over the images gives.
func TestSignFlipNearExact(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	for range 5 {
		moved, sum := make([]int, 40+r.IntN(100)), 0
		for i := range moved {
			moved[i] = r.IntN(7) - 2
			sum += moved[i]
		}
		exact := map[int]float64{0: 1}
		for _, d := range moved {
			next := map[int]float64{}
			for s, p := range exact {
				next[s+d] += p / 2
				next[s-d] += p / 2
			}
			exact = next
		}
		want := 0.0
		for s, p := range exact {
			if abs(s) >= abs(sum) {
				want += p
			}
		}
		var test PairedTest
		if err := test.flip(t.Context(), moved, 4); err != nil {
			t.Fatal(err)
		}
		if tolerance := 4*math.Sqrt(want*(1-want)/signFlips) + 2e-4; math.Abs(test.PSignFlip-want) > tolerance {
			t.Errorf("p = %v, exact %v ± %v", test.PSignFlip, want, tolerance)
		}
	}
}

// Many against one: the adjusted p is never below that of a run alone, and
// each simultaneous interval is at least as wide; the interval of a run by
// itself stays what it is.
func TestManyAgainstOne(t *testing.T) {
	runs := make([][]Row, 5)
	r := rand.New(rand.NewPCG(5, 21))
	for i := range 60 {
		for k := range runs {
			runs[k] = append(runs[k], Row{ID: fmt.Sprint(i), Image: fmt.Sprint(i / 2), Outcome: Answered, Confidence: 0.7, Correct: r.Float64() < 0.7, Label: "REFUTED"})
		}
	}
	opt := Options{Bootstrap: 100}
	for k, with := range compare(t, opt, runs...).Against {
		alone := compare(t, opt, runs[0], runs[k+1]).Against[0]
		for _, name := range []string{"accuracy", "reward", "brier"} {
			d, one := with.Own[name], alone.Own[name]
			if *one.AdjustedP > *d.AdjustedP || one.Simultaneous[1]-one.Simultaneous[0] > d.Simultaneous[1]-d.Simultaneous[0]+1e-12 || *one.CI != *d.CI {
				t.Errorf("%s: alone %+v, among four %+v", name, one, d)
			}
		}
	}
}

// Where none of ten runs differs from the base, one seems to in about 5 % of
// experiments, not in 30 %: differences of means of 100 normal numbers against
// the same base, which ties the ten together.
func TestSimultaneousLevel(t *testing.T) {
	const experiments, runs, n, replicates = 400, 10, 100, 200
	found, covered, single := 0, 0, 0
	for seed := range uint64(experiments) {
		r := rand.New(rand.NewPCG(seed, 4))
		points, reps := make([]float64, runs), make([][]float64, runs)
		data := make([][n]float64, runs+1)
		for k := range data {
			for i := range n {
				data[k][i] = r.NormFloat64()
			}
		}
		weights := make([]int32, n)
		for b := range replicates + 1 {
			for i := range weights {
				weights[i] = 1
			}
			if b > 0 {
				resample(weights, seed, b)
			}
			for k := range runs {
				d := 0.0
				for i, w := range weights {
					d += float64(w) * (data[k+1][i] - data[0][i]) / n
				}
				if b == 0 {
					points[k] = d
				} else {
					reps[k] = append(reps[k], d)
				}
			}
		}
		lowest, all := 1.0, true
		for _, x := range simultaneous(points, reps) {
			lowest = min(lowest, *x.p)
			all = all && x.interval[0] <= 0 && x.interval[1] >= 0
		}
		found, covered = found+one(lowest <= 0.05), covered+one(all)
		alone := 1.0
		for k := range runs {
			alone = min(alone, *simultaneous(points[k:k+1], reps[k:k+1])[0].p)
		}
		single += one(alone <= 0.05)
	}
	// 400·.05 = 20 with a deviation of 4.4; at 200 replicates the test is a
	// little liberal.
	if found > 38 || covered < experiments-38 {
		t.Errorf("of %d experiments without a difference %d found one; all intervals held in %d", experiments, found, covered)
	}
	if single < 2*found {
		t.Errorf("unadjusted, %d found one; adjusted %d: the adjustment does nothing", single, found)
	}
}

// Each row is a pair of runs that must not be compared, and what the message
// names.
func TestRefusedComparisons(t *testing.T) {
	good := func() []Row {
		return []Row{
			{ID: "q1", Image: "a", Outcome: Answered, Confidence: 0.8, Correct: true, Supported: true, Label: "SUPPORTED"},
			{ID: "q2", Image: "b", Outcome: Abstained, Label: "REFUTED"},
		}
	}
	for _, row := range []struct {
		name   string
		change func(rows []Row) []Row
		want   string
	}{
		{"another label", func(r []Row) []Row { r[1].Label = "SUPPORTED"; return r }, `task "q2": is labelled REFUTED in base but SUPPORTED in other0`},
		{"another label, shown by a right answer only", func(r []Row) []Row { r[0].Label, r[0].Supported = "", false; return r }, `task "q1": is labelled SUPPORTED in base but REFUTED`},
		{"another image", func(r []Row) []Row { r[1].Image = "c"; return r }, `task "q2": is about image "b" in base but "c"`},
		{"a task less", func(r []Row) []Row { return r[:1] }, `task "q2": is in base but not in other0`},
		{"a task more", func(r []Row) []Row { return append(r, Row{ID: "q9", Outcome: Malformed}) }, `task "q9": is in other0 but not in base`},
		{"another task", func(r []Row) []Row { r[0].ID = "q7"; return r }, `1 tasks are only in base, 1 only in other0`},
		{"no id", func(r []Row) []Row { r[1].ID = ""; return r }, `row 2 of other0 has no id`},
		{"twice", func(r []Row) []Row { return append(r, r[0]) }, `task "q1": stands twice in other0`},
		{"not a number", func(r []Row) []Row { r[0].Confidence = math.NaN(); return r }, `other0: rows[0], id "q1": confidence NaN`},
	} {
		_, err := Compare(t.Context(), Contender{"base", good()}, []Contender{{"other0", row.change(good())}}, brier(t), Options{})
		if err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: %v, want %q", row.name, err, row.want)
		}
		if !errors.As(err, new(*PairError)) && !errors.As(err, new(*RowError)) {
			t.Errorf("%s: %T", row.name, err)
		}
	}
	if _, err := Compare(t.Context(), Contender{"base", good()}, []Contender{{"other", good()}}, Payment{Brier{}, 0.5}, Options{}); !errors.As(err, new(*PayoffError)) {
		t.Errorf("a refused payoff: %v", err)
	}
}

// Nothing to compare, nothing answered, one image: null, a warning, no NaN.
func TestEmptyComparisons(t *testing.T) {
	none := []Row{{ID: "a", Image: "1", Outcome: Malformed}, {ID: "b", Image: "1", Outcome: Abstained}}
	failed := []Row{{ID: "a", Image: "1", Outcome: Errored}, {ID: "b", Image: "1", Outcome: Errored}}
	for name, c := range map[string]*Comparison{
		"no rows": compare(t, Options{Bootstrap: 20}, nil, nil), "no answers": compare(t, Options{Bootstrap: 20}, none, none),
		"errors only": compare(t, Options{Bootstrap: 20}, none, failed),
	} {
		b, err := json.Marshal(c)
		if err != nil || len(c.Warnings) == 0 {
			t.Errorf("%s: %v, warnings %v", name, err, c.Warnings)
		}
		null(t, name, c.Against[0].Own["accuracy"].Difference)
		if c.Against[0].Correctness.All.PSignFlip != 1 {
			t.Errorf("%s: %s", name, b)
		}
	}
}

// The number of cores never shows.
func TestComparisonOnAnyCores(t *testing.T) {
	a, b := paired(50, 3, 0.2, 6)
	text := func(cores int) string {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
		c := compare(t, Options{Bootstrap: 60}, a, b, a)
		h, err := WhatHonestyEarns(t.Context(), a, PayoffGrid()[:4], nil, Options{Bootstrap: 60})
		if err != nil {
			t.Fatal(err)
		}
		out, err := json.Marshal([]any{c, h})
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	want := text(1)
	for _, cores := range []int{2, 5} {
		if text(cores) != want {
			t.Errorf("%d cores give another comparison", cores)
		}
	}
}

// Why images are flipped and not tasks: where the claims of an image go wrong
// together, by chance in the one run or the other, sign flips keep their 5 %,
// and McNemar's test finds a difference in far more of the experiments.
func TestSignFlipKeepsItsLevel(t *testing.T) {
	const experiments, images, each = 400, 60, 4
	flips, mcnemar := 0, 0
	for seed := range uint64(experiments) {
		r := rand.New(rand.NewPCG(seed, 31))
		var base, other []Row
		var of []int32
		for i := range int32(images) {
			wrong := r.IntN(6) // 0: base is wrong throughout, 1: other, else neither
			for range each {
				of = append(of, i)
				base, other = append(base, Row{Correct: wrong != 0}), append(other, Row{Correct: wrong != 1})
			}
		}
		got, err := pairedTest(t.Context(), base, other, of, images, seed)
		if err != nil {
			t.Fatal(err)
		}
		flips, mcnemar = flips+one(got.PSignFlip <= 0.05), mcnemar+one(got.McNemar.P <= 0.05)
	}
	// 400·.05 = 20 with a deviation of 4.4; the sums are few, so it is below.
	if flips > 33 || mcnemar < 3*flips || mcnemar < 60 {
		t.Errorf("of %d experiments without a difference sign flips found %d, McNemar %d", experiments, flips, mcnemar)
	}
	t.Logf("sign flips %d, McNemar %d of %d", flips, mcnemar, experiments)
}

// The percentile interval cuts each side by itself, and p looks as far up as
// down: where replicates lean to one side, the interval may leave out 0 though p
// is above 0.05. p agrees with the simultaneous interval, whatever the lean.
func TestLeaningReplicates(t *testing.T) {
	const n, d = 1000, 1.0
	for _, tt := range []struct {
		name  string
		at    func(q float64) float64 // the replicates' quantiles
		apart bool                    // interval and p disagree
	}{
		{"to neither side, far from 0", func(q float64) float64 { return d + .8*(2*q-1) }, false},
		{"to neither side, about 0", func(q float64) float64 { return d + 2*(2*q-1) }, false},
		{"upwards: all above 0, a tenth more than twice the difference", func(q float64) float64 { return .1 - math.Log(1-q)*.85 }, true},
	} {
		reps := make([]float64, n)
		for i := range reps {
			reps[i] = tt.at((float64(i) + .5) / n)
		}
		ci, joint := percentiles(reps), simultaneous([]float64{d}, [][]float64{reps})[0]
		excludes, small := ci[0] > 0, *joint.p <= .05
		if (excludes != small) != tt.apart {
			t.Errorf("%s: interval %v, p %v", tt.name, *ci, *joint.p)
		}
		if joint.interval[0] > 0 != small {
			t.Errorf("%s: p %v disagrees with its own interval %v", tt.name, *joint.p, *joint.interval)
		}
	}
}
