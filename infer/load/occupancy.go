package load

import "time"

// Occupancy counts how long a server had enough to do: the time with at least
// as many requests in flight as it serves at once. It is fed the beginnings
// and ends of requests in order of time, as they happen or afterwards, and so
// serves a running display and a finished measurement alike.
type Occupancy struct {
	slots, inFlight       int
	start, last           time.Duration
	busy, requestDuration time.Duration
}

// NewOccupancy begins to count at a time, for a server of so many slots.
func NewOccupancy(slots int, at time.Duration) *Occupancy {
	return &Occupancy{slots: slots, start: at, last: at}
}

// Step tells that the number of requests in flight changed by so many.
func (o *Occupancy) Step(at time.Duration, by int) {
	if at > o.last {
		if o.inFlight >= o.slots {
			o.busy += at - o.last
		}
		o.requestDuration += time.Duration(o.inFlight) * (at - o.last)
		o.last = at
	}
	o.inFlight += by
}

// Until is the share of the time from the beginning to at in which the server
// was busy, and the mean number of requests in flight; 0 of no time.
func (o *Occupancy) Until(at time.Duration) (share, mean float64) {
	o.Step(at, 0)
	whole := o.last - o.start
	if whole == 0 {
		return 0, 0
	}
	return float64(o.busy) / float64(whole), float64(o.requestDuration) / float64(whole)
}
