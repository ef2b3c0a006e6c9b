package throughput_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"candor/harness/run"
	"candor/harness/throughput"
	"candor/infer"
	"candor/infer/load"
	"candor/infer/ollama"
	"candor/infer/ollama/faultserver"
	"candor/infer/ollama/ollamatest"
	"candor/scoring"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// config measures a few requests of the demo's tasks.
func config() throughput.Config {
	cfg := run.DefaultConfig()
	cfg.Model, cfg.Dataset, cfg.Split, cfg.Partition, cfg.NumTasks = "fake", "demo", "all", "all", 30
	return throughput.Config{
		Run: cfg, Caches: []throughput.Cache{throughput.Cached}, Rounds: 1,
		Base: load.Load{WarmUp: 2, Requests: 20, Duration: 20 * time.Second, Slots: 1, Arrivals: load.Constant},
	}
}

func deps(t *testing.T, urls ...string) run.Dependencies {
	t.Helper()
	return run.Dependencies{
		Connect: func(host string) (infer.Backend, error) {
			c, err := ollama.New(host)
			if err == nil {
				t.Cleanup(c.Close)
			}
			return c, err
		},
		DefaultHosts: func() []string { return urls },
		Version:      "test",
	}
}

func measure(t *testing.T, cfg throughput.Config, urls ...string) throughput.Report {
	t.Helper()
	r, err := throughput.Measure(t.Context(), cfg, deps(t, urls...))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// fixed is a server without a network that serves so many at once, each in the
// same time.
type fixed struct {
	slots chan struct{}
	each  time.Duration
}

func (f fixed) Endpoint() string { return "http://fixed" }

func (f fixed) Ask(ctx context.Context, _ infer.Request) (infer.Response, error) {
	f.slots <- struct{}{}
	defer func() { <-f.slots }()
	time.Sleep(f.each)
	return infer.Response{
		Text: faultserver.Answer("SUPPORTED", .9), Stop: infer.StopDone, PromptTokens: 400, OutputTokens: 12,
		Durations: infer.Durations{Generate: f.each / 2, Total: f.each},
	}, nil
}

func (f fixed) Identify(_ context.Context, model string) (infer.Identity, error) {
	return infer.Identity{ServerVersion: "0.24.0", Model: model, Digest: strings.Repeat("1", 64), Architecture: "qwen35", Capabilities: []string{"completion", "vision"}}, nil
}

func (f fixed) Residency(context.Context, string) (infer.Residency, error) {
	return infer.Residency{Loaded: true}, nil
}

// bubble measures such a server in a world whose clock stands still while
// anybody computes, so that no figure is the machine's.
func bubble(t *testing.T, cfg throughput.Config, slots int, each time.Duration, check func(throughput.Report)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		d := run.Dependencies{Connect: func(string) (infer.Backend, error) { return fixed{make(chan struct{}, slots), each}, nil }}
		r, err := throughput.Measure(context.Background(), cfg, d)
		if err != nil {
			t.Fatal(err)
		}
		check(r)
	})
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-6*want {
		t.Errorf("%s %.6f; want %.6f", what, got, want)
	}
}

// A server of fixed service time: what closed loops reach is known, and what an
// open loop reaches below and above that.
func TestFixedService(t *testing.T) {
	cfg := config()
	cfg.Base.Slots = 2
	cfg.Concurrency, cfg.Shares = []int{1, 2, 6}, []float64{.5, 1.5}
	bubble(t, cfg, 2, 100*time.Millisecond, func(r throughput.Report) {
		if len(r.Levels) != 5 || len(r.Warnings) != 0 {
			t.Fatalf("%d levels, warnings %v", len(r.Levels), r.Warnings)
		}
		one, two, six, below, above := r.Levels[0], r.Levels[1], r.Levels[2], r.Levels[3], r.Levels[4]
		near(t, "one at once", one.Throughput, 10)
		near(t, "two at once", two.Throughput, 20)
		near(t, "six at once", six.Throughput, 20)
		near(t, "below saturation", below.Throughput, 10)
		near(t, "above saturation", above.Throughput, 20)
		near(t, "busy with six in flight", six.Busy, 1)
		if one.Busy != 0 || six.Requests != 24 {
			t.Errorf("busy %.3f with one in flight at two slots; %d requests of six at once", one.Busy, six.Requests)
		}
		near(t, "latency of six at once", *six.Latency.P50, .3)
		near(t, "latency below saturation", *below.Latency.Max, .1)
		if *above.Latency.Max < .2 {
			t.Errorf("above saturation nobody waits longer than %.3f s", *above.Latency.Max)
		}
		if one.Goodput != one.Throughput || one.Failed > 0 || one.OutputRate <= 0 || r.FirstToken != "engine durations" {
			t.Errorf("%+v", one)
		}
		near(t, "first token", *one.FirstToken.P50, .05)
	})
}

