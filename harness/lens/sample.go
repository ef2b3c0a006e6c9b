package lens

import (
	"math"
	"slices"
	"strings"

	"candor/harness/lens/play"
	"candor/harness/lens/pyjson"
	"candor/scoring/lqs"
)

// Missing counts what the figures lack, and what stands in the way.
type Missing struct {
	Planned  int `json:"episodes_planned"` // of the agent
	Scored   int `json:"episodes_scored"`
	Env      int `json:"environment_faults"` // episodes that the environment broke
	Agent    int `json:"agent_faults"`       // questions to which no answer could be had
	Judge    int `json:"judge_faults"`
	Null     int `json:"rewards_null"`         // that an episode is missing for
	Lies     int `json:"rewards_out_of_range"` // or no number
	Refused  int `json:"actions_refused"`      // the agent's own doing, and paid the least there is
	Endless  int `json:"episodes_cut"`         // at the limit on steps
	Attempts int `json:"attempts_repeated"`
	// Messages are the different ones, in the order in which they came.
	Messages []string `json:"messages"`
}

// faults tells whether anything broke that was nobody's answer.
func (m Missing) faults() bool { return m.Scored < m.Planned || m.Agent+m.Judge+m.Env > 0 }

const maxMessages = 10

func (m *Missing) say(text string) {
	if !slices.Contains(m.Messages, text) && len(m.Messages) < maxMessages {
		m.Messages = append(m.Messages, text)
	}
}

// refuse tells of a refused action; of one refusal the first is shown.
func (m *Missing) refuse(s play.Step) {
	said := s.Refused + "; it was sent "
	if !slices.ContainsFunc(m.Messages, func(t string) bool { return strings.HasPrefix(t, said) }) {
		m.say(said + named(string(s.Sent)))
	}
}

// everyone is every episode that anybody played.
func (m *measurement) everyone() []play.Episode {
	all := m.agents()
	for _, draws := range append(slices.Clone(m.random), m.noop...) {
		all = append(all, draws...)
	}
	for _, p := range m.policies {
		all = append(all, p.episodes...)
	}
	return all
}

// sample is what the mathematics gets to see.
func (m *measurement) sample() (lqs.Sample, Missing) {
	r := m.ranges()
	count := Missing{Planned: m.n, Messages: []string{}}
	if m.runs(Generalization) {
		count.Planned *= 2
	}
	s := lqs.Sample{}
	for i, e := range m.agents() {
		u := lqs.Unit{
			Unseen:  i >= len(m.base),
			Reward:  r.totalOf(e, &count),
			Random:  m.baseline(r, m.random, i),
			NoOp:    m.baseline(r, m.noop, i),
			Refused: refused(e),
		}
		m.note(e, &count)
		if !math.IsNaN(u.Reward) {
			count.Scored++
		}
		for j, step := range e.Steps {
			u.Steps = append(u.Steps, m.step(r, i, j, step))
			s.Checked = s.Checked || step.Check != nil
		}
		if !u.Unseen {
			u.State, u.Judged = m.state(i, &count), m.judged(i, &count)
		}
		s.Units = append(s.Units, u)
	}
	for _, p := range m.policies {
		played := lqs.Planted{Name: p.policy.Name, Exploit: p.policy.Blind || p.declared != ""}
		for _, e := range p.episodes {
			if t := r.totalOf(e, &Missing{}); !math.IsNaN(t) && !refused(e) {
				played.Rewards = append(played.Rewards, t)
			}
		}
		s.Planted = append(s.Planted, played)
	}
	s.Scale = m.scale(r, s)
	s.SeedsIgnored, _ = m.seedsIgnored()
	if !m.runs(HackDetection) {
		s.Checked = true // and by nothing
		for i := range s.Units {
			s.Units[i].Steps = nil
		}
	}
	return s, count
}

// note counts what broke the agent's episode, or did not end it.
func (m *measurement) note(e play.Episode, count *Missing) {
	count.Attempts += len(e.Faults)
	for _, f := range e.Faults {
		count.say(f.Message)
	}
	switch {
	case e.Fault != nil && e.Fault.Of == play.TheAgent:
		count.Agent++
	case e.Fault != nil:
		count.Env++
	case len(e.Steps) == 0:
		count.say("an episode was over before it began")
	case len(e.Steps) > 0 && !e.Done && e.Steps[len(e.Steps)-1].Refused == "":
		count.Endless++
	}
	if e.Fault != nil {
		count.say(e.Fault.Message)
	}
	for _, s := range e.Steps {
		if s.Refused != "" {
			count.refuse(s)
		}
	}
}

// baseline is the mean total of a policy's episodes at one seed.
func (m *measurement) baseline(r ranges, of [][]play.Episode, i int) float64 {
	total, n := 0., 0.
	for _, e := range at(of, i) {
		if t := r.totalOf(e, &Missing{}); !math.IsNaN(t) && !refused(e) {
			total, n = total+t, n+1
		}
	}
	return total / n
}

func at[T any](lists [][]T, i int) []T {
	if i >= len(lists) {
		return nil
	}
	return lists[i]
}

