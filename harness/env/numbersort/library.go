package numbersort

import (
	"context"
	"encoding/json"
	"errors"
	"io"

	"candor/harness/openenv"
)

// A Library is the environment as upstream's Python package holds it, for
// programs that play it without a server. It differs from [Environment] so:
// the task is fixed; an answer of the wrong length is paid 0; values may be a
// JSON text, and what is no list of integers is an empty one; a step before a
// reset or after the first is an error; and the observation says done and gives
// other instructions.
type Library struct {
	random  io.Reader
	task    Task
	numbers []int
	sorted  []int
	episode string
	done    bool
	last    openenv.Float
}

// NewLibrary returns the package's form.
func NewLibrary(cfg Config) (*Library, error) {
	cfg = cfg.filled()
	if _, err := ParseTask(string(cfg.Task)); err != nil {
		return nil, err
	}
	return &Library{random: cfg.Random, task: cfg.Task}, nil
}

// The errors of a step at the wrong time, in upstream's words.
var (
	ErrNotReset = errors.New("Call reset() before step().")    //nolint:staticcheck // upstream's text
	ErrDone     = errors.New("Episode is done. Call reset().") //nolint:staticcheck
)

// Reset draws the numbers of the seed.
func (l *Library) Reset(_ context.Context, options openenv.ResetOptions) (openenv.Result, error) {
	r, err := seeded(options, l.random)
	if err != nil {
		return openenv.Result{}, err
	}
	if l.episode, err = newEpisode(l.random); err != nil {
		return openenv.Result{}, err
	}
	l.numbers = l.task.Numbers(r)
	l.sorted = l.task.Sorted(l.numbers)
	l.done, l.last = false, 0
	result, err := l.result()
	result.Reward = nil // none of a reset
	return result, err
}

// Step pays an answer.
func (l *Library) Step(_ context.Context, action json.RawMessage) (openenv.Result, error) {
	switch {
	case l.numbers == nil:
		return openenv.Result{}, ErrNotReset
	case l.done:
		return openenv.Result{}, ErrDone
	}
	reward := 0.
	if values := readValues(action); len(values) == len(l.sorted) {
		reward = Reward(values, l.sorted)
	}
	l.done, l.last = true, openenv.Float(reward)
	return l.result()
}

// State is that of the served form; before a reset it is an empty object.
func (l *Library) State(context.Context) (json.RawMessage, error) {
	if l.numbers == nil {
		return json.RawMessage("{}"), nil
	}
	return (&Environment{task: l.task, episode: l.episode, steps: l.steps(), done: l.done}).State(nil)
}

// Close does nothing.
func (l *Library) Close() error { return nil }

// steps is the number of steps: the first is the last.
func (l *Library) steps() int {
	if l.done {
		return 1
	}
	return 0
}

func (l *Library) result() (openenv.Result, error) {
	observation, err := openenv.Marshal(struct {
		Task        Task          `json:"task"`
		Description string        `json:"description"`
		Numbers     []int         `json:"numbers"`
		N           int           `json:"n"`
		Step        int           `json:"step"`
		Done        bool          `json:"done"`
		LastReward  openenv.Float `json:"last_reward"`
		Instruction string        `json:"instruction"`
	}{l.task, l.description(), l.numbers, len(l.numbers), l.steps(), l.done, l.last, l.instruction()})
	return openenv.Result{
		Observation: observation,
		Reward:      json.RawMessage(l.last.String()),
		Done:        l.done,
	}, err
}

func (l *Library) description() string {
	if l.task == Hard {
		return "Sort 20 numbers: evens first (descending among evens), then odds (descending among odds)."
	}
	return l.task.description()
}

func (l *Library) instruction() string {
	return `Submit your answer as: {"values": [n1, n2, ...]} with exactly ` + decimal(len(l.numbers)) + " integers."
}
