package ollamatest_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/ollama/ollama/api"

	"candor/infer/ollama/ollamatest"
)

// ask loads a model and takes one answer from it.
func ask(t *testing.T, s *ollamatest.Server, model string) error {
	t.Helper()
	no := false
	return s.Client().Generate(context.Background(), &api.GenerateRequest{
		Model:   model,
		Prompt:  "hello",
		Stream:  &no,
		Options: map[string]any{"num_thread": 1, "num_predict": 4, "num_ctx": 4096, "seed": 1},
	}, func(api.GenerateResponse) error { return nil })
}

// alive is false for a process that has ended but was not waited for, as
// orphans may be when nobody adopts them.
func alive(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && !strings.Contains(string(text), ") Z ")
}

// A server whose runner is killed loads the model anew; after Stop nothing of
// it is left.
func TestKillRunnersAndStop(t *testing.T) {
	s := ollamatest.Start(t)
	model := s.Install("qwen35")
	if err := ask(t, s, model); err != nil {
		t.Fatal(err)
	}
	first := s.RunnerPIDs()
	if len(first) != 1 {
		t.Fatalf("runners %v, want one", first)
	}
	if n := s.KillRunners(); n != 1 || alive(first[0]) {
		t.Fatalf("killed %d runners, first alive: %v", n, alive(first[0]))
	}
	if err := ask(t, s, model); err != nil {
		t.Fatalf("after the runner's death: %v", err)
	}
	second := s.RunnerPIDs()
	s.Stop()
	for _, pid := range append(second, s.PID()) {
		if alive(pid) {
			t.Errorf("process %d outlives Stop", pid)
		}
	}
}

// A killed server leaves its runner behind, and Stop finds it.
func TestStopRemovesOrphans(t *testing.T) {
	s := ollamatest.Start(t)
	if err := ask(t, s, s.Install("qwen35")); err != nil {
		t.Fatal(err)
	}
	s.Kill()
	orphans := s.RunnerPIDs()
	if len(orphans) != 1 {
		t.Fatalf("orphans %v, want one: this test has lost its subject", orphans)
	}
	s.Stop()
	if alive(orphans[0]) {
		t.Errorf("orphan %d outlives Stop", orphans[0])
	}
}

// Env reaches the server.
func TestEnv(t *testing.T) {
	s := ollamatest.Start(t, ollamatest.Env("OLLAMA_MAX_QUEUE=7"))
	if log := s.Log(); !strings.Contains(log, "OLLAMA_MAX_QUEUE:7") {
		t.Errorf("log does not show the variable:\n%s", log)
	}
}

// The older engine is another version.
func TestOld(t *testing.T) {
	s := ollamatest.Start(t, ollamatest.Old())
	version, err := s.Client().Version(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(version, "0.17.") {
		t.Errorf("version %s, want 0.17.x", version)
	}
}
