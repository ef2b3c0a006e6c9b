package scoring

import (
	"slices"
	"testing"
)

// A summary gives every metric that is bootstrapped, under its name and with
// its value; and the name tells how the metric is to be read.
func TestFigureByName(t *testing.T) {
	rows := []Row{}
	for i := range 40 {
		o := Answered
		if i%9 == 0 {
			o = []Outcome{Abstained, Malformed}[i%2]
		}
		rows = append(rows, Row{
			ID: string(rune('a' + i)), Image: string(rune('A' + i/3)), Outcome: o, Confidence: float64(60+i) / 100, Correct: i%4 > 0,
			Supported: i%2 == 0, Repaired: i%7 == 0, Label: []string{"SUPPORTED", "REFUTED"}[i%2],
		})
	}
	pay, err := NewPayment(Brier{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Summarize(t.Context(), rows, pay, Options{})
	if err != nil {
		t.Fatal(err)
	}
	of, images := NumberImages(rows)
	r, err := NewResampler(rows, of, images, pay, 0)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range r.Point() {
		name := FigureNames()[i]
		if got := s.Figure(name); got == nil {
			t.Errorf("%s is nil; want %v", name, want)
		} else {
			near(t, name, got, want, 1e-12)
		}
		if _, known := SenseOf(name); !known {
			t.Errorf("the sense of %s is not known", name)
		}
	}
	if s.Figure("accurracy") != nil {
		t.Error("an unknown metric has a value")
	}
	if _, known := SenseOf("accurracy"); known {
		t.Error("an unknown metric has a sense")
	}
	for name, want := range map[string]Sense{
		"reward": HigherIsBetter, "selective_accuracy@0.8": HigherIsBetter, "coverage_at_risk@0.05": HigherIsBetter, "dsc": HigherIsBetter,
		"brier": LowerIsBetter, "e_aurc": LowerIsBetter, "malformed_rate": LowerIsBetter, "abstain_rate": NoSense, "unc": NoSense,
	} {
		if got, _ := SenseOf(name); got != want {
			t.Errorf("sense of %s: %v; want %v", name, got, want)
		}
	}
	var leaning []string
	for _, name := range FigureNames() {
		if LeansUpwards(name) {
			leaning = append(leaning, name)
		}
	}
	want := []string{"ece", "ece_equal_width", "ece_debiased", "smooth_ece", "mcb", "dsc", "e_aurc", "coverage_at_risk@0.01", "coverage_at_risk@0.05", "coverage_at_risk@0.1"}
	if !slices.Equal(leaning, want) {
		t.Errorf("leaning upwards: %v; want %v", leaning, want)
	}
}
