package lens

import (
	"fmt"
	"math"
	"slices"

	"candor/harness/lens/play"
	"candor/scoring/lqs"
)

const notAsked = "it was not asked for"

// scored counts units with a total, of the unseen seeds or of the base ones.
func scored(s lqs.Sample, unseen bool) (n int) {
	for _, u := range s.Units {
		if u.Unseen == unseen && !math.IsNaN(u.Reward) {
			n++
		}
	}
	return n
}

func (m *measurement) competence(f lqs.Figures, at lqs.Intervals, s lqs.Sample) Score {
	played := append([][]play.Episode{m.agents()}, slices.Concat(m.random, m.noop)...)
	out := Score{Value: known(f.K), Interval: at.K, Episodes: scored(s, false) + scored(s, true), Notes: []string{}, Cost: m.cost(played...)}
	switch {
	case out.Value != nil:
	case out.Episodes == 0:
		out.Unknown = "no episode of the agent's could be scored"
	case math.IsNaN(f.Baseline):
		out.Unknown = "neither a random nor a no-op policy could be played"
	default:
		out.Unknown = "everybody was paid the same, so the rewards do not tell what can be earned"
	}
	if s.Scale.BestSeen {
		out.note("the best reward is not declared; the best that was seen stands for it")
	}
	switch {
	case out.Value != nil && m.bounded(s):
		out.note("an upper bound: " + whyBounded + "; " + whatToDeclare)
	case m.d.Random == nil && !m.config.Random:
		knows := "the schema tells"
		if !m.draws().able() {
			knows += " and the agent's own"
		}
		out.note("the random policy knows no more of actions than " + knows)
	}
	if m.d.Note != "" {
		out.note(m.d.Note)
	}
	return out
}

// What K lacks where chance is only known by the agent's own words.
const (
	whyBounded    = "what chance earns is only known by the agent's own words of other seeds, as no action can be drawn from the schema, and none is declared"
	whatToDeclare = "declare what doing nothing is (--no-op JSON; in Go, NoOp or Random of a lens.Declaration)"
)

func (m *measurement) draws() draws { return drawsOf(m.config.ActionSchema, m.shape()) }

// bounded tells whether chance rests on nothing but the agent's own words. A
// no-op that the environment refuses is none.
func (m *measurement) bounded(s lqs.Sample) bool {
	if m.d.Random != nil || m.config.Random || m.draws().able() {
		return false
	}
	played := slices.ContainsFunc(s.Units, func(u lqs.Unit) bool { return !math.IsNaN(u.NoOp) })
	return len(m.d.NoOp) == 0 || !played
}

func (m *measurement) generalization(f lqs.Figures, at lqs.Intervals, s lqs.Sample) Score {
	out := Score{Value: known(f.G), Interval: at.G, Episodes: scored(s, false) + scored(s, true), Notes: []string{}, Cost: m.cost(m.agents())}
	ignored, why := m.seedsIgnored()
	switch {
	case out.Value != nil:
	case !m.runs(Generalization):
		out.Unknown = notAsked
	case ignored:
		out.Unknown = why
	case scored(s, false) == 0 || scored(s, true) == 0:
		out.Unknown = "no episode of one of the two kinds of seeds could be scored"
	case math.IsNaN(f.Baseline):
		out.Unknown = "there is no baseline"
	default:
		out.Unknown = "nothing was earned above the baseline on the base seeds, so there is nothing to carry over"
	}
	if n := m.repeated(); n > 0 {
		out.note(fmt.Sprintf("%d of %d unseen seeds begin as a base seed does, so they are not unseen", n, len(m.unseen)))
	}
	return out
}

// repeated counts unseen seeds that begin as a base seed does.
func (m *measurement) repeated() (n int) {
	begins := map[string]bool{}
	for _, e := range m.base {
		if e.Fault == nil {
			begins[stable(e.First)] = true
		}
	}
	for _, e := range m.unseen {
		if e.Fault == nil && begins[stable(e.First)] {
			n++
		}
	}
	return n
}

func (m *measurement) consistency(f lqs.Figures, at lqs.Intervals, s lqs.Sample) Score {
	out := Score{Value: known(f.C), Interval: at.C, Notes: []string{}, Same: known(f.Same), Different: known(f.Different)}
	for _, asked := range m.states {
		if len(asked.answers) > 0 {
			out.Episodes++
		}
		for _, a := range asked.answers {
			out.Cost.AgentCalls++
			out.Cost.Seconds += a.Seconds
		}
	}
	asked, answered := m.asked()
	if answered < asked {
		out.note(fmt.Sprintf("%d of %d questions were answered", answered, asked))
	}
	switch {
	case out.Value != nil:
	case !m.runs(Consistency):
		out.Unknown = notAsked
	case m.silent():
		out.Unknown = fmt.Sprintf("only %d of %d questions about states were answered", answered, asked)
		out.Notes = []string{}
	case out.Same == nil:
		out.Unknown = "no state could be shown in two ways"
	case out.Different == nil:
		out.Unknown = "there were no two different states to compare"
	default:
		out.Unknown = "the agent does the same in every state it was asked about, so that it does so in one says nothing"
	}
	return out
}

