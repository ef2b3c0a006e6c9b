package play

import (
	"context"
	"encoding/json"
	"errors"
	"math"
)

// Agent is what is measured: it is shown an observation as text, and answers
// with an action, as text, and its reasons, if it gives any. An error says that
// no answer could be had; it is not held against the agent.
type Agent func(ctx context.Context, observation string) (action, reasoning string, err error)

// ErrNoAgent marks an agent's error after which there is nothing to measure: it
// never answered and never will. A measurement ends with it.
var ErrNoAgent = errors.New("there is no agent to measure")

// Episode is the record of one.
type Episode struct {
	Key     string  `json:"key"`   // what it is called in the journal
	Actor   string  `json:"actor"` // AgentName, or the name of a policy
	Seed    int64   `json:"seed"`
	First   string  `json:"first"` // the observation it begins with, as text
	Steps   []Step  `json:"steps"`
	Done    bool    `json:"done"` // as told by the environment
	Fault   *Fault  `json:"fault,omitempty"`
	Faults  []Fault `json:"earlier_faults,omitempty"` // of earlier attempts at it
	Seconds float64 `json:"seconds"`
}

// AgentName is the actor of the agent's own episodes.
const AgentName = "agent"

// Step is one action and what came of it.
type Step struct {
	Num         int             `json:"step_num"` // from 0
	Observation string          `json:"observation"`
	Action      string          `json:"action"` // as said
	Sent        json.RawMessage `json:"sent"`   // as sent, a JSON object
	Reasoning   string          `json:"reasoning"`
	// Reward is what was paid; nil where that was null or no finite number,
	// and then Told is what was said instead.
	Reward   *float64        `json:"reward"`
	Told     string          `json:"told,omitempty"`
	Done     bool            `json:"done"`
	Metadata json.RawMessage `json:"metadata,omitempty"`
	// Refused is why the environment did not take the action; empty where it
	// did. A refused action ends its episode.
	Refused string `json:"refused,omitempty"`
	// Check is the environment's independent word on the step, in [0, 1].
	Check *float64 `json:"check,omitempty"`
	// Planted holds, by name, what the planted policies that the environment
	// declares would have done.
	Planted map[string]json.RawMessage `json:"planted,omitempty"`
	Seconds float64                    `json:"seconds"` // the agent's
}

// Paid is the reward as the published packages count it: nothing for null.
func (s Step) Paid() float64 {
	if s.Reward == nil {
		return 0
	}
	return *s.Reward
}

// Rewards are those of all steps, as paid.
func (e Episode) Rewards() []float64 {
	out := make([]float64, len(e.Steps))
	for i, s := range e.Steps {
		out[i] = s.Paid()
	}
	return out
}

// Answer is the record of a question put to the agent outside of an episode.
type Answer struct {
	Key         string  `json:"key"`
	Observation string  `json:"observation"`
	Action      string  `json:"action"`
	Reasoning   string  `json:"reasoning,omitempty"`
	Fault       *Fault  `json:"fault,omitempty"`
	Seconds     float64 `json:"seconds"`
}

// Opinion is the record of a question put to a judge.
type Opinion struct {
	Key     string  `json:"key"`
	Prompt  string  `json:"prompt"`
	Reply   string  `json:"reply"`
	Fault   *Fault  `json:"fault,omitempty"`
	Seconds float64 `json:"seconds"`
}

// Fault is a failure of what surrounds the agent.
type Fault struct {
	Of      string `json:"of"` // Environment, TheAgent or TheJudge
	Message string `json:"message"`
}

// Whose a fault is.
const (
	Environment = "environment"
	TheAgent    = "agent" // the way to it; not its answer
	TheJudge    = "judge"
)

func (f *Fault) Error() string { return f.Of + ": " + f.Message }

// told splits what an environment paid into a number and what else it was.
func told(reward json.RawMessage, value float64, ok bool) (*float64, string) {
	if ok && !math.IsNaN(value) && !math.IsInf(value, 0) {
		return &value, ""
	}
	if len(reward) == 0 {
		return nil, "null"
	}
	return nil, string(reward)
}
