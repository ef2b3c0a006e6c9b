package run_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"candor/harness/run"
	"candor/infer/ollama/faultserver"
	"candor/infer/preflight"
	"candor/scoring"
)

func isUsage(err error) bool { return errors.As(err, new(*run.UsageError)) }

// Several hosts share the images of a run; all claims of one image go to one
// of them, at most --parallel at once to each.
func TestSeveralHosts(t *testing.T) {
	b := newBench(t, faultserver.Latency(10*time.Millisecond))
	second := faultserver.New(t, faultserver.Latency(10*time.Millisecond))
	b.cfg.Hosts = append(b.cfg.Hosts, second.URL)
	b.complete(b.run())
	where := map[string]string{}
	used := map[string]bool{}
	for _, tr := range b.traces() {
		if at, ok := where[tr.ImageSource]; ok && at != tr.Endpoint {
			t.Errorf("%s was asked at %s and at %s", tr.ImageSource, at, tr.Endpoint)
		}
		where[tr.ImageSource], used[tr.Endpoint] = tr.Endpoint, true
	}
	if len(used) != 2 {
		t.Errorf("only %v was used", used)
	}
	for _, s := range []*faultserver.Server{b.server, second} {
		if n := s.MaxInFlight(); n > 2 {
			t.Errorf("%d requests at once at %s", n, s.URL)
		}
	}
	if n := len(asked(b.server)) + len(asked(second)); n != pictures*perImage {
		t.Errorf("%d requests in all", n)
	}
}

// Hosts that do not serve one and the same model are refused, before any
// question.
func TestHostsDiffer(t *testing.T) {
	for name, opt := range map[string]faultserver.Option{
		"digest": faultserver.Digest(strings.Repeat("2", 64)), "version": faultserver.Version("0.17.7"), "model": faultserver.Models("other:1b"),
	} {
		b := newBench(t)
		second := faultserver.New(t, opt)
		b.cfg.Hosts = append(b.cfg.Hosts, second.URL)
		b.fails(false, map[string]string{"digest": "one model and one version", "version": "one model and one version", "model": "ollama pull"}[name])
		if len(b.server.Requests())+len(second.Requests()) != 0 {
			t.Errorf("%s: it asked", name)
		}
	}
}

// A server that serves one request at a time is found out by requests of the
// preflight's own; auto then keeps one served and one waiting, and the report
// says that more does not help.
func TestAutoParallel(t *testing.T) {
	atBest(t, func() string {
		b := newBench(t, faultserver.Serialise(), faultserver.Latency(25*time.Millisecond))
		b.cfg.Preflight, b.cfg.Parallel, b.cfg.NumTasks = true, run.AutoParallel, 5
		res := b.run()
		if n := len(asked(b.server)); n != 5 {
			t.Errorf("%d tasks asked", n)
		}
		f, _ := res.Manifest.Preflight.Find(preflight.CheckParallel)
		if res.Manifest.Parallel != 2 || !strings.Contains(f.Detail, "serialises") || !strings.Contains(f.Advice, "--host") {
			return fmt.Sprintf("%d in flight: %+v", res.Manifest.Parallel, f)
		}
		return ""
	})
	atBest(t, func() string {
		b := newBench(t, faultserver.Latency(25*time.Millisecond))
		b.cfg.Preflight, b.cfg.Parallel, b.cfg.NumTasks = true, run.AutoParallel, 5
		if res := b.run(); res.Manifest.Parallel < 3 {
			return fmt.Sprintf("a server that answers together gets %d", res.Manifest.Parallel)
		}
		return ""
	})
}

// atBest tries what depends on the clock up to four times.
func atBest(t *testing.T, try func() (complaint string)) {
	t.Helper()
	complaint := ""
	for range 4 {
		if complaint = try(); complaint == "" {
			return
		}
	}
	t.Error(complaint)
}

// Parallel requests that change answers are refused unless forced, by a number
// as well as by auto.
func TestParallelThatChanges(t *testing.T) {
	mixes := func() faultserver.Option {
		return faultserver.On(func(r *faultserver.Request) bool { return r.InFlight > 1 && r.Logprobs }, faultserver.Change(func(_ *faultserver.Request, rep *faultserver.Reply) { rep.Text += " mixed" }))
	}
	b := newBench(t, mixes(), faultserver.Latency(20*time.Millisecond))
	b.cfg.Preflight, b.cfg.Parallel = true, "3"
	err := b.fails(false, "--parallel 3", "change", "--force-parallel")
	if !isUsage(err) || len(asked(b.server)) != 0 {
		t.Errorf("%v after %d tasks", err, len(asked(b.server)))
	}
	b.cfg.Parallel = run.AutoParallel
	if res := b.resume(); res.Manifest.Parallel != 1 || !slices.Contains(codes(res.Summary), "preflight_parallel") {
		t.Errorf("%d in flight, %v", res.Manifest.Parallel, codes(res.Summary))
	}
	b = b.onServer(t, mixes(), faultserver.Latency(20*time.Millisecond))
	b.cfg.Parallel, b.cfg.Force = "3", true
	if res := b.run(); res.Manifest.Parallel != 3 || b.server.MaxInFlight() < 3 {
		t.Errorf("%d in flight", res.Manifest.Parallel)
	}
}

