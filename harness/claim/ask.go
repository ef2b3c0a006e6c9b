package claim

import (
	"math/rand/v2"
	"slices"

	"candor/harness/claim/scene"
)

// perLabel is how many claims of each label an image has in a split.
const perLabel = 3

// Asker makes claims about scenes, as Demo does: it knows how often kinds are
// seen, alone and together, in one set of scenes.
//
// In each of the splits random, popular and adversarial an image has three
// claims labelled true and three labelled false. The true ones are the same in
// all. The objects of the false ones are drawn evenly from those absent; or are
// the commonest in the set; or, for each object said to be there, an absent
// look-alike or the one that most often stands beside it, either as likely.
// (POPE's adversarial split knows only the latter.)
//
// About 2.5 % of the labels are wrong, and an object that is in the image
// doubtfully is asked about as if there were no doubt.
type Asker struct {
	seed  uint64
	stats kindStats
}

// Asked is a claim with what is really true of it.
type Asked struct {
	Claim           // with the label as published
	Truth     Label // "" where the claim is ambiguous
	Ambiguous bool  // it is about a doubtful object, or what the backdrop shows
}

// NewAsker learns from scenes what is common; claims are drawn from the seed.
func NewAsker(seed uint64, scenes []scene.Scene) *Asker {
	return &Asker{seed, countKinds(scenes)}
}

// Ask makes the claims about the i-th scene of a set, counting from 0: true and
// false in turn, split by split.
func (a *Asker) Ask(i int, s *scene.Scene) []Asked {
	note := annotate(rand.New(rand.NewPCG(a.seed, uint64(i)|2<<40)), s)
	rng := rand.New(rand.NewPCG(a.seed, uint64(i)))
	yes := shuffled(rng, slices.Concat(note.yes, pick(rng, note.rest, perLabel-len(note.yes))))
	backdrop := s.Backdrop()
	var asked []Asked
	for _, r := range regimes() {
		rng := rand.New(rand.NewPCG(a.seed, uint64(i)|1<<40))
		no := r.absent(a.stats, rng, slices.Concat(note.held(), note.no), yes)
		no = shuffled(rng, slices.Concat(note.no, no[:perLabel-len(note.no)]))
		for j := range perLabel {
			id := 2 * (perLabel*i + j)
			asked = append(asked,
				judged(demoClaim(r.split, id+1, demoName(i), yes[j], Supported), s, backdrop),
				judged(demoClaim(r.split, id+2, demoName(i), no[j], Refuted), s, backdrop))
		}
	}
	return asked
}

// judged adds what is true of the claim's object, in a scene of that backdrop.
func judged(c Claim, s *scene.Scene, backdrop string) Asked {
	switch {
	case c.Object == s.Doubtful(), c.Object == backdrop && !s.Has(c.Object):
		return Asked{Claim: c, Ambiguous: true}
	case s.Has(c.Object):
		return Asked{Claim: c, Truth: Supported}
	}
	return Asked{Claim: c, Truth: Refuted}
}

func shuffled(rng *rand.Rand, names []string) []string {
	rng.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	return names
}

// pick draws n of the names without replacement.
func pick(rng *rand.Rand, names []string, n int) []string {
	return shuffled(rng, slices.Clone(names))[:n]
}
