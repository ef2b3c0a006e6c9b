package faultserver_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"candor/infer/ollama/faultserver"
)

var verdictSchema = json.RawMessage(`{"type":"object","properties":{"verdict":{"enum":["SUPPORTED","REFUTED","ABSTAIN"]},"confidence":{"type":"number"}}}`)

// A healthy server refuses what real ones refuse, in their words.
func TestRefusals(t *testing.T) {
	s := faultserver.New(t)
	tests := []struct {
		name string
		more map[string]any
		code int
		want string
	}{
		{"no model", map[string]any{"model": ""}, 400, "model is required"},
		{"absent model", map[string]any{"model": "absent"}, 404, "model 'absent' not found"},
		{"thinking", map[string]any{"think": true}, 400, `does not support thinking`},
		{"too many alternatives", map[string]any{"top_logprobs": 21}, 400, "between 0 and 20"},
		{"no image", map[string]any{"images": [][]byte{[]byte("text")}}, 500, "image: unknown format"},
		{"too long", map[string]any{"truncate": false, "prompt": strings.Repeat("word ", 5000)}, 400, "exceeds the context length"},
		{"too long, but cut", map[string]any{"prompt": strings.Repeat("word ", 5000)}, 200, `"done":true`},
	}
	for _, tt := range tests {
		if code, body := ask(t, s, request("verdict?", tt.more)); code != tt.code || !strings.Contains(strings.ReplaceAll(body, `\"`, `"`), tt.want) {
			t.Errorf("%s: %d %s; want %d with %q", tt.name, code, body, tt.code, tt.want)
		}
	}
}

// Abstentions, malformed answers and the caller's own come where a verdict is
// asked.
func TestAnswers(t *testing.T) {
	count := func(opts ...faultserver.Option) map[string]int {
		s := faultserver.New(t, opts...)
		n := map[string]int{}
		for i := range 60 {
			_, body := ask(t, s, request(strings.Repeat("z", i), map[string]any{"format": verdictSchema}))
			var v struct{ Verdict string }
			if json.Unmarshal([]byte(parse(t, body).Response), &v) != nil {
				v.Verdict = "malformed"
			}
			n[v.Verdict]++
		}
		return n
	}
	if n := count(); n["SUPPORTED"] < 10 || n["REFUTED"] < 10 || n["SUPPORTED"]+n["REFUTED"] != 60 {
		t.Errorf("by default: %v", n)
	}
	if n := count(faultserver.AbstainEvery(4), faultserver.MalformedEvery(4)); n["ABSTAIN"] < 4 || n["malformed"] < 4 || n["SUPPORTED"] == 0 {
		t.Errorf("one in four abstains, one in four is malformed: %v", n)
	}
	own := faultserver.Answers(func(r *faultserver.Request) string {
		if len(r.Prompt)%2 == 0 {
			return faultserver.Answer("ABSTAIN", 0.5)
		}
		return ""
	})
	if n := count(own); n["ABSTAIN"] != 30 {
		t.Errorf("every second by the caller: %v", n)
	}
	if n := count(faultserver.On(faultserver.Always, faultserver.Constant(faultserver.Answer("SUPPORTED", 0.95)))); n["SUPPORTED"] != 60 {
		t.Errorf("constant: %v", n)
	}
}

// A constant answer has constant log-probabilities.
func TestConstantLogprobs(t *testing.T) {
	s := faultserver.New(t, faultserver.On(faultserver.Always, faultserver.Constant("yes")))
	var seen []string
	for _, shade := range []uint8{1, 2} {
		_, body := ask(t, s, request("verdict?", map[string]any{"logprobs": true, "images": [][]byte{picture(t, shade)}}))
		b, err := json.Marshal(parse(t, body).Logprobs)
		if err != nil {
			t.Fatal(err)
		}
		seen = append(seen, string(b))
	}
	if seen[0] != seen[1] || !strings.Contains(seen[0], "yes") {
		t.Errorf("log-probabilities = %v; want the same twice", seen)
	}
}