// Behaviour that spoils figures is said in the report.
func TestBehaviourReported(t *testing.T) {
	tests := map[string]struct {
		opts    []faultserver.Option
		warning string
	}{
		"constant verdict":     {[]faultserver.Option{faultserver.On(tasks, faultserver.Constant(faultserver.Answer("SUPPORTED", .95)))}, scoring.WarnConstant},
		"constant confidence":  {[]faultserver.Option{faultserver.On(tasks, faultserver.Constant(faultserver.Answer("REFUTED", .95)))}, scoring.WarnOneConfidence},
		"penalties ignored":    {[]faultserver.Option{faultserver.IgnorePenalties()}, "preflight_penalties"},
		"grammar dropped":      {[]faultserver.Option{faultserver.DropFormat()}, "preflight_grammar"},
		"random weights":       {[]faultserver.Option{faultserver.Name("candor-tiny random qwen35")}, "random_weights"},
		"unknown architecture": {[]faultserver.Option{faultserver.Architecture("llava")}, "unknown_family"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, tt.opts...)
			b.cfg.Preflight = true
			if res := b.run(); !slices.Contains(codes(res.Summary), tt.warning) {
				t.Errorf("warnings %v", codes(res.Summary))
			}
		})
	}
	b := newBench(t)
	b.cfg.Preflight = true
	if res := b.run(); slices.ContainsFunc(codes(res.Summary), func(c string) bool { return strings.HasPrefix(c, "preflight_") }) {
		t.Errorf("a healthy server has the warnings %v", codes(res.Summary))
	}
	b = newBench(t, faultserver.Residency(100, 40), faultserver.Unrepeatable())
	b.cfg.Preflight = true
	res := b.run()
	if f, _ := res.Manifest.Preflight.Find(preflight.CheckResidency); f.Status != "partly" {
		t.Errorf("%+v", f)
	}
	if f, _ := res.Manifest.Preflight.Find(preflight.CheckSeed); f.Status != "no" || f.Measures["flip_rate"] == 0 {
		t.Errorf("%+v", f)
	}
}

// A server whose answers do not depend on the image makes no clean report:
// the summary says so, in a resumed run too.
func TestBlindServer(t *testing.T) {
	b := newBench(t, faultserver.IgnoreImage())
	b.cfg.Preflight = true
	for _, res := range []run.Result{b.run(), b.resume()} {
		f, _ := res.Manifest.Preflight.Find(preflight.CheckImage)
		if f.Status != "no" || f.Severity != "serious" {
			t.Errorf("finding %+v", f)
		}
		if !slices.Contains(codes(res.Summary), "preflight_image") {
			t.Errorf("warnings %v; want one that the images are not seen", codes(res.Summary))
		}
	}
}

// Every host is questioned: what one of several does worse is in the report. A
// host that joins later is questioned then.
func TestEveryHostQuestioned(t *testing.T) {
	b := newBench(t)
	deaf := faultserver.New(t, faultserver.IgnorePenalties())
	b.cfg.Hosts, b.cfg.Preflight = append(b.cfg.Hosts, deaf.URL), true
	res := b.run()
	f, _ := res.Manifest.Preflight.Find(preflight.CheckPenalties)
	if f.Status != "no" || !strings.Contains(f.Detail, deaf.URL) || !slices.Contains(codes(res.Summary), "preflight_penalties") {
		t.Errorf("%+v", f)
	}
	want := deaf.URL + ": presence_penalty 1.5 was asked for, and this server ignores it: the figures are those of neutral penalties"
	if i := slices.Index(codes(res.Summary), "preflight_penalties"); i < 0 || res.Summary.Warnings[i].Message != want {
		t.Errorf("warnings %v; want %q", res.Summary.Warnings, want)
	}
	if !slices.Equal(res.Manifest.Questioned, b.cfg.Hosts) {
		t.Errorf("questioned %v", res.Manifest.Questioned)
	}
	c := half(t)
	c.cfg.Preflight = true
	late := faultserver.New(t, faultserver.IgnoreImage())
	c.cfg.Hosts = append(c.cfg.Hosts, late.URL)
	res = c.resume()
	c.complete(res)
	f, _ = res.Manifest.Preflight.Find(preflight.CheckImage)
	if f.Status != "no" || !strings.Contains(f.Detail, late.URL) || !slices.Contains(res.Manifest.Questioned, late.URL) {
		t.Errorf("the host that joined: %+v, questioned %v", f, res.Manifest.Questioned)
	}
}
