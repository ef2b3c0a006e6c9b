package run_test

import (
	"strings"
	"testing"

	"candor/infer/ollama/faultserver"
	"candor/scoring"
)

// What the infrastructure spoils and a retry mends leaves no mark on the
// answers: the summary is that of a run without faults.
func TestRetriesMend(t *testing.T) {
	healthy := newBench(t)
	want := figures(t, healthy.run().Summary)
	faults := map[string]faultserver.Fault{
		"busy":             faultserver.Busy(),
		"runner stopped":   faultserver.RunnerStopped(),
		"bad gateway":      faultserver.Status(502, "bad gateway"),
		"gateway timeout":  faultserver.Status(504, ""),
		"too many":         faultserver.Status(429, "slow down"),
		"internal":         faultserver.Status(500, "an error was encountered while running the model: unexpected EOF"),
		"cut before":       faultserver.CutBefore(),
		"cut middle":       faultserver.CutMiddle(), // a cut connection
		"cut after":        faultserver.CutAfter(),
		"cut unannounced":  faultserver.CutUnannounced(),
		"error line":       faultserver.ErrorLine("unexpected EOF"),
		"error after text": faultserver.ErrorAfterChunks("unexpected EOF"),
		"empty":            faultserver.Empty(),
		"web page":         faultserver.HTML(),
		"not done once":    faultserver.NotDone(), // a whole body with done:false
		"no end once":      faultserver.NoEnd(),
		"repeat once":      faultserver.RepeatLimit(),
	}
	for name, fault := range faults {
		t.Run(name, func(t *testing.T) {
			times := 2 // succeeds at the third try
			if strings.HasSuffix(name, "once") {
				times = 1
			}
			b := healthy.onServer(t, faultserver.On(faultserver.FirstOfEach(times, tasks), fault))
			res := b.run()
			b.complete(res)
			if got := figures(t, res.Summary); got != want {
				t.Errorf("the summary is\n%s\nwithout faults\n%s", got, want)
			}
			if res.Summary.Throughput.Retried != pictures*perImage {
				t.Errorf("%d tasks count as retried", res.Summary.Throughput.Retried)
			}
			for _, tr := range b.traces() {
				if tr.Attempts != times+1 {
					t.Errorf("%s took %d attempts", tr.TaskID, tr.Attempts)
				}
			}
			seeds := map[string]map[int64]int{}
			for _, r := range asked(b.server) {
				k := r.Prompt + r.ImageSHA256
				if seeds[k] == nil {
					seeds[k] = map[int64]int{}
				}
				seeds[k][r.Seed()]++
			}
			for k, of := range seeds {
				if len(of) != 1 {
					t.Errorf("a retry changed the seed of %q: %v", k, of)
				}
			}
			if lines := b.errorLines(); len(lines) != 0 {
				t.Errorf("%d errors are recorded", len(lines))
			}
		})
	}
}

// A model that repeats one token until the engine stops it is asked once more
// with the same seed; then the task is malformed, repeated: the model's own
// fault, and final.
func TestRepeated(t *testing.T) {
	for name, fault := range map[string]faultserver.Fault{
		"done false": faultserver.NotDone(), "no end": faultserver.NoEnd(), "error": faultserver.RepeatLimit(),
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, faultserver.On(about("dog"), fault))
			res := b.run()
			b.complete(res)
			repeated := 0
			for _, tr := range b.traces() {
				if !strings.Contains(tr.Claim, "dog") {
					continue
				}
				if repeated++; tr.Outcome != scoring.Malformed || tr.Reason != "repeated" || tr.Attempts != 2 || tr.Reward != 0 {
					t.Errorf("%s %q after %d attempts", tr.Outcome, tr.Reason, tr.Attempts)
				}
			}
			if repeated != pictures || res.Summary.Malformed != pictures {
				t.Errorf("%d tasks, %d malformed", repeated, res.Summary.Malformed)
			}
			if n := len(asked(b.server)); n != pictures*perImage+pictures {
				t.Errorf("%d requests", n)
			}
		})
	}
}

// An answer cut for its length is the model's own, and not asked again.
func TestTruncated(t *testing.T) {
	for name, fault := range map[string]faultserver.Fault{"num_predict": faultserver.CutLength(), "context": faultserver.FullContext()} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, faultserver.On(about("car"), fault))
			res := b.run()
			b.complete(res)
			for _, tr := range b.traces() {
				if strings.Contains(tr.Claim, "car") && (tr.Reason != "truncated" || tr.Attempts != 1 || tr.Durations.Generate < 0) {
					t.Errorf("%s %q, %d attempts, %v", tr.Outcome, tr.Reason, tr.Attempts, tr.Durations)
				}
			}
			if res.Summary.Malformed != pictures || len(asked(b.server)) != pictures*perImage {
				t.Errorf("%d malformed, %d requests", res.Summary.Malformed, len(asked(b.server)))
			}
		})
	}
}

// The model's other ways to fail are malformed with their reason, never errors.
func TestMalformed(t *testing.T) {
	for text, reason := range map[string]string{
		"Failed to obtain answer via API.":            "no_object",
		`{"verdict":"SUPPORTED"}`:                     "missing_confidence",
		`{"verdict":"SUPPORTED","confidence":95}`:     "out_of_range",
		`{"verdict":"MAYBE","confidence":0.5}`:        "illegal_verdict",
		`{"verdict":"SUPPORTED","confidence":NaN}`:    "not_finite",
		`{"verdict":"SUPPORTED","confidence":"high"}`: "non_numeric",
		"": "no_object",
		`{"verdict":"SUPPORTED","confidence":0.9} {"verdict":"REFUTED","confidence":0.9}`: "conflicting_objects",
	} {
		b := newBench(t, faultserver.On(tasks, faultserver.Constant(text)))
		res := b.run()
		b.complete(res)
		for _, tr := range b.traces() {
			if tr.Outcome != scoring.Malformed || tr.Reason != reason || tr.Text != text {
				t.Fatalf("%q is %s, %q", text, tr.Outcome, tr.Reason)
			}
		}
		if s := res.Summary; s.Accuracy != nil || *s.Coverage != 0 || *s.MalformedRate != 1 || *s.Reward != 0 {
			t.Errorf("%q: %+v", text, s)
		}
	}
	b := newBench(t, faultserver.On(tasks, faultserver.OnlyThinking()))
	if res := b.run(); res.Summary.Malformed != pictures*perImage || b.traces()[0].Reason != "only_in_thinking" {
		t.Errorf("%+v", b.traces()[0])
	}
}

// onServer is the same data and configuration on another server.
func (b *bench) onServer(t *testing.T, opts ...faultserver.Option) *bench {
	t.Helper()
	c := b.again()
	c.t, c.server, c.opened = t, faultserver.New(t, opts...), &clients{}
	c.cfg.Hosts, c.deps.Connect = []string{c.server.URL}, c.opened.connect
	t.Cleanup(c.opened.close)
	return c
}
