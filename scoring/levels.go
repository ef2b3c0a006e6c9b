package scoring

import (
	"maps"
	"slices"
)

// Level is all the answered tasks that stated one and the same confidence.
// Every calibration and ranking figure is a function of the levels alone.
type Level struct {
	Confidence float64 `json:"confidence"`
	N          int     `json:"n"`
	Correct    int     `json:"correct"`
}

// mark is one confidence with its truth, and where it was stated.
type mark struct {
	confidence float64
	correct    bool
	image      int32
}

// levelsOf groups marks by confidence, upwards.
func levelsOf(marks []mark) []Level {
	single := make([]Level, len(marks))
	for i, k := range marks {
		single[i] = Level{Confidence: k.confidence, N: 1, Correct: one(k.correct)}
	}
	return merged(single)
}

// total adds up the levels' tasks and correct tasks.
func total(levels []Level) (n, correct int) {
	for _, l := range levels {
		n += l.N
		correct += l.Correct
	}
	return n, correct
}

// commonest is the size of the largest level.
func commonest(levels []Level) int {
	most := 0
	for _, l := range levels {
		most = max(most, l.N)
	}
	return most
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