// A share of a slow server's throughput at which nothing is due in time is left
// out, and that is said; the others are measured.
func TestTooSlowToOpen(t *testing.T) {
	cfg := config()
	cfg.Concurrency, cfg.Shares, cfg.Base.Requests = []int{1}, []float64{.3, 1.2}, 4
	bubble(t, cfg, 1, 8*time.Second, func(r throughput.Report) {
		if len(r.Levels) != 2 || !slices.ContainsFunc(r.Warnings, func(w scoring.Warning) bool { return w.Code == "too_slow" }) {
			t.Errorf("%d levels, warnings %v", len(r.Levels), r.Warnings)
		}
	})
}

// stubborn is such a server that goes on with what nobody waits for any more, as
// an engine does with an image that it has begun.
type stubborn struct{ fixed }

func (s stubborn) Ask(ctx context.Context, req infer.Request) (infer.Response, error) {
	type answer struct {
		resp infer.Response
		err  error
	}
	done := make(chan answer, 1)
	go func() {
		resp, err := s.fixed.Ask(ctx, req)
		done <- answer{resp, err}
	}()
	select {
	case a := <-done:
		return a.resp, a.err
	case <-ctx.Done():
		return infer.Response{}, ctx.Err()
	}
}

// What a load gave up is out of the server's queue before the next begins; where
// it takes too long, that is said. Requests given up are told from failed ones.
func TestDrained(t *testing.T) {
	for _, tt := range []struct {
		name    string
		flight  int // when the load is given up, each of .9 s, after which 6 s are waited
		drained bool
	}{
		{"in time", 5, true},
		{"not in time", 12, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				cfg := config()
				cfg.Base.Duration, cfg.Base.WarmUp = 2*time.Second, 0
				cfg.Concurrency, cfg.Rates = []int{tt.flight}, []float64{.5}
				server := stubborn{fixed{make(chan struct{}, 1), 900 * time.Millisecond}}
				r, err := throughput.Measure(context.Background(), cfg, run.Dependencies{Connect: func(string) (infer.Backend, error) { return server, nil }})
				if err != nil {
					t.Fatal(err)
				}
				time.Sleep(time.Hour) // the server comes to an end
				warned := func(code string) bool {
					return slices.ContainsFunc(r.Warnings, func(w scoring.Warning) bool { return w.Code == code })
				}
				if r.Levels[0].Unfinished < tt.flight || !warned("unanswered") || warned("failures") || warned("not_drained") == tt.drained {
					t.Errorf("%d unfinished, %d failed, warnings %v", r.Levels[0].Unfinished, r.Levels[0].Failed, r.Warnings)
				}
				if open := r.Levels[1]; tt.drained {
					near(t, "latency of the next load", *open.Latency.Max, .9)
				} else if open.Unfinished == 0 {
					t.Errorf("the server's queue does not show in the next load: %+v", open.Result)
				}
			})
		})
	}
}

// A stall of two seconds in the middle hides in a closed loop behind one
// answer, and shows in an open one.
func TestStall(t *testing.T) {
	for _, open := range []bool{false, true} {
		stall := faultserver.On(faultserver.Nth(nil, 20), faultserver.Delay(2*time.Second))
		s := faultserver.New(t, faultserver.Serialise(), faultserver.Latency(10*time.Millisecond), stall)
		cfg := config()
		cfg.Base.Requests = 60
		cfg.Concurrency = []int{1}
		if open {
			cfg.Concurrency, cfg.Rates = nil, []float64{20}
		}
		l := measure(t, cfg, s.URL).Levels[0]
		if open && *l.Latency.P50 < .2 || !open && *l.Latency.P90 > .2 || *l.Latency.Max < 2 {
			t.Errorf("open %v: p50 %.3f s, p90 %.3f s, max %.3f s", open, *l.Latency.P50, *l.Latency.P90, *l.Latency.Max)
		}
	}
}

