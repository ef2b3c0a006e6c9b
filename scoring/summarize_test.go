package scoring

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

func ExampleSummarize() {
	pay, err := NewPayment(Brier{}, nil)
	if err != nil {
		panic(err)
	}
	rows := []Row{
		{ID: "a", Image: "1", Outcome: Answered, Confidence: 0.9, Correct: true, Supported: true},
		{ID: "b", Image: "1", Outcome: Answered, Confidence: 0.9, Correct: false},
		{ID: "c", Image: "2", Outcome: Answered, Confidence: 0.6, Correct: true},
		{ID: "d", Image: "2", Outcome: Abstained},
	}
	s, err := Summarize(context.Background(), rows, pay, Options{})
	if err != nil {
		panic(err)
	}
	fmt.Printf("coverage %.2f, accuracy %.3f, ECE %.3f in %d bins, reward %.3f\n",
		*s.Coverage, *s.Accuracy, *s.ECE, *s.ECEBins, *s.Reward)
	// Output:
	// coverage 0.75, accuracy 0.667, ECE 0.400 in 2 bins, reward 0.705
}

// The keys are the file format: exactly these, in this order.
func TestSummaryKeys(t *testing.T) {
	want := strings.Fields(`n answered abstained malformed errors complete accuracy balanced_accuracy blind_accuracy coverage abstain_rate malformed_rate
		needed_repair_rate mean_confidence brier ece ece_bins ece_equal_width ece_debiased smooth_ece ece_floor aurc e_aurc
		augrc auroc corp selective_accuracy coverage_at_risk distinct_confidences top_confidence_share levels
		predicted_supported labelled_supported reward rule abstain_reward threshold ci spread sources by_split by_labels warnings`)
	for _, rows := range [][]Row{nil, published(), mixed(50, 5, 3, 1)} {
		text := encode(t, summary(t, rows, Options{Bootstrap: 20}))
		if got := topKeys(t, text); !slices.Equal(got, want) {
			t.Errorf("keys\n%v\nwant\n%v", got, want)
		}
		for _, word := range []string{"NaN", "Inf", `"levels":null`, `"warnings":null`, `"by_split":null`, `"by_labels":null`, `"sources":null`, "-0,", "-0]"} {
			if strings.Contains(text, word) {
				t.Errorf("%s in %s", word, text)
			}
		}
	}
	text := encode(t, summary(t, published(), Options{}))
	for _, part := range []string{
		`"smooth_ece":0.0498`, `"ece_floor":{"mean":`, `"p95":`, `"p_calibrated":`, `"corp":{"mcb":`, `"dsc":`, `"unc":`,
		`"levels":[{"confidence":0.946,"n":140,"correct":124}`, `"rule":"brier","abstain_reward":0.8,"threshold":0.7236`,
		`"sources":{"verbal":{"n":192,"missing":0,"brier":`, `"by_labels":{}`, `"selective_accuracy":{"0.5":`, `"coverage_at_risk":{"0.01":`,
	} {
		if !strings.Contains(text, part) {
			t.Errorf("no %s in %s", part, text)
		}
	}
}

func topKeys(t *testing.T, text string) []string {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(text))
	if _, err := dec.Token(); err != nil {
		t.Fatal(err)
	}
	var keys []string
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, key.(string))
		var skip json.RawMessage
		if err := dec.Decode(&skip); err != nil {
			t.Fatal(err)
		}
	}
	return keys
}

// A row that cannot be scored is named, with its place.
func TestRowErrors(t *testing.T) {
	for _, row := range []struct {
		name   string
		change func(*Row)
		want   string
	}{
		{"not a number", func(r *Row) { r.Confidence = math.NaN() }, "confidence NaN"},
		{"infinite", func(r *Row) { r.Confidence = math.Inf(1) }, "confidence +Inf"},
		{"above 1", func(r *Row) { r.Confidence = math.Nextafter(1, 2) }, "[0, 1]"},
		{"a percentage", func(r *Row) { r.Confidence = 95 }, "confidence 95"},
		{"below 0", func(r *Row) { r.Confidence = -math.SmallestNonzeroFloat64 }, "[0, 1]"},
		{"no outcome", func(r *Row) { r.Outcome = "" }, `outcome ""`},
		{"unknown outcome", func(r *Row) { r.Outcome = "ok" }, `outcome "ok"`},
		{"another source", func(r *Row) { r.Sources = map[string]float64{"logprob": math.NaN()} }, "logprob confidence NaN"},
	} {
		rows := published()
		rows[17].Split = "random" // its place is that among all rows, not in its split
		row.change(&rows[17])
		_, err := Summarize(t.Context(), rows, brier(t), Options{})
		var bad *RowError
		if !errors.As(err, &bad) || bad.Index != 17 || bad.ID != "t0017" || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: error %v", row.name, err)
		}
	}
}

// What does not apply is not looked at: a confidence beside an abstention, a
// "correct" beside a malformed answer; and −0 is 0.
func TestFieldsThatDoNotApply(t *testing.T) {
	rows := append(published(), outcomes(Abstained, 0, 2)...)
	rows = append(rows, outcomes(Malformed, 0, 2)...)
	rows = append(rows, outcomes(Errored, 0, 2)...)
	want := encode(t, summary(t, rows, Options{Bootstrap: 50}))
	for i := 192; i < len(rows); i++ {
		rows[i].Confidence, rows[i].Correct, rows[i].Supported = math.NaN(), true, true
		rows[i].Sources = map[string]float64{"x": math.NaN()}
	}
	if got := encode(t, summary(t, rows, Options{Bootstrap: 50})); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	zero := answersOf([]float64{math.Copysign(0, -1), 0}, []int{0, 1})
	if s := summary(t, zero, Options{}); *s.DistinctConfidences != 1 || !strings.Contains(encode(t, s), `"levels":[{"confidence":0,"n":2`) {
		t.Errorf("−0 and 0: %v", s.Levels)
	}
}

