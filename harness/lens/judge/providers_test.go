package judge_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"candor/harness/lens/judge"
	"candor/infer"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const canary = "sk-canary-0123456789"

func environment(name string) string {
	if strings.HasSuffix(name, "_API_KEY") {
		return canary + "\n" // as read from a file, with its line's end
	}
	return ""
}

// waits notes what is slept, and does not.
type waits []time.Duration

func (w *waits) sleep(_ context.Context, d time.Duration) error { *w = append(*w, d); return nil }

// open makes a judge at a server.
func open(t *testing.T, name string, w *waits, answer http.HandlerFunc) judge.Judge {
	t.Helper()
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	n, err := judge.ParseName(name+"@"+server.URL, environment)
	if err != nil {
		t.Fatal(err)
	}
	j, err := judge.Open(n, judge.Reach{Getenv: environment, Client: server.Client(), Sleep: w.sleep})
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// Each request is as the provider documents it: address, headers, and the body
// to the letter.
func TestRequests(t *testing.T) {
	for _, row := range []struct {
		name, path, body string
		header           http.Header
	}{
		{"openai:m", "/chat/completions", `{"model":"m","max_tokens":2048,"messages":[{"role":"user","content":"Judge \"this\"."}]}`, http.Header{"Authorization": {"Bearer " + canary}}},
		{"groq:m", "/chat/completions", `{"model":"m","max_tokens":2048,"messages":[{"role":"user","content":"Judge \"this\"."}]}`, http.Header{"Authorization": {"Bearer " + canary}}},
		{"anthropic:m", "/v1/messages", `{"model":"m","max_tokens":2048,"messages":[{"role":"user","content":"Judge \"this\"."}]}`, http.Header{"X-Api-Key": {canary}, "Anthropic-Version": {"2023-06-01"}, "Authorization": nil}},
	} {
		asked := false
		j := open(t, row.name, new(waits), func(_ http.ResponseWriter, r *http.Request) {
			asked = true
			body, _ := io.ReadAll(r.Body)
			if r.Method != http.MethodPost || r.URL.Path != row.path || string(body) != row.body || r.Header.Get("Content-Type") != "application/json" {
				t.Errorf("%s: %s %s %s", row.name, r.Method, r.URL, body)
			}
			for name, want := range row.header {
				if strings.Join(r.Header[name], ",") != strings.Join(want, ",") {
					t.Errorf("%s: %s is %q", row.name, name, r.Header[name])
				}
			}
		})
		if _, err := j(t.Context(), `Judge "this".`); err == nil || !asked {
			t.Errorf("%s: an empty reply is none: %v", row.name, err)
		}
	}
}

// roundTrip answers without a network.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// The providers' own addresses are asked, each with its own key alone, and
// their limit is called what they call it now.
func TestOwnAddresses(t *testing.T) {
	keys := func(name string) string { return strings.TrimSuffix(name, "_API_KEY") + "-key" }
	getenv := func(name string) string {
		if strings.HasSuffix(name, "_API_KEY") {
			return keys(name)
		}
		return ""
	}
	for _, row := range []struct{ name, url, key, limit string }{
		{"openai:gpt-x", "https://api.openai.com/v1/chat/completions", "OPENAI-key", "max_completion_tokens"},
		{"groq:llama-x", "https://api.groq.com/openai/v1/chat/completions", "GROQ-key", "max_completion_tokens"},
		{"anthropic:claude-x", "https://api.anthropic.com/v1/messages", "ANTHROPIC-key", "max_tokens"},
		{"gpt-x", "https://api.openai.com/v1/chat/completions", "OPENAI-key", "max_completion_tokens"},
		{"openai:gpt-x@https://api.openai.com/v1/", "https://api.openai.com/v1/chat/completions", "OPENAI-key", "max_completion_tokens"},
	} {
		n, err := judge.ParseName(row.name, getenv)
		if err != nil {
			t.Fatal(err)
		}
		j, err := judge.Open(n, judge.Reach{Getenv: getenv, Sleep: new(waits).sleep, Client: &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			body, _ := io.ReadAll(r.Body)
			var sent map[string]any
			if err := json.Unmarshal(body, &sent); err != nil || sent[row.limit] != 2048. || len(sent) != 3 {
				t.Errorf("%s: %s", row.name, body)
			}
			all := r.Header.Get("Authorization") + r.Header.Get("X-Api-Key")
			if r.URL.String() != row.url || strings.TrimPrefix(all, "Bearer ") != row.key {
				t.Errorf("%s: %s with %v", row.name, r.URL, r.Header)
			}
			return nil, errors.New("no network here")
		})}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := j(t.Context(), "?"); err == nil || !strings.Contains(err.Error(), "asked 3 times") || strings.Contains(err.Error(), row.key) {
			t.Errorf("%s: %v", row.name, err)
		}
	}
}

