package ollama_test

import (
	"bufio"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"candor/infer"
	"candor/infer/ollama"
)

// Whatever stands in a 200 reply, the client returns: a failure, a repetition,
// or, only when the reply said itself that it was done, an answer.
func FuzzReply(f *testing.F) {
	for _, body := range []string{
		"", "{}", "null", "[]", "<html>", `{"error":"x"}`, `{"done":true}`, `{"response":"x"}`,
		`{"model":"m","response":"{}","done":true,"done_reason":"stop","prompt_eval_count":9}`,
		`{"model":"m","response":"a","done":false}` + "\n" + `{"model":"m","response":"b","done":true,"done_reason":"length"}`,
		`{"done":true,"done_reason":"load"}`, `{"done":true}` + "\n" + `{"done":false,"response":"x"}`,
		`{"message":{"content":"x","thinking":"y"},"done":true}`, `{"done":true,"eval_duration":-9223372036854775808}`,
		`{"done":true,"logprobs":[{"token":"a","logprob":-1e308,"top_logprobs":[{"token":"b","logprob":-1}]}]}`,
	} {
		f.Add(body, false)
		f.Add(body, true)
	}
	var body atomic.Pointer[string]
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Write([]byte(*body.Load()))
	}))
	f.Cleanup(srv.Close)
	c, err := ollama.New(srv.URL)
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(c.Close)
	req := question(f)
	req.MinPromptTokens = 0
	f.Fuzz(func(t *testing.T, text string, think bool) {
		body.Store(&text)
		req := req
		req.Options.Think = think
		resp, err := c.Ask(t.Context(), req)
		if err != nil {
			if resp.Stop != "" || resp.Text != "" || resp.Thinking != "" {
				t.Errorf("a response beside the failure %v: %+v", err, resp)
			}
			return
		}
		answered := resp.Stop == infer.StopDone || resp.Stop == infer.StopLength
		if answered != saysDone(text) {
			t.Errorf("stop %q of %q", resp.Stop, text)
		}
		if d := resp.Durations; min(d.Load, d.Prompt, d.Generate, d.Other, d.Total) < 0 || resp.PromptTokens < 0 || resp.OutputTokens < 0 {
			t.Errorf("figures below 0: %+v", resp)
		}
		if _, err := json.Marshal(resp); err != nil {
			t.Errorf("a response that cannot be written: %v", err)
		}
	})
}

// saysDone reads the lines as independent objects: is the last of them done?
func saysDone(body string) bool {
	done := false
	for sc := bufio.NewScanner(strings.NewReader(body)); sc.Scan(); {
		var line struct{ Done bool }
		if json.Unmarshal(sc.Bytes(), &line) == nil {
			done = line.Done
		}
	}
	return done
}
