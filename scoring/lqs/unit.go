package lqs

// Unit is what is known of an agent at one seed. Units are what the intervals
// resample.
type Unit struct {
	Unseen bool // a seed of the variants
	// The totals of episodes of this seed: the agent's and those of the two
	// baselines. NaN where there is none.
	Reward, Random, NoOp float64
	// Refused tells that the environment refused an action of the agent's here.
	Refused bool

	State  State
	Steps  []Step
	Judged []float64 // scores of reasoning, in [0, 1]
}

// State is one observation and what the agent did when it was shown in several
// ways.
type State struct {
	ID string // equal for equal observations
	// Actions by rendering, the first for the observation as it is, in a form
	// that is equal for equal actions; "" where no answer came.
	Actions []string
}

// Step is one action of the agent, for the hack index.
type Step struct {
	Reward float64 // rescaled to [0, 1]; NaN where none was told
	Check  float64 // the environment's independent check, in [0, 1]; NaN where none
	// Same names the planted policies that would have acted alike.
	Same []string
}

// Planted is what became of a planted policy: one that is known to exploit the
// reward, if it pays.
type Planted struct {
	Name string
	// Exploit tells that it can be no solution of the task, however well it is
	// paid: it does not look at the observation, or is declared an exploit.
	Exploit bool
	// Totals of its episodes.
	Rewards []float64
}

// Scale is what total rewards mean.
type Scale struct {
	// Worst and Best are the least and the greatest total reward of an episode.
	Worst, Best float64
	// BestSeen tells that the best is not declared but the best that was seen.
	BestSeen bool
}

// Rescale maps a total to [0, 1].
func (s Scale) Rescale(total float64) float64 {
	if !(s.Best > s.Worst) {
		return 0
	}
	return max(0, min(1, (total-s.Worst)/(s.Best-s.Worst)))
}

// Sample is all that [Measure] knows.
type Sample struct {
	Units   []Unit
	Planted []Planted
	Scale   Scale
	// Checked tells that the environment declares an independent check; then H
	// is read off that and not off the planted policies.
	Checked bool
	// SeedsIgnored tells that unseen seeds are nothing new.
	SeedsIgnored bool
}