// The chat endpoint gives the answer that generate gives, as a message, and
// both stream unless told not to.
func TestChatAndStream(t *testing.T) {
	s := faultserver.New(t, faultserver.Capabilities("completion", "vision", "thinking"))
	_, generated := ask(t, s, request("verdict?", map[string]any{"system": "s"}))
	body := request("", map[string]any{"think": true, "messages": []map[string]any{{"role": "system", "content": "s"}, {"role": "user", "content": "verdict?"}}})
	delete(body, "stream")
	b, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.Post(s.URL+"/api/chat", "application/json", bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, thinking, lines, done := "", "", 0, false
	for dec := json.NewDecoder(resp.Body); ; lines++ {
		var l struct {
			Message struct{ Content, Thinking string }
			Done    bool
		}
		if err := dec.Decode(&l); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		text, thinking, done = text+l.Message.Content, thinking+l.Message.Thinking, l.Done
	}
	if want := parse(t, generated).Response; text != want || thinking == "" || lines < 4 || !done {
		t.Errorf("streamed %q, thinking %q in %d lines, done %v; want %q", text, thinking, lines, done, want)
	}
}

// An image that the last request did not have costs its encoding, and the
// reply's figures say so only in what they leave open.
func TestImageCost(t *testing.T) {
	const cost = 30 * time.Millisecond
	s := faultserver.New(t, faultserver.ImageCost(cost))
	took := func(shade uint8) time.Duration {
		start := time.Now()
		ask(t, s, request("verdict?", map[string]any{"images": [][]byte{picture(t, shade)}}))
		return time.Since(start)
	}
	if first, other := took(1), took(2); first < cost || other < cost {
		t.Errorf("new images took %v and %v; want at least %v", first, other, cost)
	}
	_, body := ask(t, s, request("another verdict?", map[string]any{"images": [][]byte{picture(t, 2)}}))
	if a := parse(t, body); a.TotalDuration >= int64(cost) {
		t.Errorf("the same image again took %v by the reply; want less than %v", time.Duration(a.TotalDuration), cost)
	}
}

// What the server tells of itself follows its options, also in the middle of
// a run.
func TestMetadata(t *testing.T) {
	s := faultserver.New(t, faultserver.Models("a:1b", "b"), faultserver.Name("n"), faultserver.Architecture("qwen3vl"), faultserver.Loaded(), faultserver.Residency(10, 0))
	get := func(method, path, body string) string {
		t.Helper()
		req, err := http.NewRequest(method, s.URL+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		b, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	for _, tt := range []struct{ method, path, body, want string }{
		{"GET", "/api/ps", "", `"size_vram":0`},
		{"GET", "/api/ps", "", `"model":"a:1b"`},
		{"GET", "/api/tags", "", `"model":"b:latest"`},
		{"POST", "/api/show", `{"model":"b"}`, `"qwen3vl.context_length":262144`},
		{"POST", "/api/show", `{"model":"b"}`, `"general.basename":"n"`},
		{"POST", "/api/show", `{"model":"c"}`, `not found`},
		{"POST", "/api/show", `{`, `error`},
		{"GET", "/api/version", "", `"version":"0.24.0"`},
	} {
		if got := get(tt.method, tt.path, tt.body); !strings.Contains(got, tt.want) {
			t.Errorf("%s %s: %s; want %s", tt.path, tt.body, got, tt.want)
		}
	}
	s.Set(faultserver.Version("9"))
	if got := get("GET", "/api/version", ""); got != `{"version":"9"}` {
		t.Errorf("version after a change = %s", got)
	}
}

// giveUp asks, and stops waiting once the server has the question.
func giveUp(t *testing.T, s *faultserver.Server) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		for len(s.Requests()) == 0 && ctx.Err() == nil {
			time.Sleep(time.Millisecond)
		}
		cancel()
	}()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+"/api/generate", strings.NewReader(`{"model":"fake","prompt":"verdict?"}`))
	if err != nil {
		t.Fatal(err)
	}
	if resp, err := http.DefaultClient.Do(req); err == nil {
		resp.Body.Close()
		t.Error("a hanging server answered")
	}
}

// A slow answer comes late; one who stops waiting frees the place in line.
func TestDelay(t *testing.T) {
	s := faultserver.New(t, faultserver.Serialise(), faultserver.On(faultserver.First(1, nil), faultserver.Hang()))
	giveUp(t, s)
	s.Set(faultserver.On(faultserver.Always, faultserver.Delay(20*time.Millisecond)))
	start := time.Now()
	if code, _ := ask(t, s, request("verdict?", nil)); code != 200 || time.Since(start) < 20*time.Millisecond {
		t.Errorf("status %d after %v; want 200 after 20 ms", code, time.Since(start))
	}
}
