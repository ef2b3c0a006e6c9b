package ollama_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"candor/infer"
	"candor/infer/ollama"
	"candor/infer/ollama/faultserver"

	"github.com/google/go-cmp/cmp"
)

// Every option is on the wire, whatever its value: a server's own defaults
// never decide.
func TestAskSendsEverything(t *testing.T) {
	greedy, err := infer.Profile("greedy")
	if err != nil {
		t.Fatal(err)
	}
	neutral := question(t)
	neutral.Options = greedy
	loaded := question(t)
	loaded.Options.NumBatch, loaded.Options.NumThread = 128, 2
	thinking := question(t)
	thinking.Options.Think = true
	tests := []struct {
		name     string
		req      infer.Request
		endpoint string
		options  map[string]any
	}{
		{"instruct: generate keeps the schema", question(t), "generate", map[string]any{
			"temperature": .7, "top_p": .8, "top_k": 20., "min_p": 0., "typical_p": 1., "presence_penalty": 1.5, "frequency_penalty": 0.,
			"repeat_penalty": 1., "repeat_last_n": 64., "num_predict": 512., "num_ctx": 4096., "seed": 7.}},
		{"greedy: zeros are sent, a context of 0 is not", neutral, "generate", map[string]any{
			"temperature": 0., "top_p": 1., "top_k": 1., "min_p": 0., "typical_p": 1., "presence_penalty": 0., "frequency_penalty": 0.,
			"repeat_penalty": 1., "repeat_last_n": 64., "num_predict": 512., "seed": 7.}},
		{"load-time options when set", loaded, "generate", map[string]any{
			"temperature": .7, "top_p": .8, "top_k": 20., "min_p": 0., "typical_p": 1., "presence_penalty": 1.5, "frequency_penalty": 0.,
			"repeat_penalty": 1., "repeat_last_n": 64., "num_predict": 512., "num_ctx": 4096., "seed": 7., "num_batch": 128., "num_thread": 2.}},
		{"thinking: chat, whose two passes keep it free", thinking, "chat", map[string]any{
			"temperature": .7, "top_p": .8, "top_k": 20., "min_p": 0., "typical_p": 1., "presence_penalty": 1.5, "frequency_penalty": 0.,
			"repeat_penalty": 1., "repeat_last_n": 64., "num_predict": 512., "num_ctx": 4096., "seed": 7.}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := faultserver.New(t, faultserver.Capabilities("completion", "vision", "thinking"))
			resp, err := client(t, s, ollama.KeepAlive(time.Hour)).Ask(t.Context(), tt.req)
			if err != nil {
				t.Fatal(err)
			}
			got := s.Requests()[0]
			if diff := cmp.Diff(tt.options, got.Options); diff != "" {
				t.Errorf("options (-want +got):\n%s", diff)
			}
			if got.Endpoint != tt.endpoint || got.Model != "fake" || got.System != tt.req.System || got.Prompt != tt.req.Prompt {
				t.Errorf("asked %s of %q with %q, %q", got.Endpoint, got.Model, got.System, got.Prompt)
			}
			if len(got.Images) != 1 || string(got.Images[0]) != string(tt.req.Image) {
				t.Errorf("%d images; want the one, unchanged", len(got.Images))
			}
			for name, flag := range map[string]*bool{"stream": got.Stream, "truncate": got.Truncate, "shift": got.Shift} {
				if flag == nil || *flag {
					t.Errorf("%s is not false", name)
				}
			}
			if got.Think != tt.req.Options.Think || got.KeepAlive != "1h0m0s" || !got.Logprobs || got.TopLogprobs != 3 {
				t.Errorf("think %v, keep_alive %v, logprobs %v %d", got.Think, got.KeepAlive, got.Logprobs, got.TopLogprobs)
			}
			if !jsonEqual(t, got.Format, schema) {
				t.Errorf("format = %s", got.Format)
			}
			if tt.req.Options.Think != (resp.Thinking != "") {
				t.Errorf("thinking = %q", resp.Thinking)
			}
		})
	}
}

