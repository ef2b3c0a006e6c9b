package ollama_test

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/png"
	"strings"
	"sync"
	"testing"
	"time"

	"candor/infer"
	"candor/infer/ollama"
	"candor/infer/ollama/ollamatest"

	"github.com/ollama/ollama/api"
)

// real is a client of a real server with a tiny model.
func real(t *testing.T, arch string, opts ...ollamatest.Option) (*ollama.Client, *ollamatest.Server, infer.Request) {
	t.Helper()
	s := ollamatest.Start(t, opts...)
	c, err := ollama.New(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	req := question(t)
	req.Model = s.Install(arch)
	req.Options.NumThread = 1
	return c, s, req
}

// wantFailure asks once and expects a failure of a class that says want.
func wantFailure(t *testing.T, c *ollama.Client, req infer.Request, class infer.Class, want string) error {
	t.Helper()
	resp, err := c.Ask(t.Context(), req)
	if err == nil {
		t.Fatalf("%s: answered %q", want, resp.Text)
	}
	if got := infer.ClassOf(err); got != class || !strings.Contains(strings.ToLower(err.Error()), want) {
		t.Errorf("class %s, want %s; error %q, want %q", got, class, err, want)
	}
	return err
}

func blank(t *testing.T, w, h int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, w, h))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// A real engine's failures are what they are taken for: a bad task costs that
// task, a missing model stops everything, and none of them is an answer.
func TestEngineFailures(t *testing.T) {
	c, _, good := real(t, "qwen35")
	ask := func(change func(*infer.Request)) infer.Request {
		req := good
		change(&req)
		return req
	}
	resp, err := c.Ask(t.Context(), good)
	if err != nil || resp.Stop != infer.StopDone || resp.PromptTokens < pictureTokens || !strings.Contains(resp.Text, "verdict") || len(resp.Logprobs) == 0 {
		t.Fatalf("%+v, %v", resp, err)
	}
	wantFailure(t, c, ask(func(r *infer.Request) { r.Model = "nobody:1b" }), infer.ClassFatal, "ollama pull nobody:1b")
	for name, data := range map[string][]byte{"cut": picture(t)[:60], "text": []byte("<html></html>"), "empty": {}} {
		t.Run(name, func(t *testing.T) {
			wantFailure(t, c, ask(func(r *infer.Request) { r.Image = data }), infer.ClassTask, "cannot read this image")
		})
	}
	wantFailure(t, c, ask(func(r *infer.Request) { r.Prompt = "There is a [img-1] in the image." }), infer.ClassTask, "image marker")
	// Too small for the model's patches, the engine's own panic: an error like a
	// dead runner's, which is retried and no answer.
	wantFailure(t, c, ask(func(r *infer.Request) { r.Image = blank(t, 8, 8) }), infer.ClassRetry, "500")
	// A prompt that does not fit: refused because of truncate:false. The
	// smallest context that servers give to a vision model is 2048.
	long := ask(func(r *infer.Request) { r.Options.NumCtx, r.Prompt = 2048, strings.Repeat("There is a cat. ", 400) })
	wantFailure(t, c, long, infer.ClassTask, "num_ctx")
	large := ask(func(r *infer.Request) { r.Options.NumCtx, r.Image = 2048, blank(t, 1440, 1440) })
	wantFailure(t, c, large, infer.ClassTask, "num_ctx")
	// Left to its default the engine answers that very question without the
	// image, and says nothing.
	if n := silently(t, c, large); n == 0 || n >= 1440/32*1440/32 {
		t.Errorf("%d prompt tokens: was the image kept?", n)
	}
	// An answer without the image shows by its prompt tokens.
	err = wantFailure(t, c, ask(func(r *infer.Request) { r.Image = nil; r.MinPromptTokens = 200 }), infer.ClassTask, "without the image")
	if !errors.Is(err, infer.ErrImageDropped) {
		t.Errorf("%v is not ErrImageDropped", err)
	}
	if again, err := c.Ask(t.Context(), good); err != nil || again.Text != resp.Text {
		t.Errorf("after all that: %q, %v", again.Text, err)
	}
}

// silently asks with the server's own truncation, and returns the prompt
// tokens of its answer.
func silently(t *testing.T, c *ollama.Client, req infer.Request) (tokens int) {
	t.Helper()
	stream := false
	err := c.API().Generate(t.Context(), &api.GenerateRequest{
		Model: req.Model, System: strings.Repeat("Judge the claim. ", 20), Prompt: req.Prompt, Images: []api.ImageData{req.Image}, Stream: &stream,
		Options: map[string]any{"num_ctx": req.Options.NumCtx, "num_thread": 1, "num_predict": 1},
	}, func(r api.GenerateResponse) error { tokens = r.PromptEvalCount; return nil })
	if err != nil {
		t.Fatal(err)
	}
	return tokens
}

// A runner that is killed under a request is a failure to retry, and the retry
// gives the answer that was due.
func TestEngineRunnerKilled(t *testing.T) {
	c, s, req := real(t, "qwen3vl")
	req.Schema, req.Options.NumPredict = nil, 400 // long enough to be met
	want, err := c.Ask(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	killed := 0
	var failed []infer.Attempt
	for range 5 { // until the kill meets the request
		warm := req
		warm.Options.NumPredict = 1
		if _, err := c.Ask(t.Context(), warm); err != nil {
			t.Fatal(err)
		}
		var kill sync.WaitGroup
		kill.Go(func() {
			time.Sleep(60 * time.Millisecond)
			killed += s.KillRunners()
		})
		resp, attempts, err := infer.DefaultRetry().Ask(t.Context(), c, req)
		kill.Wait()
		if err != nil || resp.Text != want.Text {
			t.Fatalf("%q, want %q; %v", resp.Text, want.Text, err)
		}
		if failed = append(failed, attempts...); len(failed) > 0 {
			break
		}
	}
	if killed == 0 || len(failed) == 0 {
		t.Fatalf("%d runners killed, %d attempts failed", killed, len(failed))
	}
	if failed[0].Class != infer.ClassRetry {
		t.Errorf("%+v", failed[0])
	}
}

// A queue that is full while the model loads answers 503; retries see every
// request through.
func TestEngineQueueFull(t *testing.T) {
	c, _, req := real(t, "qwen3vl", ollamatest.Env("OLLAMA_MAX_QUEUE=1"))
	policy := infer.RetryPolicy{Attempts: 40, First: 50 * time.Millisecond, Max: time.Second}
	var mu sync.Mutex
	var busy []infer.Attempt
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			req := req
			req.Prompt = fmt.Sprintf("There is a cat number %d in the image.", i)
			resp, failed, err := policy.Ask(t.Context(), c, req)
			mu.Lock()
			defer mu.Unlock()
			busy = append(busy, failed...)
			if err != nil || resp.Text == "" {
				t.Errorf("request %d: %q, %v", i, resp.Text, err)
			}
		})
	}
	all.Wait()
	if len(busy) == 0 {
		t.Fatal("the queue was never full")
	}
	for _, a := range busy {
		if a.Class != infer.ClassRetry || a.Status != 503 || !strings.Contains(a.Message, "server busy") {
			t.Errorf("%+v", a)
		}
	}
}
