package command_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"candor/harness/lens/command"
	"candor/infer/ollama/ollamatest"

	"github.com/ollama/ollama/api"
)

// gemmaVar names the file of a real small text model (scripts/record.sh gemma).
const gemmaVar = "CANDOR_PEERS_GEMMA"

// The model is a base model: it goes on as a text goes on. So its chat format
// shows it some answers; what comes without a system text is for the judge.
const (
	sortExamples = `Message: {"numbers": [3, 9, 4]}
Reply: The largest is 9, then 4, then 3. {"values": [9, 4, 3], "original": [3, 9, 4], "task": "easy"}

Message: {"numbers": [7, 2, 8, 5]}
Reply: The largest is 8, then 7, then 5, then 2. {"values": [8, 7, 5, 2], "original": [7, 2, 8, 5], "task": "easy"}
`
	coolExamples = `Message: {"machines": [{"name": "saw", "reading": 88, "limit": 90, "heating": 6}, {"name": "pump", "reading": 60, "limit": 80, "heating": 2}]}
Reply: The saw is 2 below its limit and heats up by 6, so it is the first to cross it. {"action": "cool saw"}

Message: {"machines": [{"name": "fan", "reading": 50, "limit": 90, "heating": 3}, {"name": "press", "reading": 70, "limit": 72, "heating": 4}]}
Reply: The press is 2 below its limit and heats up by 4, so it is the first to cross it. {"action": "cool press"}
`
	judgeExamples = `Agent reasoning: I like it. Agent action: left.
Scores: {"relevance": 0.1, "coherence": 0.2, "uncertainty": 0.0}

Agent reasoning: It is 31 degrees, which is too hot, though the sensor may be wrong. Agent action: cool.
Scores: {"relevance": 0.9, "coherence": 0.8, "uncertainty": 0.7}
`
)

// A real small model acts and judges on a real engine, in both environments:
// through Ollama's own interface, and as judge through its OpenAI-compatible one
// as well. It is short, as a busy machine takes half a minute for an answer.
// What it scores is the model's business; that all of it is measured, and by
// whom, is ours.
func TestPeersGemma(t *testing.T) {
	file := os.Getenv(gemmaVar)
	if file == "" {
		t.Skip(gemmaVar + " names no model")
	}
	server := ollamatest.Start(t, ollamatest.Env("OLLAMA_NUM_PARALLEL=1"))
	gemma(t, server, file, "gemma-sort", sortExamples)
	gemma(t, server, file, "gemma-cool", coolExamples)
	for _, row := range []struct {
		environment, agent, judge string
		steps, judgeCalls         int
		doubt                     string
	}{
		{"local:number-sort", "ollama:gemma-sort", "ollama:gemma-sort", 1, 2, "the judge is the agent itself"},
		{"local:cooling", "ollama:gemma-cool", "ollama:gemma-sort", 2, 4, ""},
		{"local:cooling", "local:cooling/watchful", "openai:gemma-sort@" + server.URL + "/v1", 1, 2, ""},
	} {
		t.Chdir(t.TempDir())
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Minute)
		defer cancel()
		start := time.Now()
		r, err := command.Run(ctx, command.Request{Environment: row.environment, Agent: row.agent, Judge: row.judge, Episodes: 1, Probes: []string{"reasoning"}, MaxSteps: row.steps, Host: server.URL, NumCtx: 2048, Threads: threads, Journal: "j"}, dependencies())
		if err != nil {
			t.Fatal(err)
		}
		var printed bytes.Buffer
		if err := r.Report.Print(&printed); err != nil {
			t.Fatal(err)
		}
		t.Logf("%v\n%s", time.Since(start).Round(time.Second), printed.String())
		m := r.Report.Missing
		if m.Scored == 0 || m.Scored != m.Planned || m.Agent+m.Judge+m.Env > 0 {
			t.Errorf("%+v", m)
		}
		if got := strings.Join(r.Report.Warnings, "\n"); strings.Contains(got, "judge") != (row.doubt != "") || !strings.Contains(got, row.doubt) {
			t.Errorf("warnings: %s", got)
		}
		judged := r.Report.Probes["reasoning"]
		// Judges of that interface are sampled as their server likes; such a one may babble.
		sampled := strings.HasPrefix(row.judge, "openai:")
		if judged.Cost.JudgeCalls != row.judgeCalls || !sampled && (judged.Value == nil || judged.Repeatability == nil) {
			t.Errorf("the judge was not heard: %+v", judged)
		}
		again, err := command.Run(t.Context(), command.Request{Replay: "j"}, command.Dependencies{})
		if err != nil || text(t, again) != text(t, r) {
			t.Errorf("replayed: %v\n%s", err, text(t, again))
		}
	}
}

// gemma makes a server have the model in a chat format with examples.
func gemma(t *testing.T, s *ollamatest.Server, file, name, examples string) {
	t.Helper()
	weights, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer weights.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, weights); err != nil {
		t.Fatal(err)
	}
	if _, err := weights.Seek(0, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	digest := "sha256:" + hex.EncodeToString(sum.Sum(nil))
	if err := s.Client().CreateBlob(t.Context(), digest, weights); err != nil {
		t.Fatal(err)
	}
	template := "{{ if .System }}{{ .System }}\n\n" + examples + "\nMessage: {{ .Prompt }}\nReply:{{ else }}" + judgeExamples + "\n{{ .Prompt }}\n\nScores:{{ end }}"
	request := &api.CreateRequest{Model: name, Files: map[string]string{"gemma.gguf": digest}, Template: template, Parameters: map[string]any{"stop": []string{"\n"}, "top_k": 1}}
	if err := s.Client().Create(t.Context(), request, func(api.ProgressResponse) error { return nil }); err != nil {
		t.Fatal(err)
	}
}

// threads are as many as there are processors to be had, which an engine in a
// container may not know.
func threads(string) int { return runtime.GOMAXPROCS(0) }
