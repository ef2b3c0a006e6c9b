package load_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"candor/infer/load"
)

// server serves each request in the same time in one of so many slots.
type server struct {
	slots  chan struct{}
	each   time.Duration
	stalls int // the number of the request that takes a second longer; -1 none
}

// serve makes a server; stalls is -1 for one that does not.
func serve(slots int, each time.Duration, stalls int) func() load.Ask {
	return func() load.Ask {
		return (&server{slots: make(chan struct{}, slots), each: each, stalls: stalls}).ask
	}
}

// plain is a server without a queue.
func plain(ask load.Ask) func() load.Ask { return func() load.Ask { return ask } }

func (s *server) ask(ctx context.Context, i int) load.Answer {
	s.slots <- struct{}{}
	defer func() { <-s.slots }()
	took := s.each
	if i == s.stalls {
		took += time.Second
	}
	time.Sleep(took)
	return load.Answer{Useful: i%2 == 0, FirstToken: took / 2, PromptTokens: 300, OutputTokens: 10}
}

func base() load.Load {
	return load.Load{WarmUp: 4, Requests: 100, Duration: time.Minute, Slots: 1, Arrivals: load.Constant}
}

// bubble runs l in a world whose clock stands still while anybody computes, so
// that every figure is exact.
func bubble(t *testing.T, l load.Load, server func() load.Ask, check func(load.Result)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r, err := l.Run(context.Background(), server())
		if err != nil {
			t.Fatal(err)
		}
		check(r)
	})
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-9*math.Max(1, math.Abs(want)) {
		t.Errorf("%s %v; want %v", what, got, want)
	}
}

func TestClosedLoop(t *testing.T) {
	for _, tt := range []struct {
		concurrency, slots int
		throughput         float64 // of 100 ms a request
		latency, busy      float64
		inFlight           float64
	}{
		{1, 1, 10, .1, 1, 1},
		{4, 4, 40, .1, 1, 4},     // as many as slots: concurrency over service time
		{4, 8, 40, .1, 0, 4},     // fewer than slots: never busy
		{8, 4, 40, .2, 1, 8},     // more than slots: no more, but they wait
		{3, 1, 10, .3, 1, 3},     // one slot: latency is the concurrency's
		{7, 7, 70, .1, 1, 7},     // neither 4 nor 100 is a multiple of it
		{64, 64, 640, .1, 1, 64}, // more at once than the warm-up has
	} {
		t.Run(fmt.Sprintf("%d at %d slots", tt.concurrency, tt.slots), func(t *testing.T) {
			l := base()
			l.Concurrency, l.Slots = tt.concurrency, tt.slots
			bubble(t, l, serve(tt.slots, 100*time.Millisecond, -1), func(r load.Result) {
				near(t, "throughput", r.Throughput, tt.throughput)
				near(t, "latency p50", *r.Latency.P50, tt.latency)
				near(t, "latency max", *r.Latency.Max, tt.latency)
				near(t, "busy", r.Busy, tt.busy)
				near(t, "in flight", r.InFlight, tt.inFlight)
				near(t, "output rate", r.OutputRate, 10*tt.throughput)
				near(t, "prompt rate", r.PromptRate, 300*tt.throughput)
				if r.Requests < 100 || r.Requests >= 100+tt.concurrency || r.Answered != r.Requests {
					t.Errorf("%d measured, %d answered", r.Requests, r.Answered)
				}
			})
		})
	}
}

func TestOpenLoop(t *testing.T) {
	for _, tt := range []struct {
		name             string
		rate             float64
		throughput, busy float64
		p50, max         float64
	}{
		{"half of what it can do", 5, 5, .5, .1, .1},
		{"all but", 10, 10, 1, .1, .1},
		// Each of 104 is due 50 ms after the last and served in 100 ms: number i
		// waits i·50 ms. The measured are 4 to 103.
		{"twice what it can do", 20, 10, 1, .1 + .05*53, .1 + .05*103},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := base()
			l.Rate = tt.rate
			bubble(t, l, serve(1, 100*time.Millisecond, -1), func(r load.Result) {
				near(t, "throughput", r.Throughput, tt.throughput)
				near(t, "busy", r.Busy, tt.busy)
				near(t, "p50", *r.Latency.P50, tt.p50)
				near(t, "max", *r.Latency.Max, tt.max)
				if r.Requests != 100 || r.Answered != 100 || r.Behind != 0 {
					t.Errorf("%d measured, %d answered, %v s behind", r.Requests, r.Answered, r.Behind)
				}
			})
		})
	}
}

