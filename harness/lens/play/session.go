package play

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"candor/harness/lens/pyjson"
	"candor/harness/openenv"
)

// session is the one session that a bench holds at a time.
type session struct {
	world   World
	timeout time.Duration // of one call
	sleep   func(context.Context, time.Duration) error
	env     openenv.Environment
	// published has observations shown whole, as the published packages do.
	published bool
}

// full is how often a server that is full is asked again, and how long is
// waited first; each wait is twice the one before.
const (
	fullTries = 4
	fullWait  = time.Second
)

// opened returns the session, beginning one where there is none.
func (s *session) opened(ctx context.Context) (openenv.Environment, error) {
	if s.env != nil {
		return s.env, nil
	}
	wait := fullWait
	for try := 1; ; try++ {
		env, err := within(ctx, s.timeout, "beginning a session", s.world.Open)
		var told *openenv.Error
		if err == nil {
			s.env = env
			return env, nil
		}
		if !errors.As(err, &told) || told.Code != openenv.CodeCapacityReached || try == fullTries {
			return nil, err
		}
		if err := s.sleep(ctx, wait); err != nil {
			return nil, err
		}
		wait *= 2
	}
}

// drop ends the session. One that stalled may not end either, and is left
// behind.
func (s *session) drop() {
	env := s.env
	s.env = nil
	if env == nil {
		return
	}
	_, _ = within(context.Background(), closing, "closing", func(context.Context) (struct{}, error) { return struct{}{}, env.Close() })
}

const closing = 5 * time.Second

func (s *session) reset(ctx context.Context, seed int64) (openenv.Result, error) {
	env, err := s.opened(ctx)
	if err != nil {
		return openenv.Result{}, err
	}
	return within(ctx, s.timeout, "reset", func(ctx context.Context) (openenv.Result, error) {
		return env.Reset(ctx, openenv.Seeded(seed))
	})
}

func (s *session) step(ctx context.Context, action json.RawMessage) (openenv.Result, error) {
	env := s.env
	return within(ctx, s.timeout, "step", func(ctx context.Context) (openenv.Result, error) { return env.Step(ctx, action) })
}

// ErrStalled marks a call that was not answered in time.
var ErrStalled = errors.New("no answer came in time")

// within calls f and waits for it no longer than the time given, whether or not
// f heeds its context.
func within[T any](ctx context.Context, timeout time.Duration, what string, f func(context.Context) (T, error)) (T, error) {
	type answer struct {
		value T
		err   error
	}
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	answered := make(chan answer, 1)
	go func() {
		value, err := f(limited)
		answered <- answer{value, err}
	}()
	var nothing T
	select {
	case a := <-answered:
		if a.err != nil && ctx.Err() == nil && limited.Err() != nil {
			return nothing, fmt.Errorf("%s: %w (waited %v): %w", what, ErrStalled, timeout, a.err)
		}
		return a.value, a.err
	case <-limited.Done():
		if err := ctx.Err(); err != nil {
			return nothing, err
		}
		return nothing, fmt.Errorf("%s: %w (waited %v)", what, ErrStalled, timeout)
	}
}

// move is what an actor does.
type move struct {
	action, reasoning string
	seconds           float64
}

// actor acts: the agent, or a policy.
type actor func(ctx context.Context, step int, observation string) (move, error)

// episode plays one from a reset to its end. Its fault is the agent's or the
// environment's; an error is neither, but that ctx has ended.
func (s *session) episode(ctx context.Context, e *Episode, act actor, maxSteps int, declared bool) error {
	result, err := s.reset(ctx, e.Seed)
	if err == nil {
		e.First, err = s.shown(result)
	}
	if err != nil {
		return s.broke(ctx, e, fmt.Errorf("reset() failed at %s: %w", s.world.Name, spoken(err)))
	}
	e.Done = result.Done
	seen := e.First
	for !e.Done && len(e.Steps) < maxSteps {
		m, err := act(ctx, len(e.Steps), seen)
		if err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if errors.Is(err, ErrNoAgent) {
				return err
			}
			e.Fault = &Fault{TheAgent, err.Error()}
			return nil
		}
		step := Step{Num: len(e.Steps), Observation: seen, Action: m.action, Reasoning: m.reasoning, Sent: compact(pyjson.Action(m.action)), Seconds: m.seconds}
		result, err := s.step(ctx, step.Sent)
		if refused := s.refusal(err); refused != "" {
			step.Refused, step.Done, step.Told = refused, true, "refused"
			e.Steps = append(e.Steps, step)
			return nil
		}
		if err == nil {
			seen, err = s.shown(result)
		}
		if err != nil {
			return s.broke(ctx, e, fmt.Errorf("step() failed at %s: %w", s.world.Name, spoken(err)))
		}
		s.note(&step, result, declared)
		e.Done = step.Done
		e.Steps = append(e.Steps, step)
	}
	return nil
}