// No two cold requests carry the same bytes, and all cached ones do, though
// their claims differ.
func TestCaches(t *testing.T) {
	s := faultserver.New(t)
	cfg := config()
	cfg.Caches, cfg.Concurrency = []throughput.Cache{throughput.Cold, throughput.Cached}, []int{2}
	measure(t, cfg, s.URL)
	asked := s.Requests()[1:] // the first loads the model
	prompts, cold, cached := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for i, r := range asked {
		prompts[r.Prompt] = true
		if i < len(asked)/2 {
			cold[r.ImageSHA256] = true
		} else {
			cached[r.ImageSHA256] = true
		}
	}
	if len(cold) < len(asked)/2-2 || len(cached) > 3 || len(prompts) < 10 {
		t.Errorf("of %d requests: %d images cold, %d cached, %d prompts", len(asked), len(cold), len(cached), len(prompts))
	}
}

// Failed and malformed answers are no goodput, and requests are asked once.
func TestGoodput(t *testing.T) {
	s := faultserver.New(t, faultserver.MalformedEvery(3), faultserver.Latency(5*time.Millisecond),
		faultserver.On(faultserver.Every(5, faultserver.After(1, nil)), faultserver.Busy()))
	cfg := config()
	cfg.Concurrency, cfg.Base.WarmUp = []int{1}, 0
	cfg.Run.NumPredict = ptr(200)
	r := measure(t, cfg, s.URL)
	l := r.Levels[0]
	if l.Failed != 4 || l.Answered != 16 || l.Useless == 0 || l.Error == "" || len(s.Requests()) != 21 {
		t.Errorf("%d requests: %+v", len(s.Requests()), l)
	}
	if want := float64(l.Answered-l.Useless) / l.Seconds; math.Abs(l.Goodput-want) > 1e-9 {
		t.Errorf("goodput %v; want %v", l.Goodput, want)
	}
	if !slices.ContainsFunc(r.Warnings, func(w scoring.Warning) bool { return w.Code == "failures" }) {
		t.Errorf("no word of the failures: %v", r.Warnings)
	}
	if slices.ContainsFunc(r.Warnings, func(w scoring.Warning) bool { return w.Code == "unanswered" }) {
		t.Errorf("failed requests are said to have had no answer: %v", r.Warnings)
	}
}

func TestRefused(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*throughput.Config)
		says   string
	}{
		"nothing":           {func(c *throughput.Config) {}, "nothing to measure"},
		"no such cache":     {func(c *throughput.Config) { c.Concurrency, c.Caches = []int{1}, []throughput.Cache{"warm"} }, "warm"},
		"none at once":      {func(c *throughput.Config) { c.Concurrency = []int{0} }, "--concurrency 0"},
		"one load twice":    {func(c *throughput.Config) { c.Concurrency = []int{1, 2, 1} }, "--concurrency names 1 twice"},
		"one rate twice":    {func(c *throughput.Config) { c.Rates = []float64{3, 3} }, "--rate names 3 twice"},
		"a negative rate":   {func(c *throughput.Config) { c.Rates = []float64{-1} }, "--rate -1"},
		"none due in time":  {func(c *throughput.Config) { c.Rates = []float64{.02} }, "50s or more"},
		"a share of naught": {func(c *throughput.Config) { c.Shares = []float64{.5} }, "share"},
	} {
		cfg := config()
		tt.change(&cfg)
		_, err := throughput.Measure(t.Context(), cfg, deps(t, "http://127.0.0.1:1"))
		if bad := (*run.UsageError)(nil); !errors.As(err, &bad) || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: %v; want %q", name, err, tt.says)
		}
	}
}

