package selective

import (
	"fmt"
	"math/big"
	"slices"

	"candor/harness/claim"
)

// episode is one image and what is asked about it, in order.
type episode struct {
	image  string
	claims []claim.Claim
}

// arrange makes episodes of claims, most at most in each. Their order is that
// in which candor eval samples with seed 0, by the first claim of each: so
// with one claim an episode, the first N episodes are the N tasks of
// --num-tasks N.
//
// An episode never asks the same twice: a claim that several splits have is
// most often a true one, which whoever saw it before could tell by that.
func arrange(claims []claim.Claim, most int) []episode {
	var order []*episode
	open := map[string]*episode{} // of each image the last
	asked := map[string]bool{}
	for _, c := range claim.Rank(claims, 0) {
		if most > 1 && asked[c.Key()] {
			continue
		}
		asked[c.Key()] = true
		e := open[c.ImageSource]
		if e == nil || len(e.claims) == most {
			e = &episode{image: c.ImageSource}
			open[c.ImageSource] = e
			order = append(order, e)
		}
		e.claims = append(e.claims, c)
	}
	episodes := make([]episode, len(order))
	for i, e := range order {
		episodes[i] = episode{e.image, slices.Clip(e.claims)}
	}
	return episodes
}

// pick is the number of the episode of a seed: the remainder, from 0.
func (t *Tasks) pick(seed *big.Int) int {
	return int(new(big.Int).Mod(seed, big.NewInt(int64(len(t.episodes)))).Int64())
}

// needs says which claim an error about the image concerns.
func (e episode) needs(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w (needed by claim %s)", err, e.claims[0].ID)
}
