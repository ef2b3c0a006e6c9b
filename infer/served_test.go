package infer

import "testing"

// Whatever the preflight makes of what a server serves is undone.
func TestServed(t *testing.T) {
	for served := 1; served <= 4096; served++ {
		if got := Served(InFlight(served)); got != served {
			t.Fatalf("of %d in flight %d are served; want %d", InFlight(served), got, served)
		}
	}
	if got := Served(1); got != 1 {
		t.Errorf("a server that gets one request serves %d", got)
	}
}
