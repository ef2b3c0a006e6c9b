package claim

import (
	"math/rand/v2"
	"slices"

	"candor/harness/claim/scene"
)

// wrongShare is how many of an image's claims in a split are labelled wrongly,
// on average: 2.5 % of the six.
const wrongShare = .025 * 2 * perLabel

// annotation is what an annotator who sometimes errs holds to be in a scene.
// The claims about his errors are always asked, or few of them would show.
type annotation struct {
	yes  []string // held to be there and always asked: imagined, or doubtful
	no   []string // held to be absent and always asked: missed, or doubtful
	rest []string // seen and noted rightly
}

// held lists the kinds held to be there.
func (n annotation) held() []string { return slices.Concat(n.yes, n.rest) }

func annotate(rng *rand.Rand, s *scene.Scene) annotation {
	n := annotation{rest: s.Present()}
	if d := s.Doubtful(); d != "" {
		if rng.IntN(2) == 0 {
			n.yes = append(n.yes, d)
		} else {
			n.no = append(n.no, d)
		}
	}
	if rng.Float64() < wrongShare {
		n.err(rng, s)
	}
	return n
}

// err misses something that is there, where enough is left to ask about, or
// sees what is not there, rather a look-alike than anything else.
func (n *annotation) err(rng *rand.Rand, s *scene.Scene) {
	miss, mistake := rng.Float64() < .4, rng.Float64() < .7
	if miss && len(n.held()) > perLabel {
		i := rng.IntN(len(n.rest))
		n.no = append(n.no, n.rest[i])
		n.rest = slices.Delete(n.rest, i, i+1)
		return
	}
	absent := without(scene.Kinds(), slices.Concat(n.held(), n.no))
	if like := without(lookAlikes(n.rest), n.held()); mistake {
		if like = without(like, n.no); len(like) > 0 {
			absent = like
		}
	}
	n.yes = append(n.yes, absent[rng.IntN(len(absent))])
}

// lookAlikes lists the kinds that any of some may be mistaken for.
func lookAlikes(kinds []string) []string {
	var like []string
	for _, k := range kinds {
		like = append(like, scene.LookAlikes(k)...)
	}
	return like
}
