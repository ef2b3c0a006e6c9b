package load

import (
	"testing"
	"time"
)

func TestOccupancy(t *testing.T) {
	type step struct {
		at time.Duration
		by int
	}
	for name, tt := range map[string]struct {
		slots      int
		steps      []step
		until      time.Duration
		busy, mean float64
	}{
		"nothing asked":                       {1, nil, 10, 0, 0},
		"no time":                             {1, []step{{5, 1}}, 5, 0, 0}, // begins at 5
		"in flight still":                     {1, []step{{5, 1}}, 15, 1, 1},
		"half of the time":                    {1, []step{{5, 1}, {10, -1}}, 15, .5, .5},
		"one in flight of two is not busy":    {2, []step{{5, 1}, {10, 1}, {15, -1}}, 25, .25, 1.25},
		"more than slots is no more than all": {1, []step{{5, 3}}, 15, 1, 3},
		"an end and a beginning at once":      {1, []step{{5, 1}, {10, -1}, {10, 1}}, 15, 1, 1},
	} {
		t.Run(name, func(t *testing.T) {
			from := time.Duration(5)
			if tt.steps == nil {
				from = 0
			}
			o := NewOccupancy(tt.slots, from)
			for _, s := range tt.steps {
				o.Step(s.at, s.by)
			}
			if busy, mean := o.Until(tt.until); busy != tt.busy || mean != tt.mean {
				t.Errorf("busy %v, %v in flight; want %v and %v", busy, mean, tt.busy, tt.mean)
			}
		})
	}
}

// What a display shows on the way is what is measured in the end: asking
// between does not change the count.
func TestOccupancyOnTheWay(t *testing.T) {
	o := NewOccupancy(1, 0)
	o.Step(0, 1)
	if busy, _ := o.Until(4); busy != 1 {
		t.Errorf("busy %v with a request in flight all the time", busy)
	}
	o.Step(6, -1)
	o.Until(7)
	if busy, _ := o.Until(12); busy != .5 {
		t.Errorf("busy %v; want half of 12", busy)
	}
}
