// Package throughput measures how fast a server answers a run's own tasks:
// under ever more requests in flight and at given arrival rates, with images
// that the server has just looked at and with images that it has never seen.
// What is asked is what a run would ask, prompt, image, schema and options; the
// load and its figures are infer/load's.
package throughput

import (
	"context"
	"fmt"
	"slices"

	"candor/harness/run"
	"candor/infer"
	"candor/infer/load"
	"candor/scoring"
)

// Cache is what the server knows of the images.
type Cache string

const (
	// Cached: every request is about the same image, with another claim, as the
	// claims about one image follow each other in a run.
	Cached Cache = "cached"
	// Cold: every request's image carries bytes of its own behind the picture,
	// which no decoder shows, so that no server has seen it before.
	Cold Cache = "cold"
)

// Config is what is measured.
type Config struct {
	Run         run.Config // what is asked; its Parallel and Preflight play no part
	Caches      []Cache
	Concurrency []int     // of closed loops
	Rates       []float64 // requests a second of open loops
	// Shares are rates as shares of the best throughput of the closed loops.
	Shares []float64
	Rounds int // of everything
	// Base has what all loads share; its concurrency and rate are not looked at.
	Base load.Load
	// Stream has the server stream its answers, so that the first token is
	// seen to come; else its time is that of the whole answer less the
	// generation as the engine reports it.
	Stream bool
	Told   func(Level) // of each level, when it is done; nil tells nobody
}

// Level is what was measured of one load.
type Level struct {
	Round       int           `json:"round"` // from 1
	Loop        string        `json:"loop"`  // closed or open
	Cache       Cache         `json:"cache"`
	Concurrency int           `json:"concurrency,omitempty"`
	Rate        float64       `json:"rate,omitempty"`  // asked for, requests a second
	Share       float64       `json:"share,omitempty"` // of what the first round's closed loops reached, where Rate follows from that
	Arrivals    load.Arrivals `json:"arrivals,omitempty"`
	load.Result
	Error string `json:"error,omitempty"` // the first failure
}

// Report is all of it.
type Report struct {
	Candor     string            `json:"candor"` // version
	Model      infer.Identity    `json:"model"`
	Options    infer.Options     `json:"options"`
	Dataset    string            `json:"dataset"`
	Endpoints  []string          `json:"endpoints"`
	Slots      int               `json:"slots"`
	InTime     float64           `json:"in_time_seconds"`
	FirstToken string            `json:"first_token_by"` // stream or engine durations
	Levels     []Level           `json:"levels"`
	Warnings   []scoring.Warning `json:"warnings"`
}

// Measure prepares what is asked and puts every load on the servers, one after
// another.
func Measure(ctx context.Context, cfg Config, deps run.Dependencies) (Report, error) {
	if err := cfg.validate(); err != nil {
		return Report{}, &run.UsageError{Err: err}
	}
	p, err := run.Prepare(ctx, cfg.Run, deps)
	if err != nil {
		return Report{}, err
	}
	defer p.Close()
	b := &bench{Config: cfg, prepared: p, report: Report{
		Candor: deps.Version, Model: p.Identity, Options: p.Plan.Options, Dataset: p.Plan.Dataset, Slots: cfg.Base.Slots,
		InTime: cfg.Base.InTime.Seconds(), FirstToken: "engine durations", Levels: []Level{}, Warnings: append([]scoring.Warning{}, p.Plan.Warnings...),
	}}
	if cfg.Stream {
		b.report.FirstToken = "stream"
	}
	for _, s := range p.Backends {
		b.report.Endpoints = append(b.report.Endpoints, s.Endpoint())
	}
	if err := b.load(ctx); err != nil {
		return b.report, err
	}
	err = b.all(ctx)
	b.warn()
	return b.report, err
}

func (c Config) validate() error {
	for _, cache := range c.Caches {
		if cache != Cold && cache != Cached {
			return fmt.Errorf("images are %s or %s to the server: %q", Cold, Cached, cache)
		}
	}
	for _, s := range c.Shares {
		if !(s > 0 && s <= 10) {
			return fmt.Errorf("a share of the throughput is above 0 and at most 10: %v", s)
		}
	}
	if len(c.Shares) > 0 && len(c.Concurrency) == 0 {
		return fmt.Errorf("a rate of auto is a share of what closed loops find, and there are none")
	}
	if len(c.Caches) == 0 || len(c.Concurrency)+len(c.Rates) == 0 || c.Rounds < 1 || c.Rounds > 1000 {
		return fmt.Errorf("nothing to measure: name a concurrency or a rate, cold or cached images, and 1 to 1000 rounds")
	}
	for i, n := range c.Concurrency {
		if slices.Contains(c.Concurrency[:i], n) {
			return fmt.Errorf("--concurrency names %d twice; --count measures everything again", n)
		}
		if n < 1 {
			return fmt.Errorf("--concurrency %d: want 1 to %d requests in flight", n, load.MaxConcurrency)
		}
		if err := c.closed(n).Validate(); err != nil {
			return fmt.Errorf("--concurrency %d: %w", n, err)
		}
	}
	for i, r := range c.Rates {
		if slices.Contains(c.Rates[:i], r) {
			return fmt.Errorf("--rate names %v twice; --count measures everything again", r)
		}
		if err := c.open(r).Validate(); err != nil {
			return fmt.Errorf("--rate %v: %w", r, err)
		}
	}
	return nil
}

func (c Config) closed(n int) load.Load {
	l := c.Base
	l.Concurrency, l.Rate = n, 0
	return l
}

func (c Config) open(rate float64) load.Load {
	l := c.Base
	l.Concurrency, l.Rate = 0, rate
	return l
}
