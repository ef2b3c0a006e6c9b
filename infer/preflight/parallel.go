package preflight

import (
	"context"
	"fmt"
	"math"
	"time"

	"candor/infer"

	"golang.org/x/sync/errgroup"
)

const (
	// helps is how many times as fast twice as many requests at once must be to
	// count as served together: a server that serialises gains a fifth or so
	// too, since one request is on its way while another is served.
	helps = 1.3
	// equals is the share of the best speed at which fewer at once do as well.
	equals = 0.95
	// leastTried at once are tried even where fewer did not help, for it takes
	// them to see answers that change.
	leastTried = 4
	// mostTried at once is where the search ends.
	mostTried = 64
)

// parallel asks the same mixed set of requests one at a time, then ever twice
// as many at once for as long as that helps, and compares both the answers and
// the speed.
func parallel(ctx context.Context, p *prober, r *Report) (Finding, error) {
	f := Finding{Check: CheckParallel, Question: "do parallel requests help and leave the answers unchanged?", Measures: map[string]float64{}}
	s := &search{prober: p, set: p.mixedSet(), measures: f.Measures, best: 1, gain: 1}
	var err error
	if s.alone, s.base, err = p.timed(ctx, s.set, len(s.set), 1); err != nil {
		return f, err
	}
	if again, ok, err := s.unsteady(ctx, r); err != nil || ok {
		f.Status, f.Severity, r.Parallel = Unknown, Note, 1
		f.Measures["changed_alone"] = float64(again)
		f.Detail = fmt.Sprintf("%d of %d answers change from one time to the next even when asked one at a time", again, len(s.set))
		f.Meaning = "whether parallel requests change answers cannot be told on a server that does not repeat itself"
		f.Advice = "ask one at a time (--parallel 1) unless you know better"
		return f, err
	}
	if err := s.run(ctx); err != nil {
		return f, err
	}
	f.Measures[Changed], f.Measures["logprob_difference"] = float64(s.changed), s.worst
	s.describe(&f, r)
	return f, nil
}

// search looks for the number of requests at once that a server is fastest at.
type search struct {
	*prober
	set   []question
	alone []infer.Response // the set's answers, asked one at a time
	base  float64          // requests a second, one at a time

	measures map[string]float64
	best     int     // requests at once
	gain     float64 // times as fast as one
	next     int     // the first number that did not help
	changed  int     // answers that other requests changed, the most at one try
	of       int     // answers in that try
	worst    float64 // difference of log-probabilities
}

// run doubles the number until that helps no more, or the server gives up
// under it, then looks whether three
// quarters of the best do as well, as on a server with six slots.
func (s *search) run(ctx context.Context) error {
	for c := 2; c <= mostTried && (c <= leastTried || s.best == c/2); c *= 2 {
		speedup, err := s.try(ctx, c, helps*s.gain)
		if c > leastTried && gaveUp(ctx, err) {
			s.next = c // more than the server takes; it answered fewer
			break
		}
		if err != nil || s.changed > 0 {
			return err
		}
		if speedup > helps*s.gain {
			s.best, s.gain = c, speedup
		} else if s.next == 0 {
			s.next = c
		}
	}
	if s.best < leastTried {
		return nil
	}
	fewer := s.best * 3 / 4
	speedup, err := s.try(ctx, fewer, math.Inf(1))
	if gaveUp(ctx, err) {
		return nil // it may still be at what was too much for it
	}
	if err == nil && s.changed == 0 && speedup >= equals*s.gain {
		s.best, s.gain = fewer, speedup
	}
	return err
}

// gaveUp tells a server that was asked too much from one that does not work.
func gaveUp(ctx context.Context, err error) bool {
	return err != nil && ctx.Err() == nil && infer.ClassOf(err) == infer.ClassRetry
}

// try measures how many times as fast c at once are as one. What exceeds
// enough is believed when it happens twice: clocks are noisy, and caches fill.
func (s *search) try(ctx context.Context, c int, enough float64) (float64, error) {
	n := max(len(s.set), 2*c)
	got, speed, err := s.timed(ctx, s.set, n, c)
	if err != nil {
		return 0, err
	}
	s.compare(got)
	speedup := speed / s.base
	if speedup > enough && s.changed == 0 {
		_, base, err := s.timed(ctx, s.set, len(s.set), 1)
		if err != nil {
			return 0, err
		}
		_, again, err := s.timed(ctx, s.set, n, c)
		if err != nil {
			return 0, err
		}
		s.base = max(s.base, base)
		speedup = min(speedup, again/base)
	}
	s.measures[fmt.Sprintf("speedup_%d", c)] = speedup
	return speedup, nil
}

