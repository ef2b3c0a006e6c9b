package run_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"candor/harness/run"
	"candor/infer"
	"candor/infer/ollama/ollamatest"
)

// instant is a server in this process that answers at once, and looks at the
// memory when it has been asked so many times.
type instant struct {
	name  string
	asked *atomic.Int64
	looks map[int64]func()
}

func (i instant) Endpoint() string { return i.name }

func (i instant) Identify(_ context.Context, model string) (infer.Identity, error) {
	return infer.Identity{ServerVersion: "1", Model: model, Digest: "d", Architecture: "qwen35", Capabilities: []string{"vision"}}, nil
}

func (i instant) Residency(context.Context, string) (infer.Residency, error) {
	return infer.Residency{}, nil
}

func (i instant) Ask(context.Context, infer.Request) (infer.Response, error) {
	if look := i.looks[i.asked.Add(1)]; look != nil {
		look()
	}
	return infer.Response{Text: `{"verdict":"SUPPORTED","confidence":0.9}`, Stop: infer.StopDone, PromptTokens: 400, OutputTokens: 12}, nil
}

// A run of 50 000 tasks holds what it must know of each task and nothing more:
// no goroutine, no image, no text of its own for the rules.
func TestManyTasks(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a minute")
	}
	const tasks, seen = 50_000, 100
	root := t.TempDir()
	var rows strings.Builder
	for i := range tasks {
		fmt.Fprintf(&rows, `{"question_id": %d, "image": "picture%02d.png", "text": "Is there a thing%d in the image?", "label": "yes"}`+"\n", i, i%seen, i/seen)
	}
	file := filepath.Join(root, "coco_pope_adversarial.json")
	write(t, file, []byte(rows.String()))
	for i := range seen {
		write(t, filepath.Join(root, fmt.Sprintf("picture%02d.png", i)), picture(t, 256, 256, i))
	}
	var early, late runtime.MemStats
	goroutines := 0
	asked := &atomic.Int64{}
	looks := map[int64]func(){
		5_000:  func() { runtime.GC(); runtime.ReadMemStats(&early) },
		49_000: func() { goroutines = runtime.NumGoroutine(); runtime.GC(); runtime.ReadMemStats(&late) },
	}
	cfg := run.DefaultConfig()
	cfg.Model, cfg.Hosts, cfg.Dataset, cfg.Images = "m", []string{"a", "b"}, file, root
	cfg.Partition, cfg.NumTasks, cfg.Bootstrap, cfg.Preflight, cfg.Parallel = "all", 0, 0, false, "8"
	res, err := run.Execute(t.Context(), cfg, filepath.Join(root, "run"), false, run.Dependencies{
		Connect: func(host string) (infer.Backend, error) { return instant{host, asked, looks}, nil },
	})
	if err != nil || res.Summary.N != tasks || !res.Summary.Complete {
		t.Fatalf("%v, n %d, complete %v", err, res.Summary.N, res.Summary.Complete)
	}
	grown := float64(late.HeapAlloc) - float64(early.HeapAlloc)
	t.Logf("%.0f MB after 5000 tasks, %.0f MB after 49 000; %d goroutines", float64(early.HeapAlloc)/1e6, float64(late.HeapAlloc)/1e6, goroutines)
	// A finished task is kept for the summary, as its trace.
	if perTask := grown / 44_000; perTask > 2500 || goroutines > 60 {
		t.Errorf("each task adds %.0f bytes, and %d goroutines are there; want its trace, and those of what is in flight", perTask, goroutines)
	}
	if info, err := os.Stat(filepath.Join(root, "run", run.ErrorsFile)); err == nil {
		t.Errorf("%d bytes of errors", info.Size())
	}
}

// Two real servers on one model store answer as one does, task by task.
func TestEngineReplicas(t *testing.T) {
	store := ollamatest.Env("OLLAMA_MODELS="+filepath.Join(t.TempDir(), "models"), "OLLAMA_NOPRUNE=1")
	one, _ := onEngine(t, "qwen35", store)
	one.cfg.NumTasks, one.cfg.Split = 60, "all"
	one.counted(one.run(), 60)
	second := ollamatest.Start(t, store)
	two := one.again()
	two.cfg.Hosts = append(slices.Clone(one.cfg.Hosts), second.URL)
	res := two.run()
	two.counted(res, 60)
	if x, y := answers(t, one.traces()), answers(t, two.traces()); x != y {
		t.Errorf("by two servers\n%s\nby one\n%s", y, x)
	}
	used := map[string]int{}
	for _, tr := range two.traces() {
		used[tr.Endpoint]++
	}
	if len(used) != 2 || len(res.Manifest.EndpointFaults) != 0 {
		t.Errorf("tasks by server %v, faults %+v", used, res.Manifest.EndpointFaults)
	}
}
