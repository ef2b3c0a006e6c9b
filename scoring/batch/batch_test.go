package batch_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"candor/scoring"
	"candor/scoring/batch"
)

// run draws answers to the same tasks; which model and how many levels of
// confidence (0: continuous) it has, and what share it answers, may differ.
func run(tasks, images, grid int, model uint64) []scoring.Row {
	random := rand.New(rand.NewPCG(model, 99))
	rows := make([]scoring.Row, tasks)
	for i := range rows {
		c := math.Sqrt(random.Float64())
		if grid > 0 {
			c = math.Round(c*float64(grid)) / float64(grid)
		}
		rows[i] = scoring.Row{
			ID: fmt.Sprintf("task %04d", i), Image: fmt.Sprintf("image %d", i%images), Outcome: scoring.Answered,
			Confidence: c, Correct: random.Float64() < 0.2+0.6*c, Supported: random.Float64() < 0.4, Repaired: random.Float64() < 0.1,
		}
		switch u := random.Float64(); {
		case u < 0.1:
			rows[i].Outcome = scoring.Abstained
		case u < 0.15:
			rows[i].Outcome = scoring.Malformed
		}
	}
	return rows
}

func shuffled(rows []scoring.Row, seed uint64) []scoring.Row {
	out := append([]scoring.Row(nil), rows...)
	rand.New(rand.NewPCG(seed, 0)).Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

func payments(t testing.TB) []scoring.Payment {
	t.Helper()
	var out []scoring.Payment
	for _, rule := range []scoring.Rule{scoring.Brier{}, scoring.Log{}, scoring.Log{Epsilon: 0.01}} {
		pay, err := scoring.NewPayment(rule, nil)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, pay)
	}
	return out
}

