package agent_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"candor/harness/lens/agent"
	"candor/harness/lens/play"
	"candor/infer"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestCommand(t *testing.T) {
	for _, row := range []struct {
		name, shell       string
		action, reasoning string
		says              string // of the error
	}{
		{name: "a text and its reasons", shell: `while read l; do echo '{"action": "go", "reasoning": "why not"}'; done`, action: "go", reasoning: "why not"},
		{name: "an object", shell: `while read l; do echo '{"action": {"values": [1]}}'; done`, action: `{"values": [1]}`},
		{name: "the action alone", shell: `while read l; do echo '{"values": [1]}'; done`, action: `{"values": [1]}`},
		{name: "words", shell: `while read l; do echo left; done`, action: "left"},
		{name: "a program for each question", shell: `read l; echo once`, action: "once"},
		{name: "one that does not listen", shell: `echo hello`, action: "hello"},
		{name: "it cannot", shell: `while read l; do echo '{"error": "no idea"}'; done`, says: "it says: no idea"},
		// Nothing of an answer is dropped without a word.
		{name: "more than an action", shell: `while read l; do echo '{"action": "bid", "amount": 3}'; done`, says: `{"action": {"action": …, "amount": …}}`},
		{name: "reasons that are none", shell: `while read l; do echo '{"action": "go", "reasoning": 3}'; done`, says: "its reasoning is no text: 3"},
		{name: "no reasons", shell: `while read l; do echo '{"action": "go", "reasoning": null}'; done`, action: "go"},
		{name: "it ends", shell: `exit 3`, says: "it ended without an answer"},
		{name: "there is no such program", shell: `/no/such/program`, says: "it ended without an answer"},
	} {
		c := &agent.Command{Shell: row.shell, Log: io.Discard}
		for range 3 {
			action, reasoning, err := c.Act(t.Context(), "what\nnow?")
			if action != row.action || reasoning != row.reasoning || (err == nil) != (row.says == "") || err != nil && !strings.Contains(err.Error(), row.says) {
				t.Errorf("%s: %q, %q, %v", row.name, action, reasoning, err)
			}
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A program that never answers is told once and for all, with how it ended and
// what it said; one that has answered before may come back.
func TestCommandThatIsNone(t *testing.T) {
	for _, row := range []struct {
		shell, says string
		none        bool
	}{
		{`no-such-agent`, "exit status 127); it wrote: ", true},
		{`echo oh no >&2; exit 3`, "it ended without an answer (exit status 3); it wrote: oh no", true},
		{`read l; if [ -e began ]; then echo tired >&2; exit 4; fi; echo ok; touch began; read l; exit 5`, "(exit status 4); it wrote: tired", false},
	} {
		t.Chdir(t.TempDir())
		var log strings.Builder
		c := &agent.Command{Shell: row.shell, Log: &log}
		if !row.none {
			if _, _, err := c.Act(t.Context(), "1"); err != nil {
				t.Fatal(err)
			}
		}
		_, _, err := c.Act(t.Context(), "2")
		if err == nil || !strings.Contains(err.Error(), row.says) || errors.Is(err, play.ErrNoAgent) != row.none || strings.Contains(err.Error(), "EOF") {
			t.Errorf("%s: %v", row.shell, err)
		}
		if advised := strings.Contains(log.String(), "flush standard output"); advised == row.none {
			t.Errorf("%s: %s", row.shell, log.String())
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
}

// The question is one line, whatever is in it.
func TestCommandIsAsked(t *testing.T) {
	c := &agent.Command{Shell: "cat"}
	defer c.Close()
	said, _, err := c.Act(t.Context(), "a\n\"b\"")
	if err != nil || said != `{"observation":"a\n\"b\""}` {
		t.Errorf("%q, %v", said, err)
	}
}

// A program that hangs, and what it has started, hold nobody up.
func TestCommandThatHangs(t *testing.T) {
	c := &agent.Command{Shell: "sleep 60; true"}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	start := time.Now()
	if _, _, err := c.Act(ctx, "now?"); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) > 10*time.Second {
		t.Errorf("%v after %v", err, time.Since(start))
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// What a program has started ends with it.
func TestCommandThatHangsEndsWhole(t *testing.T) {
	t.Chdir(t.TempDir())
	c := &agent.Command{Shell: "(sleep 1; touch late) & touch begun; wait"}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		defer cancel()
		for t.Context().Err() == nil {
			if _, err := os.Stat("begun"); err == nil {
				return
			}
			time.Sleep(time.Millisecond)
		}
	}()
	if _, _, err := c.Act(ctx, "now?"); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	time.Sleep(1500 * time.Millisecond)
	if _, err := os.Stat("late"); err == nil {
		t.Error("its child lived on")
	}
}

func serve(t *testing.T, status int, reply string, check func(path, key string, body []byte)) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if check != nil {
			check(r.URL.Path, r.Header.Get("Authorization"), body)
		}
		w.WriteHeader(status)
		io.WriteString(w, reply)
	}))
	t.Cleanup(func() {
		server.Close()
		http.DefaultClient.CloseIdleConnections()
	})
	return server.URL
}

func TestHTTP(t *testing.T) {
	for _, row := range []struct {
		status                  int
		reply                   string
		action, reasoning, says string
	}{
		{200, `{"action": {"a": 1}, "reasoning": "r"}`, `{"a": 1}`, "r", ""},
		{200, "left\n", "left", "", ""},
		{200, `{"error": "tired"}`, "", "", "tired"},
		{500, "boom", "", "", "status 500: boom"},
	} {
		action, reasoning, err := agent.HTTP{URL: serve(t, row.status, row.reply, nil)}.Act(t.Context(), "o")
		if action != row.action || reasoning != row.reasoning || (err == nil) != (row.says == "") || err != nil && !strings.Contains(err.Error(), row.says) {
			t.Errorf("%q: %q, %q, %v", row.reply, action, reasoning, err)
		}
	}
}

// The reply is of the shape that OpenAI's documentation and vLLM's show.
func TestOpenAI(t *testing.T) {
	var asked struct {
		Model    string
		Messages []struct {
			Role    string
			Content json.RawMessage
		}
	}
	url := serve(t, 200, `{"id":"x","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"I turn.\n{\"action\": \"left\"}","reasoning_content":"Hm."},"finish_reason":"stop"}]}`,
		func(path, key string, body []byte) {
			if path != "/v1/chat/completions" || key != "Bearer secret" {
				t.Errorf("asked at %s with %q", path, key)
			}
			if err := json.Unmarshal(body, &asked); err != nil {
				t.Error(err)
			}
		})
	o := agent.OpenAI{Base: url + "/v1/", Model: "m", Key: "secret"}
	image := base64.StdEncoding.EncodeToString([]byte("\x89PNG\r\n\x1a\nrest"))
	action, reasoning, err := agent.Of(o.Ask, json.RawMessage(`{"type":"object"}`))(t.Context(), `{"image": "data:image/png;base64,`+image+`", "claim": "A dog."}`)
	if err != nil || action != `{"action": "left"}` || reasoning != "Hm.\nI turn." {
		t.Errorf("%q, %q, %v", action, reasoning, err)
	}
	if len(asked.Messages) != 2 || asked.Model != "m" || !strings.Contains(string(asked.Messages[0].Content), `{\"type\":\"object\"}`) ||
		!strings.Contains(string(asked.Messages[1].Content), "data:image/png;base64,"+image) || !strings.Contains(string(asked.Messages[1].Content), `(the image)`) {
		t.Errorf("asked %+v", asked)
	}
	o.Base = serve(t, 401, `{"error":{"message":"bad key"}}`, nil)
	if _, _, err := o.Ask(t.Context(), agent.Question{Text: "?"}); err == nil || strings.Contains(err.Error(), "secret") || !strings.Contains(err.Error(), "bad key") {
		t.Errorf("%v", err)
	}
}

func TestRead(t *testing.T) {
	for _, row := range []struct{ said, action, reasoning string }{
		{`{"a": 1}`, `{"a": 1}`, ""},
		{"Because.\n{\"a\": {\"b\": 1}}", `{"a": {"b": 1}}`, "Because."},
		{"<think>Hm {x}.</think>\n{\"a\": 1}", `{"a": 1}`, "Hm {x}."},
		{"It may be {this} one.\n```json\n{\"a\": 1}\n```", `{"a": 1}`, "It may be {this} one."},
		{"go left", "go left", ""},
		{`{"a": 1} and that is it`, `{"a": 1} and that is it`, ""}, // nothing is to stand behind it
		{"", "", ""},
		{strings.Repeat("{", 100_000), strings.Repeat("{", 100_000), ""},
	} {
		if action, reasoning := agent.Read(row.said); action != row.action || reasoning != row.reasoning {
			t.Errorf("%.60q: %.60q, %q", row.said, action, reasoning)
		}
	}
}

// model fails as often as it is told to.
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
	return infer.Response{Text: `{"a": 1}`, Thinking: "Hm.", Stop: infer.StopDone}, nil
}

func TestInfer(t *testing.T) {
	for _, row := range []struct {
		failures int
		class    infer.Class
		ok       bool
	}{{0, "", true}, {2, infer.ClassRetry, true}, {3, infer.ClassRetry, false}, {1, infer.ClassFatal, false}} {
		m := &model{failures: row.failures, class: row.class}
		action, reasoning, err := agent.Of(agent.Infer(m, "name", infer.Options{}, 7), nil)(t.Context(), "data:image/png;base64,AAAA")
		if (err == nil) != row.ok || row.ok && (action != `{"a": 1}` || reasoning != "Hm." || m.asked.Model != "name" || m.asked.Seed != 7 || len(m.asked.Image) != 3) {
			t.Errorf("%+v: %q, %q, %v, %+v", row, action, reasoning, err, m.asked)
		}
	}
}