func jsonEqual(t *testing.T, a, b json.RawMessage) bool {
	t.Helper()
	var x, y any
	if err := errors.Join(json.Unmarshal(a, &x), json.Unmarshal(b, &y)); err != nil {
		t.Fatal(err)
	}
	return reflect.DeepEqual(x, y)
}

// A request without image, schema or log-probabilities says nothing of them.
func TestAskBare(t *testing.T) {
	s := faultserver.New(t)
	req := question(t)
	req.Image, req.Schema, req.TopLogprobs, req.MinPromptTokens = nil, nil, 0, 0
	resp, err := client(t, s).Ask(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	got := s.Requests()[0]
	if len(got.Images) != 0 || len(got.Format) != 0 || got.Logprobs || len(resp.Logprobs) != 0 {
		t.Errorf("images %d, format %s, logprobs %v", len(got.Images), got.Format, got.Logprobs)
	}
}

// The answer is what the server said, with its figures.
func TestAskAnswer(t *testing.T) {
	s := faultserver.New(t, faultserver.On(faultserver.Always, faultserver.Change(func(_ *faultserver.Request, r *faultserver.Reply) {
		r.Text = faultserver.Answer("REFUTED", 0.75)
		r.Thinking = "hm"
		r.PromptTokens, r.OutputTokens = 120, 14
		r.Total, r.Load, r.Prompt, r.Generate = 100, 10, 20, 30
	})))
	got, err := client(t, s).Ask(t.Context(), question(t))
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Logprobs) == 0 || len(got.Logprobs[0].Top) != 3 || got.Logprobs[0].Top[0].Logprob != got.Logprobs[0].Logprob {
		t.Errorf("log-probabilities = %v; want 3 alternatives a token", got.Logprobs)
	}
	got.Logprobs = nil
	want := infer.Response{
		Text: `{"verdict":"REFUTED","confidence":0.75}`, Thinking: "hm", Stop: infer.StopDone, PromptTokens: 120, OutputTokens: 14,
		Durations: infer.Durations{Load: 10, Prompt: 20, Generate: 30, Other: 40, Total: 100},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("response (-want +got):\n%s", diff)
	}
}

// A server that streams although it should not is understood all the same.
func TestAskStreamed(t *testing.T) {
	chunks := `{"model":"m","response":"{\"a\"","done":false}` + "\n" + `{"model":"m","response":":1}","done":false}` + "\n" +
		`{"model":"m","response":"","done":true,"done_reason":"stop","prompt_eval_count":90,"eval_count":3}` + "\n"
	s := faultserver.New(t, faultserver.On(faultserver.Always, faultserver.Body(200, "application/x-ndjson", chunks)))
	got, err := client(t, s).Ask(t.Context(), question(t))
	if err != nil || got.Text != `{"a":1}` || got.Stop != infer.StopDone || got.PromptTokens != 90 {
		t.Errorf("response = %+v, %v", got, err)
	}
}