func TestBadOptions(t *testing.T) {
	for _, opt := range []Options{
		{Bins: -1}, {Bins: MaxBins + 1}, {FloorDraws: -1}, {FloorDraws: MaxBootstrap + 1},
		{Bootstrap: -1}, {Bootstrap: MaxBootstrap + 1}, {Bootstrap: 1e9}, {Bootstrap: 1e15}, {Bootstrap: math.MaxInt},
	} {
		if _, err := Summarize(t.Context(), published(), brier(t), opt); err == nil || !strings.Contains(err.Error(), "must be between") {
			t.Errorf("%+v: %v", opt, err)
		}
		runs := Contender{Name: "a", Rows: published()}
		if _, err := Compare(t.Context(), runs, []Contender{runs}, brier(t), opt); err == nil || !strings.Contains(err.Error(), "must be between") {
			t.Errorf("comparing, %+v: %v", opt, err)
		}
	}
	if s := summary(t, published(), Options{Bins: 1}); *s.ECEBins != 1 {
		t.Errorf("one bin asked, %d in effect", *s.ECEBins)
	}
}

// The rows given are left as they were.
func TestInputUntouched(t *testing.T) {
	rows := mixed(100, 10, 5, 1)
	before := fmt.Sprint(rows)
	summary(t, rows, Options{Bootstrap: 20})
	if fmt.Sprint(rows) != before {
		t.Error("Summarize changed its input")
	}
}

// Each split's summary is that of its rows alone; one split is the whole.
func TestBySplit(t *testing.T) {
	rows := mixed(300, 40, 0, 6)
	opt := Options{Bootstrap: 50}
	s := summary(t, rows, opt)
	if len(s.BySplit) != 2 {
		t.Fatalf("splits %v", s.BySplit)
	}
	n := 0
	for name, part := range s.BySplit {
		var own []Row
		for _, r := range rows {
			if r.Split == name {
				own = append(own, r)
			}
		}
		alone := summary(t, own, opt)
		n += part.N
		if encode(t, alone.BySplit[name]) != encode(t, part) {
			t.Errorf("split %s differs from its rows alone", name)
		}
	}
	if n != s.N {
		t.Errorf("splits hold %d of %d tasks", n, s.N)
	}
	if s := summary(t, published(), opt); len(s.BySplit) != 0 {
		t.Errorf("rows without a split have splits %v", s.BySplit)
	}
}

// Other sources are scored where they exist; the scored one is the rows' own.
func TestSources(t *testing.T) {
	rows := append(block(0, 0.8, 10, 2), outcomes(Abstained, 0, 1)...)
	for i := range 4 {
		rows[i].Sources = map[string]float64{"logprob": 0.5, "verbal": 0.1} // "verbal" is the scored one
	}
	s := summary(t, rows, Options{Sources: []string{"consistency:5"}})
	got := s.Sources["logprob"]
	if got.N != 4 || got.Missing != 6 || len(s.Sources) != 3 {
		t.Errorf("sources %+v", s.Sources)
	}
	near(t, "logprob brier", got.Brier, 0.25, 1e-15)
	near(t, "logprob auroc", got.AUROC, 0.5, 0)
	near(t, "logprob aurc", got.AURC, 0.5, 0)
	near(t, "verbal brier", s.Sources["verbal"].Brier, *s.Brier, 0)
	near(t, "verbal aurc", s.Sources["verbal"].AURC, *s.AURC, 0)
	none := s.Sources["consistency:5"]
	if none.N != 0 || none.Missing != 10 {
		t.Errorf("a source nobody has: %+v", none)
	}
	null(t, "its brier", none.Brier)
	renamed := summary(t, rows, Options{Source: "logprob"}).Sources
	near(t, "scored under another name", renamed["logprob"].Brier, *s.Brier, 0)
	near(t, "and verbal is now another source", renamed["verbal"].Brier, (2*0.01+2*0.81)/4, 1e-12)
}

// The log rule pays its own scores, and says where it is not proper.
func TestLogSummary(t *testing.T) {
	pay, err := NewPayment(Log{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	rows := answersOf([]float64{1, 0.9, 1 - 1e-4}, []int{0, 1, 1})
	s, err := Summarize(t.Context(), rows, pay, Options{FloorDraws: 10})
	if err != nil {
		t.Fatal(err)
	}
	want := (0 + (1 + math.Log(0.9)/math.Log(1e4)) + (1 + math.Log(1-1e-4)/math.Log(1e4))) / 3
	near(t, "reward", s.Reward, want, 1e-12)
	if s.Rule != "log" || math.Abs(s.Threshold-0.7236068) > 1e-7 || !codes(s)[WarnLogClipped] {
		t.Errorf("rule %s, threshold %v, warnings %v", s.Rule, s.Threshold, s.Warnings)
	}
}

// A rule of someone else's that has no finite score is an error, not a null.
func TestScoreNotFinite(t *testing.T) {
	if _, err := Summarize(t.Context(), published(), Payment{unbounded{}, 0.8}, Options{}); err == nil {
		t.Error("an infinite score was accepted")
	}
}

type unbounded struct{ Brier }

func (unbounded) Score(float64, bool) float64 { return math.Inf(-1) }