// Replies are recorded in the shapes that the providers document, beside them
// what a judge says by them, and whether that can be read.
func TestReplies(t *testing.T) {
	for _, row := range []struct {
		file, reply string
		score       float64
		read        bool
		says        string // of an error
	}{
		{file: "openai-chat.json", reply: `{"relevance": 0.9, "coherence": 0.6, "uncertainty": 0.3}`, score: .6, read: true},
		{file: "openai-refusal.json", reply: "I'm sorry, I can't help with that."},
		{file: "openai-filtered.json", reply: ""},
		{file: "openai-cut.json", says: "its 2048 tokens were used up before it said anything"}, // all went into reasoning
		{file: "openai-parts.json", reply: `{"relevance": 1, "coherence": 1, "uncertainty": 1}`, score: 1, read: true},
		{file: "groq-chat.json", reply: "```json\n{\"relevance\": 0.5, \"coherence\": 0.5, \"uncertainty\": 0.5}\n```", score: .5, read: true},
		{file: "vllm-thinking.json", reply: `{"relevance": 0, "coherence": 1, "uncertainty": 0.5}`, score: .5, read: true}, // scores in its thoughts are none
		{file: "anthropic-message.json", reply: `{"relevance": 0.8, "coherence": 0.8, "uncertainty": 0.2}`, score: .6, read: true},
		{file: "anthropic-thinking.json", reply: `{"relevance": 1, "coherence": 0.5, "uncertainty": 0}`, score: .5, read: true},
		{file: "anthropic-refusal.json", reply: ""},
		{file: "anthropic-cut.json", says: "its 2048 tokens were used up"},
	} {
		recorded, err := os.ReadFile(filepath.Join("testdata", row.file))
		if err != nil {
			t.Fatal(err)
		}
		name := "openai:m"
		if strings.HasPrefix(row.file, "anthropic") {
			name = "anthropic:m"
		}
		j := open(t, name, new(waits), func(w http.ResponseWriter, _ *http.Request) { w.Write(recorded) })
		reply, err := j(t.Context(), "?")
		if reply != row.reply || (err == nil) != (row.says == "") || err != nil && !strings.Contains(err.Error(), row.says) {
			t.Errorf("%s: %q, %v", row.file, reply, err)
		}
		score, read := judge.Score(reply)
		if read != row.read || score < row.score-1e-9 || score > row.score+1e-9 {
			t.Errorf("%s: %v, %v", row.file, score, read)
		}
	}
}

// What is no reply of the interface is an error, and not an opinion.
func TestNoReplies(t *testing.T) {
	for _, body := range []string{``, `null`, `[]`, `{}`, `{"choices": []}`, `<html>`, `{"type": "error", "error": {"message": "x"}}`, `{"choices": 3}`} {
		for _, name := range []string{"openai:m", "anthropic:m"} {
			asked := 0
			j := open(t, name, new(waits), func(w http.ResponseWriter, _ *http.Request) { asked++; io.WriteString(w, body) })
			if reply, err := j(t.Context(), "?"); err == nil || reply != "" || asked != 1 {
				t.Errorf("%s, %q: %q, %v, asked %d times", name, body, reply, err, asked)
			}
		}
	}
}

// Each row is what a judge says, whatever carries it, and what that scores.
func TestReplyTexts(t *testing.T) {
	for _, row := range []struct {
		text  string
		score float64
		read  bool
	}{
		{`{"relevance": "0.3", "coherence": "0.6", "uncertainty": " 0.9 "}`, .6, true}, // numbers in strings
		{`{"relevance": null, "coherence": 1, "uncertainty": 1}`, 0, false},
		{`[0.1, 0.2, 0.3]`, 0, false},
		{`[{"relevance": 1, "coherence": 1, "uncertainty": 1}]`, 0, false}, // JSON, but no object: upstream crashes on it
		{`Here you are: {"relevance": 1, "coherence": 0, "uncertainty": 0.5}. Anything else?`, .5, true},
		{"As an AI I would rather not.", 0, false},
		{`{"relevance": "high", "coherence": 1, "uncertainty": 1}`, 0, false},
		{`{"relevance": 7, "coherence": -3, "uncertainty": true}`, 2. / 3, true},
		{`{"coherence": 0.9}`, .3, true}, // what is left out is 0
		{`{"relevance": 1, "coherence": 1`, 0, false},
		{"", 0, false},
	} {
		reply, err := json.Marshal(map[string]any{"choices": []any{map[string]any{"message": map[string]any{"content": row.text}}}})
		if err != nil {
			t.Fatal(err)
		}
		j := open(t, "openai:m", new(waits), func(w http.ResponseWriter, _ *http.Request) { w.Write(reply) })
		said, err := j(t.Context(), "?")
		score, read := judge.Score(said)
		if err != nil || read != row.read || score < row.score-1e-9 || score > row.score+1e-9 {
			t.Errorf("%q: %v, %v, %v", row.text, score, read, err)
		}
	}
}

