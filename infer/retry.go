package infer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// RetryPolicy bounds the attempts at one request.
type RetryPolicy struct {
	Attempts int           // most attempts at a request that fails, ≥ 1
	First    time.Duration // pause after the first failure
	Max      time.Duration // longest pause
	// Retrying is told of a failure that will be retried, and of the pause
	// before that; nil tells nobody.
	Retrying func(Attempt, time.Duration)
	// Stop, once closed, lets no failure be retried: it is returned as it is.
	Stop <-chan struct{}
}

// DefaultRetry rides out a runner's restart and a model's load (tens of
// seconds), and gives up on a server that stays away after about a minute.
func DefaultRetry() RetryPolicy {
	return RetryPolicy{Attempts: 7, First: 500 * time.Millisecond, Max: 20 * time.Second}
}

// Attempt records one try at a request that failed.
type Attempt struct {
	Class   Class   `json:"class"`
	Status  int     `json:"status,omitempty"` // HTTP status, 0 when none arrived
	Message string  `json:"message"`
	Seconds float64 `json:"seconds"` // from asking to failing
}

// Ask asks m until it answers, the failure is not of ClassRetry, the policy's
// attempts are used up or ctx ends. Pauses grow exponentially with jitter.
// Every attempt carries the same seed.
//
// A server that gives up on a model repeating one token (StopRepeated) is
// asked once more, at once and also after Stop is closed, then taken at its
// word: the answer must not depend on when a run was stopped.
//
// It returns the response, the attempts that failed, and the last failure.
func (p RetryPolicy) Ask(ctx context.Context, m Model, req Request) (Response, []Attempt, error) {
	pause := p.pauses()
	var failed []Attempt
	repeated := false
	for {
		resp, tries, err := once(ctx, m, req, repeated, false)
		failed = append(failed, tries...)
		repeated = repeated || Repeated(tries)
		if err == nil {
			return resp, failed, nil
		}
		if ctx.Err() != nil {
			return Response{}, failed, ctx.Err()
		}
		if ClassOf(err) != ClassRetry {
			return Response{}, failed, err
		}
		if len(failed) >= p.Attempts {
			return Response{}, failed, fmt.Errorf("gave up after %d attempts: %w", len(failed), err)
		}
		wait := pause.NextBackOff()
		if p.Retrying != nil {
			p.Retrying(failed[len(failed)-1], wait)
		}
		if err := p.sleep(ctx, wait, err); err != nil {
			return Response{}, failed, err
		}
	}
}

// Once asks m a single time, and once more, at once and with the same seed,
// where the server gives up on a model that repeats one token; after that, or
// when before holds such an attempt already, it is taken at its word. It
// returns the response or the failure, and the attempts that failed.
//
// With others, the second try at a reply that is Unended is left to another
// endpoint: it is then ErrUnended, of ClassTask.
func Once(ctx context.Context, m Model, req Request, before []Attempt, others bool) (Response, []Attempt, error) {
	return once(ctx, m, req, Repeated(before), others)
}

// Repeated tells whether one of the attempts was StopRepeated, so that the next
// one is taken at its word.
func Repeated(before []Attempt) bool { return slices.ContainsFunc(before, Attempt.repeated) }

func once(ctx context.Context, m Model, req Request, repeated, others bool) (Response, []Attempt, error) {
	var failed []Attempt
	for {
		start := time.Now()
		resp, err := m.Ask(ctx, req)
		if err != nil {
			return Response{}, append(failed, attemptOf(err, time.Since(start))), err
		}
		if resp.Stop != StopRepeated || repeated {
			return resp, failed, nil
		}
		repeated = true
		a := Attempt{Class: ClassRetry, Message: repeats, Seconds: time.Since(start).Seconds()}
		if resp.Unended {
			a.Message = unended
		}
		failed = append(failed, a)
		if resp.Unended && others {
			return Response{}, failed, &Failure{Class: ClassTask, Err: ErrUnended}
		}
	}
}

const (
	repeats = "the model repeated one token until the server stopped it"
	unended = "the reply came without its end, as if the model had repeated one token"
)

func (a Attempt) repeated() bool { return a.Message == repeats || a.Message == unended }

// pauses are the policy's, growing exponentially with jitter.
func (p RetryPolicy) pauses() *backoff.ExponentialBackOff {
	b := &backoff.ExponentialBackOff{
		InitialInterval: p.First, MaxInterval: p.Max, Multiplier: 2, RandomizationFactor: 0.5,
	}
	b.Reset()
	return b
}

func attemptOf(err error, took time.Duration) Attempt {
	a := Attempt{Class: ClassOf(err), Message: err.Error(), Seconds: took.Seconds()}
	var f *Failure
	if errors.As(err, &f) {
		a.Status = f.Status
	}
	return a
}

// sleep returns nil after d, ctx's error when that ends first, and cause when
// Stop is closed first.
func (p RetryPolicy) sleep(ctx context.Context, d time.Duration, cause error) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-p.Stop:
		return cause
	case <-t.C:
		return nil
	}
}
