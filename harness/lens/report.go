package lens

import (
	"encoding/json"
	"math"
	"time"

	"candor/harness/lens/compat"
	"candor/scoring"
	"candor/scoring/lqs"
)

// Report is what was measured. What is null was not, and Unknown of the probe
// says why. Its first keys are the published report's.
type Report struct {
	LQS            *float64 `json:"lqs"`
	Generalization *float64 `json:"generalization_score"`
	Consistency    *float64 `json:"consistency_score"`
	HackIndex      *float64 `json:"hack_index"`
	Reasoning      *float64 `json:"reasoning_score"`
	RawLearning    *float64 `json:"raw_learning"`
	Trust          *float64 `json:"trust_coefficient"`
	MeanReward     *float64 `json:"mean_reward"` // of the totals of the agent's episodes
	RewardStd      *float64 `json:"reward_std"`  // over them
	Environment    string   `json:"env_url"`
	Episodes       int      `json:"n_episodes"` // of a kind
	Timestamp      string   `json:"timestamp"`
	ProbesRun      []string `json:"probes_run"`
	HackFlagged    bool     `json:"hack_flagged"`
	CoreFailed     bool     `json:"core_learning_failed"`

	Agent      string            `json:"agent"`
	Judge      string            `json:"judge"` // "" for none
	Verdict    string            `json:"verdict"`
	Unknown    string            `json:"lqs_unknown,omitempty"`
	UpperBound bool              `json:"lqs_is_upper_bound"`
	Interval   *scoring.Interval `json:"lqs_interval"`
	Competence *float64          `json:"competence"`
	// CompetenceBound marks a competence, and so an LQS, that is at most this:
	// chance is only known by the agent's own words.
	CompetenceBound bool `json:"competence_is_upper_bound"`
	// RewardInterval is of the mean reward.
	RewardInterval *scoring.Interval `json:"mean_reward_interval"`
	Baseline       *float64          `json:"baseline_reward"` // r₀
	Best           *float64          `json:"best_reward"`     // r₁
	BestSeen       bool              `json:"best_reward_is_best_seen"`
	// Exploitability is the environment's, not the agent's.
	Exploitability *float64         `json:"exploitability"`
	Exploit        string           `json:"exploit"` // the policy that it is of
	Probes         map[string]Score `json:"probes"`
	Custom         []CustomScore    `json:"custom_probes"`
	Missing        Missing          `json:"missing"`
	Warnings       []string         `json:"warnings"`
}

// Score is what one probe found.
type Score struct {
	Value    *float64          `json:"value"`
	Interval *scoring.Interval `json:"interval"` // 95 %
	Episodes int               `json:"episodes"` // that it rests on
	Cost     Cost              `json:"cost"`
	Unknown  string            `json:"unknown,omitempty"` // why there is no value
	Notes    []string          `json:"notes"`             // what it could not know
	// Of consistency: agreement on one state, and over different ones.
	Same      *float64 `json:"agreement_same,omitempty"`
	Different *float64 `json:"agreement_different,omitempty"`
	// Of reasoning: 1 less the mean difference of two opinions on one step.
	Repeatability *float64 `json:"judge_repeatability,omitempty"`
}

// Cost is what it took. Probes share episodes: each counts those it rests on.
type Cost struct {
	AgentCalls int     `json:"agent_calls"`
	EnvSteps   int     `json:"environment_steps"`
	JudgeCalls int     `json:"judge_calls"`
	Seconds    float64 `json:"seconds"`
}

// CustomScore is what a probe of the caller's found.
type CustomScore struct {
	Name    string   `json:"name"`
	Doc     string   `json:"doc"`
	Weight  float64  `json:"weight"`
	Value   *float64 `json:"value"`
	Unknown string   `json:"unknown,omitempty"`
}

// Below this evidence there is no verdict.
const (
	MinEpisodes = 5  // scored, of each kind
	MaxMissing  = .2 // share of planned episodes
)

// JSON is the report as indented JSON.
func (r *Report) JSON() (string, error) {
	text, err := json.MarshalIndent(r, "", "  ")
	return string(text), err
}

// Dict is the report as a map, for trackers that log one.
func (r *Report) Dict() (map[string]any, error) {
	text, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	var out map[string]any
	return out, json.Unmarshal(text, &out)
}

// Incomplete tells whether anything broke that was nobody's answer.
func (r *Report) Incomplete() bool { return r.Missing.faults() }

func (r *Report) probe(name string) *Score {
	s := r.Probes[name]
	return &s
}

// known is nil for what is not.
func known(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}

// report puts everything together.
func (m *measurement) report() (*Report, error) {
	s, missing := m.sample()
	factor := m.factor()
	f := lqs.Measure(s, nil)
	f.LQS, f.Raw, f.Trust, f.UpperBound = lqs.Learned(f.K, f.G, f.C, f.H, f.R, factor)
	at := lqs.Bootstrap(s, factor, max(0, m.config.Bootstrap), m.config.Seed)
	h := m.bench.Header()
	started, err := time.Parse(time.RFC3339Nano, h.Started)
	if err != nil {
		return nil, err
	}
	exploitability, exploit := s.Exploitability()
	r := &Report{
		LQS: known(f.LQS), Generalization: known(f.G), Consistency: known(f.C), HackIndex: known(f.H), Reasoning: known(f.R), RawLearning: known(f.Raw), Trust: known(f.Trust),
		MeanReward: known(f.MeanReward), RewardStd: m.deviation(s), Environment: h.Environment, Episodes: h.Episodes, Timestamp: compat.Timestamp(started), ProbesRun: m.config.Probes,
		HackFlagged: f.H > m.config.HackThreshold, CoreFailed: f.Raw < m.config.CoreThreshold,
		Agent: h.Agent, Judge: h.Judge, UpperBound: f.UpperBound, Interval: at.LQS, Competence: known(f.K), RewardInterval: at.MeanReward, Baseline: known(f.Baseline),
		Best: known(s.Scale.Best), BestSeen: s.Scale.BestSeen, Exploitability: known(exploitability), Exploit: exploit,
		Custom: append([]CustomScore{}, m.custom...), Missing: missing, Warnings: m.warnings(h.Agent, h.Judge, missing),
	}
	if math.IsNaN(f.H) {
		r.Trust = nil
	}
	r.Probes = map[string]Score{
		"competence":   m.competence(f, at, s),
		Generalization: m.generalization(f, at, s),
		Consistency:    m.consistency(f, at, s),
		HackDetection:  m.hackDetection(f, at, s),
		Reasoning:      m.reasoning(f, at),
	}
	if r.LQS == nil {
		r.Unknown = r.whyUnknown()
	}
	if r.Competence != nil && *r.Competence > 0 && m.bounded(s) {
		r.CompetenceBound, r.UpperBound = true, r.UpperBound || r.LQS != nil
	}
	r.Verdict = r.verdict(s)
	return r, nil
}

// factor is what the custom probes multiply raw learning by.
func (m *measurement) factor() float64 {
	factor := 1.
	for _, c := range m.custom {
		switch {
		case c.Weight == 0:
		case c.Value == nil:
			return math.NaN()
		default:
			factor *= math.Pow(*c.Value, c.Weight)
		}
	}
	return factor
}

func (m *measurement) deviation(s lqs.Sample) *float64 {
	var totals []float64
	for _, u := range s.Units {
		if !math.IsNaN(u.Reward) {
			totals = append(totals, u.Reward)
		}
	}
	if len(totals) == 0 {
		return nil
	}
	return known(lqs.Std(totals))
}