func lay(t testing.TB, runs ...[]scoring.Row) *batch.Runs {
	t.Helper()
	r, err := batch.New(runs)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The graph pays what Payment pays, to 1e-12, at the ends of the scale and
// for every outcome; a task in error or missing gets 0.
func TestRewards(t *testing.T) {
	first, second := run(300, 40, 0, 1), run(300, 40, 10, 2)
	for i, c := range []float64{0, 1, 1e-4, 1e-5, 1 - 1e-4, 0.5, math.Copysign(0, -1)} {
		first[2*i].Confidence, first[2*i].Correct, first[2*i].Outcome = c, true, scoring.Answered
		first[2*i+1].Confidence, first[2*i+1].Correct, first[2*i+1].Outcome = c, false, scoring.Answered
	}
	second[7].Outcome = scoring.Errored
	runs := lay(t, first, second[:290])
	for _, pay := range payments(t) {
		got, err := runs.Rewards(pay)
		if err != nil {
			t.Fatal(err)
		}
		for r, rows := range [][]scoring.Row{first, second} {
			for i, row := range rows {
				value, err := got.At(r, i)
				if err != nil {
					t.Fatal(err)
				}
				want := pay.Reward(row.Outcome, row.Confidence, row.Correct)
				if r == 1 && (i == 7 || i >= 290) {
					want = 0
				}
				if math.Abs(value.(float64)-want) > 1e-12 {
					t.Errorf("%s, run %d, %+v: %v, want %v", pay.Rule.Name(), r, row, value, want)
				}
			}
		}
	}
}

// Every point, interval and spread is what Summarize gives the run alone with
// the same seed, whatever the order of its rows.
func TestEqualsSummarize(t *testing.T) {
	all := [][]scoring.Row{run(420, 70, 0, 1), run(420, 70, 20, 2), run(420, 70, 100, 3), run(420, 70, 5, 4)}
	const replicates, seed = 1100, 11 // several blocks, the last not full; more than smooth ECE gets
	for _, pay := range payments(t)[:2] {
		result, err := lay(t, all[0], shuffled(all[1], 5), all[2], shuffled(all[3], 6)).
			Bootstrap(t.Context(), pay, batch.Options{Replicates: replicates, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		figures, err := result.Figures(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for r, rows := range all {
			want, err := scoring.Summarize(t.Context(), rows, pay, scoring.Options{Bootstrap: replicates, Seed: seed, FloorDraws: 1})
			if err != nil {
				t.Fatal(err)
			}
			what := fmt.Sprintf("%s, run %d", pay.Rule.Name(), r)
			same(t, what+" ci", figures[r].CI, want.CI)
			same(t, what+" spread", figures[r].Spread, want.Spread)
			for name, pair := range map[string]*float64{
				"accuracy": want.Accuracy, "coverage": want.Coverage, "brier": want.Brier, "reward": want.Reward, "ece": want.ECE,
				"auroc": want.AUROC, "aurc": want.AURC, "augrc": want.AUGRC, "mcb": want.CORP.MCB, "malformed_rate": want.MalformedRate,
			} {
				if got := figures[r].Point[name]; got == nil || math.Abs(*got-*pair) > 1e-12 {
					t.Errorf("%s: %s %v, want %v", what, name, got, *pair)
				}
			}
		}
	}
}

func same(t *testing.T, what string, got, want map[string]*scoring.Interval) {
	t.Helper()
	if len(got) != len(want) || len(want) < 5 {
		t.Errorf("%s: %d intervals, want %d", what, len(got), len(want))
	}
	for name, at := range want {
		switch mine := got[name]; {
		case (mine == nil) != (at == nil):
			t.Errorf("%s: %s %v, want %v", what, name, mine, at)
		case at != nil && !(math.Abs(mine[0]-at[0]) <= 1e-9 && math.Abs(mine[1]-at[1]) <= 1e-9):
			t.Errorf("%s: %s %v, want %v", what, name, *mine, *at)
		}
	}
}

// The product's ratios, replicate by replicate, are those of the pass that
// measures everything: with rows without an image, tasks missing from a run,
// tasks in error and a run that never answers.
func TestProductIsThePass(t *testing.T) {
	runs := [][]scoring.Row{run(200, 30, 10, 1), run(200, 30, 0, 2)[:150], run(200, 30, 5, 3), run(200, 30, 5, 4)}
	for i := range 200 {
		runs[3][i].Outcome = scoring.Abstained
		if i%9 == 0 {
			runs[2][i].Outcome = scoring.Errored
		}
		for r := range runs {
			if i%10 == 0 && i < len(runs[r]) {
				runs[r][i].Image = ""
			}
		}
	}
	pay := payments(t)[0]
	r := lay(t, runs...)
	result, err := r.Bootstrap(t.Context(), pay, batch.Options{Replicates: 300, Seed: 3, RatiosOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	at := map[string]int32{}
	for i, key := range r.Tasks {
		at[key] = r.Image[i]
	}
	for k, rows := range runs {
		var kept []scoring.Row
		var of []int32
		for _, row := range rows {
			if row.Outcome != scoring.Errored {
				kept, of = append(kept, row), append(of, at[row.ID])
			}
		}
		layout, err := scoring.NewResampler(kept, of, r.Images, pay, 0)
		if err != nil {
			t.Fatal(err)
		}
		var m scoring.Measurer
		weights := make([]int32, r.Images)
		for b := range 300 {
			scoring.Resample(weights, 3, b)
			want := m.Measure(layout, weights, b)
			for f, name := range scoring.FigureNames() {
				dense, err := result.Replicates(name)
				if errors.Is(err, batch.ErrNoMetric) {
					continue
				}
				got, err := dense.At(k, b)
				if err != nil {
					t.Fatal(err)
				}
				if !(math.Abs(got.(float64)-want[f]) <= 1e-9) && !(math.IsNaN(got.(float64)) && math.IsNaN(want[f])) {
					t.Fatalf("run %d, replicate %d: %s %v, want %v", k, b, name, got, want[f])
				}
			}
		}
	}
	if got := result.Metrics(); len(got) != 9 {
		t.Errorf("ratios only: %v", got)
	}
}

// The number of cores does not show in a single bit.
func TestCores(t *testing.T) {
	r := lay(t, run(300, 50, 0, 1), run(300, 50, 20, 2), run(300, 50, 7, 3))
	var want [][]float64
	for _, cores := range []int{1, 2, 7} {
		old := runtime.GOMAXPROCS(cores)
		result, err := r.Bootstrap(t.Context(), payments(t)[0], batch.Options{Replicates: 700, Seed: 1})
		runtime.GOMAXPROCS(old)
		if err != nil {
			t.Fatal(err)
		}
		var got [][]float64
		for _, name := range result.Metrics() {
			dense, err := result.Replicates(name)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, dense.Data().([]float64))
		}
		if want == nil {
			want = got
		}
		for m := range want {
			for i := range want[m] {
				if math.Float64bits(got[m][i]) != math.Float64bits(want[m][i]) {
					t.Fatalf("%d cores: %s [%d] %v, with one core %v", cores, result.Metrics()[m], i, got[m][i], want[m][i])
				}
			}
		}
	}
}

// What cannot be laid side by side is refused, naming it.
func TestRefused(t *testing.T) {
	rows := run(10, 5, 0, 1)
	change := func(i int, with func(*scoring.Row)) []scoring.Row {
		out := append([]scoring.Row(nil), rows...)
		with(&out[i])
		return out
	}
	for _, row := range []struct {
		what string
		runs [][]scoring.Row
		says string
	}{
		{"no runs", nil, "no task"},
		{"all in error", [][]scoring.Row{{{ID: "a", Outcome: scoring.Errored}}}, "no task"},
		{"no id", [][]scoring.Row{rows, change(3, func(r *scoring.Row) { r.ID = "" })}, "run 2 of 2: row 4 has no id"},
		{"twice", [][]scoring.Row{change(3, func(r *scoring.Row) { r.ID = "task 0000" })}, "twice"},
		{"another image", [][]scoring.Row{rows, change(3, func(r *scoring.Row) { r.Image = "x" })}, `image "x"`},
		{"NaN", [][]scoring.Row{rows, change(3, func(r *scoring.Row) { r.Outcome, r.Confidence = scoring.Answered, math.NaN() })}, "rows[3]"},
	} {
		if _, err := batch.New(row.runs); err == nil || !strings.Contains(err.Error(), row.says) {
			t.Errorf("%s: error %v, want one with %q", row.what, err, row.says)
		}
	}
	r := lay(t, rows)
	pay := payments(t)[0]
	if _, err := r.Bootstrap(t.Context(), pay, batch.Options{}); err == nil {
		t.Error("no replicates were taken for a number")
	}
	var payoff *scoring.PayoffError
	if _, err := r.Rewards(scoring.Payment{Rule: scoring.Brier{}, Abstain: 2}); !errors.As(err, &payoff) {
		t.Errorf("a payoff of 2: %v", err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.Bootstrap(cancelled, pay, batch.Options{Replicates: 100}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	result, err := r.Bootstrap(t.Context(), pay, batch.Options{Replicates: 100, RatiosOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"ece", "no such"} {
		if _, err := result.Replicates(name); !errors.Is(err, batch.ErrNoMetric) {
			t.Errorf("%s: %v", name, err)
		}
	}
	figures, err := result.Figures(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, given := figures[0].Spread["ece"]; given || figures[0].CI["brier"] == nil || figures[0].Point["ece"] == nil {
		t.Errorf("ratios only: %+v", figures[0])
	}
}

// IDs may recur over splits; masks hold what they say.
func TestLayout(t *testing.T) {
	rows := []scoring.Row{
		{ID: "1", Split: "b", Image: "x", Outcome: scoring.Answered, Confidence: 0.75, Correct: true, Supported: true},
		{ID: "1", Split: "a", Image: "y", Outcome: scoring.Abstained, Repaired: true},
		{ID: "2", Split: "a", Image: "x", Outcome: scoring.Malformed},
	}
	r := lay(t, rows, rows[:1])
	if r.Count() != 2 || r.Images != 2 || !reflect.DeepEqual(r.Image, []int32{1, 0, 0}) {
		t.Errorf("%d runs, %d images, of tasks %v (%q)", r.Count(), r.Images, r.Image, r.Tasks)
	}
	for what, pair := range map[string][2][]float64{
		"present":    {r.Present.Data().([]float64), {1, 1, 1, 0, 1, 0}},
		"answered":   {r.Answered.Data().([]float64), {0, 1, 0, 0, 1, 0}},
		"abstained":  {r.Abstained.Data().([]float64), {1, 0, 0, 0, 0, 0}},
		"repaired":   {r.Repaired.Data().([]float64), {1, 0, 0, 0, 0, 0}},
		"supported":  {r.Supported.Data().([]float64), {0, 1, 0, 0, 1, 0}},
		"correct":    {r.Correct.Data().([]float64), {0, 1, 0, 0, 1, 0}},
		"confidence": {r.Confidence.Data().([]float64), {0, 0.75, 0, 0, 0.75, 0}},
	} {
		if !reflect.DeepEqual(pair[0], pair[1]) {
			t.Errorf("%s: %v, want %v", what, pair[0], pair[1])
		}
	}
}

func ExampleRuns_Bootstrap() {
	loud, quiet := run(300, 50, 20, 1), run(300, 50, 20, 1)
	for i := range quiet {
		quiet[i].Confidence *= 0.97
	}
	runs, err := batch.New([][]scoring.Row{loud, quiet})
	if err != nil {
		fmt.Println(err)
		return
	}
	pay := scoring.Payment{Rule: scoring.Brier{}, Abstain: 0.8}
	result, err := runs.Bootstrap(context.Background(), pay, batch.Options{Replicates: 1000})
	if err != nil {
		fmt.Println(err)
		return
	}
	reward, err := result.Replicates("reward")
	if err != nil {
		fmt.Println(err)
		return
	}
	values, better := reward.Data().([]float64), 0
	for b := range 1000 {
		if values[1000+b] > values[b] { // the same images for both
			better++
		}
	}
	fmt.Printf("chance that the quieter run earns more: %.2f\n", float64(better)/1000)
	// Output: chance that the quieter run earns more: 0.98
}
