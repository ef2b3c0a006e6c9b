package scoring

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// labels are a label set by ID: "" is a row that it passes over, and a row of
// a split that it never names is none of its.
func labels(of map[string]string, splits ...string) Labelling {
	return func(r Row) (string, bool) {
		for _, s := range splits {
			if s == r.Split {
				return of[r.ID], true
			}
		}
		return "", false
	}
}

func labelled(id, image, split string, o Outcome, supported bool, label string) Row {
	return Row{ID: id, Image: image, Split: split, Outcome: o, Confidence: .9, Supported: supported, Correct: supported == (label == "SUPPORTED"), Label: label}
}

// By hand: of seven tasks one is in error, one of a split that the set does
// not have, and two are ambiguous, one of them abstained from. Of the three
// that it keeps it labels one otherwise.
func TestSummarizeUnder(t *testing.T) {
	rows := []Row{
		labelled("1", "a", "random", Answered, true, "SUPPORTED"),
		labelled("2", "a", "random", Answered, true, "REFUTED"), // right by the set
		labelled("3", "b", "random", Abstained, false, "REFUTED"),
		labelled("4", "b", "random", Abstained, false, "SUPPORTED"),
		labelled("5", "c", "random", Malformed, false, "SUPPORTED"),
		labelled("6", "c", "popular", Answered, true, "SUPPORTED"),
		{ID: "7", Split: "random", Outcome: Errored},
	}
	set := labels(map[string]string{"1": "SUPPORTED", "2": "SUPPORTED", "4": "SUPPORTED", "7": "REFUTED"}, "random")
	s, err := SummarizeUnder(t.Context(), rows, set, brier(t), Options{FloorDraws: 10, Bootstrap: 200})
	if err != nil {
		t.Fatal(err)
	}
	f := s.LabelSet
	if s.N != 3 || s.Answered != 2 || s.Errors != 1 || f.Kept != 3 || f.Ambiguous != 2 || f.Uncovered != 1 || f.Relabelled != 1 {
		t.Errorf("n %d, answered %d, errors %d, %+v", s.N, s.Answered, s.Errors, f)
	}
	if !slices.Equal(f.AmbiguousTasks, []string{"random/3", "random/5"}) || !slices.Equal(f.RelabelledTasks, []string{"random/2"}) {
		t.Errorf("ambiguous %v, relabelled %v", f.AmbiguousTasks, f.RelabelledTasks)
	}
	near(t, "accuracy", s.Accuracy, 1, 0)
	near(t, "ceiling", f.Ceiling, 2./3, 1e-12)
	near(t, "abstained on ambiguous", f.AbstainAmbiguous, .5, 0)
	near(t, "abstained on kept", f.AbstainKept, 1./3, 1e-12)
	near(t, "difference", f.AbstainDifference, 1./6, 1e-12)
	null(t, "interval, which nearly a third of the replicates leave undefined", f.CI["abstain_rate_difference"])
	part := s.BySplit["random"].LabelSet
	if part == nil || part.Kept != 3 || part.Ambiguous != 2 || part.Uncovered != 0 || s.BySplit["popular"] != nil {
		t.Errorf("by split: %+v", part)
	}
	if s, err := Summarize(t.Context(), rows, brier(t), Options{FloorDraws: 10}); err != nil || s.LabelSet != nil {
		t.Errorf("a label set that nobody asked for: %v, %v", s.LabelSet, err)
	}
}

// Each row is what a set says of two answered tasks; what cannot be had is null.
func TestLabelSetUndefined(t *testing.T) {
	rows := []Row{labelled("1", "a", "s", Answered, true, "SUPPORTED"), labelled("2", "b", "s", Answered, true, "")}
	for _, row := range []struct {
		name    string
		of      map[string]string
		ceiling any
		amb     bool
	}{
		{"nothing is kept", nil, nil, true},
		{"nothing is passed over", map[string]string{"1": "REFUTED", "2": "REFUTED"}, 0., false},
		{"the run's own label is not told", map[string]string{"2": "REFUTED"}, nil, true},
	} {
		s, err := SummarizeUnder(t.Context(), rows, labels(row.of, "s"), brier(t), Options{FloorDraws: 10, Bootstrap: 50})
		if err != nil {
			t.Fatal(err)
		}
		f := s.LabelSet
		if row.ceiling == nil {
			null(t, row.name, f.Ceiling)
		} else {
			near(t, row.name, f.Ceiling, row.ceiling.(float64), 0)
		}
		if (f.AbstainAmbiguous != nil) != row.amb || (f.AbstainDifference != nil) != (row.amb && f.Kept > 0) {
			t.Errorf("%s: %+v", row.name, f)
		}
	}
}