// Faults that pass, and faults that do not: the class decides on the attempts,
// the seed stays, and nothing half-received becomes a response.
func TestAskFaults(t *testing.T) {
	first := func(n int, f faultserver.Fault) faultserver.Option {
		return faultserver.On(faultserver.First(n, nil), f)
	}
	always := func(f faultserver.Fault) faultserver.Option { return faultserver.On(faultserver.Always, f) }
	says := func(code int, text string) faultserver.Fault { return faultserver.Body(code, "application/json", text) }
	done := `{"model":"m","response":"x","done":true,"done_reason":"stop","prompt_eval_count":100}` + "\n"
	tests := []struct {
		name     string
		fault    faultserver.Option
		attempts int
		class    infer.Class // of the last failure; empty: an answer
		status   int
		text     string // in the last failure
		stop     infer.Stop
	}{
		// Back-off, success at the third try.
		{"busy twice", first(2, faultserver.Busy()), 3, "", 503, "maximum pending requests exceeded", infer.StopDone},
		{"busy for ever", always(faultserver.Busy()), 4, infer.ClassRetry, 503, "gave up after 4 attempts", ""},
		{"older busy", first(1, faultserver.Status(500, "unexpected server status: llm busy - no slots available")), 2, "", 500, "no slots", infer.StopDone},
		{"too many requests", first(1, faultserver.Status(429, "rate limited")), 2, "", 429, "rate limited", infer.StopDone},
		{"client closed", first(1, faultserver.Status(499, "")), 2, "", 499, "499", infer.StopDone},
		{"bad gateway, as a page", first(1, faultserver.Body(502, "text/html", "<html>\n<h1>Bad\n gateway</h1>")), 2, "", 502, "502: Bad Gateway", infer.StopDone},
		{"gateway timeout, no body", first(1, says(504, "")), 2, "", 504, "gateway timeout", infer.StopDone},
		{"internal error, no body", first(1, says(500, "")), 2, "", 500, "internal server error", infer.StopDone},

		// Crashes of the engine.
		{"runner stopped", first(1, faultserver.RunnerStopped()), 2, "", 500, "unexpectedly stopped", infer.StopDone},
		{"runner killed", first(1, faultserver.Status(500, "an error was encountered while running the model: unexpected EOF")), 2, "", 500, "unexpected EOF", infer.StopDone},
		{"assertion", always(faultserver.Status(500, "GGML_ASSERT(a->ne[2] * 4 == b->ne[0]) failed")), 4, infer.ClassRetry, 500, "GGML_ASSERT", ""},
		{"error under 200", first(1, faultserver.ErrorLine("an error was encountered while running the model: unexpected EOF")), 2, "", 0, "running the model", infer.StopDone},
		{"error after chunks", first(1, faultserver.ErrorAfterChunks("boom")), 2, "", 0, "boom", infer.StopDone},
		{"error after chunks for ever", always(faultserver.ErrorAfterChunks("boom")), 4, infer.ClassRetry, 0, "boom", ""},
		{"error after done", first(1, says(200, done+`{"error":"late"}`)), 2, "", 0, "late", infer.StopDone},

		// Cut connections are never parsed as final.
		{"cut in the middle", first(1, faultserver.CutMiddle()), 2, "", 0, "cut off", infer.StopDone},
		{"cut in the middle for ever", always(faultserver.CutMiddle()), 4, infer.ClassRetry, 0, "cut off", ""},
		{"cut after what looks whole", always(faultserver.CutAfter()), 4, infer.ClassRetry, 0, "cut off", ""},
		{"cut, length unannounced", always(faultserver.CutUnannounced()), 4, infer.ClassRetry, 0, "cut off", ""},
		{"cut before a word", always(faultserver.CutBefore()), 4, infer.ClassRetry, 0, "EOF", ""},
		{"half a line", always(says(200, `{"model":"m","response":"{\"verd`)), 4, infer.ClassRetry, 0, "asking the server", ""},

		// The stop of a repeating model, as a whole body or an error.
		{"not done once", first(1, faultserver.NotDone()), 2, "", 0, "repeated one token", infer.StopDone},
		{"not done for ever", always(faultserver.NotDone()), 2, "", 0, "repeated one token", infer.StopRepeated},
		{"no end for ever", always(faultserver.NoEnd()), 2, "", 0, "repeated one token", infer.StopRepeated},
		{"repeat limit for ever", always(faultserver.RepeatLimit()), 2, "", 0, "repeated one token", infer.StopRepeated},
		{"repeat limit after chunks", always(faultserver.ErrorAfterChunks("prediction aborted, token repeat limit reached")), 2, "", 0, "repeated one token", infer.StopRepeated},
		{"not done, then busy, then done", faultserver.On(faultserver.Nth(nil, 0), faultserver.NotDone()), 2, "", 0, "repeated one token", infer.StopDone},

		// What is no reply at all.
		{"nothing", always(faultserver.Empty()), 4, infer.ClassRetry, 0, "empty reply", ""},
		{"a page", always(faultserver.HTML()), 4, infer.ClassRetry, 0, "DOCTYPE", ""},
		{"an empty object", always(says(200, "{}")), 4, infer.ClassRetry, 0, "not an answer of Ollama's", ""},
		{"null", always(says(200, "null")), 4, infer.ClassRetry, 0, "not an answer of Ollama's", ""},
		{"a list", always(says(200, "[]")), 4, infer.ClassRetry, 0, "asking the server", ""},
		{"done in another type", always(says(200, `{"model":"m","response":"x","done":"true"}`)), 4, infer.ClassRetry, 0, "asking the server", ""},
		{"more after the end", always(says(200, done+done)), 4, infer.ClassRetry, 0, "went on after the end", ""},
		{"a very long line", always(says(200, `{"model":"m","response":"`+strings.Repeat("x", 9<<20)+`","done":true}`)), 4, infer.ClassRetry, 0, "too long", ""},
		{"an unknown end", always(says(200, `{"model":"m","response":"x","done":true,"done_reason":"weather","prompt_eval_count":100}`)), 4, infer.ClassRetry, 0, "weather", ""},
		{"a load", always(says(200, `{"model":"m","response":"","done":true,"done_reason":"load"}`)), 1, infer.ClassTask, 0, "without a prompt", ""},

		// What nobody's waiting mends: once, with what to do.
		{"no thinking", always(faultserver.Status(400, `"qwen2.5vl:7b" does not support thinking`)), 1, infer.ClassFatal, 400, "thinking off", ""},
		{"think level", always(faultserver.Status(400, `think value "low" is not supported for this model`)), 1, infer.ClassFatal, 400, "thinking off", ""},
		{"no vision", always(faultserver.Status(500, "this model is missing data required for image input")), 1, infer.ClassFatal, 500, "vision model", ""},
		{"missing", always(faultserver.ModelMissing()), 1, infer.ClassFatal, 404, "ollama pull fake", ""},
		{"missing, no body", always(says(404, "")), 1, infer.ClassFatal, 404, "ollama pull fake", ""},
		{"another server", always(faultserver.Body(404, "text/plain", "404 page not found")), 1, infer.ClassFatal, 404, "--host", ""},
		{"not that method", always(says(405, "")), 1, infer.ClassFatal, 405, "--host", ""},
		{"login", always(says(401, "")), 1, infer.ClassFatal, 401, "login", ""},
		{"forbidden", always(says(403, "{}")), 1, infer.ClassFatal, 403, "refuses", ""},
		{"memory", always(faultserver.Status(500, "model requires more system memory (9.1 GiB) than is available (2.2 GiB)")), 1, infer.ClassFatal, 500, "smaller model", ""},
		{"schema refused", always(faultserver.Status(500, "invalid JSON schema in format")), 1, infer.ClassFatal, 500, "--format none", ""},
		{"option refused", always(faultserver.Status(500, `option "top_k" must be of type integer`)), 1, infer.ClassFatal, 500, "option", ""},
		{"nested error", always(says(400, `{"error":{"message":"x does not support thinking","type":"invalid"}}`)), 1, infer.ClassFatal, 400, "thinking off", ""},
		{"error over lines", always(says(400, "{\n  \"error\": \"x does not support thinking\"\n}")), 1, infer.ClassFatal, 400, "thinking off", ""},
		{"http asked of https", always(faultserver.Body(400, "text/plain", "Client sent an HTTP request to an HTTPS server.\n")), 1, infer.ClassFatal, 400, "https, not http", ""},

		// Faults of one task.
		{"bad image", always(faultserver.Status(500, "Failed to create new sequence: failed to process inputs: unexpected EOF")), 1, infer.ClassTask, 500, "cannot read this image", ""},
		{"bad PNG", always(faultserver.Status(500, "Failed to create new sequence: failed to process inputs: png: invalid format: not enough pixel data")), 1, infer.ClassTask, 500, "cannot read this image", ""},
		{"small image", always(faultserver.Status(500, "height:27 or width:257 must be larger than factor:28")), 1, infer.ClassTask, 500, "too small", ""},
		{"long prompt", always(faultserver.Status(400, "the input length exceeds the context length")), 1, infer.ClassTask, 400, "raise num_ctx", ""},
		{"longer prompt", always(faultserver.Status(400, "prompt too long; exceeded max context length by 12 tokens")), 1, infer.ClassTask, 400, "raise num_ctx", ""},
		{"image marker", always(faultserver.Status(500, "failed to process inputs: invalid image index: 1")), 1, infer.ClassTask, 500, "marker", ""},
		{"some bad request", always(faultserver.Status(400, "it is your fault")), 1, infer.ClassTask, 400, "your fault", ""},

		// A full context and a dropped image: answered, but not the question.
		{"context full", always(faultserver.FillContext()), 1, infer.ClassTask, 0, "fills the whole context", ""},
		{"image dropped", always(faultserver.DropImage()), 1, infer.ClassTask, 0, "without the image", ""},

		// The model's own ends.
		{"length", always(faultserver.CutLength()), 0, "", 0, "", infer.StopLength},
		{"context ran out", always(faultserver.FullContext()), 0, "", 0, "", infer.StopLength},
		{"only thinking", always(faultserver.OnlyThinking()), 0, "", 0, "", infer.StopDone},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := faultserver.New(t, tt.fault)
			resp, failed, err := quick.Ask(t.Context(), client(t, s), question(t))
			asked := s.Requests()
			if want := max(tt.attempts, 1); len(asked) != want {
				t.Errorf("%d attempts; want %d", len(asked), want)
			}
			for _, r := range asked {
				if r.Seed() != 7 || string(r.Raw) != string(asked[0].Raw) {
					t.Errorf("attempt %d is another request: %s", r.Index, r.Raw)
				}
			}
			checkFailure(t, failed, err, tt.class, tt.status, tt.text)
			if resp.Stop != tt.stop || tt.class != "" && !reflect.DeepEqual(resp, infer.Response{}) {
				t.Errorf("response = %+v; want stop %q", resp, tt.stop)
			}
		})
	}
}

