package calibrate_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"candor/harness/calibrate"
	"candor/harness/run"
	"candor/harness/stored"
	"candor/scoring"
	"candor/scoring/recalibration"
)

// overconfident gives n answers that are right less often than they say.
func overconfident(name string, n int, seed uint64) *stored.Answers {
	r := rand.New(rand.NewPCG(seed, 1))
	a := &stored.Answers{Name: name}
	for i := range n {
		c := float64(60+r.IntN(40)) / 100
		a.Rows = append(a.Rows, scoring.Row{
			ID: fmt.Sprint(i), Image: fmt.Sprintf("%s%d.jpg", name, i/3), Outcome: scoring.Answered,
			Confidence: c, Correct: r.Float64() < 0.5+0.5*(c-0.5), Sources: map[string]float64{"logprob": 0.5},
		})
	}
	a.Rows = append(a.Rows, scoring.Row{ID: "x", Image: name, Outcome: scoring.Malformed}, scoring.Row{ID: "y", Image: name, Outcome: scoring.Abstained})
	return a
}

// Every map mends an overconfident model on images that it has not seen; what
// it earns is R1, and abstained and malformed tasks stay what they were.
func TestMapsMend(t *testing.T) {
	got, err := calibrate.Apply(t.Context(), overconfident("train", 3000, 1), overconfident("eval", 1500, 2), calibrate.Request{Options: scoring.Options{FloorDraws: 20}})
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Maps) != len(recalibration.Names()) || got.FittedOn != 3000 {
		t.Fatalf("%d maps on %d answers", len(got.Maps), got.FittedOn)
	}
	for _, m := range got.Maps {
		if *m.After.ECE > *got.Before.ECE/2 || *m.After.Brier >= *got.Before.Brier || *m.Honesty.Miscalibration <= 0 {
			t.Errorf("%s: ECE %v → %v, earned %v", m.Name, *got.Before.ECE, *m.After.ECE, *m.Honesty.Miscalibration)
		}
		if d := *m.After.Reward - *m.Honesty.R1; d > 1e-12 || d < -1e-12 {
			t.Errorf("%s: reward after %v, R1 %v", m.Name, *m.After.Reward, *m.Honesty.R1)
		}
		if m.After.Abstained != 1 || m.After.Malformed != 1 || *m.After.Accuracy != *got.Before.Accuracy || m.Honesty.Optimistic || m.Honesty.Map != m.Name {
			t.Errorf("%s: %+v", m.Name, m.Honesty)
		}
		if g, err := recalibration.Decode(m.Map); err != nil || g.Name() != m.Name {
			t.Errorf("%s: map %s: %v", m.Name, m.Map, err)
		}
	}
}

// Each row is a refusal.
func TestRefusals(t *testing.T) {
	train, eval := overconfident("train", 60, 1), overconfident("eval", 30, 2)
	shared := overconfident("other", 30, 2)
	shared.Rows[3].Image = "train0" // without the extension that the other has
	_, err := calibrate.Apply(t.Context(), train, shared, calibrate.Request{})
	if s := (*recalibration.SharedError)(nil); !errors.As(err, &s) || s.Images[0] != "train0" {
		t.Errorf("a shared image: %v", err)
	}
	_, err = calibrate.Apply(t.Context(), train, eval, calibrate.Request{Maps: []string{"spline"}})
	if !errors.As(err, new(*run.UsageError)) {
		t.Errorf("an unknown map: %v", err)
	}
	_, err = calibrate.Apply(t.Context(), &stored.Answers{Name: "none"}, eval, calibrate.Request{})
	if !errors.Is(err, recalibration.ErrUndefined) || err.Error() != "none has no answered tasks: nothing to fit a map on" {
		t.Errorf("nothing to fit on: %v", err)
	}
}

// A map that the answers do not determine is told and the others go on: with
// all answers right no temperature is the best.
func TestOneMapUndefined(t *testing.T) {
	train := overconfident("train", 60, 1)
	for i := range train.Rows {
		train.Rows[i].Correct = train.Rows[i].Outcome == scoring.Answered
	}
	got, err := calibrate.Apply(t.Context(), train, overconfident("eval", 30, 2), calibrate.Request{Maps: []string{"temperature", "histogram"}, Options: scoring.Options{FloorDraws: 1}})
	if err != nil {
		t.Fatal(err)
	}
	if got.Maps[0].Undefined == "" || got.Maps[0].After != nil || got.Maps[1].After == nil {
		t.Errorf("%+v", got.Maps)
	}
}

// Each row is how many answers a map is fitted on, and whether that is told as
// too few; and files, which do not tell how they were made, are warned of.
func TestFewAnswersOfFiles(t *testing.T) {
	for _, row := range []struct {
		n    int
		want string
	}{
		{2, "2 answers of train: the map is mostly luck"},
		{74, "74 answers of train: the map is mostly luck"},
		{75, ""},
	} {
		got, err := calibrate.Apply(t.Context(), overconfident("train", row.n, 1), overconfident("eval", 30, 2), calibrate.Request{Maps: []string{"isotonic"}, Options: scoring.Options{FloorDraws: 1}})
		if err != nil {
			t.Fatal(err)
		}
		few, untold := "", ""
		for _, w := range got.Warnings {
			switch w.Code {
			case "few_fitted":
				few = w.Message
			case "circumstances_unknown":
				untold = w.Message
			}
		}
		if few != row.want || !strings.HasPrefix(untold, "train, eval: a file of answers does not tell") {
			t.Errorf("%d answers: %q, %q", row.n, few, untold)
		}
	}
}

// Answers that name no image, and runs made differently, are warned of.
func TestWarnings(t *testing.T) {
	train, eval := overconfident("train", 60, 1), overconfident("eval", 30, 2)
	train.Rows[0].Image = ""
	train.Run, eval.Run = &run.Stored{}, &run.Stored{}
	train.Run.Manifest.Hashed = map[string]string{"model_digest": "a", "seed": "1"}
	eval.Run.Manifest.Hashed, eval.Run.Manifest.Config = map[string]string{"model_digest": "b", "seed": "2"}, run.DefaultConfig()
	got, err := calibrate.Apply(t.Context(), train, eval, calibrate.Request{Maps: []string{"isotonic"}, Options: scoring.Options{FloorDraws: 1}})
	if err != nil {
		t.Fatal(err)
	}
	codes := map[string]bool{}
	for _, w := range got.Warnings {
		codes[w.Code] = true
	}
	if !codes["differs_model_digest"] || codes["differs_seed"] || !codes[scoring.WarnNoImages] {
		t.Errorf("%v", got.Warnings)
	}
}