// compact is JSON without blanks, as it will stand in the journal.
func compact(action json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	if json.Compact(&b, action) != nil {
		return action
	}
	return b.Bytes()
}

// refusal is why an environment would not take an action, "" where err is
// something else.
func (s *session) refusal(err error) string {
	var told *openenv.Error
	switch {
	case !errors.As(err, &told) || told.Code != openenv.CodeValidation:
		return ""
	case s.published:
		return spoken(told).Error()
	}
	return told.Error() // with what was wrong, and where
}

// spoken is an error of the environment's in the words in which OpenEnv's own
// client has it, and so the published reports.
func spoken(err error) error {
	var told *openenv.Error
	if errors.As(err, &told) {
		return fmt.Errorf("Server error: %s (code: %s)", told.Message, told.Code) //nolint:staticcheck // upstream's text
	}
	return err
}

// broke records the environment's fault; the session is not used again.
func (s *session) broke(ctx context.Context, e *Episode, err error) error {
	s.drop()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	e.Fault = &Fault{Environment, err.Error()}
	return nil
}

// note records what came of a step.
func (s *session) note(step *Step, result openenv.Result, declared bool) {
	value, ok := result.Value()
	step.Reward, step.Told = told(result.Reward, value, ok)
	if !s.published {
		result.Metadata = metadata(result)
	}
	step.Done, step.Metadata = result.Done, result.Metadata
	if !declared {
		return
	}
	d := s.world.Declared
	if check, ok := d.check(StepView{step.Observation, step.Sent, result}); ok {
		step.Check = &check
	}
	for _, p := range d.Planted {
		if step.Planted == nil {
			step.Planted = map[string]json.RawMessage{}
		}
		step.Planted[p.Name] = compact(pyjson.Action(p.Act(rand.New(rand.NewPCG(uint64(step.Num), 0)), step.Num, step.Observation)))
	}
}

// shown is what an actor gets to see of a result: the observation without the
// metadata that servers from 0.4 on put into it. That is told to who measures;
// an independent check is in it.
func (s *session) shown(result openenv.Result) (string, error) {
	if s.published {
		return pyjson.Observation(result.Observation)
	}
	v, err := pyjson.Parse(string(result.Observation))
	if err != nil || v.Kind != pyjson.Object {
		return pyjson.Observation(result.Observation)
	}
	kept := pyjson.Value{Kind: pyjson.Object}
	for i, key := range v.Keys {
		if key.Text() != "metadata" {
			kept.Keys, kept.Items = append(kept.Keys, key), append(kept.Items, v.Items[i])
		}
	}
	return kept.Indent(), nil
}

// metadata is a result's, wherever it is told: beside the observation, or in it.
func metadata(result openenv.Result) json.RawMessage {
	if len(result.Metadata) > 0 && string(result.Metadata) != "null" {
		return result.Metadata
	}
	v, err := pyjson.Parse(string(result.Observation))
	if inside, ok := v.Get("metadata"); err == nil && ok && inside.Kind == pyjson.Object {
		if text := json.RawMessage(inside.Compact()); json.Valid(text) { // NaN is none
			return text
		}
	}
	return result.Metadata
}

// check asks the declared check, or reads it from the metadata.
func (d Declaration) check(view StepView) (float64, bool) {
	if d.Check != nil {
		value, ok := d.Check(view)
		return value, ok && value >= 0 && value <= 1
	}
	for _, raw := range []json.RawMessage{view.Result.Metadata, view.Result.Observation} {
		v, err := pyjson.Parse(string(raw))
		if err != nil {
			continue
		}
		for _, in := range []pyjson.Value{v, inner(v)} {
			if found, ok := in.Get(cmp.Or(d.CheckKey, DefaultCheckKey)); ok && found.Kind != pyjson.String {
				value, ok := found.Float64()
				return value, ok && value >= 0 && value <= 1
			}
		}
	}
	return 0, false
}

// inner is the metadata that an observation carries itself, as servers from 0.4
// on send it.
func inner(v pyjson.Value) pyjson.Value {
	metadata, _ := v.Get("metadata")
	return metadata
}
