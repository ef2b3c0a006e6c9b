package run_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"candor/harness/run"
	"candor/infer"
	"candor/infer/ollama"
	"candor/infer/ollama/faultserver"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// quick retries without making a test wait.
var quick = infer.RetryPolicy{Attempts: 4, First: 20 * time.Microsecond, Max: 100 * time.Microsecond}

// bench is a run on a stand-in server: data, configuration and directory.
type bench struct {
	t      *testing.T
	server *faultserver.Server
	cfg    run.Config
	dir    string
	deps   run.Dependencies
	opened *clients
}

const (
	pictures = 6 // images of a bench
	perImage = 4 // claims of each
)

// newBench has 24 tasks on 6 images and asks no preflight.
func newBench(t *testing.T, opts ...faultserver.Option) *bench {
	t.Helper()
	b := &bench{t: t, server: faultserver.New(t, opts...), cfg: run.DefaultConfig(), opened: &clients{}}
	b.dir = filepath.Join(t.TempDir(), "run")
	b.cfg.Model, b.cfg.Hosts = faultserver.Model, []string{b.server.URL}
	b.cfg.Dataset, b.cfg.Images = writeData(t)
	b.cfg.Partition, b.cfg.NumTasks, b.cfg.Bootstrap = "all", 0, 100
	b.cfg.Preflight, b.cfg.Parallel = false, "2"
	b.deps = run.Dependencies{Connect: b.opened.connect, Retry: quick, Version: "test"}
	t.Cleanup(b.opened.close)
	return b
}

// clients closes what it opened, so that no connection outlives a test.
type clients struct {
	mu   sync.Mutex
	list []*ollama.Client
}

func (c *clients) connect(host string) (infer.Backend, error) {
	client, err := ollama.New(host)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.list = append(c.list, client)
	return client, nil
}

func (c *clients) close() {
	for _, client := range c.list {
		client.Close()
	}
}

// writeData makes a file in POPE's form and its images.
func writeData(t *testing.T) (file, images string) {
	t.Helper()
	root := t.TempDir()
	images = filepath.Join(root, "images")
	if err := os.Mkdir(images, 0o755); err != nil {
		t.Fatal(err)
	}
	objects := []string{"dog", "car", "chair", "boat"}
	var rows strings.Builder
	for i := range pictures {
		name := fmt.Sprintf("picture%02d.png", i)
		write(t, filepath.Join(images, name), picture(t, 256+32*(i%2), 256, i))
		for k := range perImage {
			label := []string{"yes", "no"}[(i+k)%2]
			fmt.Fprintf(&rows, `{"question_id": %d, "image": %q, "text": "Is there a %s in the image?", "label": %q}`+"\n", 10*i+k, name, objects[k], label)
		}
	}
	file = filepath.Join(root, "coco_pope_adversarial.json")
	write(t, file, []byte(rows.String()))
	return file, images
}