// Each row is the statuses that a service answers one after another, how often
// it is asked, and what is waited in between.
func TestRetries(t *testing.T) {
	const good = 200
	for _, row := range []struct {
		statuses []int
		after    string
		asked    int
		waited   waits
		ok       bool
	}{
		{[]int{good}, "", 1, nil, true},
		{[]int{429, 503, good}, "", 3, waits{2 * time.Second, 4 * time.Second}, true},
		{[]int{500, 502, 529, good}, "", 3, waits{2 * time.Second, 4 * time.Second}, false},
		{[]int{429, good}, "9", 2, waits{9 * time.Second}, true},
		{[]int{429, good}, "0.2", 2, waits{2 * time.Second}, true}, // never sooner than as published
		{[]int{429, good}, "3600", 1, nil, false},                  // nobody waits an hour for an opinion
		{[]int{400, good}, "", 1, nil, false},
		{[]int{401, good}, "", 1, nil, false},
		{[]int{403, good}, "", 1, nil, false},
		{[]int{404, good}, "", 1, nil, false},
		{[]int{422, good}, "", 1, nil, false},
		{[]int{307, good}, "", 1, nil, false},
	} {
		for _, name := range []string{"openai:m", "anthropic:m"} {
			asked, slept := 0, waits(nil)
			j := open(t, name, &slept, func(w http.ResponseWriter, _ *http.Request) {
				status := row.statuses[min(asked, len(row.statuses)-1)]
				asked++
				if status != good {
					w.Header().Set("Retry-After", row.after)
					w.WriteHeader(status)
					io.WriteString(w, `{"error":{"message":"no, `+canary+`"}}`)
					return
				}
				io.WriteString(w, `{"type":"message","content":[{"type":"text","text":"fine"}],"choices":[{"message":{"content":"fine"}}]}`)
			})
			reply, err := j(t.Context(), "?")
			if asked != row.asked || (err == nil) != row.ok || row.ok && reply != "fine" || len(slept) != len(row.waited) {
				t.Fatalf("%s, %v: %q, %v, asked %d times, waited %v", name, row.statuses, reply, err, asked, slept)
			}
			for i := range slept {
				if slept[i] != row.waited[i] {
					t.Errorf("%s, %v: waited %v", name, row.statuses, slept)
				}
			}
			if err != nil && strings.Contains(err.Error(), canary) {
				t.Errorf("%s, %v: %v", name, row.statuses, err)
			}
		}
	}
}

// A reply that repeats the key does not hold it, however it is spelled.
func TestKeyInReplies(t *testing.T) {
	for _, spelled := range []string{canary, strings.ReplaceAll(canary, "-", `\u002d`)} {
		for _, name := range []string{"openai:m", "anthropic:m"} {
			j := open(t, name, new(waits), func(w http.ResponseWriter, _ *http.Request) {
				io.WriteString(w, `{"type":"message","content":[{"type":"text","text":"I know `+spelled+`"}],"choices":[{"message":{"content":"I know `+spelled+`"}}]}`)
			})
			if reply, err := j(t.Context(), "?"); reply != "I know [key]" || err != nil {
				t.Errorf("%s: %q, %v", name, reply, err)
			}
		}
	}
}

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	asked := 0
	j := open(t, "openai:m", new(waits), func(w http.ResponseWriter, _ *http.Request) {
		asked++
		cancel()
		w.WriteHeader(http.StatusServiceUnavailable)
	})
	if _, err := j(ctx, "?"); err == nil || asked != 1 {
		t.Errorf("%v, asked %d times", err, asked)
	}
}

// model is a local one that fails as often as it is told to.
type model struct {
	failures int
	class    infer.Class
	asked    infer.Request
}

func (m *model) Ask(_ context.Context, r infer.Request) (infer.Response, error) {
	m.asked = r
	if m.failures--; m.failures >= 0 {
		return infer.Response{}, &infer.Failure{Class: m.class, Err: errors.New("busy")}
	}
	return infer.Response{Text: `{"relevance": 1}`, Thinking: `{"relevance": 0}`, Stop: infer.StopDone}, nil
}

func TestModel(t *testing.T) {
	for _, row := range []struct {
		failures int
		class    infer.Class
		ok       bool
		waits    int
	}{{0, "", true, 0}, {2, infer.ClassRetry, true, 2}, {3, infer.ClassRetry, false, 2}, {1, infer.ClassFatal, false, 0}, {1, infer.ClassTask, false, 0}} {
		m := &model{failures: row.failures, class: row.class}
		n, err := judge.ParseName("ollama:qwen3:4b", environment)
		if err != nil {
			t.Fatal(err)
		}
		slept := waits(nil)
		j, err := judge.Open(n, judge.Reach{Getenv: environment, Model: func() (infer.Model, error) { return m, nil }, Options: infer.Options{NumPredict: 7}, Sleep: slept.sleep})
		if err != nil {
			t.Fatal(err)
		}
		reply, err := j(t.Context(), "?")
		if (err == nil) != row.ok || row.ok && reply != `{"relevance": 1}` || m.asked.Model != "qwen3:4b" || m.asked.Prompt != "?" || m.asked.System != "" || m.asked.Options.NumPredict != 7 || len(slept) != row.waits {
			t.Errorf("%+v: %q, %v, %+v, %v", row, reply, err, m.asked, slept)
		}
	}
}