// A run that abstains on all that is ambiguous and on nothing else: Wilson's
// interval, and of the difference Newcombe's, since resampling shows no width
// there.
func TestAbstainsOnAmbiguous(t *testing.T) {
	var rows []Row
	of := map[string]string{}
	for i := range 60 {
		id := fmt.Sprint(i)
		r := labelled(id, id, "s", Answered, i%2 == 0, "SUPPORTED")
		if i%6 == 0 {
			r.Outcome = Abstained
		} else {
			of[id] = "SUPPORTED"
		}
		rows = append(rows, r)
	}
	s, err := SummarizeUnder(t.Context(), rows, labels(of, "s"), brier(t), Options{FloorDraws: 10, Bootstrap: 300})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "difference", s.LabelSet.AbstainDifference, 1, 0)
	// All of 10 against none of 50, by hand: 1 − √(.2775² + .0714²).
	if at := s.LabelSet.CI["abstain_rate_difference"]; at == nil || math.Abs(at[0]-.71346) > 1e-4 || at[1] != 1 {
		t.Errorf("interval of the difference %v", at)
	}
	at := s.LabelSet.CI["abstain_rate_ambiguous"]
	if want := wilson(1, 10); at == nil || *at != *want {
		t.Errorf("%v; want %v", at, want)
	}
}

// Rows of Newcombe 1998, table II, method 10: two rates at and off their ends.
func TestHybridScore(t *testing.T) {
	for _, row := range []struct {
		a, m, b, n int
		want       Interval
	}{
		{56, 70, 48, 80, Interval{.0524, .3339}},
		{9, 10, 3, 10, Interval{.1705, .8090}},
		{10, 10, 0, 20, Interval{.6791, 1}},
		{5, 56, 0, 29, Interval{-.0381, .1926}},
		{0, 10, 0, 20, Interval{-.1611, .2775}},
		{10, 10, 0, 10, Interval{.6075, 1}},
	} {
		p, q := float64(row.a)/float64(row.m), float64(row.b)/float64(row.n)
		at := hybridScore(p, q, *wilson(p, row.m), *wilson(q, row.n))
		if math.Abs(at[0]-row.want[0]) > 1e-4 || math.Abs(at[1]-row.want[1]) > 1e-4 {
			t.Errorf("%d/%d − %d/%d: %.4f; want %v", row.a, row.m, row.b, row.n, *at, row.want)
		}
	}
}

// None of 15 ambiguous tasks is abstained from, and 1 in 27 of the others: a
// difference that luck explains, whose resamples all lie below 0.
func TestNeverAbstainsOnAmbiguous(t *testing.T) {
	var rows []Row
	of := map[string]string{}
	for i := range 285 {
		id := fmt.Sprint(i)
		r := labelled(id, id, "s", Answered, i%2 == 0, "SUPPORTED")
		if i >= 15 {
			of[id] = "SUPPORTED"
			if i%27 == 15 {
				r.Outcome = Abstained
			}
		}
		rows = append(rows, r)
	}
	s, err := SummarizeUnder(t.Context(), rows, labels(of, "s"), brier(t), Options{FloorDraws: 10, Bootstrap: 300})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "difference", s.LabelSet.AbstainDifference, -10./270, 1e-12)
	if at := s.LabelSet.CI["abstain_rate_difference"]; at == nil || at[0] >= -10./270 || at[1] <= .1 {
		t.Errorf("interval of the difference %v; want one with 0 well inside", at)
	}
}

// Against the definition: the mean over the labels of the share that is right.
func TestBalancedAccuracy(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 5))
	for range 200 {
		rows := make([]Row, 1+random.IntN(12))
		right, n := map[string]float64{}, map[string]float64{}
		for i := range rows {
			rows[i] = labelled(fmt.Sprint(i), "a", "", Answered, random.IntN(3) > 0, []string{"SUPPORTED", "REFUTED"}[random.IntN(2)])
			n[rows[i].Label]++
			right[rows[i].Label] += float64(one(rows[i].Correct))
		}
		s := summary(t, rows, Options{})
		if len(n) < 2 {
			null(t, "balanced accuracy of one label", s.BalancedAccuracy)
			if !codes(s)[WarnSingleLabel] {
				t.Errorf("%d answers of one label, and no reason for the null", len(rows))
			}
			continue
		}
		near(t, "balanced accuracy", s.BalancedAccuracy, (right["SUPPORTED"]/n["SUPPORTED"]+right["REFUTED"]/n["REFUTED"])/2, 1e-12)
		near(t, "labelled supported", s.LabelledSupported, n["SUPPORTED"]/float64(len(rows)), 1e-12)
	}
}

// A set like AMBER's 4924 existence claims, all of them false: balanced figures
// are null, and said to be.
func TestOneLabelAlone(t *testing.T) {
	var rows []Row
	for i := range 4924 {
		rows = append(rows, labelled(fmt.Sprint(i), fmt.Sprint(i/5), "existence", Answered, i%7 == 0, "REFUTED"))
	}
	s := summary(t, rows, Options{Bootstrap: 20})
	null(t, "balanced accuracy", s.BalancedAccuracy)
	null(t, "its interval", s.CI["balanced_accuracy"])
	near(t, "labelled supported", s.LabelledSupported, 0, 0)
	for _, w := range s.Warnings {
		if w.Code == WarnSingleLabel {
			if want := "all 4924 answered claims have one label: accuracy cannot tell seeing from always saying the same; balanced accuracy is undefined"; w.Message != want {
				t.Errorf("%q; want %q", w.Message, want)
			}
			return
		}
	}
	t.Error("no warning")
}
