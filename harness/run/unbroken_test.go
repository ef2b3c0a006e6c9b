package run_test

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"candor/harness/run"
	"candor/infer/ollama/faultserver"
	"candor/scoring"
)

// An unbroken run asks and records every task once, image after image.
func TestUnbroken(t *testing.T) {
	b := newBench(t)
	b.cfg.Parallel = "1"
	res := b.run()
	b.complete(res)
	requests := asked(b.server)
	if len(requests) != pictures*perImage {
		t.Fatalf("%d requests for %d tasks", len(requests), pictures*perImage)
	}
	if b.server.MaxInFlight() != 1 {
		t.Errorf("%d requests in flight with --parallel 1", b.server.MaxInFlight())
	}
	var order []string
	for _, r := range requests {
		if len(order) == 0 || order[len(order)-1] != r.ImageSHA256 {
			order = append(order, r.ImageSHA256)
		}
		if r.Truncate == nil || *r.Truncate || r.Think != false || r.Endpoint != "generate" {
			t.Errorf("truncate %v, think %v to %s", r.Truncate, r.Think, r.Endpoint)
		}
		for name, want := range map[string]float64{"temperature": .7, "top_p": .8, "top_k": 20, "min_p": 0, "presence_penalty": 1.5, "repeat_penalty": 1, "num_predict": 512} {
			if got, ok := r.Option(name); !ok || got != want {
				t.Errorf("%s is %v, %v", name, got, ok)
			}
		}
		if a, _ := r.Option("num_ctx"); a != requests[0].Options["num_ctx"] {
			t.Errorf("num_ctx changes to %v", a)
		}
	}
	if len(order) != pictures {
		t.Errorf("%d images are shown in %d stretches", pictures, len(order))
	}
}

// A task's seed is the first four bytes of a sum over seed,
// replicate, draw, split and question_id.
func TestSeeds(t *testing.T) {
	b := newBench(t)
	b.cfg.Seed, b.cfg.Replicate = -3, 2
	b.run()
	want := map[int64]bool{}
	for i := range pictures {
		for k := range perImage {
			sum := sha256.Sum256(fmt.Appendf(nil, "-3\t2\t0\tadversarial\t%d", 10*i+k))
			want[int64(binary.BigEndian.Uint32(sum[:4])&0x7fffffff)] = true
		}
	}
	for _, r := range asked(b.server) {
		if !want[r.Seed()] {
			t.Errorf("seed %d is no task's", r.Seed())
		}
		delete(want, r.Seed())
	}
	if len(want) != 0 {
		t.Errorf("%d seeds were not sent", len(want))
	}
}

// The seven indicators say of each outcome what they said in the published
// environment, and a confidence stands only with an answer.
func TestIndicators(t *testing.T) {
	b := newBench(t, faultserver.AbstainEvery(3), faultserver.MalformedEvery(4))
	res := b.run()
	b.complete(res)
	seen := map[scoring.Outcome]int{}
	correct, confidence, brier, reward := 0, 0., 0., 0.
	for _, tr := range b.traces() {
		seen[tr.Outcome]++
		answered := tr.Outcome == scoring.Answered
		if (tr.Confidence != nil) != answered || (tr.Confidences["verbal"] > 0) != answered {
			t.Errorf("%s: confidence %v, %v", tr.Outcome, tr.Confidence, tr.Confidences)
		}
		if (tr.Verdict == nil) != (tr.Outcome == scoring.Malformed) || (tr.Reason != "") != (tr.Outcome == scoring.Malformed) {
			t.Errorf("%s: verdict %v, reason %q", tr.Outcome, tr.Verdict, tr.Reason)
		}
		if tr.Answered+tr.Abstained+tr.Malformed != 1 || tr.Answered == 1 != answered {
			t.Errorf("%s: %d answered, %d abstained, %d malformed", tr.Outcome, tr.Answered, tr.Abstained, tr.Malformed)
		}
		switch tr.Outcome {
		case scoring.Answered:
			c, y := *tr.Confidence, 0.
			if *tr.Verdict == tr.Label {
				y = 1
			}
			if tr.Correct != int(y) || tr.ConfidenceSum != c || tr.BrierSum != (c-y)*(c-y) || tr.Reward != 1-(c-y)*(c-y) {
				t.Errorf("%+v", tr)
			}
		case scoring.Abstained:
			if *tr.Verdict != "ABSTAIN" || tr.Reward != .8 || tr.Correct != 0 || tr.ConfidenceSum != 0 {
				t.Errorf("%+v", tr)
			}
		default:
			if tr.Reward != 0 || tr.Correct != 0 || tr.ConfidenceSum != 0 || tr.BrierSum != 0 {
				t.Errorf("%+v", tr)
			}
		}
		correct, confidence, brier, reward = correct+tr.Correct, confidence+tr.ConfidenceSum, brier+tr.BrierSum, reward+tr.Reward
	}
	if len(seen) != 3 {
		t.Fatalf("outcomes %v", seen)
	}
	s, m := res.Summary, float64(seen[scoring.Answered])
	for name, pair := range map[string][2]float64{
		"accuracy": {*s.Accuracy, float64(correct) / m}, "mean confidence": {*s.MeanConfidence, confidence / m},
		"brier": {*s.Brier, brier / m}, "reward": {*s.Reward, reward / 24}, "coverage": {*s.Coverage, m / 24},
	} {
		if d := pair[0] - pair[1]; d > 1e-12 || d < -1e-12 {
			t.Errorf("%s is %v, the traces say %v", name, pair[0], pair[1])
		}
	}
}

