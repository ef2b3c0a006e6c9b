package infer_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"candor/infer"
)

// scripted answers with the next step each time, the last one for ever.
type scripted struct {
	steps []step
	asked int
	seeds []int32
}

type step struct {
	resp infer.Response
	err  error
}

func (s *scripted) Ask(_ context.Context, req infer.Request) (infer.Response, error) {
	st := s.steps[min(s.asked, len(s.steps)-1)]
	s.asked++
	s.seeds = append(s.seeds, req.Seed)
	return st.resp, st.err
}

func TestRetryPolicy(t *testing.T) {
	busy := step{err: &infer.Failure{Class: infer.ClassRetry, Status: 503, Err: errors.New("busy")}}
	bad := step{err: &infer.Failure{Class: infer.ClassTask, Status: 500, Err: errors.New("image: unknown format")}}
	unknown := step{err: errors.New("nobody classified this")}
	done := step{resp: infer.Response{Text: "ok", Stop: infer.StopDone}}
	repeats := step{resp: infer.Response{Text: "aaa", Stop: infer.StopRepeated}}

	tests := []struct {
		name   string
		steps  []step
		asked  int
		failed int
		stop   infer.Stop
		err    string
	}{
		{"an answer at once", []step{done}, 1, 0, infer.StopDone, ""},
		{"a busy server answers the third time", []step{busy, busy, done}, 3, 2, infer.StopDone, ""},
		{"a server that stays busy is given up", []step{busy}, 4, 4, "", "gave up after 4 attempts"},
		{"a bad image is not asked again", []step{bad}, 1, 1, "", "unknown format"},
		{"an unknown fault is not asked again", []step{unknown}, 1, 1, "", "nobody classified"},
		{"a repetition is asked once more", []step{repeats, done}, 2, 1, infer.StopDone, ""},
		{"a second repetition is an answer", []step{repeats}, 2, 1, infer.StopRepeated, ""},
		{"repetition, then busy, then repetition", []step{repeats, busy, repeats}, 3, 2, infer.StopRepeated, ""},
	}
	policy := infer.RetryPolicy{Attempts: 4, First: time.Microsecond, Max: time.Millisecond}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := &scripted{steps: tt.steps}
			resp, failed, err := policy.Ask(t.Context(), m, infer.Request{Seed: 7})
			if m.asked != tt.asked || len(failed) != tt.failed || resp.Stop != tt.stop {
				t.Errorf("asked %d, failed %d, stop %q; want %d, %d, %q", m.asked, len(failed), resp.Stop, tt.asked, tt.failed, tt.stop)
			}
			if (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Errorf("error = %v; want %q", err, tt.err)
			}
			for _, s := range m.seeds {
				if s != 7 {
					t.Errorf("an attempt had seed %d; a retry keeps its seed 7", s)
				}
			}
		})
	}
}

// A cancelled context ends the pause between attempts.
func TestRetryPolicyCancelled(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	m := &scripted{steps: []step{{err: &infer.Failure{Class: infer.ClassRetry, Err: errors.New("busy")}}}}
	policy := infer.RetryPolicy{Attempts: 5, First: time.Hour, Max: time.Hour}
	if _, _, err := policy.Ask(ctx, m, infer.Request{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error = %v; want the context's", err)
	}
}

// Each failure that will be retried is told, with its pause; the last is not.
func TestRetryPolicyRetrying(t *testing.T) {
	m := &scripted{steps: []step{{err: &infer.Failure{Class: infer.ClassRetry, Status: 503, Err: errors.New("busy")}}}}
	var told []int
	policy := infer.RetryPolicy{Attempts: 3, First: time.Microsecond, Max: time.Millisecond, Retrying: func(a infer.Attempt, pause time.Duration) {
		if pause <= 0 {
			t.Errorf("pause = %v; want more than none", pause)
		}
		told = append(told, a.Status)
	}}
	if _, _, err := policy.Ask(t.Context(), m, infer.Request{}); err == nil || !slices.Equal(told, []int{503, 503}) {
		t.Errorf("told of %v, error %v; want two of three failures, and the last as an error", told, err)
	}
}

// A closed Stop ends the pause with the failure that led to it.
func TestRetryPolicyStop(t *testing.T) {
	stop := make(chan struct{})
	m := &scripted{steps: []step{{err: &infer.Failure{Class: infer.ClassRetry, Err: errors.New("busy")}}}}
	policy := infer.RetryPolicy{Attempts: 5, First: time.Hour, Max: time.Hour, Stop: stop,
		Retrying: func(infer.Attempt, time.Duration) { close(stop) }}
	_, failed, err := policy.Ask(t.Context(), m, infer.Request{})
	if m.asked != 1 || len(failed) != 1 || infer.ClassOf(err) != infer.ClassRetry {
		t.Errorf("asked %d times, error %v; want one attempt and its own failure", m.asked, err)
	}
}

func TestClassOf(t *testing.T) {
	inner := &infer.Failure{Class: infer.ClassTask, Hint: "mend it", Err: infer.ErrContextFull}
	wrapped := errors.Join(errors.New("outer"), inner)
	if got := infer.ClassOf(wrapped); got != infer.ClassTask {
		t.Errorf("class of a wrapped failure = %q; want %q", got, infer.ClassTask)
	}
	if !errors.Is(wrapped, infer.ErrContextFull) {
		t.Error("a failure hides its cause from errors.Is")
	}
	if want := "the prompt fills the whole context; mend it"; inner.Error() != want {
		t.Errorf("text = %q; want %q", inner, want)
	}
}

// One try asks a model that repeats itself once more, but only once in all the
// tries at a request.
func TestOnce(t *testing.T) {
	repeats := step{resp: infer.Response{Text: "aaa", Stop: infer.StopRepeated}}
	busy := step{err: &infer.Failure{Class: infer.ClassRetry, Status: 503, Err: errors.New("busy")}}
	m := &scripted{steps: []step{repeats, busy, repeats}}
	_, failed, err := infer.Once(t.Context(), m, infer.Request{Seed: 7}, nil, false)
	if m.asked != 2 || len(failed) != 2 || infer.ClassOf(err) != infer.ClassRetry {
		t.Errorf("asked %d, failed %d, %v; want the repetition and then a busy server", m.asked, len(failed), err)
	}
	resp, more, err := infer.Once(t.Context(), m, infer.Request{Seed: 7}, failed, false)
	if m.asked != 3 || len(more) != 0 || err != nil || resp.Stop != infer.StopRepeated {
		t.Errorf("asked %d, %v, %v; want the second repetition taken at its word", m.asked, resp.Stop, err)
	}
}
