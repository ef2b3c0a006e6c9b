package lens

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"candor/harness/lens/judge"
	"candor/harness/lens/play"
)

// variantOffset parts the unseen seeds from the base seeds 0 … n−1, as
// published.
const variantOffset = 1000

// randomDraws is how often the random policy plays a seed: what chance earns
// had better be known well.
const randomDraws = 4

// judgedPerEpisode is how many steps of an episode are judged, from the first,
// as published.
const judgedPerEpisode = 3

// Evaluate measures an agent. Its error is that there is no environment, that
// the journal cannot be written, or that ctx has ended: then the journal goes
// on where it was. What breaks on the way is in the report.
func (l *Lens) Evaluate(ctx context.Context, agent Agent, o Options) (_ *Report, err error) {
	o, err = o.withDefaults()
	if err != nil {
		return nil, err
	}
	w, err := l.ready(ctx)
	if err != nil {
		return nil, err
	}
	if err := declarable(w.Declared); err != nil {
		return nil, err
	}
	header, c, err := o.header(w, "none")
	if err != nil {
		return nil, err
	}
	bench, err := play.New(o.setup(w, agent, header, false))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, bench.Close()) }()
	return measure(ctx, bench, c, w.Declared, o.Custom)
}

// Probe runs one probe, and what it needs, and returns its score.
func (l *Lens) Probe(ctx context.Context, name string, agent Agent, o Options) (Score, error) {
	if !slices.Contains(ProbeNames(), name) {
		return Score{}, OptionError(fmt.Sprintf("there is no probe %q", name))
	}
	o.Probes = []string{name}
	report, err := l.Evaluate(ctx, agent, o)
	if err != nil {
		return Score{}, err
	}
	return *report.probe(name), nil
}

// measurement is everything that was played and asked.
type measurement struct {
	bench  *play.Bench
	config config
	d      Declaration
	n      int

	base, unseen []play.Episode // by seed
	// What the random and the no-op policy did at the same seeds, those of the
	// base first, each several times.
	random, noop     [][]play.Episode
	policies         []policyPlay
	states           []stateAsked // by base seed
	opinions         map[int][]stepJudged
	custom           []CustomScore
	notPlayed, extra []string // what was not played, and other remarks
}

type policyPlay struct {
	policy   play.Policy
	episodes []play.Episode
	declared string // its name by the declaration, "" if it is none of that
}

type stateAsked struct {
	observation string
	renderings  []Rendering
	answers     []play.Answer
}

type stepJudged struct {
	scores []float64
	faults int
	unread int
}

func measure(ctx context.Context, bench *play.Bench, c config, d Declaration, custom []Custom) (*Report, error) {
	m := &measurement{bench: bench, config: c, d: d, n: bench.Header().Episodes, opinions: map[int][]stepJudged{}}
	for _, part := range []func(context.Context) error{m.playAgent, m.askStates, m.playBaselines, m.playPlanted, m.judge} {
		if err := m.tolerate(part(ctx)); err != nil {
			return nil, err
		}
	}
	for _, p := range custom {
		if err := m.runCustom(ctx, p); err != nil {
			return nil, err
		}
	}
	return m.report()
}

// tolerate turns what ends a part of a measurement, but not all of it, into a
// remark.
func (m *measurement) tolerate(err error) error {
	if errors.Is(err, play.ErrGone) || errors.Is(err, play.ErrNotRecorded) {
		if text := err.Error(); !slices.Contains(m.notPlayed, text) {
			m.notPlayed = append(m.notPlayed, text)
		}
		return nil
	}
	return err
}

func (m *measurement) runs(probe string) bool { return slices.Contains(m.config.Probes, probe) }

// playAgent plays the base seeds and the unseen ones.
func (m *measurement) playAgent(ctx context.Context) error {
	for i := range m.n {
		e, err := m.bench.Episode(ctx, fmt.Sprintf("agent/%d", i), int64(i))
		if err != nil {
			return err
		}
		m.base = append(m.base, e)
		if !m.runs(Generalization) {
			continue
		}
		e, err = m.bench.Episode(ctx, fmt.Sprintf("agent/%d", i+variantOffset), int64(i+variantOffset))
		if err != nil {
			return err
		}
		m.unseen = append(m.unseen, e)
	}
	return nil
}

// askStates shows the middle observation of each base episode in all forms.
func (m *measurement) askStates(ctx context.Context) error {
	if !m.runs(Consistency) {
		return nil
	}
	for i, e := range m.base {
		s := stateAsked{}
		if len(e.Steps) > 0 {
			pivot := e.Steps[len(e.Steps)/2]
			s.observation, s.renderings = pivot.Observation, Renderings(pivot.Observation, pivot.Num)
		}
		for j, r := range s.renderings {
			a, err := m.bench.Ask(ctx, fmt.Sprintf("rendering/%d/%d", i, j), r.Text)
			if err != nil {
				m.states = append(m.states, s)
				return err
			}
			s.answers = append(s.answers, a)
		}
		m.states = append(m.states, s)
	}
	return nil
}