// refused tells whether the environment would not take an action. A policy that
// it does not take cannot be played.
func refused(e play.Episode) bool {
	return slices.ContainsFunc(e.Steps, func(s play.Step) bool { return s.Refused != "" })
}

// scale is from the least to the greatest total, as declared, or else as seen.
func (m *measurement) scale(r ranges, s lqs.Sample) lqs.Scale {
	if r.total != nil {
		return lqs.Scale{Worst: r.total.Least, Best: r.total.Greatest}
	}
	scale := lqs.Scale{BestSeen: true, Best: math.Inf(-1)}
	take := func(v float64) {
		if !math.IsNaN(v) {
			scale.Worst, scale.Best = min(scale.Worst, v), max(scale.Best, v)
		}
	}
	least := math.Inf(1)
	for _, u := range s.Units {
		if u.Refused { // what it is paid is nobody's best
			scale.Worst, u.Reward = min(scale.Worst, u.Reward), math.NaN()
		}
		for _, v := range []float64{u.Reward, u.Random, u.NoOp} {
			take(v)
			if !math.IsNaN(v) {
				least = min(least, v)
			}
		}
	}
	for _, p := range s.Planted {
		for _, v := range p.Rewards {
			take(v)
			least = min(least, v)
		}
	}
	if least >= scale.Best { // everybody was paid the same: that tells nothing apart
		scale.Worst = scale.Best
	}
	return scale
}

// step is a step for the hack index; i counts episodes, the base ones first.
func (m *measurement) step(r ranges, i, j int, s play.Step) lqs.Step {
	out := lqs.Step{Reward: math.NaN(), Check: math.NaN()}
	if s.Reward != nil && r.believes(*s.Reward) && r.mostStep > r.leastStep {
		out.Reward = max(0, min(1, (*s.Reward-r.leastStep)/(r.mostStep-r.leastStep)))
	}
	if s.Check != nil {
		out.Check = *s.Check
	}
	did := same(s.Sent)
	for _, p := range m.policies {
		would := []byte(nil)
		switch {
		case p.declared != "":
			would = s.Planted[p.declared]
		case p.policy.Name != "replayed":
			would = pyjson.Action(p.policy.Act(nil, s.Num, s.Observation))
		case i < len(m.base) && len(m.base) > 1:
			would = pyjson.Action(replayed(m.base[(i+1)%len(m.base)]).Act(nil, j, ""))
		}
		if would != nil && same(would) == did {
			out.Same = append(out.Same, p.policy.Name)
		}
	}
	return out
}

func (m *measurement) state(i int, count *Missing) lqs.State {
	if i >= len(m.states) {
		return lqs.State{}
	}
	s := lqs.State{ID: m.states[i].observation}
	for _, a := range m.states[i].answers {
		action := ""
		if a.Fault == nil {
			action = same(pyjson.Action(a.Action))
		} else {
			count.Agent++
			count.say(a.Fault.Message)
		}
		s.Actions = append(s.Actions, action)
	}
	if m.silent() {
		return lqs.State{}
	}
	return s
}

func (m *measurement) judged(i int, count *Missing) (scores []float64) {
	for _, j := range m.opinions[i] {
		count.Judge += j.faults
		if len(j.scores) > 0 {
			total := 0.
			for _, s := range j.scores {
				total += s
			}
			scores = append(scores, total/float64(len(j.scores)))
		}
	}
	return scores
}

// seedsIgnored compares what the no-op policy saw and was paid: at one seed
// twice, and at different seeds. It says what it found.
func (m *measurement) seedsIgnored() (bool, string) {
	var signs []string
	again := false // what a seed began was not the same again
	for _, draws := range m.noop {
		begun := false // one sign of a seed
		for i, e := range draws {
			if e.Fault != nil {
				continue
			}
			again = again || i > 0 && draws[0].Fault == nil && sign(e) != sign(draws[0])
			if !begun {
				signs, begun = append(signs, sign(e)), true
			}
		}
	}
	if again {
		return true, "the environment ignores seeds: begun twice with one seed, it was not the same"
	}
	if len(signs) < 2 {
		return false, ""
	}
	for _, s := range signs {
		if s != signs[0] {
			return false, ""
		}
	}
	return true, "the environment ignores seeds: it was the same with every one"
}

// volatile are keys whose values differ between equal episodes.
var volatile = map[string]bool{"episode_id": true, "session_id": true, "request_id": true, "timestamp": true, "metadata": true}

// sign is a text that is the same for episodes that went the same.
func sign(e play.Episode) string {
	var b strings.Builder
	b.WriteString(stable(e.First))
	for _, s := range e.Steps {
		b.WriteString("\x00" + stable(s.Observation) + "\x00" + s.Told)
		if s.Reward != nil {
			b.WriteString(pyjson.Fixed(*s.Reward, 12))
		}
	}
	return b.String()
}

func stable(observation string) string {
	v := read(observation)
	if v.Kind != pyjson.Object {
		return observation
	}
	kept := pyjson.Value{Kind: pyjson.Object}
	for i, k := range v.Keys {
		if !volatile[k.Text()] {
			kept.Keys, kept.Items = append(kept.Keys, k), append(kept.Items, v.Items[i])
		}
	}
	return kept.Canonical()
}