// Two runs of one seed differ in nothing but their times, whatever the
// parallelism and the order in which answers come back.
func TestDeterminism(t *testing.T) {
	b := newBench(t, faultserver.AbstainEvery(5), faultserver.MalformedEvery(9))
	b.cfg.Parallel = "4"
	first := b.run()
	c := b.again()
	c.cfg.Parallel = "1"
	second := c.run()
	if x, y := answers(t, b.traces()), answers(t, c.traces()); x != y {
		t.Errorf("traces differ:\n%s\n%s", x, y)
	}
	if x, y := figures(t, first.Summary), figures(t, second.Summary); x != y {
		t.Errorf("summaries differ:\n%s\n%s", x, y)
	}
	if first.Manifest.ConfigHash != second.Manifest.ConfigHash {
		t.Error("one configuration has two hashes")
	}
	d := b.again()
	d.cfg.Replicate = 1
	d.run()
	if answers(t, b.traces()) == answers(t, d.traces()) {
		t.Error("another replicate gives the same answers")
	}
	if len(d.traces()) != len(b.traces()) {
		t.Error("another replicate has other tasks")
	}
}

// A directory with a run, or with what is left of one, is not written over.
func TestDirectoryTaken(t *testing.T) {
	b := newBench(t)
	b.run()
	before := read(t, filepath.Join(b.dir, run.TracesFile))
	b.fails(false, "holds a run already", "--resume")
	if err := removeAll(b.dir, run.ManifestFile); err != nil {
		t.Fatal(err)
	}
	b.fails(false, run.TracesFile, "--out")
	b.fails(true, "is no run")
	if string(before) != string(read(t, filepath.Join(b.dir, run.TracesFile))) {
		t.Error("the journal changed")
	}
	if n := len(asked(b.server)); n != pictures*perImage {
		t.Errorf("%d requests", n)
	}
}

// A dry run sends no task and writes nothing.
func TestDryRun(t *testing.T) {
	b := newBench(t)
	p, err := run.DryRun(t.Context(), b.cfg, b.deps)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Tasks) != pictures*perImage || p.Images != pictures || p.ImageTokens != 9*8+2 {
		t.Errorf("%d tasks, %d images of at most %d tokens", len(p.Tasks), p.Images, p.ImageTokens)
	}
	if len(b.server.Requests()) != 0 {
		t.Error("it asked")
	}
	b.cfg.Hosts = []string{"http://127.0.0.1:1"}
	p, err = run.DryRun(t.Context(), b.cfg, b.deps)
	if err != nil || !slices.ContainsFunc(p.Warnings, func(w scoring.Warning) bool { return w.Code == "no_server" }) {
		t.Errorf("without a server: %v, %v", err, p)
	}
	stop := make(chan struct{})
	close(stop)
	b.deps.Stop = stop
	if _, err := run.DryRun(t.Context(), b.cfg, b.deps); !errors.Is(err, run.ErrInterrupted) {
		t.Errorf("stopped: %v", err)
	}
}