// A server that stalls for a second holds up one request of a closed loop, and
// everybody who comes meanwhile in an open one.
func TestCoordinatedOmission(t *testing.T) {
	stalling := serve(1, 10*time.Millisecond, 50)
	closed := base()
	closed.Concurrency = 1
	bubble(t, closed, stalling, func(r load.Result) {
		near(t, "closed p90", *r.Latency.P90, .01)
		near(t, "closed p99", *r.Latency.P99, .01)
		near(t, "closed max", *r.Latency.Max, 1.01)
	})
	open := base()
	open.Rate = 50 // half of what it can do
	bubble(t, open, stalling, func(r load.Result) {
		// Number 50+k is due .02·k s after the stalled one, and done 1.01 + .01·k s
		// after it was.
		near(t, "open max", *r.Latency.Max, 1.01)
		near(t, "open p90", *r.Latency.P90, 1.01-.01*10) // nearest rank: the 11th largest
		if *r.Latency.P50 < .4 {
			t.Errorf("p50 %v s: half of those who came waited", *r.Latency.P50)
		}
	})
}

// What never ends is counted, not left out, in either loop.
func TestHanging(t *testing.T) {
	hang := func(ctx context.Context, i int) load.Answer {
		if i == 20 {
			<-ctx.Done()
			return load.Answer{Err: ctx.Err()}
		}
		time.Sleep(10 * time.Millisecond)
		return load.Answer{Useful: true}
	}
	for name, change := range map[string]func(*load.Load){
		"closed": func(l *load.Load) { l.Concurrency = 1 },
		"open":   func(l *load.Load) { l.Rate = 50 },
	} {
		l := base()
		l.Duration = 10 * time.Second
		change(&l)
		bubble(t, l, plain(hang), func(r load.Result) {
			if r.Unfinished != 1 || r.Failed != 0 || r.Latency.Max != nil || r.Latency.Mean != nil {
				t.Errorf("%s: %d unfinished, %d failed, max %v", name, r.Unfinished, r.Failed, r.Latency.Max)
			}
			near(t, name+" p50", *r.Latency.P50, .01)
			if name == "closed" { // it stood still from number 20 on until nobody would wait longer
				near(t, "seconds", r.Seconds, 20)
				near(t, "throughput", r.Throughput, .8)
			}
		})
	}
}

// A load that the time ends is not cut in the middle of answers that come
// together: 4 at once, each .3 s, in 1 s.
func TestTimeIsUp(t *testing.T) {
	l := base()
	l.Concurrency, l.Duration = 4, time.Second
	bubble(t, l, serve(4, 300*time.Millisecond, -1), func(r load.Result) {
		near(t, "seconds", r.Seconds, 1.2)
		near(t, "throughput", r.Throughput, 4/.3)
		if r.Requests != 16 || r.Unfinished != 0 {
			t.Errorf("%d requests, %d unfinished", r.Requests, r.Unfinished)
		}
	})
	l.Duration = 200 * time.Millisecond // the warm-up alone takes longer
	bubble(t, l, serve(4, 300*time.Millisecond, -1), func(r load.Result) {
		if r.Answered != 0 || r.Seconds != 0 || r.Throughput != 0 {
			t.Errorf("%+v", r)
		}
	})
}

func TestOutcomes(t *testing.T) {
	l := base()
	l.Concurrency, l.InTime = 2, 150*time.Millisecond
	ask := func(_ context.Context, i int) load.Answer {
		time.Sleep(100 * time.Millisecond)
		switch i % 4 {
		case 0:
			return load.Answer{Err: errors.New("no")}
		case 1:
			time.Sleep(100 * time.Millisecond) // too late
			return load.Answer{Useful: true}
		case 2:
			return load.Answer{} // of no use
		}
		return load.Answer{Useful: true}
	}
	bubble(t, l, plain(ask), func(r load.Result) {
		if r.Failed+r.Answered != r.Requests || r.Failed < 20 || r.Late < 20 || r.Useless < 20 {
			t.Errorf("%+v", r)
		}
		near(t, "goodput", r.Goodput/r.Throughput, float64(r.Answered-r.Late-r.Useless)/float64(r.Answered))
	})
}

