package run_test

import (
	"context"
	"encoding/json"
	"flag"
	"image"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"candor/harness/run"
	"candor/infer"
	"candor/infer/ollama/micro"
	"candor/infer/ollama/ollamatest"
)

var update = flag.Bool("update", false, "record anew what candor-micro answers, after you have looked at it")

const (
	microTasks = 200 // of the eval partition, over all splits
	fewTasks   = 40  // where answers must be equal, not figures
	microFile  = "testdata/micro.json"
)

// slow skips what takes minutes.
func slow(t *testing.T) {
	if os.Getenv("CANDOR_SLOW") != "1" {
		t.Skip("takes minutes: CANDOR_SLOW=1 runs it")
	}
}

// microRuns are runs of candor-micro at temperature 0 on one real server.
type microRuns struct {
	server  *ollamatest.Server
	bundled *run.Bundled
	full    *microRun // on the images as they are
	fresh   *recording
}

// microRun is one of them, ended.
type microRun struct {
	run.Result
	traces []run.Trace
}

// setup is what a run has of its own.
type setup struct {
	t               *testing.T
	dataset, images string
	damage          func(*image.NRGBA) // of the images as they are sent
}

func newMicro(t *testing.T) *microRuns {
	m := &microRuns{server: ollamatest.Start(t), bundled: bundled(t), fresh: &recording{Weights: micro.Digest(), Flips: map[string]int{}}}
	if m.bundled.Identity.RandomWeights {
		t.Skip("the embedded weights are random: there is nothing to hold them to")
	}
	if *update {
		if os.Getenv("CANDOR_SLOW") != "1" {
			t.Fatal("a recording takes all of it: set CANDOR_SLOW=1")
		}
		t.Cleanup(func() {
			if !t.Failed() {
				m.fresh.save(t)
			}
		})
	}
	return m
}

// whole is the run of all tasks on the images as they are.
func (m *microRuns) whole(t *testing.T) *microRun {
	t.Helper()
	if m.full == nil {
		m.full = m.run(t, microTasks, nil)
	}
	return m.full
}

// run asks n tasks. One that is changed asks the very same ones.
func (m *microRuns) run(t *testing.T, n int, change func(*setup)) *microRun {
	t.Helper()
	s := &setup{t: t, dataset: "demo"}
	if change != nil {
		change(s)
	}
	b := &bench{t: t, cfg: run.DefaultConfig(), opened: &clients{}, dir: filepath.Join(t.TempDir(), "run")}
	t.Cleanup(b.opened.close)
	b.cfg.Model, b.cfg.Hosts, b.cfg.Dataset, b.cfg.Images = micro.Name, []string{m.server.URL}, s.dataset, s.images
	b.cfg.Split, b.cfg.NumTasks, b.cfg.Bootstrap, b.cfg.NumThread = "all", n, 0, 1
	b.cfg.Temperature, b.cfg.Preflight, b.cfg.Parallel = new(0.0), false, "2"
	b.deps = run.Dependencies{Connect: b.opened.connect, Bundled: m.bundled, Retry: infer.DefaultRetry(), Version: "test"}
	if s.damage != nil {
		b.deps.Bundled = nil // it is there, and the server is no plain client
		b.deps.Connect = func(host string) (infer.Backend, error) {
			c, err := b.opened.connect(host)
			return damaged{c, s.damage}, err
		}
	}
	out := &microRun{Result: b.run()}
	b.counted(out.Result, n)
	out.traces = b.traces()
	return out
}

// damaged is a server that is sent another image than the one prepared.
type damaged struct {
	infer.Backend
	damage func(*image.NRGBA)
}

func (d damaged) Ask(ctx context.Context, req infer.Request) (infer.Response, error) {
	img, err := pixels(req.Image)
	if err != nil {
		return infer.Response{}, err
	}
	d.damage(img)
	if req.Image, err = encodePNG(img); err != nil {
		return infer.Response{}, err
	}
	return d.Backend.Ask(ctx, req)
}

// recording is what candor-micro answered when its weights were made.
type recording struct {
	Weights        string            `json:"weights"` // sha256
	Dataset        string            `json:"dataset"` // revision
	Prompt         string            `json:"prompt"`  // sha256
	Accuracy       *float64          `json:"accuracy"`
	Coverage       *float64          `json:"coverage"`
	MeanConfidence *float64          `json:"mean_confidence"`
	ECE            *float64          `json:"ece"`
	Flips          map[string]int    `json:"flips"` // on images that are a little otherwise
	Verdicts       map[string]string `json:"verdicts"`
}

func (r *recording) keep(of *microRun) {
	s := of.Summary
	r.Dataset, r.Prompt, r.Verdicts = of.Manifest.Dataset.Revision, of.Manifest.Prompt.Hash, verdicts(of.traces)
	r.Accuracy, r.Coverage, r.MeanConfidence, r.ECE = s.Accuracy, s.Coverage, s.MeanConfidence, s.ECE
}

func (r *recording) save(t *testing.T) {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(microFile), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, microFile, append(text, '\n'))
}

// record notes a part of a new recording.
func (m *microRuns) record(part func(*recording)) { part(m.fresh) }

// recorded is the recording of these weights; the new one when it is made anew.
func (m *microRuns) recorded(t *testing.T) *recording {
	t.Helper()
	if *update {
		return m.fresh
	}
	r := &recording{}
	if err := json.Unmarshal(read(t, microFile), r); err != nil {
		t.Fatalf("%s: %v", microFile, err)
	}
	if r.Weights != micro.Digest() {
		t.Fatalf("%s is of the weights %.19s…, embedded are %.19s…: record anew with CANDOR_SLOW=1 and -update", microFile, r.Weights, micro.Digest())
	}
	return r
}

// verdicts are the tasks' verdicts, malformed where there is none.
func verdicts(traces []run.Trace) map[string]string {
	out := map[string]string{}
	for _, tr := range traces {
		out[tr.TaskID] = "malformed"
		if tr.Verdict != nil {
			out[tr.TaskID] = *tr.Verdict
		}
	}
	return out
}

// part is those of a run's tasks that another one asked too.
func (r *microRun) part(of *microRun) []run.Trace {
	asked := verdicts(of.traces)
	return slices.DeleteFunc(slices.Clone(r.traces), func(tr run.Trace) bool { return asked[tr.TaskID] == "" })
}

// flips lists the tasks that have another verdict in b than in a.
func flips(a, b map[string]string) []string {
	var out []string
	for _, id := range slices.Sorted(maps.Keys(a)) {
		if a[id] != b[id] {
			out = append(out, id)
		}
	}
	return out
}

// texts are the answers as the model gave them, in the order of tasks.
func texts(traces []run.Trace) []string {
	traces = slices.Clone(traces)
	slices.SortFunc(traces, func(a, b run.Trace) int { return strings.Compare(a.TaskID, b.TaskID) })
	var out []string
	for _, tr := range traces {
		out = append(out, tr.Text)
	}
	return out
}
