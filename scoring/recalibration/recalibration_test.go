package recalibration_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"candor/scoring"
	"candor/scoring/recalibration"
)

// answers is a run whose confidences overstate, inside the clip.
func answers(n int, grid float64, seed uint64) (conf []float64, correct []bool) {
	random := rand.New(rand.NewPCG(seed, 7))
	for range n {
		c := 0.01 + 0.98*math.Sqrt(random.Float64())
		if grid > 0 {
			c = min(max(math.Round(c/grid)*grid, grid), 1-grid)
		}
		conf = append(conf, c)
		correct = append(correct, random.Float64() < 0.25+0.5*c)
	}
	return conf, correct
}

func summarize(t *testing.T, conf []float64, correct []bool) *scoring.Summary {
	t.Helper()
	var rows []scoring.Row
	for i, c := range conf {
		rows = append(rows, scoring.Row{ID: fmt.Sprint(i), Image: fmt.Sprint(i), Outcome: scoring.Answered, Confidence: c, Correct: correct[i]})
	}
	pay, err := scoring.NewPayment(scoring.Brier{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := scoring.Summarize(t.Context(), rows, pay, scoring.Options{FloorDraws: 1})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func apply(m recalibration.Map, conf []float64) []float64 {
	out := make([]float64, len(conf))
	for i, c := range conf {
		out[i] = m.Apply(c)
	}
	return out
}

// Strictly rising maps leave AUROC, AURC and AUGRC alone, on other answers
// than those they were fitted on.
func TestRisingMapsKeepTheRanking(t *testing.T) {
	for seed := range uint64(12) {
		grid := []float64{0, 0.05, 0.01}[seed%3]
		fitOn, truths := answers(300, grid, seed)
		conf, correct := answers(250, grid, seed+100)
		before := summarize(t, conf, correct)
		for _, name := range []string{"temperature", "platt", "beta"} {
			m, err := recalibration.Fit(name, fitOn, truths, nil)
			if err != nil {
				t.Fatal(err)
			}
			if platt, ok := m.(recalibration.Platt); ok && platt.A <= 0 {
				t.Fatalf("seed %d: slope %v on answers that rank forwards", seed, platt.A)
			}
			after := summarize(t, apply(m, conf), correct)
			for what, pair := range map[string][2]*float64{
				"auroc": {before.AUROC, after.AUROC}, "aurc": {before.AURC, after.AURC}, "augrc": {before.AUGRC, after.AUGRC},
			} {
				if math.Abs(*pair[0]-*pair[1]) > 1e-12 {
					t.Errorf("seed %d, %s: %s %v became %v", seed, name, what, *pair[0], *pair[1])
				}
			}
		}
	}
}

// What the maps are for: on the answers they were fitted on, none has a worse
// Brier score or log loss than the stated confidences had, isotonic has the
// best Brier score, and histogram and isotonic an ECE of 0.
func TestMapsMend(t *testing.T) {
	for seed := range uint64(6) {
		conf, correct := answers(2000, 0.05, seed)
		before := summarize(t, conf, correct)
		brier := map[string]float64{}
		for _, name := range recalibration.Names() {
			m, err := recalibration.Fit(name, conf, correct, nil)
			if err != nil {
				t.Fatal(err)
			}
			if m.Name() != name {
				t.Errorf("map %s is named %s", name, m.Name())
			}
			after := summarize(t, apply(m, conf), correct)
			brier[name] = *after.Brier
			if *after.Brier > *before.Brier || *after.ECE > *before.ECE {
				t.Errorf("seed %d, %s: Brier %v → %v, ECE %v → %v", seed, name, *before.Brier, *after.Brier, *before.ECE, *after.ECE)
			}
			if (name == "isotonic" || name == "histogram") && *after.ECE > 1e-12 {
				t.Errorf("seed %d, %s: ECE %v in sample", seed, name, *after.ECE)
			}
			if name == "isotonic" && math.Abs(*after.Brier-(*before.Brier-*before.CORP.MCB)) > 1e-12 {
				t.Errorf("seed %d: Brier after isotonic %v, want Brier − MCB = %v", seed, *after.Brier, *before.Brier-*before.CORP.MCB)
			}
		}
		for name, b := range brier {
			if name != "histogram" && b < brier["isotonic"]-1e-12 {
				t.Errorf("seed %d: %s has Brier %v, below isotonic's %v", seed, name, b, brier["isotonic"])
			}
		}
	}
}

// Degenerate answers give the documented map or error.
func TestDegenerate(t *testing.T) {
	yes, no := true, false
	for _, row := range []struct {
		what    string
		name    string
		conf    []float64
		correct []bool
		want    func(c float64) float64 // nil: an error that matches ErrUndefined
		near    float64
	}{
		{"no answers", "platt", nil, nil, nil, 0},
		{"one answer", "isotonic", []float64{0.9}, []bool{yes}, nil, 0},
		{"all right above ½: T would be 0", "temperature", []float64{0.6, 0.9}, []bool{yes, yes}, nil, 0},
		{"no better than ½: T would be ∞", "temperature", []float64{0.6, 0.9}, []bool{no, no}, nil, 0},
		{"backwards", "temperature", []float64{0.2, 0.9}, []bool{yes, no}, nil, 0},
		{"all at ½ is right whatever T", "temperature", []float64{0.5, 0.5}, []bool{yes, no}, func(c float64) float64 { return c }, 1e-12},
		{"all right, yet some stated below ½", "temperature", []float64{0.4, 0.45, 0.9, 0.9}, []bool{yes, yes, yes, yes}, nil, -1},
		{"one confidence: T puts it at the rate", "temperature", []float64{0.8, 0.8, 0.8, 0.8, 0.8}, []bool{yes, yes, yes, no, no}, nil, -1},
		{"one class: Platt's smoothed rate", "platt", []float64{0.8, 0.8}, []bool{yes, yes}, func(c float64) float64 { return 0.75 }, 1e-5},
		{"one class", "isotonic", []float64{0.6, 0.8}, []bool{yes, yes}, func(float64) float64 { return 1 }, 0},
		{"one class", "histogram", []float64{0.6, 0.8}, []bool{no, no}, func(float64) float64 { return 0 }, 0},
		{"one confidence", "isotonic", []float64{0.8, 0.8, 0.8, 0.8}, []bool{yes, no, yes, yes}, func(float64) float64 { return 0.75 }, 0},
		{"one confidence", "histogram", []float64{0.8, 0.8, 0.8, 0.8}, []bool{yes, no, yes, yes}, func(float64) float64 { return 0.75 }, 0},
		{"backwards pools to one rate", "isotonic", []float64{0.2, 0.9}, []bool{yes, no}, func(float64) float64 { return 0.5 }, 0},
		{"straight between the knots", "isotonic", []float64{0.2, 0.6, 0.6}, []bool{no, yes, yes}, func(c float64) float64 { return min(max((c-0.2)/0.4, 0), 1) }, 1e-12},
		{"the border lies half-way", "histogram", []float64{0.2, 0.6}, []bool{no, yes}, func(c float64) float64 {
			if c <= 0.4 {
				return 0
			}
			return 1
		}, 0},
	} {
		m, err := recalibration.Fit(row.name, row.conf, row.correct, nil)
		switch {
		case row.near < 0: // only that it is a map
			if err != nil {
				t.Errorf("%s, %s: %v", row.name, row.what, err)
			}
		case row.want == nil:
			if !errors.Is(err, recalibration.ErrUndefined) {
				t.Errorf("%s, %s: map %v, error %v", row.name, row.what, m, err)
			}
		case err != nil:
			t.Errorf("%s, %s: %v", row.name, row.what, err)
		default:
			for _, c := range []float64{0.01, 0.2, 0.3, 0.4, 0.45, 0.6, 0.8, 0.99} {
				one := row.name == "platt" // only where it was fitted
				if got, want := m.Apply(c), row.want(c); math.Abs(got-want) > row.near && !(one && c != 0.8) {
					t.Errorf("%s, %s: %v → %v, want %v", row.name, row.what, c, got, want)
				}
			}
		}
	}
	m, err := recalibration.Fit("temperature", []float64{0.8, 0.8, 0.8, 0.8, 0.8}, []bool{yes, yes, yes, no, no}, nil)
	if err != nil || math.Abs(m.Apply(0.8)-0.6) > 1e-8 {
		t.Errorf("one confidence: .8 → %v, want its rate .6 (%v)", m.Apply(0.8), err)
	}
}

// Input that is none is refused, saying where.
func TestRefused(t *testing.T) {
	two := []bool{true, false}
	for _, row := range []struct {
		name    string
		conf    []float64
		correct []bool
		weights []float64
		says    string
	}{
		{"spline", []float64{0.1, 0.2}, two, nil, `"spline"`},
		{"platt", []float64{0.1, math.NaN()}, two, nil, "confidence[1]"},
		{"platt", []float64{1.1, 0.2}, two, nil, "confidence[0]"},
		{"beta", []float64{0.1}, two, nil, "as many"},
		{"beta", []float64{0.1, 0.2}, two, []float64{1}, "as many"},
		{"isotonic", []float64{0.1, 0.2}, two, []float64{1, -1}, "weight[1]"},
		{"isotonic", []float64{0.1, 0.2}, two, []float64{1, math.Inf(1)}, "weight[1]"},
		{"isotonic", []float64{0.1, 0.2}, two, []float64{math.MaxFloat64, math.MaxFloat64}, "scale"},
		{"isotonic", []float64{0.1, 0.2}, two, []float64{1, 0}, "by 1 answers"},
	} {
		if _, err := recalibration.Fit(row.name, row.conf, row.correct, row.weights); err == nil || !strings.Contains(err.Error(), row.says) {
			t.Errorf("%s %v %v: error %v, want one with %q", row.name, row.conf, row.weights, err, row.says)
		}
	}
}

// A weight of k is k equal answers; the order of answers does not matter.
func TestWeightIsRepetition(t *testing.T) {
	conf, correct := answers(60, 0.1, 5)
	weights := make([]float64, len(conf))
	var longConf []float64
	var longCorrect []bool
	for i := range conf {
		weights[i] = float64(i % 4)
		for range i % 4 {
			longConf, longCorrect = append(longConf, conf[i]), append(longCorrect, correct[i])
		}
	}
	rand.New(rand.NewPCG(1, 1)).Shuffle(len(longConf), func(i, j int) {
		longConf[i], longConf[j] = longConf[j], longConf[i]
		longCorrect[i], longCorrect[j] = longCorrect[j], longCorrect[i]
	})
	for _, name := range recalibration.Names() {
		weighted, err := recalibration.Fit(name, conf, correct, weights)
		if err != nil {
			t.Fatal(err)
		}
		repeated, err := recalibration.Fit(name, longConf, longCorrect, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(weighted, repeated) {
			t.Errorf("%s: weighted %+v, repeated %+v", name, weighted, repeated)
		}
	}
}

// Every map comes back from JSON as it was; what is no map is refused.
func TestJSON(t *testing.T) {
	conf, correct := answers(200, 0, 9)
	for _, name := range recalibration.Names() {
		m, err := recalibration.Fit(name, conf, correct, nil)
		if err != nil {
			t.Fatal(err)
		}
		data, err := recalibration.Encode(m)
		if err != nil {
			t.Fatal(err)
		}
		var named struct{ Name string }
		if err := json.Unmarshal(data, &named); err != nil || named.Name != name {
			t.Errorf("%s encodes as %s (%v)", name, data, err)
		}
		again, err := recalibration.Decode(data)
		if err != nil || !reflect.DeepEqual(m, again) {
			t.Errorf("%s: %+v came back as %+v (%v)", name, m, again, err)
		}
	}
	for _, bad := range []string{
		``, `[]`, `{}`, `{"name":"spline"}`, `{"name":"temperature"}`, `{"name":"temperature","temperature":0}`,
		`{"name":"temperature","temperature":1,"more":2}`, `{"name":"platt","slope":1}`, `{"name":"beta","a":-1,"b":1,"c":0}`,
		`{"name":"isotonic","x":[],"y":[]}`, `{"name":"isotonic","x":[0.2,0.1],"y":[0,1]}`, `{"name":"isotonic","x":[0.1,0.2],"y":[1,0]}`,
		`{"name":"isotonic","x":[0.1,0.2],"y":[0,2]}`, `{"name":"histogram","edges":[0.5],"rates":[1]}`,
		`{"name":"histogram","edges":[0.5,0.5],"rates":[0,1,1]}`,
	} {
		if m, err := recalibration.Decode([]byte(bad)); err == nil {
			t.Errorf("%s was read as %+v", bad, m)
		}
	}
}

// Shared images are refused and named; answers without one pass.
func TestCheckDisjoint(t *testing.T) {
	if err := recalibration.CheckDisjoint([]string{"a", "b", "", "a"}, []string{"c", "", "d"}); err != nil {
		t.Errorf("disjoint sets: %v", err)
	}
	err := recalibration.CheckDisjoint([]string{"e", "d", "c", "b", "a"}, []string{"x", "a", "a", "c", "b", "d"})
	var shared *recalibration.SharedError
	if !errors.As(err, &shared) || !reflect.DeepEqual(shared.Images, []string{"a", "b", "c", "d"}) {
		t.Fatalf("error %v", err)
	}
	if text := err.Error(); !strings.Contains(text, "4 images") || !strings.Contains(text, "a, b, c and 1 more") {
		t.Errorf("the message reads: %s", text)
	}
}

// Any answers at all: a map into [0, 1] that does not fall (but Platt's and
// the histogram's), or an error; never NaN.
func FuzzFit(f *testing.F) {
	f.Add([]byte{10, 1, 200, 0, 255, 1, 0, 0})
	f.Add([]byte{128, 1, 128, 0})
	// Two confidences, all right: the ridge alone holds Beta.
	f.Add([]byte{0, 1, 255, 1})
	f.Add([]byte{51, 1, 255, 1, 255, 1})
	f.Add([]byte{153, 1, 51, 1})
	// Separable: a curve as steep as the ridge lets it be.
	f.Add([]byte{20, 0, 30, 0, 230, 1, 240, 1})
	f.Fuzz(func(t *testing.T, data []byte) {
		var conf []float64
		var correct []bool
		for i := 0; i+1 < len(data) && len(conf) < 64; i += 2 {
			conf = append(conf, float64(data[i])/255)
			correct = append(correct, data[i+1]%2 == 1)
		}
		for _, name := range recalibration.Names() {
			m, err := recalibration.Fit(name, conf, correct, nil)
			if err != nil {
				if !errors.Is(err, recalibration.ErrUndefined) {
					t.Errorf("%s %v %v: %v", name, conf, correct, err)
				}
				continue
			}
			before := 0.0
			for k := range 101 {
				p := m.Apply(float64(k) / 100)
				if !(p >= 0 && p <= 1) {
					t.Fatalf("%s: %v → %v (%+v)", name, float64(k)/100, p, m)
				}
				if name != "platt" && name != "histogram" && p < before {
					t.Fatalf("%s falls: %+v", name, m)
				}
				before = p
			}
		}
	})
}

func ExampleFit() {
	// Stated .9, right 7 times out of 10; stated .6, right half the time.
	var stated []float64
	var correct []bool
	for i := range 10 {
		stated = append(stated, 0.9, 0.6)
		correct = append(correct, i < 7, i < 5)
	}
	m, err := recalibration.Fit("temperature", stated, correct, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.2f %.2f\n", m.Apply(0.9), m.Apply(0.6))
	data, err := recalibration.Encode(recalibration.Isotonic{X: []float64{0.6, 0.9}, Y: []float64{0.5, 0.7}})
	fmt.Println(string(data), err)
	// Output:
	// 0.69 0.54
	// {"name":"isotonic","x":[0.6,0.9],"y":[0.5,0.7]} <nil>
}
