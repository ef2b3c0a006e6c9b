package progress

import "math"

// Tally is a mean reward that grows task by task, with an interval that allows
// for the tasks of one image going together. The zero value is empty; it is not
// to be used by several goroutines at once.
type Tally struct {
	tasks, answered int
	reward          float64
	images          map[string]sums
	// Over images: the squares of their rewards and of their numbers of tasks, and
	// the products of the two.
	rr, nn, rn float64
}

// sums are those of one image.
type sums struct{ reward, tasks float64 }

// leastImages is how many images an interval takes: of fewer it would be too
// narrow by much.
const leastImages = 5

// Add counts a task.
func (t *Tally) Add(image string, reward float64, answered bool) {
	if t.images == nil {
		t.images = map[string]sums{}
	}
	s := t.images[image]
	t.rr += reward * (2*s.reward + reward)
	t.nn += 2*s.tasks + 1
	t.rn += s.reward + reward*s.tasks + reward
	t.images[image] = sums{s.reward + reward, s.tasks + 1}
	t.tasks++
	t.reward += reward
	if answered {
		t.answered++
	}
}

// Tasks is how many were counted.
func (t *Tally) Tasks() int { return t.tasks }

// Reward is the mean so far, 0 of nothing.
func (t *Tally) Reward() float64 { return t.reward / float64(max(1, t.tasks)) }

// Coverage is the share answered, 0 of nothing.
func (t *Tally) Coverage() float64 { return float64(t.answered) / float64(max(1, t.tasks)) }

// Interval is about the mean's 95 % interval, within [0, 1]: 1.96 standard
// errors of a ratio of sums over images (Cochran 1977, §6.3) to both sides. It
// is for looking at while a run goes; the run's own comes from resampling. ok is
// false for fewer than five images.
func (t *Tally) Interval() (lo, hi float64, ok bool) {
	k := float64(len(t.images))
	if k < leastImages {
		return 0, 0, false
	}
	mean, n := t.Reward(), float64(t.tasks)
	squares := max(0, t.rr-2*mean*t.rn+mean*mean*t.nn) // of what each image's reward is off
	half := 1.96 * math.Sqrt(k/(k-1)*squares) / n
	return max(0, mean-half), min(1, mean+half), true
}
