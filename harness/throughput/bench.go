package throughput

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"candor/harness/run"
	"candor/infer"
	"candor/infer/load"
	"candor/scoring"
)

// bench is one Measure.
type bench struct {
	Config
	prepared *run.Prepared
	report   Report
	sent     atomic.Int64 // images made cold so far
	tooSlow  int          // open loops left out
	cut      atomic.Int64 // requests of the last load that were given up in flight
	undone   int          // loads that began while the server still had those
}

// load has every server load the model, so that no level measures that.
func (b *bench) load(ctx context.Context) error {
	for _, s := range b.prepared.Backends {
		req, err := b.request(ctx, 0, Cold)
		if err != nil {
			return err
		}
		if _, _, err := b.prepared.Retry.Ask(ctx, s, req); err != nil {
			return fmt.Errorf("%s does not answer a first request: %w", s.Endpoint(), err)
		}
	}
	return nil
}

func (b *bench) all(ctx context.Context) error {
	best := map[Cache]float64{} // of the first round's closed loops
	for round := range b.Rounds {
		for _, cache := range b.Caches {
			for _, n := range b.Concurrency {
				l, err := b.level(ctx, round, cache, b.closed(n), 0)
				if err != nil {
					return err
				}
				if round == 0 {
					best[cache] = max(best[cache], l.Throughput)
				}
			}
			for _, o := range b.rates(best[cache]) {
				if _, err := b.level(ctx, round, cache, b.open(o.rate), o.share); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// offered is the rate of an open loop, and what share that is of what the closed
// loops reached; 0 where the rate was asked for as such.
type offered struct{ rate, share float64 }

// rates are the same in all rounds, so that their figures are of one load.
func (b *bench) rates(best float64) []offered {
	var rates []offered
	for _, r := range b.Rates {
		rates = append(rates, offered{rate: r})
	}
	for _, s := range b.Shares {
		switch rate := s * best; {
		case best == 0:
		case b.open(rate).Validate() != nil:
			b.tooSlow++
		default:
			rates = append(rates, offered{rate, s})
		}
	}
	return rates
}

// level puts one load on the servers.
func (b *bench) level(ctx context.Context, round int, cache Cache, l load.Load, share float64) (Level, error) {
	if err := b.drain(ctx); err != nil {
		return Level{}, err
	}
	l.Seed += uint64(round)
	failure := &first{}
	r, err := l.Run(ctx, func(ctx context.Context, i int) load.Answer {
		a := b.ask(ctx, i, cache)
		if ctx.Err() != nil {
			b.cut.Add(1)
		}
		failure.note(a.Err)
		return a
	})
	out := Level{Round: round + 1, Loop: "closed", Cache: cache, Concurrency: l.Concurrency, Rate: l.Rate, Share: share, Result: r}
	if l.Rate > 0 {
		out.Loop, out.Arrivals = "open", l.Arrivals
	}
	if err != nil {
		return out, err
	}
	if r.Failed > 0 {
		out.Error = failure.text
	}
	b.report.Levels = append(b.report.Levels, out)
	if b.Told != nil {
		b.Told(out)
	}
	return out, nil
}

// first keeps the first failure.
type first struct {
	once sync.Once
	text string
}

func (f *first) note(err error) {
	if err != nil {
		f.once.Do(func() { f.text = err.Error() })
	}
}

// ask puts a task to the servers in turn, once: a failure is one.
func (b *bench) ask(ctx context.Context, i int, cache Cache) load.Answer {
	req, err := b.request(ctx, i, cache)
	if err != nil {
		return load.Answer{Err: err}
	}
	start := time.Now()
	var heard atomic.Int64
	if b.Stream {
		req.FirstToken = func() { heard.Store(int64(time.Since(start))) }
	}
	resp, err := b.prepared.Backends[i%len(b.prepared.Backends)].Ask(ctx, req)
	if err != nil {
		return load.Answer{Err: err}
	}
	a := load.Answer{Useful: run.Parsed(resp), PromptTokens: resp.PromptTokens, OutputTokens: resp.OutputTokens, FirstToken: time.Duration(heard.Load())}
	if g := resp.Durations.Generate; !b.Stream && g > 0 {
		a.FirstToken = max(time.Since(start)-g, 0)
	}
	return a
}

// request is task i, about the first task's image if that is to be cached.
func (b *bench) request(ctx context.Context, i int, cache Cache) (infer.Request, error) {
	tasks := b.prepared.Plan.Tasks
	t := tasks[i%len(tasks)]
	if cache == Cached {
		t.ImageSource = tasks[0].ImageSource
	}
	req, err := b.prepared.Request(ctx, t)
	if err == nil && cache == Cold {
		req.Image = strconv.AppendInt(append(slices.Clone(req.Image), "candor bench "...), b.sent.Add(1)+time.Now().UnixNano(), 10)
	}
	return req, err
}

// drainFor is how many of a load's durations are waited for what was given up.
const drainFor = 3

// drain waits until the servers have done with the requests that the load
// before gave up: they may work on those all the same, and the next load would
// measure that. They serve in order, so they have when as many new requests as
// are served at once have an answer.
func (b *bench) drain(ctx context.Context) error {
	if b.cut.Swap(0) == 0 {
		return nil
	}
	bounded, cancel := context.WithTimeout(ctx, drainFor*b.Base.Duration)
	defer cancel()
	var probes sync.WaitGroup
	for _, s := range b.prepared.Backends {
		for i := range b.Base.Slots {
			req, err := b.request(ctx, i, Cold)
			if err != nil {
				return err
			}
			probes.Go(func() { s.Ask(bounded, req) }) // an answer or a failure, it had its turn
		}
	}
	probes.Wait()
	if ctx.Err() == nil && bounded.Err() != nil {
		b.undone++
		b.cut.Store(1) // the next load begins no better
	}
	return ctx.Err()
}

// warn says what a reader must know beside the figures.
func (b *bench) warn() {
	say := func(code, format string, args ...any) {
		b.report.Warnings = append(b.report.Warnings, scoring.Warning{Code: code, Message: fmt.Sprintf(format, args...)})
	}
	failed, unanswered, empty, behind := 0, 0, 0, 0
	for _, l := range b.report.Levels {
		failed += l.Failed
		unanswered += l.Unfinished
		if l.Requests == 0 {
			empty++
		}
		if l.Latency.P50 != nil && (l.MeanBehind > *l.Latency.P50/10 || l.Behind > *l.Latency.P50) {
			behind++
		}
	}
	if failed > 0 {
		say("failures", "%d measured requests failed: the server refused them or answered with an error; goodput and latency leave them out", failed)
	}
	if unanswered > 0 {
		say("unanswered", "%d measured requests were never answered within the time that a load waits for its last ones (%v), and were given up: goodput leaves them out, and percentiles that fall among them have no value", unanswered, b.Base.Duration)
	}
	if b.undone > 0 {
		say("not_drained", "%d loads began while the server still worked on requests that the load before had given up, %v after it: their figures are too low; ask for a smaller --concurrency or a longer --duration", b.undone, drainFor*b.Base.Duration)
	}
	if empty > 0 {
		say("nothing_measured", "%d levels measured nothing: the time was up in the warm-up; raise --duration", empty)
	}
	if b.tooSlow > 0 {
		say("too_slow", "%d open loops were left out: at a share of what the closed loops reach not one request is due within %v; raise --duration", b.tooSlow, b.Base.Duration)
	}
	if behind > 0 {
		say("client_late", "in %d levels requests were sent late, on average by more than a tenth of the median latency, or one by more than all of it: this machine was busy, and the figures are its too", behind)
	}
}
