package run_test

import (
	"sync"
	"testing"

	"candor/infer/ollama/faultserver"
)

// Every request that reaches the server is told at its beginning and its end,
// one that fails included, and never more are in flight than may be.
func TestInFlight(t *testing.T) {
	b := newBench(t, faultserver.On(faultserver.Every(4, nil), faultserver.Busy()))
	b.cfg.Parallel = "3"
	var mu sync.Mutex
	now, most, begun := 0, 0, 0
	b.deps.InFlight = func(endpoint string, limit, by int) {
		mu.Lock()
		defer mu.Unlock()
		if endpoint != b.server.URL || limit != 3 || by != 1 && by != -1 {
			t.Errorf("%s, at most %d: %+d", endpoint, limit, by)
		}
		now += by
		most = max(most, now)
		begun += max(0, by)
	}
	b.run()
	if now != 0 || most < 1 || most > 3 || begun != len(asked(b.server)) {
		t.Errorf("%d in flight at the end, %d at most, %d in all of the server's %d", now, most, begun, len(asked(b.server)))
	}
}
