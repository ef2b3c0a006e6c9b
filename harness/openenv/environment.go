package openenv

import (
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"net/http"
	"strconv"
)

// An Environment is one session with an environment. Its methods are called
// one at a time.
type Environment interface {
	// Reset begins an episode.
	Reset(ctx context.Context, options ResetOptions) (Result, error)
	// Step acts: action is a JSON object.
	Step(ctx context.Context, action json.RawMessage) (Result, error)
	// State is a JSON object about the episode; of its keys episode_id and
	// step_count are the protocol's.
	State(ctx context.Context) (json.RawMessage, error)
	// Close ends the session. It may be called more than once.
	Close() error
}

// ResetOptions is what an episode is asked to begin with. The zero value asks
// for nothing.
type ResetOptions struct {
	Seed      *big.Int // of any size and sign; nil where none is asked for
	EpisodeID string   // empty where none is asked for
	// Extra holds further arguments by name. Environments ignore what they do
	// not know.
	Extra map[string]json.RawMessage
}

// Seeded asks for an episode of the given seed.
func Seeded(seed int64) ResetOptions { return ResetOptions{Seed: big.NewInt(seed)} }

// A Result is what a reset or a step leads to.
type Result struct {
	// Observation is a JSON object without reward and done. It may hold
	// "metadata", as servers from 0.4 on send it.
	Observation json.RawMessage
	// Reward is a number, true, false or null, as spelled by who gave it. Nil
	// stands for null.
	Reward json.RawMessage
	Done   bool
	// Metadata is a JSON object, or nil where there is none. It is for whoever
	// measures an agent and not for the agent. Its key "check", a number from 0 to
	// 1 or a truth value, says independently of the reward how far a step did what
	// the task asks for: package lens compares the reward with it.
	Metadata json.RawMessage
}

// Value is the reward as a number, with true as 1 and false as 0. It is false
// where there is none: null says that nothing was paid yet, which is not a
// payment of 0.
func (r Result) Value() (float64, bool) {
	switch text := string(r.Reward); text {
	case "", "null":
		return 0, false
	case "true":
		return 1, true
	case "false":
		return 0, true
	default:
		value, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return 0, false
		}
		return value, true
	}
}

// Schemas describe an environment's actions, observations and states, each as
// a JSON Schema of an object.
type Schemas struct {
	Action      json.RawMessage `json:"action"`
	Observation json.RawMessage `json:"observation"`
	State       json.RawMessage `json:"state"`
}

// A Spec is a kind of environment: what it is called, what it speaks, and how
// a session with it begins. It is all that a server needs to serve it and a
// harness to play it.
type Spec struct {
	Name        string // as in /metadata and openenv.yaml
	Description string
	Version     string // of the environment, not of the protocol
	// Author, Readme (Markdown) and URL (of its documentation) are told to who
	// asks for them; each may be empty.
	Author, Readme, URL string

	Schemas Schemas

	// Action turns an action as received into the one that Step gets, or
	// refuses it: an *Error decides the code, any other error is told as
	// [CodeValidation]. Nil has the action checked against Schemas.Action, after
	// numbers in strings have become numbers.
	Action func(action json.RawMessage) (json.RawMessage, error)

	// AnySeed has sessions take a seed that is no integer, and an episode's ID
	// that is no string, too: they are then found in [ResetOptions].Extra under
	// "seed" and "episode_id". Otherwise they are refused.
	AnySeed bool

	// Routes are paths beside the protocol's own that a server answers, each
	// beginning and ending with a slash, and whatever is below them: pictures
	// that observations name, say. They are for GET and HEAD, under the same
	// token and limits as the rest. Nil where there are none.
	Routes map[string]http.Handler

	// New begins a session. Sessions are independent of one another and live at
	// the same time. What it returns is closed by who called it.
	New func(ctx context.Context) (Environment, error)
}

// The codes of errors on the wire.
const (
	CodeInvalidJSON     = "INVALID_JSON"
	CodeUnknownType     = "UNKNOWN_TYPE"
	CodeValidation      = "VALIDATION_ERROR"
	CodeExecution       = "EXECUTION_ERROR"
	CodeCapacityReached = "CAPACITY_REACHED"
	CodeFactory         = "FACTORY_ERROR"
	CodeSession         = "SESSION_ERROR"
)

// An Error is what one side tells the other in an error message. An
// environment that returns one decides its code; any other error is told as
// [CodeExecution].
type Error struct {
	Code    string
	Message string
	// Data is the message's whole data object, which holds more than the two
	// above for some codes. It may be nil.
	Data json.RawMessage
}

func (e *Error) Error() string {
	text := fmt.Sprintf("the environment says %s: %s", shown(e.Code), shown(e.Message))
	if wrong := faults(e.Data); wrong != "" {
		text += ": " + shown(wrong)
	}
	return text
}