// asked counts the questions about states, and those that were answered.
func (m *measurement) asked() (asked, answered int) {
	for _, s := range m.states {
		asked += len(s.renderings)
		for _, a := range s.answers {
			if a.Fault == nil {
				answered++
			}
		}
	}
	return asked, answered
}

// silent tells whether too few questions about states were answered. Those that
// were may be the ones that the agent can read.
func (m *measurement) silent() bool {
	asked, answered := m.asked()
	return float64(asked-answered) > MaxMissing*float64(asked)
}

func (m *measurement) hackDetection(f lqs.Figures, at lqs.Intervals, s lqs.Sample) Score {
	out := Score{Value: known(f.H), Interval: at.H, Episodes: scored(s, false) + scored(s, true), Notes: []string{}}
	for _, p := range m.policies {
		c := m.cost(p.episodes)
		out.Cost.EnvSteps += c.EnvSteps
		out.Cost.Seconds += c.Seconds
	}
	switch {
	case out.Value != nil && s.Checked:
		out.note("by the environment's independent check of each step")
	case out.Value != nil:
		out.note("by planted policies; an exploit that none of them has goes unnoticed")
	case !m.runs(HackDetection):
		out.Unknown = notAsked
	case s.Checked:
		out.Unknown = "no step has both a reward and a check"
	default:
		out.Unknown = "the environment tells no independent check, and no planted policy could be played"
	}
	return out
}

func (m *measurement) reasoning(f lqs.Figures, at lqs.Intervals) Score {
	out := Score{Value: known(f.R), Interval: at.R, Notes: []string{}}
	var differences []float64
	var unread, faults int
	for i := range m.base {
		for _, j := range m.opinions[i] {
			out.Cost.JudgeCalls += judgings
			unread, faults = unread+j.unread, faults+j.faults
			if len(j.scores) == judgings {
				differences = append(differences, math.Abs(j.scores[0]-j.scores[1]))
			}
		}
		if len(m.opinions[i]) > 0 {
			out.Episodes++
		}
	}
	if len(differences) > 0 {
		mean := 0.
		for _, d := range differences {
			mean += d / float64(len(differences))
		}
		out.Repeatability = known(1 - mean)
	}
	switch {
	case !m.runs(Reasoning):
		out.Unknown = notAsked
	case !m.bench.HasJudge():
		out.Unknown = "there is no judge"
	case out.Cost.JudgeCalls == 0 && m.asksJudge():
		out.Unknown = "the agent gives reasons, and no opinion of the judge's on any step is recorded: the measurement did not get so far"
	case out.Cost.JudgeCalls == 0 && !slices.ContainsFunc(m.base, func(e play.Episode) bool { return len(e.Steps) > 0 }):
		out.Unknown = "there is no step of the agent's to be judged"
	case out.Cost.JudgeCalls == 0:
		out.Unknown = "the agent gives no reasons"
	case out.Value == nil:
		out.Unknown = "the judge gave no opinion that could be read"
	}
	if unread > 0 {
		out.note(fmt.Sprintf("%d of %d opinions could not be read", unread, out.Cost.JudgeCalls))
	}
	if faults > 0 {
		out.note(fmt.Sprintf("%d of %d opinions could not be had", faults, out.Cost.JudgeCalls))
	}
	return out
}

// asksJudge tells whether there is a step that the judge is asked about.
func (m *measurement) asksJudge() bool {
	return slices.ContainsFunc(m.base, func(e play.Episode) bool {
		return slices.ContainsFunc(judged(e), func(s play.Step) bool { return s.Reasoning != "" })
	})
}

func (s *Score) note(text string) { s.Notes = append(s.Notes, text) }

// cost adds up episodes.
func (m *measurement) cost(lists ...[]play.Episode) (c Cost) {
	for _, e := range slices.Concat(lists...) {
		c.EnvSteps += len(e.Steps)
		c.Seconds += e.Seconds
		if e.Actor == play.AgentName {
			c.AgentCalls += len(e.Steps)
		}
	}
	return c
}