// checkFailure compares the last failure, recorded or returned.
func checkFailure(t *testing.T, failed []infer.Attempt, err error, class infer.Class, status int, text string) {
	t.Helper()
	if (err != nil) != (class != "") {
		t.Fatalf("error = %v; want one of class %q", err, class)
	}
	if err != nil && infer.ClassOf(err) != class {
		t.Errorf("class = %q of %v; want %q", infer.ClassOf(err), err, class)
	}
	if len(failed) == 0 {
		if text != "" {
			t.Errorf("no failed attempt; want one that says %q", text)
		}
		return
	}
	last := failed[len(failed)-1]
	if said := fmt.Sprint(last.Message, " ", err); last.Status != status || !strings.Contains(said, text) {
		t.Errorf("last failure = %d %q; want %d, %q", last.Status, said, status, text)
	}
	if len(last.Message) > 2000 {
		t.Errorf("a message of %d bytes", len(last.Message))
	}
}

// What is no answer of an Ollama server, whoever sent it with a 200, is never
// the model's: the infrastructure failed, and nothing is scored.
func TestAskAnotherProgram(t *testing.T) {
	const own = `{"model":"fake","created_at":"2026-01-02T03:04:05Z",`
	message := own + `"message":{"role":"assistant","content":"x"},"done":true,"done_reason":"stop","prompt_eval_count":1500}`
	response := own + `"response":"x","done":true,"done_reason":"stop","prompt_eval_count":1500}`
	tests := []struct {
		name, body string
		think      bool
	}{
		{"OpenAI's", `{"id":"x","choices":[{"message":{"content":"x"}}],"created":1,"model":"fake"}`, false},
		{"the model alone", `{"model":"fake"}`, false},
		{"a limit", `{"model":"fake","detail":"rate limit exceeded"}`, false},
		{"a status", `{"model":"fake","status":"loading model"}`, false},
		{"errors", `{"model":"fake","errors":["boom"]}`, false},
		{"an empty error", `{"model":"fake","error":""}`, false},
		{"text of another type", `{"created_at":"2026-01-02T03:04:05Z","message":"x"}`, false},
		{"text without done", own + `"response":"x"}`, false},
		{"done without text", own + `"done":false}`, false},
		{"null text", own + `"response":null,"done":false}`, false},
		{"null done", own + `"response":"x","done":null}`, false},
		{"the end alone", `{"done":true,"done_reason":"stop","prompt_eval_count":1500}`, false},
		{"chat's to generate", message, false},
		{"generate's to chat", response, true},
		{"no content", own + `"message":{"role":"assistant"},"done":true,"prompt_eval_count":1500}`, true},
		{"no message", own + `"message":null,"done":false}`, true},
		{"between parts of an answer", own + `"response":"x","done":false}` + "\n" + `{"model":"fake","status":"busy"}` + "\n" + response, false},
		{"over lines", "{\n\"model\": \"fake\"\n}", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := faultserver.New(t, faultserver.On(faultserver.Always, faultserver.Body(200, "application/json", tt.body)))
			req := question(t)
			req.Options.Think = tt.think
			resp, _, err := quick.Ask(t.Context(), client(t, s), req)
			if infer.ClassOf(err) != infer.ClassRetry || !reflect.DeepEqual(resp, infer.Response{}) {
				t.Errorf("%+v, %v; want a failure to retry", resp, err)
			}
			if len(s.Requests()) != quick.Attempts {
				t.Errorf("%d attempts", len(s.Requests()))
			}
		})
	}
	// The same, complete: the model's.
	for think, body := range map[bool]string{true: message, false: response} {
		s := faultserver.New(t, faultserver.On(faultserver.Always, faultserver.Body(200, "application/json", body)))
		req := question(t)
		req.Options.Think = think
		if resp, err := client(t, s).Ask(t.Context(), req); err != nil || resp.Text != "x" {
			t.Errorf("%s: %+v, %v", body, resp, err)
		}
	}
}

