package scoring

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// answersOf makes one answered row for each confidence, each about an image of
// its own.
func answersOf(confidence []float64, correct []int) []Row {
	rows := make([]Row, len(confidence))
	for i := range rows {
		id := fmt.Sprintf("t%04d", i)
		rows[i] = Row{ID: id, Image: id, Outcome: Answered, Confidence: confidence[i], Correct: correct[i] == 1, Supported: i%2 == 0}
	}
	return rows
}

// block makes n answered rows of one confidence, the first wrong ones wrong.
func block(from int, confidence float64, n, wrong int) []Row {
	c, y := make([]float64, n), make([]int, n)
	for i := range c {
		c[i], y[i] = confidence, one(i >= wrong)
	}
	rows := answersOf(c, y)
	for i := range rows {
		rows[i].ID = fmt.Sprintf("t%04d", from+i)
		rows[i].Image = rows[i].ID
	}
	return rows
}

// published is the adversarial histogram of the published baseline.
func published() []Row {
	rows := block(0, 0.946, 140, 16)
	rows = append(rows, block(140, 0.98, 35, 2)...)
	return append(rows, block(175, 0.99, 17, 0)...)
}

func outcomes(o Outcome, from, n int) []Row {
	rows := make([]Row, n)
	for i := range rows {
		id := fmt.Sprintf("%s%d", o, from+i)
		rows[i] = Row{ID: id, Image: id, Outcome: o}
	}
	return rows
}

func brier(t testing.TB) Payment {
	t.Helper()
	pay, err := NewPayment(Brier{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return pay
}

// summary fails the test on an error; few floor draws keep tests quick.
func summary(t testing.TB, rows []Row, opt Options) *Summary {
	t.Helper()
	if opt.FloorDraws == 0 {
		opt.FloorDraws = 50
	}
	s, err := Summarize(t.Context(), rows, brier(t), opt)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func near(t *testing.T, what string, got *float64, want, tolerance float64) {
	t.Helper()
	if got == nil {
		t.Errorf("%s = null, want %v", what, want)
	} else if !(math.Abs(*got-want) <= tolerance) {
		t.Errorf("%s = %.10f, want %.10f", what, *got, want)
	}
}

func null[T any](t *testing.T, what string, got *T) {
	t.Helper()
	if got != nil {
		t.Errorf("%s = %v, want null", what, *got)
	}
}

func encode(t testing.TB, s *Summary) string {
	t.Helper()
	b, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func shuffled(rows []Row, seed uint64) []Row {
	out := append([]Row(nil), rows...)
	rand.New(rand.NewPCG(seed, 1)).Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

func codes(s *Summary) map[string]bool {
	out := map[string]bool{}
	for _, w := range s.Warnings {
		out[w.Code] = true
	}
	return out
}

// mixed makes n rows of all outcomes over images and splits; grid > 0 puts the
// confidences on that many values, so that there are ties.
func mixed(n, images, grid int, seed uint64) []Row {
	r := rand.New(rand.NewPCG(seed, 7))
	rows := make([]Row, n)
	for i := range rows {
		c := r.Float64()
		if grid > 0 {
			c = float64(r.IntN(grid+1)) / float64(grid)
		}
		rows[i] = Row{
			ID: fmt.Sprintf("r%05d", i), Image: fmt.Sprintf("img%04d", r.IntN(images)), Split: []string{"adversarial", "popular"}[r.IntN(2)],
			Outcome: Answered, Confidence: c, Correct: r.Float64() < 0.3+0.6*c, Supported: r.IntN(2) == 0, Repaired: r.IntN(9) == 0,
			Sources: map[string]float64{"logprob": r.Float64()},
		}
		switch r.IntN(12) {
		case 0:
			rows[i].Outcome = Abstained
		case 1:
			rows[i].Outcome = Malformed
		case 2:
			rows[i].Outcome = Errored
		}
	}
	return rows
}