// However short its window is, an open loop shows neither more than the server
// can do nor, on average, another rate than the one that was asked for.
func TestFewRequests(t *testing.T) {
	for _, tt := range []struct {
		name     string
		rate     float64
		requests int
		duration time.Duration
		want     float64
	}{
		{"four above what it can do", 15, 4, time.Minute, 10},
		{"ended by the time, above", 30, 100, 500 * time.Millisecond, 10},
		{"ended by the time, below", 2, 100, 1500 * time.Millisecond, 2},
		{"ended by the requests, below", 2, 5, time.Minute, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			const times = 400
			sum, sum2, seconds := 0.0, 0.0, 0.0
			for seed := range uint64(times) {
				l := load.Load{Rate: tt.rate, Arrivals: load.Poisson, Seed: seed, WarmUp: 8, Requests: tt.requests, Duration: tt.duration, Slots: 1}
				bubble(t, l, serve(1, 100*time.Millisecond, -1), func(r load.Result) {
					if r.Throughput > 10+1e-9 {
						t.Errorf("%v answers a second in %v s of a server that can do 10", r.Throughput, r.Seconds)
					}
					n := r.Throughput * r.Seconds
					sum, sum2, seconds = sum+n, sum2+n*n, seconds+r.Seconds
				})
			}
			if tt.want == 10 { // it is not always busy
				return
			}
			rate := sum / seconds
			if se := math.Sqrt(sum2) / seconds; math.Abs(rate-tt.want) > 4*se {
				t.Errorf("%v answers a second on average, standard error %v; want %v", rate, se, tt.want)
			}
		})
	}
}

// A schedule of Poisson arrivals is its seed's, has the rate asked for and the
// spread of independent arrivals.
func TestPoisson(t *testing.T) {
	ask := func(context.Context, int) load.Answer { return load.Answer{Useful: true} }
	l := load.Load{Rate: 100, Arrivals: load.Poisson, Seed: 7, WarmUp: 10, Requests: 20_000, Duration: time.Hour, Slots: 1}
	var first float64
	for range 2 {
		bubble(t, l, plain(ask), func(r load.Result) {
			if math.Abs(r.Seconds-200) > 200*4/math.Sqrt(20_000) { // four standard errors
				t.Errorf("%v s for 20 000 at 100 a second", r.Seconds)
			}
			if first != 0 && r.Seconds != first {
				t.Errorf("the same seed took %v s, then %v s", first, r.Seconds)
			}
			first = r.Seconds
		})
	}
}

// M/D/1: Poisson arrivals at one server of constant service time wait
// ρ·s/(2(1−ρ)) on average (Pollaczek and Khinchine).
func TestQueueingTheory(t *testing.T) {
	l := load.Load{Rate: 80, Arrivals: load.Poisson, Seed: 1, WarmUp: 1000, Requests: 30_000, Duration: time.Hour, Slots: 1}
	bubble(t, l, serve(1, 10*time.Millisecond, -1), func(r load.Result) {
		want := .01 + .8*.01/(2*(1-.8))
		if got := *r.Latency.Mean; math.Abs(got-want) > .05*want {
			t.Errorf("mean latency %v s; want %v s", got, want)
		}
		if math.Abs(r.Busy-.8) > .02 {
			t.Errorf("busy %v; want .8", r.Busy)
		}
	})
}

func TestEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, l := range []load.Load{{Concurrency: 3}, {Rate: 5, Arrivals: load.Poisson}} {
			l.WarmUp, l.Requests, l.Duration, l.Slots = 1, 1_000_000, time.Hour, 1
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			_, err := l.Run(ctx, func(ctx context.Context, _ int) load.Answer {
				<-ctx.Done()
				return load.Answer{Err: ctx.Err()}
			})
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%v", err)
			}
			cancel()
		}
	})
}

func TestValidate(t *testing.T) {
	for name, change := range map[string]func(*load.Load){
		"neither loop":     func(l *load.Load) { l.Concurrency = 0 },
		"both loops":       func(l *load.Load) { l.Rate = 1 },
		"too many at once": func(l *load.Load) { l.Concurrency = 1 << 20 },
		"no number":        func(l *load.Load) { l.Concurrency, l.Rate = 0, math.NaN() },
		"infinite":         func(l *load.Load) { l.Concurrency, l.Rate = 0, math.Inf(1) },
		"none due":         func(l *load.Load) { l.Concurrency, l.Rate = 0, 1.0/61 },
		"no such arrivals": func(l *load.Load) { l.Concurrency, l.Rate, l.Arrivals = 0, 1, "bursts" },
		"nothing":          func(l *load.Load) { l.Requests = 0 },
		"without end":      func(l *load.Load) { l.Duration = 0 },
		"no slots":         func(l *load.Load) { l.Slots = 0 },
	} {
		l := base()
		l.Concurrency = 1
		if err := l.Validate(); err != nil {
			t.Fatal(err)
		}
		change(&l)
		if l.Validate() == nil {
			t.Errorf("%s: taken for a load", name)
		}
	}
}
