package preflight_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"candor/infer"
	"candor/infer/ollama"
	"candor/infer/ollama/faultserver"
	"candor/infer/preflight"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var quick = infer.RetryPolicy{Attempts: 3, First: 20 * time.Microsecond, Max: 100 * time.Microsecond}

// opened is a client of a server, closed with the test.
func opened(t *testing.T, url string) *ollama.Client {
	t.Helper()
	c, err := ollama.New(url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func options(t *testing.T) infer.Options {
	t.Helper()
	o, err := infer.Profile(infer.DefaultProfile)
	if err != nil {
		t.Fatal(err)
	}
	o.NumCtx = 4096
	return o
}

// onFake questions a stand-in.
func onFake(t *testing.T, change func(*preflight.Config), opts ...faultserver.Option) (preflight.Report, *faultserver.Server) {
	t.Helper()
	s := faultserver.New(t, opts...)
	c := opened(t, s.URL)
	id, err := c.Identify(t.Context(), faultserver.Model)
	if err != nil {
		t.Fatal(err)
	}
	cfg := preflight.Config{
		Model: faultserver.Model, Options: options(t), System: "You judge claims.", Schema: []byte(`{}`), Retry: quick,
		Prompt: "There is a dog in the image.", Width: 128, Height: 128,
		ImageTokens: func(w, h int) int { return (w/32)*(h/32) + 2 },
	}
	if change != nil {
		change(&cfg)
	}
	r, err := preflight.Run(t.Context(), c, id, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return r, s
}

// expect is one finding's status and severity.
func expect(t *testing.T, r preflight.Report, check string, status preflight.Status, severity preflight.Severity) preflight.Finding {
	t.Helper()
	f, ok := r.Find(check)
	if !ok {
		t.Fatalf("no finding %s", check)
	}
	if f.Status != status || f.Severity != severity {
		t.Errorf("%s is %s, %s, want %s, %s: %s", check, f.Status, f.Severity, status, severity, f.Detail)
	}
	if f.Question == "" || f.Detail == "" {
		t.Errorf("%s says too little: %+v", check, f)
	}
	if f.Severity == preflight.Serious && (f.Meaning == "" || f.Advice == "") {
		t.Errorf("%s is serious without meaning or advice: %+v", check, f)
	}
	return f
}

// Each check says yes of a server that behaves and no of one that does not.
func TestChecks(t *testing.T) {
	neutral := func(c *preflight.Config) { c.Options.PresencePenalty = 0 }
	free := func(c *preflight.Config) { c.Schema = nil }
	wide := func(c *preflight.Config) { c.Options.NumCtx = 9000 }
	tests := []struct {
		name     string
		change   func(*preflight.Config)
		opts     []faultserver.Option
		check    string
		status   preflight.Status
		severity preflight.Severity
	}{
		{"healthy", nil, nil, preflight.CheckGrammar, preflight.Yes, preflight.Fine},
		{"format dropped", nil, []faultserver.Option{faultserver.DropFormat()}, preflight.CheckGrammar, preflight.No, preflight.Serious},
		{"format dropped, but not wanted", free, []faultserver.Option{faultserver.DropFormat()}, preflight.CheckGrammar, preflight.No, preflight.Note},

		{"healthy", nil, nil, preflight.CheckImage, preflight.Yes, preflight.Fine},
		{"image ignored", nil, []faultserver.Option{faultserver.IgnoreImage()}, preflight.CheckImage, preflight.No, preflight.Serious},
		{"image dropped", nil, []faultserver.Option{faultserver.On(faultserver.Always, faultserver.DropImage())}, preflight.CheckImage, preflight.No, preflight.Serious},
		// No log-probabilities and one text: nobody can tell.
		{"constant and silent", nil, []faultserver.Option{faultserver.On(faultserver.Always, faultserver.Change(func(_ *faultserver.Request, rep *faultserver.Reply) { rep.Text, rep.Logprobs = "no", nil }))}, preflight.CheckImage, preflight.Unknown, preflight.Note},
		{"other image size", func(c *preflight.Config) { c.ImageTokens = func(int, int) int { return 500 } }, nil, preflight.CheckImage, preflight.Yes, preflight.Note},

		{"healthy", nil, nil, preflight.CheckSeed, preflight.Yes, preflight.Fine},
		{"seed ignored", nil, []faultserver.Option{faultserver.Unrepeatable()}, preflight.CheckSeed, preflight.No, preflight.Note},

		{"healthy", nil, nil, preflight.CheckPenalties, preflight.Yes, preflight.Fine},
		{"penalties ignored", nil, []faultserver.Option{faultserver.IgnorePenalties()}, preflight.CheckPenalties, preflight.No, preflight.Serious},
		{"penalties ignored, but neutral", neutral, []faultserver.Option{faultserver.IgnorePenalties()}, preflight.CheckPenalties, preflight.No, preflight.Note},
		{"nothing to penalise", nil, []faultserver.Option{faultserver.On(faultserver.Always, faultserver.Change(func(_ *faultserver.Request, rep *faultserver.Reply) { rep.Text, rep.OutputTokens = "", 1 }))}, preflight.CheckPenalties, preflight.Unknown, preflight.Note},

		{"on the GPU", nil, nil, preflight.CheckResidency, preflight.Yes, preflight.Fine},
		{"on the CPU", nil, []faultserver.Option{faultserver.Residency(100, 0)}, preflight.CheckResidency, preflight.No, preflight.Note},
		{"partly", nil, []faultserver.Option{faultserver.Residency(100, 40)}, preflight.CheckResidency, preflight.Partly, preflight.Note},

		{"healthy", wide, nil, preflight.CheckContext, preflight.Yes, preflight.Fine},
		{"not asked for", func(c *preflight.Config) { c.Options.NumCtx = 0 }, nil, preflight.CheckContext, preflight.Unknown, preflight.Note},
	}
	for _, tt := range tests {
		t.Run(tt.check+" "+tt.name, func(t *testing.T) {
			r, _ := onFake(t, tt.change, tt.opts...)
			expect(t, r, tt.check, tt.status, tt.severity)
			if len(r.Findings) != 8 {
				t.Errorf("%d findings", len(r.Findings))
			}
		})
	}
}

// A context shorter than asked for is serious.
func TestContextShort(t *testing.T) {
	s := faultserver.New(t)
	short := shortContext{opened(t, s.URL)}
	o := options(t)
	r, err := preflight.Run(t.Context(), short, infer.Identity{}, preflight.Config{Model: faultserver.Model, Options: o, Retry: quick, Width: 128, Height: 128})
	if err != nil {
		t.Fatal(err)
	}
	if f := expect(t, r, preflight.CheckContext, preflight.No, preflight.Serious); !strings.Contains(f.Detail, "2048") {
		t.Errorf("%+v", f)
	}
}

// One penalty of three that is ignored is named, and serious when the run asks
// for it.
func TestPenaltiesPartly(t *testing.T) {
	s := faultserver.New(t)
	deaf := deafTo{opened(t, s.URL)}
	o := options(t)
	r, err := preflight.Run(t.Context(), deaf, infer.Identity{}, preflight.Config{Model: faultserver.Model, Options: o, Retry: quick, Width: 128, Height: 128})
	if err != nil {
		t.Fatal(err)
	}
	const meaning = "presence_penalty 1.5 was asked for, and this server ignores it: the figures are those of neutral penalties"
	if f := expect(t, r, preflight.CheckPenalties, preflight.Partly, preflight.Serious); !strings.Contains(f.Detail, "presence_penalty") || strings.Contains(f.Detail, "repeat") || f.Meaning != meaning {
		t.Errorf("%+v", f)
	}
}

// Of several penalties that are ignored those that the run asks for are named.
func TestPenaltiesMeaning(t *testing.T) {
	r, _ := onFake(t, func(c *preflight.Config) { c.Options.RepeatPenalty = 1.1 }, faultserver.IgnorePenalties())
	const want = "presence_penalty 1.5, repeat_penalty 1.1 were asked for, and this server ignores them: the figures are those of neutral penalties"
	if f := expect(t, r, preflight.CheckPenalties, preflight.No, preflight.Serious); f.Meaning != want {
		t.Errorf("%q", f.Meaning)
	}
}

// Timings, on a server whose times are known: does the prefix stay, do
// parallel requests help, do they change answers.
func TestTimedChecks(t *testing.T) {
	const image = 40 * time.Millisecond
	best(t, func() []string {
		r, _ := onFake(t, nil, faultserver.ImageCost(image))
		return differs(r, preflight.CheckPrefix, preflight.Yes)
	})
	best(t, func() []string {
		r, _ := onFake(t, nil, faultserver.Latency(image))
		return append(differs(r, preflight.CheckPrefix, preflight.No), differs(r, preflight.CheckParallel, preflight.Yes)...)
	})
	best(t, func() []string {
		r, _ := onFake(t, nil, faultserver.Serialise(), faultserver.Latency(image))
		bad := differs(r, preflight.CheckParallel, preflight.No)
		if f, _ := r.Find(preflight.CheckParallel); r.Parallel != 2 || f.Severity != preflight.Note {
			bad = append(bad, "serialised, but not two in flight: "+f.Detail)
		}
		return bad
	})
}

// auto finds the number of slots of a server, a power of two or not, and stops
// where the server gives up; it says what it found.
func TestParallelLimit(t *testing.T) {
	// Long beside what the client needs for a request on a busy machine; only
	// for the requests of this check, to be done sooner.
	served := faultserver.On(func(r *faultserver.Request) bool { n, _ := r.Option("num_predict"); return n == 12 }, faultserver.Delay(200*time.Millisecond))
	tests := []struct {
		name        string
		opts        []faultserver.Option
		least, most int // requests in flight, the waiting one included
		says        string
	}{
		{"4 slots", []faultserver.Option{faultserver.Slots(4)}, 5, 5, "4 at a time are"},
		{"6 slots", []faultserver.Option{faultserver.Slots(6)}, 7, 7, "6 at a time are"},
		{"16 slots", []faultserver.Option{faultserver.Slots(16)}, 13, 17, ", 32 no more"},
		{"busy beyond 8", []faultserver.Option{faultserver.On(func(r *faultserver.Request) bool { return r.InFlight > 8 }, faultserver.Busy())}, 7, 9, ", 16 no more"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			best(t, func() (bad []string) {
				r, _ := onFake(t, nil, append(tt.opts, served)...)
				f, _ := r.Find(preflight.CheckParallel)
				if r.Parallel < tt.least || r.Parallel > tt.most || !strings.Contains(f.Detail, tt.says) {
					bad = append(bad, fmt.Sprintf("%d in flight: %s, %v", r.Parallel, f.Detail, f.Measures))
				}
				return bad
			})
		})
	}
}

// Parallel requests that change answers are serious, and answers that change
// anyway are not blamed on them.
func TestParallelChanges(t *testing.T) {
	r, s := onFake(t, nil, faultserver.Latency(20*time.Millisecond), faultserver.On(
		func(r *faultserver.Request) bool { return r.InFlight > 1 },
		faultserver.Change(func(_ *faultserver.Request, rep *faultserver.Reply) { rep.Text += "!" })))
	f := expect(t, r, preflight.CheckParallel, preflight.No, preflight.Serious)
	if r.Parallel != 1 || f.Measures["changed"] == 0 || s.MaxInFlight() < 2 {
		t.Errorf("%d in flight after %d at once: %v", r.Parallel, s.MaxInFlight(), f.Measures)
	}
	r, _ = onFake(t, nil, faultserver.Unrepeatable())
	f = expect(t, r, preflight.CheckParallel, preflight.Unknown, preflight.Note)
	if r.Parallel != 1 || f.Measures["changed"] != 0 {
		t.Errorf("%d in flight: %v", r.Parallel, f.Measures)
	}
}

// A server that fails ends the preflight with its error; one that is only busy
// does not.
func TestPreflightFails(t *testing.T) {
	s := faultserver.New(t, faultserver.On(faultserver.After(3, nil), faultserver.RunnerStopped()))
	_, err := preflight.Run(t.Context(), opened(t, s.URL), infer.Identity{}, preflight.Config{Model: faultserver.Model, Options: options(t), Retry: quick, Width: 64, Height: 64})
	if err == nil || infer.ClassOf(err) != infer.ClassRetry || !strings.Contains(err.Error(), "preflight") {
		t.Errorf("error %v", err)
	}
	// Seldom enough that no request meets it three times, however those in flight mix.
	r, _ := onFake(t, nil, faultserver.On(faultserver.Every(29, nil), faultserver.Busy()))
	expect(t, r, preflight.CheckGrammar, preflight.Yes, preflight.Fine)
}

// The run's own load-time options go with every question, so that the model is
// loaded once.
func TestOneLoad(t *testing.T) {
	_, s := onFake(t, func(c *preflight.Config) { c.Options.NumBatch, c.Options.NumThread, c.Options.Think = 64, 3, true })
	if n := len(s.Requests()); n > 60 {
		t.Errorf("%d requests", n)
	}
	for _, r := range s.Requests() {
		for name, want := range map[string]float64{"num_ctx": 4096, "num_batch": 64, "num_thread": 3} {
			if got, _ := r.Option(name); got != want {
				t.Errorf("%s is %v", name, got)
			}
		}
		if r.Think != false || r.Truncate == nil || *r.Truncate {
			t.Errorf("think %v, truncate %v", r.Think, r.Truncate)
		}
	}
}

// differs is a complaint when the finding is not as it should be.
func differs(r preflight.Report, check string, want preflight.Status) []string {
	if f, _ := r.Find(check); f.Status != want {
		return []string{check + " is " + string(f.Status) + ": " + f.Detail}
	}
	return nil
}

// best tries what depends on the clock up to three times, and fails with the
// last complaints.
func best(t *testing.T, try func() []string) {
	t.Helper()
	var bad []string
	for range 3 {
		if bad = try(); len(bad) == 0 {
			return
		}
	}
	t.Errorf("three times in a row: %s", strings.Join(bad, "; "))
}
