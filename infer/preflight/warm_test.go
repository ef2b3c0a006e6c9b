package preflight_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"candor/infer"
	"candor/infer/preflight"
)

// holding is a server that keeps the model loaded with another context for
// another client, and answers nobody else until it is asked to let go. Real
// engines do so when the other client's request comes at the wrong moment,
// which is too rare to be made to happen.
type holding struct {
	loaded   bool // before it was asked
	once     sync.Once
	released chan struct{}
}

func (h *holding) Endpoint() string { return "http://held" }

func (h *holding) Ask(ctx context.Context, _ infer.Request) (infer.Response, error) {
	select {
	case <-h.released:
		return infer.Response{Text: "x", Stop: infer.StopDone}, nil
	case <-ctx.Done():
		return infer.Response{}, ctx.Err()
	}
}

func (h *holding) Identify(context.Context, string) (infer.Identity, error) {
	return infer.Identity{}, nil
}

func (h *holding) Residency(context.Context, string) (infer.Residency, error) {
	return infer.Residency{Loaded: h.loaded, ContextLength: 4096}, nil
}

func (h *holding) Release(context.Context, string) error {
	h.once.Do(func() { close(h.released) })
	return nil
}

func TestWarm(t *testing.T) {
	tests := []struct {
		name    string
		loaded  bool
		patient time.Duration // how long the whole preflight may take
		notice  string
		loads   bool
	}{
		{"another client's model is released", true, time.Minute, "asking it to let go", true},
		{"a model that is only slow to load is left alone", false, 300 * time.Millisecond, "still loading", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				notices, err := questionHeld(t, tt.loaded, tt.patient)
				if (err == nil) != tt.loads {
					t.Errorf("error = %v; want the model to load: %v", err, tt.loads)
				}
				if len(notices) == 0 || !strings.Contains(notices[0], tt.notice) {
					t.Errorf("notices = %q; want one with %q", notices, tt.notice)
				}
			})
		})
	}
}

// questionHeld runs the preflight at a holding server, with a patience of 20 ms,
// and returns what was noticed.
func questionHeld(t *testing.T, loaded bool, patient time.Duration) (notices []string, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patient)
	defer cancel()
	_, err = preflight.Run(ctx, &holding{loaded: loaded, released: make(chan struct{})}, infer.Identity{}, preflight.Config{
		Model: "m", Options: options(t), Retry: infer.DefaultRetry(), Width: 64, Height: 64, Patience: 20 * time.Millisecond,
		Notice: func(s string) { notices = append(notices, s) },
	})
	return notices, err
}
