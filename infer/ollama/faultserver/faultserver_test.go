package faultserver_test

import (
	"bytes"
	"encoding/json"
	"image"
	"image/png"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"candor/infer/ollama/faultserver"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// picture is a grey PNG; another shade is another image of the same size.
func picture(t *testing.T, shade uint8) []byte {
	t.Helper()
	img := image.NewGray(image.Rect(0, 0, 320, 256))
	for i := range img.Pix {
		img.Pix[i] = shade
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func ask(t *testing.T, s *faultserver.Server, body map[string]any) (int, string) {
	t.Helper()
	b, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.Post(s.URL+"/api/generate", "application/json", bytes.NewReader(b))
	if err != nil {
		return 0, err.Error()
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	if err != nil {
		return resp.StatusCode, "cut: " + string(got)
	}
	return resp.StatusCode, string(got)
}

func request(prompt string, more map[string]any) map[string]any {
	m := map[string]any{"model": "fake", "prompt": prompt, "stream": false, "options": map[string]any{"temperature": 0.7, "seed": 1.0, "num_ctx": 4096.0}}
	for k, v := range more {
		m[k] = v
	}
	return m
}

type answer struct {
	Response        string
	Done            bool
	DoneReason      string `json:"done_reason"`
	PromptEvalCount int    `json:"prompt_eval_count"`
	TotalDuration   int64  `json:"total_duration"`
	Logprobs        []struct {
		Token       string
		Logprob     float64
		TopLogprobs []struct{ Logprob float64 } `json:"top_logprobs"`
	}
}

func parse(t *testing.T, body string) answer {
	t.Helper()
	var a answer
	if err := json.Unmarshal([]byte(body), &a); err != nil {
		t.Fatalf("reply %q: %v", body, err)
	}
	return a
}

// The same request has the same answer; another image, seed or penalty has
// another at least sometimes; an image costs its tokens.
func TestHealthyAnswers(t *testing.T) {
	s := faultserver.New(t)
	images := [][]byte{picture(t, 10)}
	verdicts := map[string]bool{}
	confidences := map[float64]bool{}
	for i := range 40 {
		r := request("verdict? claim "+strings.Repeat("x", i), map[string]any{"images": images})
		_, first := ask(t, s, r)
		_, again := ask(t, s, r)
		a := parse(t, first)
		if a.Response != parse(t, again).Response {
			t.Fatalf("two answers to one request: %s, %s", first, again)
		}
		if want := 10*8 + 2; a.PromptEvalCount < want || !a.Done || a.DoneReason != "stop" || a.TotalDuration <= 0 {
			t.Fatalf("reply %s; want it done, with at least %d prompt tokens", first, want)
		}
		var v struct {
			Verdict    string
			Confidence float64
		}
		if err := json.Unmarshal([]byte(a.Response), &v); err != nil {
			t.Fatal(err)
		}
		verdicts[v.Verdict], confidences[v.Confidence] = true, true
	}
	if len(verdicts) != 2 || len(confidences) < 5 {
		t.Errorf("40 answers had verdicts %v and confidences %v; want 2 and several", verdicts, confidences)
	}
}

// What an answer depends on can be switched off.
func TestDependence(t *testing.T) {
	differ := func(s *faultserver.Server, change map[string]any) bool {
		for i := range 20 {
			p := "verdict? " + strings.Repeat("y", i)
			base := map[string]any{"images": [][]byte{picture(t, 1)}}
			_, a := ask(t, s, request(p, base))
			for k, v := range change {
				base[k] = v
			}
			_, b := ask(t, s, request(p, base))
			if parse(t, a).Response != parse(t, b).Response {
				return true
			}
		}
		return false
	}
	other := map[string]any{"images": [][]byte{picture(t, 200)}}
	penalty := map[string]any{"options": map[string]any{"temperature": 0.7, "seed": 1.0, "num_ctx": 4096.0, "presence_penalty": 1.5}}
	tests := []struct {
		name   string
		opts   []faultserver.Option
		change map[string]any
		want   bool
	}{
		{"another image", nil, other, true},
		{"another image, ignored", []faultserver.Option{faultserver.IgnoreImage()}, other, false},
		{"a penalty", nil, penalty, true},
		{"a penalty, ignored", []faultserver.Option{faultserver.IgnorePenalties()}, penalty, false},
		{"nothing", nil, nil, false},
		{"nothing, unrepeatable", []faultserver.Option{faultserver.Unrepeatable()}, nil, true},
	}
	for _, tt := range tests {
		if got := differ(faultserver.New(t, tt.opts...), tt.change); got != tt.want {
			t.Errorf("%s: answers differ = %v; want %v", tt.name, got, tt.want)
		}
	}
}

// A format is honoured, property by property in order, unless it is dropped.
func TestFormat(t *testing.T) {
	schema := json.RawMessage(`{"type":"object","properties":{"probe":{"const":"ok"},"kind":{"enum":["a","b"]},"n":{"type":"integer","minimum":3,"maximum":5},"x":{"type":"number"}}}`)
	_, body := ask(t, faultserver.New(t), request("p", map[string]any{"format": schema}))
	var v struct {
		Probe, Kind string
		N           int
		X           *float64
	}
	text := parse(t, body).Response
	if err := json.Unmarshal([]byte(text), &v); err != nil || v.Probe != "ok" || v.Kind != "a" && v.Kind != "b" || v.N < 3 || v.N > 5 || v.X == nil {
		t.Errorf("answer %s (%v); want one that the schema allows", text, err)
	}
	_, body = ask(t, faultserver.New(t, faultserver.DropFormat()), request("p", map[string]any{"format": schema}))
	if text := parse(t, body).Response; json.Valid([]byte(text)) {
		t.Errorf("answer %s; want free text from a server that drops the format", text)
	}
}

// Log-probabilities follow the image and fall.
func TestLogprobs(t *testing.T) {
	s := faultserver.New(t)
	get := func(shade uint8) answer {
		_, b := ask(t, s, request("verdict?", map[string]any{"logprobs": true, "top_logprobs": 3, "images": [][]byte{picture(t, shade)}}))
		return parse(t, b)
	}
	a, b := get(1), get(2)
	if a.Logprobs[0].Logprob == b.Logprobs[0].Logprob {
		t.Error("two images had the same log-probability")
	}
	for _, l := range a.Logprobs {
		if top := l.TopLogprobs; len(top) != 3 || top[0].Logprob != l.Logprob || top[0].Logprob < top[1].Logprob || top[1].Logprob < top[2].Logprob {
			t.Errorf("alternatives %v of a token of %v; want 3, falling from it", top, l.Logprob)
		}
	}
}

// Faults hit the requests that their matchers pick, preflight left out.
func TestMatchers(t *testing.T) {
	task := faultserver.PromptContains("task")
	tests := []struct {
		name string
		m    faultserver.Match
		want string // one letter a request: x is hit
	}{
		{"all", faultserver.Always, "xxxxxx"},
		{"tasks only", task, "..xxxx"},
		{"no tasks", faultserver.Not(task), "xx...."},
		{"first two tasks", faultserver.First(2, task), "..xx.."},
		{"first request", faultserver.First(1, nil), "x....."},
		{"after two tasks", faultserver.After(2, task), "....xx"},
		{"numbers 0 and 3", faultserver.Nth(task, 0, 3), "..x..x"},
		{"every second", faultserver.Every(2, task), "..x.x."},
		{"first try of each", faultserver.FirstOfEach(1, task), "..xx.."},
		{"no share", faultserver.Share(0, nil), "......"},
		{"whole share", faultserver.Share(1, task), "..xxxx"},
	}
	for _, tt := range tests {
		s := faultserver.New(t, faultserver.On(tt.m, faultserver.Busy()))
		got := ""
		for _, p := range []string{"warm", "probe", "task a", "task b", "task a", "task b"} {
			if code, _ := ask(t, s, request(p, nil)); code == 503 {
				got += "x"
			} else {
				got += "."
			}
		}
		if got != tt.want {
			t.Errorf("%s: hit %s; want %s", tt.name, got, tt.want)
		}
	}
}

// Each fault puts on the wire what it says.
func TestFaultsOnTheWire(t *testing.T) {
	tests := []struct {
		name  string
		fault faultserver.Fault
		code  int
		want  string
	}{
		{"busy", faultserver.Busy(), 503, "please try again.  maximum"},
		{"repeat limit", faultserver.RepeatLimit(), 500, "token repeat limit reached"},
		{"missing", faultserver.ModelMissing(), 404, "try pulling it first"},
		{"cut in the middle", faultserver.CutMiddle(), 200, "cut: {"},
		{"cut after", faultserver.CutAfter(), 200, `cut: {`},
		{"cut before", faultserver.CutBefore(), 0, "EOF"},
		{"no end", faultserver.NoEnd(), 200, `"done":false`},
		{"not done", faultserver.NotDone(), 200, `"done":false`},
		{"error line", faultserver.ErrorLine("boom"), 200, `{"error":"boom"}`},
		{"error after chunks", faultserver.ErrorAfterChunks("boom"), 200, "}\n{\"error\":\"boom\"}"},
		{"html", faultserver.HTML(), 200, "<html>"},
		{"only thinking", faultserver.OnlyThinking(), 200, `"response":""`},
		{"length", faultserver.CutLength(), 200, `"done_reason":"length"`},
		{"context", faultserver.FillContext(), 200, `"prompt_eval_count":4096`},
		{"full context", faultserver.FullContext(), 200, `"eval_duration":-9223372036854775808`},
	}
	for _, tt := range tests {
		s := faultserver.New(t, faultserver.On(faultserver.Always, tt.fault))
		code, body := ask(t, s, request("verdict?", nil))
		if code != tt.code || !strings.Contains(body, tt.want) {
			t.Errorf("%s: %d %q; want %d with %q", tt.name, code, body, tt.code, tt.want)
		}
		if strings.HasPrefix(tt.name, "no") && strings.Contains(body, `"done":true`) {
			t.Errorf("%s: the reply says done: %s", tt.name, body)
		}
	}
}

// A serialising server takes twice as long for two at once, and counts them.
func TestSerialise(t *testing.T) {
	const each = 20 * time.Millisecond
	s := faultserver.New(t, faultserver.Serialise(), faultserver.Latency(each))
	start := time.Now()
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() { ask(t, s, request("verdict?", nil)) })
	}
	wg.Wait()
	if took := time.Since(start); took < 4*each {
		t.Errorf("4 requests took %v; want at least %v", took, 4*each)
	}
	if len(s.Requests()) != 4 || s.MaxInFlight() < 2 {
		t.Errorf("%d requests, %d at once; want 4, and more than one waiting", len(s.Requests()), s.MaxInFlight())
	}
}