// The sentinels tell the two silent faults apart.
func TestAskSentinels(t *testing.T) {
	for fault, want := range map[*faultserver.Option]error{
		new(faultserver.On(faultserver.Always, faultserver.DropImage())):   infer.ErrImageDropped,
		new(faultserver.On(faultserver.Always, faultserver.FillContext())): infer.ErrContextFull,
	} {
		_, err := client(t, faultserver.New(t, *fault)).Ask(t.Context(), question(t))
		if !errors.Is(err, want) {
			t.Errorf("error = %v; want %v", err, want)
		}
	}
}

// Figures that cannot be are none, and never make others impossible.
func TestAskDurations(t *testing.T) {
	const least, most = -1 << 63, 1<<63 - 1
	tests := []struct {
		name                          string
		total, load, prompt, generate int64
		want                          infer.Durations
	}{
		{"minus 292 years", 100, 10, 20, least, infer.Durations{Total: 100, Load: 10, Prompt: 20, Other: 70}},
		{"parts beyond the whole", 100, 80, 80, 80, infer.Durations{Total: 100, Load: 80, Prompt: 80, Generate: 80}},
		{"plus 292 years", 100, most, most, most, infer.Durations{Total: 100, Other: 100}},
		{"all negative", -1, -2, -3, least, infer.Durations{}},
		{"none", 0, 0, 0, 0, infer.Durations{}},
	}
	for _, tt := range tests {
		s := faultserver.New(t, faultserver.On(faultserver.Always, faultserver.Change(func(_ *faultserver.Request, r *faultserver.Reply) {
			r.Total, r.Load, r.Prompt, r.Generate = tt.total, tt.load, tt.prompt, tt.generate
		})))
		got, err := client(t, s).Ask(t.Context(), question(t))
		if err != nil || got.Durations != tt.want {
			t.Errorf("%s: %+v, %v; want %+v", tt.name, got.Durations, err, tt.want)
		}
	}
}

