package play

import (
	"context"
	"encoding/json"
	"math/rand/v2"

	"candor/harness/openenv"
)

// World is where sessions with an environment come from.
type World struct {
	Name string // its URL, or local:NAME
	// Open begins a session.
	Open func(ctx context.Context) (openenv.Environment, error)
	// Health tells whether a server is there at all; nil where there is none to
	// ask.
	Health func(ctx context.Context) error
	// ActionSchema is the JSON Schema of actions; nil where it is not known.
	ActionSchema json.RawMessage
	Declared     Declaration
}

// Range is a least and a greatest value.
type Range struct {
	Least    float64 `json:"least"`
	Greatest float64 `json:"greatest"`
}

// Declaration is what an environment, or who knows it, says of it beyond what
// the protocol has a place for. All of it may be left out; what is then not
// known is said in the report.
type Declaration struct {
	// Total is what an episode is paid, Step what a step is. Of environments of
	// one step they are the same, and either stands for the other.
	Total *Range
	Step  *Range
	// Check says independently of the reward how far a step did what the task
	// asks for, in [0, 1]; false where it cannot say. CheckKey names a key of a
	// step's metadata that holds the same as a number or a truth value; "" is
	// DefaultCheckKey.
	Check    func(StepView) (float64, bool)
	CheckKey string
	// Random is the policy of somebody who knows what actions look like, and
	// nothing else: it returns an action as text, as an [Agent] does. NoOp is the
	// action of somebody who does nothing, a JSON object. Without either, and
	// with no way to draw actions by their schema, competence is only bounded.
	Random func(random *rand.Rand, observation string) string
	NoOp   json.RawMessage
	// Planted are policies that are known to exploit the reward.
	Planted []Policy
	// Note says whose declaration it is where that is not plain; reports have it.
	Note string
}

// DefaultCheckKey is the key of a step's metadata under which an environment
// tells its independent check.
const DefaultCheckKey = "check"

// Policy is an actor that needs no agent.
type Policy struct {
	Name string
	// Blind policies do not look at the observation.
	Blind bool
	Act   func(random *rand.Rand, step int, observation string) string
}

// StepView is what an independent check gets to see.
type StepView struct {
	Observation string // what the agent was shown
	Action      json.RawMessage
	Result      openenv.Result
}

// Ranges are the declared ranges of totals and of single rewards, nil where not
// known; where no episode has more than one step, either stands for the other.
func (d Declaration) Ranges(singleStep bool) (total, step *Range) {
	total, step = d.Total, d.Step
	if singleStep && total == nil {
		total = step
	}
	if singleStep && step == nil {
		step = total
	}
	return total, step
}
