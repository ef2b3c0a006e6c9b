package scoring

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// counts are the tasks of one image, or of a weighted set of images.
type counts struct {
	n, answered, abstained, repaired, supported int
	truths                                      int // answered tasks whose label is SUPPORTED
}

func (c *counts) add(r Row) {
	c.n++
	c.answered += one(r.Outcome == Answered)
	c.abstained += one(r.Outcome == Abstained)
	c.repaired += one(r.Repaired)
	c.supported += one(r.Supported)
	c.truths += one(r.Outcome == Answered && r.Supported == r.Correct)
}

// sample is the rows of a run, sorted once so that any weighting of its images
// can be tallied in one pass without looking at a row again.
type sample struct {
	levels       []Level   // answered tasks, by confidence
	right, wrong []float64 // the rule's score at each level
	cells        []cell    // by level, then by image
	first        []int     // cells of level l are cells[first[l]:first[l+1]]
	images       []counts  // by image key
	bare         int       // rows without an image
	abstain      float64   // reward of abstaining
}

// cell is the answered tasks of one image at one level.
type cell struct{ image, n, correct int32 }

// newSample groups scorable rows.
func newSample(rows []Row, pay Payment) (*sample, error) {
	of, images, bare := clusters(rows)
	s, err := newClustered(rows, of, images, pay)
	if err == nil {
		s.bare = bare
	}
	return s, err
}

// newClustered groups scorable rows, row i of image of[i], over images in all:
// some may have no row here.
func newClustered(rows []Row, of []int32, images int, pay Payment) (*sample, error) {
	s := &sample{images: make([]counts, images), abstain: pay.Abstain}
	var marks []mark
	for i, r := range rows {
		s.images[of[i]].add(r)
		if r.Outcome == Answered {
			marks = append(marks, mark{r.Confidence, r.Correct, of[i]})
		}
	}
	s.levels = levelsOf(marks)
	s.fill(marks)
	return s, s.score(pay.Rule)
}

// fill lays out the cells of each level.
func (s *sample) fill(marks []mark) {
	slices.SortFunc(marks, func(a, b mark) int {
		return cmp.Or(cmp.Compare(a.confidence, b.confidence), cmp.Compare(a.image, b.image))
	})
	s.first = make([]int, 0, len(s.levels)+1)
	for at, l := 0, 0; l < len(s.levels); l++ {
		s.first = append(s.first, len(s.cells))
		for _, k := range marks[at : at+s.levels[l].N] {
			if last := len(s.cells) - 1; last < s.first[l] || s.cells[last].image != k.image {
				s.cells = append(s.cells, cell{image: k.image})
			}
			c := &s.cells[len(s.cells)-1]
			c.n++
			c.correct += int32(one(k.correct))
		}
		at += s.levels[l].N
	}
	s.first = append(s.first, len(s.cells))
}

// score looks up what the rule pays at each level.
func (s *sample) score(rule Rule) error {
	for _, l := range s.levels {
		right, wrong := rule.Score(l.Confidence, true), rule.Score(l.Confidence, false)
		if sum := right + wrong; math.IsNaN(sum) || math.IsInf(sum, 0) {
			return fmt.Errorf("rule %s: scores at confidence %v are not finite", rule.Name(), l.Confidence)
		}
		s.right, s.wrong = append(s.right, right), append(s.wrong, wrong)
	}
	return nil
}

// tally is what the figures are computed from: the same for rows repeated w
// times as for rows of weight w.
type tally struct {
	counts
	correct int
	levels  []Level // none empty
	reward  float64 // sum
}

// weigh tallies the sample with each image counted weights[image] times,
// reusing t's memory.
func (s *sample) weigh(weights []int32, t *tally) {
	t.counts, t.correct, t.levels, t.reward = counts{}, 0, t.levels[:0], 0
	for i, c := range s.images {
		w := int(weights[i])
		t.n += w * c.n
		t.answered += w * c.answered
		t.abstained += w * c.abstained
		t.repaired += w * c.repaired
		t.supported += w * c.supported
		t.truths += w * c.truths
	}
	for l := range s.levels {
		n, correct := 0, 0
		for _, c := range s.cells[s.first[l]:s.first[l+1]] {
			w := int(weights[c.image])
			n += w * int(c.n)
			correct += w * int(c.correct)
		}
		if n == 0 {
			continue
		}
		t.levels = append(t.levels, Level{s.levels[l].Confidence, n, correct})
		t.correct += correct
		t.reward += float64(correct)*s.right[l] + float64(n-correct)*s.wrong[l]
	}
	t.reward += float64(t.abstained) * s.abstain
}

// whole tallies every image once.
func (s *sample) whole() *tally {
	weights := make([]int32, len(s.images))
	for i := range weights {
		weights[i] = 1
	}
	t := &tally{levels: []Level{}}
	s.weigh(weights, t)
	return t
}

// rates fills in the figures that are ratios of counts; a rate over no tasks
// stays undefined.
func (t *tally) rates(f *figures) {
	if n := float64(t.n); n > 0 {
		f[figCoverage] = float64(t.answered) / n
		f[figAbstainRate] = float64(t.abstained) / n
		f[figMalformedRate] = float64(t.n-t.answered-t.abstained) / n
		f[figRepairRate] = float64(t.repaired) / n
		f[figReward] = t.reward / n
	}
	if m := float64(t.answered); m > 0 {
		f[figAccuracy] = float64(t.correct) / m
		f[figSupported] = float64(t.supported) / m
		f[figBalanced] = t.balanced()
	}
}

// balanced is the mean of the accuracies on claims of either label, NaN where
// one of them has none. What is rightly SUPPORTED follows from the counts: of m
// answered, right + said + true − m is counted twice.
func (t *tally) balanced() float64 {
	truths, lies := t.truths, t.answered-t.truths
	if truths == 0 || lies == 0 {
		return math.NaN()
	}
	supported := (t.correct + t.supported + t.truths - t.answered) / 2
	return (float64(supported)/float64(truths) + float64(t.correct-supported)/float64(lies)) / 2
}
