package scene

import (
	"math/rand/v2"
	"slices"
)

// doubtShare of the scenes are meant to have a doubtful object.
const doubtShare = .043

// doubt is a way for an object to be hardly in a picture.
type doubt struct {
	size        float64 // height as a share of the picture's short side, times the kind's
	beyond      bool    // its centre lies outside the frame
	least, most float64 // share of its pixels that shows
}

func doubts() []doubt {
	return []doubt{
		{.3, false, .08, .2},    // mostly hidden
		{.34, true, .06, .18},   // cut off by the frame
		{.052, false, .85, 1.1}, // tiny
	}
}

// withDoubt is the layout's objects, now and then with a doubtful one behind
// them all, of a kind that is not there otherwise. Its random numbers are its
// own, so that scenes without are the same with any share of doubts.
func (l *layout) withDoubt() []Object {
	l.rng = rand.New(rand.NewPCG(l.scene.Seed, doubtStream))
	if l.rng.Float64() >= doubtShare {
		return l.objects
	}
	way := doubts()[l.rng.IntN(len(doubts()))]
	for range 400 {
		k := l.theme.drawKind(l.rng)
		if slices.ContainsFunc(l.objects, func(o Object) bool { return o.Kind == k.name }) {
			continue
		}
		if o, ok := l.doubtful(k, way); ok {
			return append([]Object{o}, l.objects...)
		}
	}
	return l.objects
}

// doubtful proposes one, and says whether as much of it shows as should.
func (l *layout) doubtful(k kind, way doubt) (Object, bool) {
	o := l.propose(k)
	w, h := float64(l.scene.Width), float64(l.scene.Height)
	o.Doubtful, o.Pose.Height = true, way.size*min(w, h)*max(k.size, .6)
	if way.beyond {
		half := o.Pose.Height * max(k.aspect, 1) / 2
		o.Pose.X = -.8*half + l.rng.Float64()*(w+1.6*half)
		o.Pose.Y = h * l.rng.Float64()
		if l.rng.Float64() < .7 {
			o.Pose.X = []float64{-.5 * half, w + .5*half}[l.rng.IntN(2)]
		} else {
			o.Pose.Y = []float64{-.3 * o.Pose.Height, h + .3*o.Pose.Height}[l.rng.IntN(2)]
		}
	}
	seen, box := l.cover.behind(o)
	if seen < 4 {
		return Object{}, false
	}
	o.Visible, o.Box = min(float64(seen)/float64(max(l.cover.size(o), 1)), 1), box
	return o, o.Visible >= way.least && o.Visible < way.most
}
