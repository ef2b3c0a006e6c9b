package selective

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"

	"candor/harness/claim"
	"candor/harness/openenv"
	"candor/harness/verify"
	"candor/imageproc"
)

// An Environment is one session. A reset begins an episode about one image;
// each step answers a claim, and gives the next one until there is none.
type Environment struct {
	tasks   *Tasks
	begun   bool
	id      string
	number  int // of the episode
	at      int // claims answered
	form    form
	records []*record
	total   float64
}

// The errors of a step at the wrong time.
var (
	ErrNotReset = errors.New("no episode is under way: reset first")
	ErrDone     = errors.New("the episode is over: reset to begin another")
)

// Reset begins the episode of the seed, which is the same always, or without
// one any episode. Of the further arguments it knows
//
//	image      in which forms the observation holds it: "both" (without it),
//	           "data" for a data URI, "url", or "none"
//	partition  what the caller takes the tasks to be from; anything but what
//	           is served is refused
func (e *Environment) Reset(ctx context.Context, options openenv.ResetOptions) (openenv.Result, error) {
	form, err := e.wishes(options.Extra)
	if err != nil {
		return openenv.Result{}, err
	}
	seed, id := options.Seed, options.EpisodeID
	if seed == nil {
		// Servers leave a seed that is no integer among the other arguments.
		if other := options.Extra["seed"]; other != nil && string(other) != "null" {
			return openenv.Result{}, fmt.Errorf("seed must be an integer, not %.200s", other)
		}
		if seed, err = freshSeed(e.tasks.random); err != nil {
			return openenv.Result{}, err
		}
	}
	if id == "" {
		if id, err = freshID(e.tasks.random); err != nil {
			return openenv.Result{}, err
		}
	}
	number := e.tasks.pick(seed)
	episode := e.tasks.episodes[number]
	picture, err := e.tasks.picture(ctx, episode, form)
	if err != nil {
		return openenv.Result{}, err
	}
	*e = Environment{tasks: e.tasks, begun: true, id: id, number: number, form: form}
	observation, err := e.observe(nil, picture)
	return openenv.Result{Observation: observation}, err
}

// wishes reads the further arguments of a reset.
func (e *Environment) wishes(extra map[string]json.RawMessage) (form, error) {
	partition, err := argument(extra, "partition", string(e.tasks.partition))
	if err != nil {
		return "", err
	}
	if partition != string(e.tasks.partition) {
		return "", fmt.Errorf("partition %.200q was asked for, and %s is served: start the server with --partition %.200s",
			partition, e.tasks.partition, partition)
	}
	image, err := argument(extra, "image", string(formBoth))
	if err != nil {
		return "", err
	}
	return parseForm(image)
}

// argument is a reset's argument that is a text; absent or null it is usual.
func argument(extra map[string]json.RawMessage, name, usual string) (string, error) {
	value := &usual
	if raw := extra[name]; raw != nil {
		if err := json.Unmarshal(raw, &value); err != nil {
			return "", fmt.Errorf("%s must be a text, not %.200s", name, raw)
		}
	}
	if value == nil {
		return usual, nil
	}
	return *value, nil
}

// Step answers the claim asked. The action is an object with the text of the
// answer, or the answer itself; see the schema. Metadata tells what became of
// it, and the label.
func (e *Environment) Step(ctx context.Context, action json.RawMessage) (openenv.Result, error) {
	switch {
	case !e.begun:
		return openenv.Result{}, ErrNotReset
	case e.done():
		return openenv.Result{}, ErrDone
	}
	// Sessions hold no image between steps: there may be many, each of megabytes.
	var picture *imageproc.Prepared
	if e.at+1 < e.claims() {
		var err error
		if picture, err = e.tasks.picture(ctx, e.tasks.episodes[e.number], e.form); err != nil {
			return openenv.Result{}, err
		}
	}
	record := judge(verify.Parse(reply(action)), e.claim(), e.tasks.payment)
	e.records = append(e.records, record)
	e.at++
	e.total += record.reward
	observation, err := e.observe(record, picture)
	if err != nil {
		return openenv.Result{}, err
	}
	metadata, err := e.told(record)
	return openenv.Result{
		Observation: observation,
		Reward:      json.RawMessage(openenv.Float(record.reward).String()),
		Done:        e.done(),
		Metadata:    metadata,
	}, err
}

// State tells the episode: its ID, the steps taken, the number of its claims,
// the seed that gives it again, the rewards so far, and where the tasks are
// from. The rewards are the learner's own: whoever steps was told each of them
// already, and with it how right the answers so far were. So the state is for the
// program that plays, as the rewards are, and not to be shown to a player that is
// still to answer; of the claims to come it tells nothing.
func (e *Environment) State(context.Context) (json.RawMessage, error) {
	var state struct {
		EpisodeID   *string         `json:"episode_id"`
		StepCount   int             `json:"step_count"`
		Claims      int             `json:"claims"`
		Done        bool            `json:"done"`
		Seed        *int            `json:"seed"`
		TotalReward openenv.Float   `json:"total_reward"`
		Dataset     string          `json:"dataset"`
		Partition   claim.Partition `json:"partition"`
		Episodes    int             `json:"episodes"`
	}
	state.Dataset, state.Partition, state.Episodes = e.tasks.dataset, e.tasks.partition, e.tasks.Episodes()
	if e.begun {
		state.EpisodeID, state.Seed = &e.id, &e.number
		state.StepCount, state.Claims, state.Done = e.at, e.claims(), e.done()
		state.TotalReward = openenv.Float(e.total)
	}
	return openenv.Marshal(state)
}

// Close does nothing: what sessions share stays.
func (e *Environment) Close() error { return nil }

func (e *Environment) claims() int        { return len(e.tasks.episodes[e.number].claims) }
func (e *Environment) done() bool         { return e.at == e.claims() }
func (e *Environment) claim() claim.Claim { return e.tasks.episodes[e.number].claims[e.at] }

func freshSeed(random io.Reader) (*big.Int, error) {
	var fresh [16]byte
	if _, err := io.ReadFull(random, fresh[:]); err != nil {
		return nil, fmt.Errorf("a fresh seed: %w", err)
	}
	return new(big.Int).SetBytes(fresh[:]), nil
}

// freshID is a random UUID.
func freshID(random io.Reader) (string, error) {
	var id [16]byte
	if _, err := io.ReadFull(random, id[:]); err != nil {
		return "", fmt.Errorf("an ID for the episode: %w", err)
	}
	id[6], id[8] = id[6]&0x0f|0x40, id[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:]), nil
}
