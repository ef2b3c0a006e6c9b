package claim

import (
	"math/rand/v2"
	"slices"

	"candor/harness/claim/scene"
)

// kindStats is how often kinds appear in images, alone and together.
type kindStats struct {
	images   map[string]int    // images with the kind
	together map[[2]string]int // images with both
}

func countKinds(scenes []scene.Scene) kindStats {
	st := kindStats{make(map[string]int), make(map[[2]string]int)}
	for i := range scenes {
		present := scenes[i].Present()
		for _, a := range present {
			st.images[a]++
			for _, b := range present {
				st.together[[2]string{a, b}]++
			}
		}
	}
	return st
}

// The three samplers below choose perLabel kinds that are not in an image, as
// POPE does (Li et al. 2023, §4.1).

// anyAbsent draws evenly.
func (st kindStats) anyAbsent(rng *rand.Rand, present, _ []string) []string {
	return pick(rng, without(scene.Kinds(), present), perLabel)
}

// commonAbsent takes the kinds that are in the most images.
func (st kindStats) commonAbsent(_ *rand.Rand, present, _ []string) []string {
	return st.top(without(scene.Kinds(), present), func(k string) int { return st.images[k] })[:perLabel]
}

// likelyAbsent takes, for each object asked about, the kind that is most often
// in an image with it.
func (st kindStats) likelyAbsent(_ *rand.Rand, present, asked []string) []string {
	var chosen []string
	for _, a := range asked {
		left := without(without(scene.Kinds(), present), chosen)
		chosen = append(chosen, st.top(left, func(k string) int { return st.together[[2]string{a, k}] })[0])
	}
	return chosen
}

// top sorts names by a count, greatest first; equal ones keep their order.
func (st kindStats) top(names []string, count func(string) int) []string {
	slices.SortStableFunc(names, func(a, b string) int { return count(b) - count(a) })
	return names
}

func without(names, drop []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(n string) bool { return slices.Contains(drop, n) })
}