func write(t *testing.T, name string, data []byte) {
	t.Helper()
	if err := os.WriteFile(name, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// picture is a PNG of one colour.
func picture(t testing.TB, w, h, n int) []byte {
	t.Helper()
	img := image.NewPaletted(image.Rect(0, 0, w, h), color.Palette{color.RGBA{uint8(30 * n), uint8(255 - 20*n), 99, 255}})
	var buf bytes.Buffer
	if err := png.Encode(&buf, img); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func (b *bench) try(ctx context.Context, resume bool) (run.Result, error) {
	return run.Execute(ctx, b.cfg, b.dir, resume, b.deps)
}

// run starts the run and expects it to reach its end.
func (b *bench) run() run.Result { return b.must(false) }

// resume takes it up again and expects it to reach its end.
func (b *bench) resume() run.Result { return b.must(true) }

func (b *bench) must(resume bool) run.Result {
	b.t.Helper()
	res, err := b.try(b.t.Context(), resume)
	if err != nil {
		b.t.Fatal(err)
	}
	if res.Manifest.State != run.Finished {
		b.t.Fatalf("state %s", res.Manifest.State)
	}
	return res
}

// fails expects an error that says all of want.
func (b *bench) fails(resume bool, want ...string) error {
	b.t.Helper()
	_, err := b.try(b.t.Context(), resume)
	if err == nil {
		b.t.Fatal("no error")
	}
	for _, w := range want {
		if !strings.Contains(err.Error(), w) {
			b.t.Errorf("error %q does not say %q", err, w)
		}
	}
	return err
}

// again is the same run in another directory.
func (b *bench) again() *bench {
	c := *b
	c.dir = filepath.Join(b.t.TempDir(), "run")
	return &c
}

func (b *bench) traces() []run.Trace {
	b.t.Helper()
	traces, err := run.ReadTraces(b.dir)
	if err != nil {
		b.t.Fatal(err)
	}
	return traces
}

// errorLines are the lines of errors.jsonl.
func (b *bench) errorLines() []run.TaskError {
	b.t.Helper()
	var out []run.TaskError
	data, err := os.ReadFile(filepath.Join(b.dir, run.ErrorsFile))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	for line := range bytes.Lines(data) {
		var e run.TaskError
		if err := json.Unmarshal(line, &e); err != nil {
			b.t.Fatalf("%s: %v", line, err)
		}
		out = append(out, e)
	}
	return out
}

// complete expects every task recorded exactly once, with a whole journal.
func (b *bench) complete(res run.Result) {
	b.t.Helper()
	seen := map[string]int{}
	for _, t := range b.traces() {
		seen[t.TaskID]++
	}
	for i := range pictures {
		for k := range perImage {
			if id := fmt.Sprintf("adversarial/%d", 10*i+k); seen[id] != 1 {
				b.t.Errorf("task %s is recorded %d times", id, seen[id])
			}
		}
	}
	if len(seen) != pictures*perImage {
		b.t.Errorf("%d tasks are recorded", len(seen))
	}
	if !res.Summary.Complete || res.Summary.N != pictures*perImage || res.Summary.Errors != 0 {
		b.t.Errorf("complete %v, n %d, errors %d", res.Summary.Complete, res.Summary.N, res.Summary.Errors)
	}
	for line := range bytes.Lines(read(b.t, filepath.Join(b.dir, run.TracesFile))) {
		if !json.Valid(line) || !bytes.HasSuffix(line, []byte("}\n")) {
			b.t.Errorf("line %q", line)
		}
	}
}

// figures is the summary without what no repetition can bring back.
func figures(t *testing.T, s run.Summary) string {
	t.Helper()
	s.Throughput = run.Throughput{}
	out, err := json.MarshalIndent(s, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// answers are the traces in a fixed order, without times.
func answers(t *testing.T, traces []run.Trace) string {
	t.Helper()
	traces = slices.Clone(traces)
	slices.SortFunc(traces, func(a, b run.Trace) int { return strings.Compare(a.TaskID, b.TaskID) })
	for i := range traces {
		traces[i].Durations, traces[i].Endpoint = run.TraceDurations{}, ""
		if of := traces[i].Sources; of != nil && of.Consistency != nil {
			plain := *of.Consistency
			plain.Cost.Seconds = 0
			traces[i].Sources = &run.Evidence{Logprob: of.Logprob, Consistency: &plain}
		}
	}
	out, err := json.MarshalIndent(traces, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func codes(s run.Summary) []string {
	var out []string
	for _, w := range s.Warnings {
		out = append(out, w.Code)
	}
	return out
}

// tasks matches a run's own requests: the preflight's ask for no verdict.
func tasks(r *faultserver.Request) bool { return strings.Contains(string(r.Format), `"verdict"`) }

// about matches the tasks whose claim names object.
func about(object string) faultserver.Match {
	return func(r *faultserver.Request) bool {
		return tasks(r) && strings.Contains(r.Prompt, "There is a "+object+" in the image")
	}
}

func asked(s *faultserver.Server) (own []*faultserver.Request) {
	for _, r := range s.Requests() {
		if tasks(r) {
			own = append(own, r)
		}
	}
	return own
}

// identified is a server that tells something else of its model.
type identified struct {
	infer.Backend
	change func(*infer.Identity)
}

func (b identified) Identify(ctx context.Context, model string) (infer.Identity, error) {
	id, err := b.Backend.Identify(ctx, model)
	b.change(&id)
	return id, err
}
