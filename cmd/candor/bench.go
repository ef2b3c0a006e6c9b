package main

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"candor/harness/report"
	"candor/harness/run"
	"candor/harness/throughput"
	"candor/harness/verify"
	"candor/infer"
	"candor/infer/load"
	"candor/infer/ollama"
)

// benchCmd is candor bench.
type benchCmd struct {
	Model string   `help:"Model, by the server's name for it; the default is embedded, for trying Candor out." default:"${model}" group:"asked"`
	Host  []string `help:"Ollama server; repeat for several. A server on another machine is loaded only if it is named here." placeholder:"URL" sep:"none" group:"asked"`

	Dataset    string `help:"demo, or what candor eval takes." default:"demo" group:"asked"`
	Images     string `help:"Folder of the images." placeholder:"DIR" group:"asked"`
	Split      string `help:"Split of the data set, or all." default:"all" group:"asked"`
	NumTasks   int    `help:"Different tasks: at most so many, asked over and over." default:"100" group:"asked"`
	Seed       int64  `help:"Seed of the tasks and of the arrivals." default:"0" group:"asked"`
	Prompt     string `help:"Template file, or the name of a built-in one." placeholder:"FILE" group:"asked"`
	Format     string `help:"schema or none." default:"schema" group:"asked"`
	Profile    string `help:"Named sampling options." default:"qwen3.5-instruct" group:"asked"`
	NumPredict *int   `help:"Most tokens of an answer." group:"asked"`
	NumThread  *int   `help:"Threads of the engine; 0 leaves it to the server. Default: 0, for ${model} 1." placeholder:"N" group:"asked"`

	Concurrency []int         `help:"Closed loops: requests in flight, the waiting ones included." default:"1,2,4" group:"load"`
	Rate        []string      `help:"Open loops: requests a second, or auto: .5, .8 and 1.2 of what the closed loops reach; none for no open loop." default:"auto" group:"load"`
	Arrivals    string        `help:"poisson or constant." default:"poisson" enum:"poisson,constant" group:"load"`
	Cache       []string      `help:"Images that the server has just looked at, or never." default:"cached,cold" group:"load"`
	Requests    int           `help:"Most requests that a load measures." default:"100" group:"load"`
	WarmUp      int           `help:"Requests before those that are measured." default:"4" group:"load"`
	Duration    time.Duration `help:"Longest time of warming up, of measuring and of waiting for the last answers, each, of a load." default:"20s" group:"load"`
	InTime      time.Duration `help:"Later answers are no goodput; 0 takes all." default:"10s" group:"load"`
	Slots       int           `help:"Requests that the server serves at once, for its busy share." default:"1" group:"load"`
	Stream      bool          `help:"See the first token come, by streaming; else it is reckoned from the engine's durations." group:"load"`
	Count       int           `help:"Rounds of everything, for benchstat." default:"1" group:"load"`

	JSON      bool `name:"json" help:"Print all figures as JSON." xor:"output"`
	Benchstat bool `help:"Print lines for golang.org/x/perf/cmd/benchstat." xor:"output"`
}

// Run loads the server and prints what was measured; also after a failure or
// an interruption, as far as it came.
func (b *benchCmd) Run(c console, sig *signals) error {
	cfg, err := b.config()
	if err != nil {
		return &run.UsageError{Err: err}
	}
	if err := b.nearby(); err != nil {
		return &run.UsageError{Err: err}
	}
	bundled, err := newBundled()
	if err != nil {
		return err
	}
	announce(c.err, b.Model, bundled, "")
	cfg.Told = func(l throughput.Level) {
		fmt.Fprintf(c.err, "candor: %s loop, %s, %s: %.2f answers/s\n", l.Loop, b.loadOf(l), l.Cache, l.Throughput)
	}
	r, err := throughput.Measure(sig.ctx, cfg, run.Dependencies{
		Connect: func(host string) (infer.Backend, error) { return ollama.New(host) }, DefaultHosts: ollama.Hosts,
		Hub: hubAt{c.err}, Bundled: bundled, Observer: newRunView(c.err), Version: version,
	})
	if len(r.Levels) > 0 || err == nil {
		err = errors.Join(err, b.print(c, r))
	}
	if err == nil && lost(r) {
		return exitStatus(exitErrors)
	}
	return err
}

func (b *benchCmd) print(c console, r throughput.Report) error {
	switch {
	case b.JSON:
		return printJSON(c.out, r)
	case b.Benchstat:
		return throughput.Benchstat(c.out, r)
	}
	return report.Throughput(c.out, r)
}

func (*benchCmd) loadOf(l throughput.Level) string {
	if l.Rate > 0 {
		return fmt.Sprintf("%.3g a second", l.Rate)
	}
	return fmt.Sprintf("%d at once", l.Concurrency)
}

// lost tells whether any request that was measured has no answer.
func lost(r throughput.Report) bool {
	for _, l := range r.Levels {
		if l.Failed+l.Unfinished > 0 {
			return true
		}
	}
	return false
}

func (b *benchCmd) config() (throughput.Config, error) {
	asked := run.DefaultConfig()
	asked.Model, asked.Hosts, asked.Dataset, asked.Images = b.Model, b.Host, absoluteData(b.Dataset), absolute(b.Images)
	asked.Split, asked.Partition, asked.NumTasks, asked.Seed = b.Split, "all", b.NumTasks, b.Seed
	asked.Prompt, asked.Format, asked.Profile, asked.NumThread = absolute(b.Prompt, verify.PromptDefault, verify.PromptImageFirst), b.Format, b.Profile, threads(b.Model, b.NumThread)
	asked.NumPredict = b.NumPredict
	cfg := throughput.Config{
		Run: asked, Concurrency: b.Concurrency, Rounds: b.Count, Stream: b.Stream,
		Base: load.Load{
			Arrivals: load.Arrivals(b.Arrivals), Seed: uint64(b.Seed), WarmUp: b.WarmUp, Requests: b.Requests,
			Duration: b.Duration, Slots: b.Slots, InTime: b.InTime,
		},
	}
	for _, s := range b.Cache {
		cfg.Caches = append(cfg.Caches, throughput.Cache(s))
	}
	for _, s := range b.Rate {
		switch s {
		case "auto":
			cfg.Shares = []float64{.5, .8, 1.2}
		case "none":
		default:
			rate, err := strconv.ParseFloat(s, 64)
			if err != nil || !(rate > 0) {
				return cfg, fmt.Errorf("--rate %q: want requests a second, above 0, or auto or none", s)
			}
			cfg.Rates = append(cfg.Rates, rate)
		}
	}
	return cfg, nil
}

// nearby refuses to load a server on another machine that was not named.
func (b *benchCmd) nearby() error {
	if len(b.Host) > 0 {
		return nil
	}
	hosts := ollama.Hosts()
	if len(hosts) == 0 {
		hosts = []string{""}
	}
	for _, h := range hosts {
		s, err := ollama.New(h)
		if err != nil {
			return err
		}
		if !infer.Loopback(s.Endpoint()) {
			return fmt.Errorf("OLLAMA_HOST names %s, which may be another machine; to put a load on it name it with --host", s.Endpoint())
		}
	}
	return nil
}
