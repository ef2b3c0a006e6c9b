package openenv

import (
	"encoding/json"
	"math"
	"testing"
)

// The texts are what Python prints for the same numbers.
func TestFloatIsSpelledAsPythonDoes(t *testing.T) {
	for _, row := range []struct {
		value float64
		text  string
	}{
		{0, "0.0"},
		{math.Copysign(0, -1), "-0.0"},
		{1, "1.0"},
		{.999, "0.999"},
		{0.30000000000000004, "0.30000000000000004"},
		{1e-4, "0.0001"},
		{9.999e-5, "9.999e-05"},
		{1e-7, "1e-07"},
		{1e15, "1000000000000000.0"},
		{1e16, "1e+16"},
		{-1.5e300, "-1.5e+300"},
	} {
		text, err := json.Marshal(Float(row.value))
		if err != nil || string(text) != row.text {
			t.Errorf("%v is spelled %s (%v), not %s", row.value, text, err, row.text)
		}
	}
	if _, err := json.Marshal(Float(math.NaN())); err == nil {
		t.Error("NaN was spelled")
	}
}

func TestValueOfAReward(t *testing.T) {
	for _, row := range []struct {
		reward string
		value  float64
		ok     bool
	}{
		{"", 0, false},
		{"null", 0, false}, // nothing paid yet is not a payment of 0
		{"0", 0, true},
		{"0.0", 0, true},
		{"true", 1, true},
		{"false", 0, true},
		{"-1.5", -1.5, true},
		{"1e400", 0, false},
	} {
		value, ok := Result{Reward: json.RawMessage(row.reward)}.Value()
		if value != row.value || ok != row.ok {
			t.Errorf("a reward of %q is %v, %v", row.reward, value, ok)
		}
	}
}