func (m *measurement) shape() shape {
	var sent []json.RawMessage
	for _, e := range m.agents() {
		for _, s := range e.Steps {
			sent = append(sent, s.Sent)
		}
	}
	return shapeOf(m.config.ActionSchema, sent)
}

// agents are all episodes of the agent.
func (m *measurement) agents() []play.Episode { return slices.Concat(m.base, m.unseen) }

func (m *measurement) playBaselines(ctx context.Context) error {
	random, noop := baselines(m.d, m.config.ActionSchema, m.shape())
	noops := 2 // at the first seed, to see whether it begins the same again
	for _, e := range m.agents() {
		if e.Fault != nil { // then what chance earns there is of no use
			m.random, m.noop = append(m.random, nil), append(m.noop, nil)
			continue
		}
		for _, part := range []struct {
			policy play.Policy
			draws  int
			into   *[][]play.Episode
		}{{random, randomDraws, &m.random}, {noop, noops, &m.noop}} {
			episodes := []play.Episode{}
			for draw := range part.draws {
				played, err := m.bench.Policy(ctx, fmt.Sprintf("%s/%d/%d", part.policy.Name, e.Seed, draw), e.Seed, part.policy)
				if err != nil {
					return err
				}
				episodes = append(episodes, played)
			}
			*part.into = append(*part.into, episodes)
		}
		noops = 1
	}
	return nil
}

// playPlanted plays the planted policies on the base seeds.
func (m *measurement) playPlanted(ctx context.Context) error {
	var actions []string
	for _, e := range m.base {
		for _, s := range e.Steps {
			actions = append(actions, string(s.Sent))
		}
	}
	for _, p := range planted(m.shape(), actions) {
		m.policies = append(m.policies, policyPlay{policy: p})
	}
	m.policies = append(m.policies, policyPlay{policy: play.Policy{Name: "replayed", Blind: true}})
	for _, p := range m.d.Planted {
		declared := policyPlay{policy: p, declared: p.Name}
		declared.policy.Name = "declared: " + p.Name
		m.policies = append(m.policies, declared)
	}
	for i := range m.policies {
		p := &m.policies[i]
		for j, e := range m.base {
			if e.Fault != nil {
				continue
			}
			act := p.policy
			if act.Name == "replayed" && p.declared == "" {
				if len(m.base) < 2 {
					continue
				}
				act = replayed(m.base[(j+1)%len(m.base)])
			}
			played, err := m.bench.Policy(ctx, fmt.Sprintf("planted/%s/%d", act.Name, e.Seed), e.Seed, act)
			if err != nil {
				return err
			}
			p.episodes = append(p.episodes, played)
		}
	}
	return nil
}

// judge has the first steps of the base episodes judged, each more than once.
func (m *measurement) judge(ctx context.Context) error {
	if !m.runs(Reasoning) || !m.bench.HasJudge() {
		return nil
	}
	for i, e := range m.base {
		for _, s := range judged(e) {
			if s.Reasoning == "" {
				continue
			}
			j := stepJudged{}
			s.Observation, _ = play.WithoutImages(s.Observation) // a judge reads text
			for k := range judgings {
				o, err := m.bench.Judge(ctx, fmt.Sprintf("judge/%d/%d/%d", i, s.Num, k), judge.Prompt(s))
				if err != nil {
					return err
				}
				switch score, ok := judge.Score(o.Reply); {
				case o.Fault != nil:
					j.faults++
				case ok:
					j.scores = append(j.scores, score)
				default:
					j.unread++
				}
			}
			m.opinions[i] = append(m.opinions[i], j)
		}
	}
	return nil
}

// judged are the steps of an episode that a judge is shown, those with reasons.
func judged(e play.Episode) []play.Step { return e.Steps[:min(judgedPerEpisode, len(e.Steps))] }

func (m *measurement) runCustom(ctx context.Context, p Custom) error {
	score := CustomScore{Name: p.Probe.Name(), Doc: p.Probe.Doc(), Weight: p.Weight}
	value, err := p.Probe.Measure(ctx, m.bench, m.n)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		score.Unknown = err.Error()
	case !(value >= 0 && value <= 1):
		score.Unknown = fmt.Sprintf("the probe says %v; a score is from 0 to 1", value)
	default:
		score.Value = &value
	}
	m.custom = append(m.custom, score)
	return nil
}
