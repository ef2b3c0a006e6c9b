package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"candor/infer/ollama/ollamatest"
	"candor/infer/ollama/tinyvlm"
)

func TestRunWritesFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tiny.gguf")
	var stdout, stderr bytes.Buffer
	if status := run(context.Background(), []string{"-arch", "qwen35", "-seed", "5", "-out", path}, &stdout, &stderr); status != 0 {
		t.Fatalf("status %d: %s", status, stderr.String())
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var want bytes.Buffer
	if _, err := tinyvlm.Write(&want, tinyvlm.Config{Architecture: "qwen35", Seed: 5}); err != nil {
		t.Fatal(err)
	}
	if sha256.Sum256(got) != sha256.Sum256(want.Bytes()) {
		t.Error("the file is not the model of seed 5")
	}
	if !strings.Contains(stdout.String(), "random qwen35 seed 5") {
		t.Errorf("stdout %q", stdout.String())
	}
}

func TestRunRegisters(t *testing.T) {
	server := ollamatest.Start(t)
	var stdout, stderr bytes.Buffer
	args := []string{"-register", "candor-tiny-qwen35", "-host", strings.TrimPrefix(server.URL, "http://")}
	for range 2 {
		if status := run(context.Background(), args, &stdout, &stderr); status != 0 {
			t.Fatalf("status %d: %s", status, stderr.String())
		}
	}
	list, err := server.Client().List(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if len(list.Models) != 1 || list.Models[0].Name != "candor-tiny-qwen35:latest" {
		t.Errorf("models %v", list.Models)
	}
}

func TestRunStatus(t *testing.T) {
	t.Setenv("OLLAMA_HOST", "")
	for _, c := range []struct {
		args   string
		status int
		says   string
	}{
		{"", statusUsage, "nothing to do"},
		{"-out x y", statusUsage, `"y"`},
		{"-nonsense", statusUsage, "nonsense"},
		{"-register m", statusUsage, "OLLAMA_HOST"},
		{"-register m -host http://", statusFailed, "no host and port"},
		{"-register m -host 127.0.0.1:1", statusFailed, "127.0.0.1:1"}, // nobody listens there
		{"-arch gpt2 -out x", statusFailed, "qwen3vl"},
		{"-out /nonexistent/x", statusFailed, "/nonexistent/x"},
		{"-h", 0, "-arch"},
	} {
		var stdout, stderr bytes.Buffer
		status := run(context.Background(), strings.Fields(c.args), &stdout, &stderr)
		if status != c.status || !strings.Contains(stderr.String(), c.says) {
			t.Errorf("%q: status %d, want %d; stderr %q", c.args, status, c.status, stderr.String())
		}
	}
}
