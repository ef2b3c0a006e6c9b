package load

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// Result is what was measured of one load.
type Result struct {
	Requests   int `json:"requests"` // measured; the sum of the next three
	Answered   int `json:"answered"`
	Failed     int `json:"failed"`
	Unfinished int `json:"unfinished"` // without an answer when they were given up
	Useless    int `json:"malformed"`  // of the answered: not Useful
	Late       int `json:"late"`       // of the answered: not in time

	Seconds float64 `json:"seconds"` // of the window
	// Throughput and Goodput are answers, and useful answers in time, a second.
	Throughput float64 `json:"throughput"`
	Goodput    float64 `json:"goodput"`
	// Latency is from the time at which a request was due to its answer; a
	// closed loop's are due when they are sent.
	Latency Quantiles `json:"latency_seconds"`
	// Service is from the time at which a request was sent.
	Service    Quantiles `json:"service_seconds"`
	FirstToken Quantiles `json:"first_token_seconds"` // from when it was due
	PromptRate float64   `json:"prompt_tokens_per_second"`
	OutputRate float64   `json:"output_tokens_per_second"`
	// Busy is the share of the window with Slots requests or more in flight.
	Busy     float64 `json:"busy_share"`
	InFlight float64 `json:"mean_in_flight"`
	// Behind is how late the latest request was sent, and MeanBehind how late on
	// average: the client's own fault.
	Behind     float64 `json:"sent_late_seconds"`
	MeanBehind float64 `json:"mean_sent_late_seconds"`
}

// Quantiles of a set of times in seconds, nearest rank. One that falls among
// requests without an answer has no value, and neither has the mean then.
type Quantiles struct {
	Mean *float64 `json:"mean"`
	P50  *float64 `json:"p50"`
	P90  *float64 `json:"p90"`
	P95  *float64 `json:"p95"`
	P99  *float64 `json:"p99"`
	Max  *float64 `json:"max"`
}

func (l Load) measure(calls []call, w window) Result {
	r := Result{Seconds: (w.to - w.from).Seconds()}
	var latency, service, first []float64
	behind := 0.0
	for _, c := range calls {
		if w.measured(c) {
			r.Requests++
			late := (c.sent - c.intended).Seconds()
			r.Behind, behind = max(r.Behind, late), behind+late
		}
		switch {
		case w.measured(c) && !c.finished:
			r.Unfinished++
			latency, service = append(latency, math.Inf(1)), append(service, math.Inf(1))
		case w.measured(c) && c.answer.Err != nil:
			r.Failed++
		case w.measured(c):
			r.Answered++
			if !c.answer.Useful {
				r.Useless++
			}
			if l.late(c) {
				r.Late++
			}
			latency = append(latency, (c.done - c.intended).Seconds())
			service = append(service, (c.done - c.sent).Seconds())
			if c.answer.FirstToken > 0 {
				first = append(first, (c.sent - c.intended + c.answer.FirstToken).Seconds())
			}
		}
	}
	if r.Requests > 0 {
		r.MeanBehind = behind / float64(r.Requests)
	}
	l.rates(&r, calls, w)
	r.Latency, r.Service, r.FirstToken = quantiles(latency), quantiles(service), quantiles(first)
	r.Busy, r.InFlight = occupied(calls, w, l.Slots)
	return r
}

func (l Load) late(c call) bool { return l.InTime > 0 && c.done-c.intended > l.InTime }

// rates are of all answers that came in the window, those to the warm-up's
// requests too. Where the window's edges fall into the service of a request,
// only that share of the answer counts, lest a short window show more than the
// server can do.
func (l Load) rates(r *Result, calls []call, w window) {
	if r.Seconds <= 0 {
		return
	}
	share := l.shares(calls, w)
	var all, good, prompt, output float64
	for i, c := range calls {
		if !c.finished || c.answer.Err != nil {
			continue
		}
		all += share[i]
		if c.answer.Useful && !l.late(c) {
			good += share[i]
		}
		prompt += share[i] * float64(c.answer.PromptTokens)
		output += share[i] * float64(c.answer.OutputTokens)
	}
	r.Throughput, r.Goodput = all/r.Seconds, good/r.Seconds
	r.PromptRate, r.OutputRate = prompt/r.Seconds, output/r.Seconds
}

// shares is how much of each call was served in the window. The service of one
// begins when it was sent and its slot was free, in the order of the answers,
// in which calls are.
func (l Load) shares(calls []call, w window) []float64 {
	out := make([]float64, len(calls))
	for i, c := range calls {
		begun := c.sent
		if i >= l.Slots {
			begun = max(begun, calls[i-l.Slots].done)
		}
		switch {
		case !w.shares || begun >= c.done:
			if w.holds(c.done) {
				out[i] = 1
			}
		default:
			in := min(c.done, w.to) - max(begun, w.from)
			out[i] = max(0, in.Seconds()) / (c.done - begun).Seconds()
		}
	}
	return out
}

func quantiles(x []float64) Quantiles {
	if len(x) == 0 {
		return Quantiles{}
	}
	slices.Sort(x)
	at := func(q float64) *float64 {
		return finite(x[max(0, int(math.Ceil(q*float64(len(x))))-1)])
	}
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return Quantiles{Mean: finite(sum / float64(len(x))), P50: at(.5), P90: at(.9), P95: at(.95), P99: at(.99), Max: at(1)}
}

func finite(x float64) *float64 {
	if math.IsInf(x, 0) {
		return nil
	}
	return &x
}

// occupied is the share of the window in which at least so many requests were
// in flight, and their mean number.
func occupied(calls []call, w window, slots int) (share, mean float64) {
	type step struct {
		at time.Duration
		by int
	}
	var steps []step
	for _, c := range calls {
		from, to := max(c.sent, w.from), min(c.done, w.to)
		if from < to {
			steps = append(steps, step{from, 1}, step{to, -1})
		}
	}
	slices.SortFunc(steps, func(a, b step) int { return cmp.Compare(a.at, b.at) })
	o := NewOccupancy(slots, w.from)
	for _, s := range steps {
		o.Step(s.at, s.by)
	}
	return o.Until(w.to)
}