// compare counts the answers that changed.
func (s *search) compare(got []infer.Response) {
	alone := make([]infer.Response, len(got))
	for i := range got {
		alone[i] = s.alone[i%len(s.alone)]
	}
	n, d := different(alone, got)
	if s.worst = max(s.worst, d); n > s.changed {
		s.changed, s.of = n, len(got)
	}
}

// unsteady asks the set once more, one at a time, where the seed check found
// that answers do not repeat, and counts those that change all the same.
func (s *search) unsteady(ctx context.Context, r *Report) (changed int, ok bool, err error) {
	if f, found := r.Find(CheckSeed); !found || f.Status != No {
		return 0, false, nil
	}
	again, _, err := s.timed(ctx, s.set, len(s.set), 1)
	if err != nil {
		return 0, false, err
	}
	changed, _ = different(s.alone, again)
	return changed, changed > 0, nil
}

func (s *search) describe(f *Finding, r *Report) {
	switch {
	case s.changed > 0:
		f.Status, f.Severity = No, Serious
		r.Parallel = 1
		f.Detail = fmt.Sprintf("%d of %d answers change when requests run together (log-probabilities by up to %.2g)", s.changed, s.of, s.worst)
		f.Meaning = "requests in parallel change answers: such a run is wrong in a way that no seed repeats"
		f.Advice = "ask one at a time (--parallel 1), and set OLLAMA_NUM_PARALLEL=1 at the server"
	case s.best == 1:
		f.Status, f.Severity = No, Note
		r.Parallel = infer.InFlight(1)
		f.Detail = "the server serialises: two or four at a time are hardly faster than one; the answers are unchanged"
		f.Meaning = "one request served and one waiting is all that helps"
		f.Advice = "to fill a GPU, run several servers: export OLLAMA_HOST=$(scripts/ollama.sh start --replicas 2), or name each with --host"
	default:
		f.Status, f.Severity = Yes, Fine
		r.Parallel = infer.InFlight(s.best)
		f.Detail = fmt.Sprintf("%d at a time are %.2f times as fast as one", s.best, s.gain)
		if s.next > 0 {
			f.Detail += fmt.Sprintf(", %d no more", s.next)
		}
		f.Detail += "; the answers are unchanged"
	}
}

// mixedSet varies the images' sizes and the claims' lengths, which is what
// exposes an engine whose slots share state.
func (p *prober) mixedSet() []question {
	w, h := p.cfg.Width, p.cfg.Height
	sizes := [][2]int{{w, h}, {max(64, w/2), h}, {w, max(64, h/2)}, {max(64, w/2), max(64, h/2)}}
	prompts := []string{
		fmt.Sprintf(claimPrompt, "cat"),
		"Claim: a person in a long blue coat stands to the left of a very small red car that is parked in front of a house. Is that so?",
	}
	var set []question
	for i, s := range sizes {
		set = append(set, question{
			prompt: prompts[i%2], image: p.drawSized(s[0], s[1]), tokens: 12, seed: int32(10 + i), temperature: 1, logprobs: 20,
		})
	}
	return set
}

// timed asks n requests, the set over and over, with at most c in flight, and
// returns the answers in that order and the requests a second.
func (p *prober) timed(ctx context.Context, set []question, n, c int) ([]infer.Response, float64, error) {
	out := make([]infer.Response, n)
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(c)
	start := time.Now()
	for i := range n {
		g.Go(func() error {
			var err error
			out[i], _, err = p.ask(ctx, set[i%len(set)])
			return err
		})
	}
	err := g.Wait()
	return out, float64(n) / time.Since(start).Seconds(), err
}

// different counts the answers that changed, in text or by more than a
// twentieth of a nat at the first token, and returns the largest difference.
// Batched arithmetic rounds otherwise, but by far less than that.
func different(a, b []infer.Response) (n int, worst float64) {
	for i := range a {
		d, _ := apart(a[i], b[i])
		worst = math.Max(worst, d)
		if a[i].Text != b[i].Text || d > 0.05 {
			n++
		}
	}
	return n, worst
}