// The caller's end of a request is the context's error, not a failure; the
// client's own bound is a failure to retry.
func TestAskEnds(t *testing.T) {
	hangs := map[string]faultserver.Fault{"silent": faultserver.Hang(), "in the middle": faultserver.HangMiddle()}
	for name, hang := range hangs {
		s := faultserver.New(t, faultserver.On(faultserver.Always, hang))
		ctx, cancel := context.WithTimeoutCause(t.Context(), 30*time.Millisecond, errors.New("enough"))
		_, err := client(t, s).Ask(ctx, question(t))
		cancel()
		if err != context.DeadlineExceeded { //nolint:errorlint // the very error is promised
			t.Errorf("%s, deadline of the caller: %v; want the context's error", name, err)
		}
		ctx, cancel = context.WithCancel(t.Context())
		time.AfterFunc(20*time.Millisecond, cancel)
		if _, _, err := quick.Ask(ctx, client(t, s), question(t)); !errors.Is(err, context.Canceled) {
			t.Errorf("%s, cancelled: %v; want the context's error", name, err)
		}
		_, failed, err := infer.RetryPolicy{Attempts: 2}.Ask(t.Context(), client(t, s, ollama.Timeout(30*time.Millisecond)), question(t))
		if infer.ClassOf(err) != infer.ClassRetry || len(failed) != 2 || !strings.Contains(err.Error(), "no whole reply within 30ms") {
			t.Errorf("%s, timeout: %v after %d; want a failure to retry, twice", name, err, len(failed))
		}
	}
}

