package scoring

import (
	"cmp"
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
	marks = slices.Clone(marks)
	slices.SortFunc(marks, func(a, b mark) int { return cmp.Compare(a.confidence, b.confidence) })
	levels := []Level{}
	for _, k := range marks {
		if last := len(levels) - 1; last < 0 || levels[last].Confidence != k.confidence {
			levels = append(levels, Level{Confidence: k.confidence})
		}
		at := &levels[len(levels)-1]
		at.N++
		at.Correct += one(k.correct)
	}
	return levels
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