func TestInterrupted(t *testing.T) {
	s := faultserver.New(t, faultserver.Latency(50*time.Millisecond))
	ctx, cancel := context.WithCancel(t.Context())
	cfg := config()
	cfg.Concurrency = []int{1, 2, 4}
	cfg.Told = func(throughput.Level) { cancel() }
	r, err := throughput.Measure(ctx, cfg, deps(t, s.URL))
	if !errors.Is(err, context.Canceled) || len(r.Levels) != 1 {
		t.Errorf("%d levels, %v", len(r.Levels), err)
	}
}

// With Stream the first token's time is that of its coming, whatever the
// durations say.
func TestStream(t *testing.T) {
	inner := faultserver.New(t)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/api/generate" {
			http.Redirect(w, r, inner.URL+r.URL.Path, http.StatusTemporaryRedirect)
			return
		}
		for _, part := range []string{`{"verdict":"SUPPORTED",`, `"confidence":`, `0.9}`} {
			time.Sleep(60 * time.Millisecond)
			fmt.Fprintf(w, `{"model":"fake","response":%q,"done":false}`+"\n", part)
			w.(http.Flusher).Flush()
		}
		fmt.Fprintln(w, `{"model":"fake","response":"","done":true,"done_reason":"stop","prompt_eval_count":4000,"eval_count":12,"eval_duration":1,"total_duration":9}`)
	}))
	defer s.Close()
	cfg := config()
	cfg.Stream, cfg.Concurrency, cfg.Base.Requests = true, []int{1}, 8
	cfg.Run.NumCtx = ptr(8192)
	r := measure(t, cfg, s.URL)
	l := r.Levels[0]
	if first, whole := *l.FirstToken.P50, *l.Latency.P50; r.FirstToken != "stream" || first < .06 || first > whole-.1 || l.Useless > 0 {
		t.Errorf("%s: first token after %.3f s of %.3f s; %d malformed", r.FirstToken, first, whole, l.Useless)
	}
}

func TestBenchstat(t *testing.T) {
	s := faultserver.New(t)
	cfg := config()
	cfg.Concurrency, cfg.Rates, cfg.Shares, cfg.Rounds = []int{2}, []float64{200}, []float64{.5}, 2
	var b bytes.Buffer
	if err := throughput.Benchstat(&b, measure(t, cfg, s.URL)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"BenchmarkClosed/cache=cached/concurrency=2 20 ", "BenchmarkOpen/cache=cached/rate=200/arrivals=constant 20 ", "BenchmarkOpen/cache=cached/share=0.5/arrivals=constant 20 "} {
		if n := strings.Count(b.String(), name); n != 2 {
			t.Errorf("%d lines of %s in\n%s", n, name, b.String())
		}
	}
}

// The tiny model on the real engine: it answers, and by both ways to the first
// token that comes before the end. What a cold image costs is for a benchmark
// to say, on a machine that does nothing else.
func TestRealEngine(t *testing.T) {
	s := ollamatest.Start(t)
	cfg := config()
	cfg.Run.Model, cfg.Run.NumThread = s.Install("qwen35"), 1
	cfg.Run.NumPredict = ptr(16)
	cfg.Run.Prompt = "image-first"
	cfg.Caches, cfg.Concurrency = []throughput.Cache{throughput.Cold, throughput.Cached}, []int{1}
	cfg.Base.Requests, cfg.Base.WarmUp = 6, 1
	for _, cfg.Stream = range []bool{false, true} {
		r := measure(t, cfg, s.URL)
		cold, cached := r.Levels[0], r.Levels[1]
		t.Logf("stream %v: cold %.3f s (first %.3f), cached %.3f s (first %.3f)", cfg.Stream, *cold.Latency.P50, *cold.FirstToken.P50, *cached.Latency.P50, *cached.FirstToken.P50)
		if *cold.FirstToken.P50 >= *cold.Latency.P50 || *cached.FirstToken.P50 >= *cached.Latency.P50 || cold.Failed+cached.Failed > 0 || cold.Answered+cached.Answered != 12 {
			t.Errorf("cold %+v\ncached %+v", cold, cached)
		}
	}
}

func ptr[T any](x T) *T { return &x }