// A timeout of 0 is no bound.
func TestAskUnbounded(t *testing.T) {
	if _, err := client(t, faultserver.New(t), ollama.Timeout(0)).Ask(t.Context(), question(t)); err != nil {
		t.Error(err)
	}
}

// A server that is not there is waited for; one that redirects a question, or
// a request that cannot be written, is not.
func TestAskUnsent(t *testing.T) {
	gone, err := ollama.New("http://127.0.0.1:1")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := gone.Ask(t.Context(), question(t)); infer.ClassOf(err) != infer.ClassRetry {
		t.Errorf("nobody there: %v; want a failure to retry", err)
	}
	moved := faultserver.New(t, faultserver.On(faultserver.Always, faultserver.Redirect("https://elsewhere.invalid/")))
	if _, err := client(t, moved).Ask(t.Context(), question(t)); infer.ClassOf(err) != infer.ClassFatal || !strings.Contains(err.Error(), "elsewhere.invalid") {
		t.Errorf("redirected: %v; want a fatal failure that names the address", err)
	}
	s := faultserver.New(t)
	req := question(t)
	req.Schema = json.RawMessage(`{"type":`)
	if _, err := client(t, s).Ask(t.Context(), req); infer.ClassOf(err) != infer.ClassFatal || len(s.Requests()) != 0 {
		t.Errorf("a schema that is no JSON: %v; want a fatal failure before anything is sent", err)
	}
}

// The fault in one request does not touch another at the same time.
func TestAskConcurrently(t *testing.T) {
	s := faultserver.New(t, faultserver.On(faultserver.Every(3, nil), faultserver.CutMiddle()), faultserver.On(faultserver.Every(4, nil), faultserver.Busy()))
	c := client(t, s)
	errs := make(chan error)
	for i := range 16 {
		go func() {
			req := question(t)
			req.Seed = int32(i)
			policy := quick
			policy.Attempts = 40
			resp, _, err := policy.Ask(t.Context(), c, req)
			if err == nil && (resp.Stop != infer.StopDone || !json.Valid([]byte(resp.Text))) {
				err = fmt.Errorf("response %+v", resp)
			}
			errs <- err
		}()
	}
	for range 16 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
}

// A reply without a single token was not generated; one of another model says
// so, and says it of no other name of the same.
func TestAskLies(t *testing.T) {
	s := faultserver.New(t, faultserver.On(faultserver.Always, faultserver.Nothing()))
	if _, err := client(t, s).Ask(t.Context(), question(t)); !errors.Is(err, infer.ErrNothingSaid) || infer.ClassOf(err) != infer.ClassRetry {
		t.Errorf("no token at all: %v", err)
	}
	for answers, want := range map[string]string{"other:1b": "other:1b", "fake": "", "FAKE:latest": "", "registry.ollama.ai/library/fake": "", "": ""} {
		s := faultserver.New(t, faultserver.On(faultserver.Always, faultserver.AnswersAs(answers)))
		got, err := client(t, s).Ask(t.Context(), question(t))
		if err != nil || got.OtherModel != want {
			t.Errorf("answers as %q: other model %q, %v; want %q", answers, got.OtherModel, err, want)
		}
	}
}
