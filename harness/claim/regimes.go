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

// regime is a way to choose perLabel kinds that are not in an image, given
// what is held to be there and which of that is asked about. Popular is POPE's
// (Li et al. 2023, §4.1), and so is random; adversarial adds look-alikes.
type regime struct {
	split  string
	absent func(st kindStats, rng *rand.Rand, present, asked []string) []string
}

func regimes() []regime {
	return []regime{
		{"random", kindStats.anyAbsent},
		{"popular", kindStats.commonAbsent},
		{"adversarial", kindStats.likelyAbsent},
	}
}

// anyAbsent draws evenly.
func (st kindStats) anyAbsent(rng *rand.Rand, present, _ []string) []string {
	return pick(rng, without(scene.Kinds(), present), perLabel)
}

// commonAbsent takes the kinds that are in the most images.
func (st kindStats) commonAbsent(_ *rand.Rand, present, _ []string) []string {
	return st.top(without(scene.Kinds(), present), func(k string) int { return st.images[k] })[:perLabel]
}

// likelyAbsent takes, for each object asked about, an absent look-alike of it
// or else the kind that is most often in an image with it; the former, where
// there is one, with a chance of one half.
func (st kindStats) likelyAbsent(rng *rand.Rand, present, asked []string) []string {
	var chosen []string
	for _, a := range asked {
		left := without(without(scene.Kinds(), present), chosen)
		like := slices.DeleteFunc(scene.LookAlikes(a), func(k string) bool { return !slices.Contains(left, k) })
		if heads := rng.IntN(2) == 0; heads && len(like) > 0 {
			chosen = append(chosen, like[rng.IntN(len(like))])
			continue
		}
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
