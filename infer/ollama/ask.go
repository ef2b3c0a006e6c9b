package ollama

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"candor/infer"

	"github.com/ollama/ollama/api"
)

// Ask puts one request to the server and returns its complete answer. It
// reports every failure as *infer.Failure, except the end of ctx, which it
// returns as ctx's own error.
//
// A 200 reply is not yet an answer: one of another program's (a proxy's word,
// another API's answer), one cut off by the connection, carrying an error or
// ended for an unknown reason is a failure to retry; one that is whole but not
// done is the engine's stop of a repeating model (infer.StopRepeated); one
// whose prompt cost fewer tokens than its image, or filled the context, was
// not asked what it should have been.
func (c *Client) Ask(ctx context.Context, req infer.Request) (infer.Response, error) {
	call, cancel := c.withDeadline(ctx)
	defer cancel()
	watch := &bodyWatch{chat: req.Options.Think}
	r := reply{first: req.FirstToken}
	err := c.send(context.WithValue(call, bodyWatchKey{}, watch), req, &r)
	switch cut := watch.cut(r.done); {
	case ctx.Err() != nil:
		return infer.Response{}, ctx.Err()
	case call.Err() != nil:
		return infer.Response{}, retry(0, fmt.Errorf("no whole reply within %v: %w", c.timeout, call.Err()))
	case err != nil && isRepeatStop(err):
		return infer.Response{Stop: infer.StopRepeated}, nil
	case err != nil && !watch.broken():
		return infer.Response{}, classify(req.Model, err)
	case cut != nil:
		return infer.Response{}, retry(0, fmt.Errorf("the reply was cut off: %w", cut))
	case watch.foreign():
		return infer.Response{}, &infer.Failure{Class: infer.ClassRetry, Err: errNotOllama, Hint: "check --host: does an Ollama server answer there?"}
	case r.chunks == 0:
		return infer.Response{}, retry(0, errors.New("the server sent an empty reply"))
	}
	return r.response(req)
}

// send uses the endpoint that honours the request's format (see the package
// comment).
func (c *Client) send(ctx context.Context, req infer.Request, r *reply) error {
	stream, no := req.FirstToken != nil, false
	think := &api.ThinkValue{Value: req.Options.Think}
	keep := &api.Duration{Duration: c.keepAlive}
	images := imagesOf(req)
	if req.Options.Think {
		msgs := []api.Message{{Role: "user", Content: req.Prompt, Images: images}}
		if req.System != "" {
			msgs = append([]api.Message{{Role: "system", Content: req.System}}, msgs...)
		}
		return c.stream(ctx, "/api/chat", &api.ChatRequest{
			Model: req.Model, Messages: msgs, Stream: &stream, Format: req.Schema, KeepAlive: keep,
			Options: optionsOf(req), Think: think, Truncate: &no, Shift: &no,
			Logprobs: req.TopLogprobs > 0, TopLogprobs: req.TopLogprobs,
		}, part(r.addChat))
	}
	return c.stream(ctx, "/api/generate", &api.GenerateRequest{
		Model: req.Model, System: req.System, Prompt: req.Prompt, Images: images, Stream: &stream,
		Format: req.Schema, KeepAlive: keep, Options: optionsOf(req), Think: think, Truncate: &no, Shift: &no,
		Logprobs: req.TopLogprobs > 0, TopLogprobs: req.TopLogprobs,
	}, part(r.addGenerate))
}

func imagesOf(req infer.Request) []api.ImageData {
	if req.Image == nil {
		return nil
	}
	return []api.ImageData{req.Image}
}

// optionsOf lists every option by the server's names. num_ctx, num_batch and
// num_thread are left out unless set: they reload a model that was loaded
// without them, and a context of 0 would be taken at its word.
func optionsOf(req infer.Request) map[string]any {
	o := req.Options
	m := map[string]any{
		"temperature": o.Temperature, "top_p": o.TopP, "top_k": o.TopK, "min_p": o.MinP, "typical_p": 1.0,
		"presence_penalty": o.PresencePenalty, "frequency_penalty": o.FrequencyPenalty,
		"repeat_penalty": o.RepeatPenalty, "repeat_last_n": o.RepeatLastN,
		"num_predict": o.NumPredict, "seed": int(req.Seed),
	}
	for name, n := range map[string]int{"num_ctx": o.NumCtx, "num_batch": o.NumBatch, "num_thread": o.NumThread} {
		if n > 0 {
			m[name] = n
		}
	}
	return m
}

// reply gathers the chunks of one answer: one with streaming off, more from a
// server that streams all the same.
type reply struct {
	chunks         int
	text, thinking strings.Builder
	done           bool
	reason         string
	model          string // whose answer it says it is
	metrics        api.Metrics
	logprobs       []api.Logprob
	first          func() // called with the first piece of the answer; nil after that
}

func (r *reply) addGenerate(g api.GenerateResponse) error {
	r.text.WriteString(g.Response)
	r.thinking.WriteString(g.Thinking)
	return r.add(g.Done, g.DoneReason, g.Model, g.Metrics, g.Logprobs)
}

func (r *reply) addChat(g api.ChatResponse) error {
	r.text.WriteString(g.Message.Content)
	r.thinking.WriteString(g.Message.Thinking)
	return r.add(g.Done, g.DoneReason, g.Model, g.Metrics, g.Logprobs)
}

// errNotOllama keeps a JSON body of something else, such as {} from a proxy,
// from being taken for a model that stopped in the middle.
var errNotOllama = errors.New("the reply is not an answer of Ollama's: done or its text is missing")

func (r *reply) add(done bool, reason, model string, m api.Metrics, lp []api.Logprob) error {
	if r.done {
		return errors.New("the server went on after the end of its reply")
	}
	if r.first != nil && r.text.Len()+r.thinking.Len() > 0 {
		r.first()
		r.first = nil
	}
	r.chunks++
	r.done, r.reason, r.model, r.metrics = done, reason, model, m
	r.logprobs = append(r.logprobs, lp...)
	return nil
}

func (r *reply) response(req infer.Request) (infer.Response, error) {
	resp := infer.Response{
		Text: r.text.String(), Thinking: r.thinking.String(),
		PromptTokens: max(r.metrics.PromptEvalCount, 0), OutputTokens: max(r.metrics.EvalCount, 0),
		Durations: durationsOf(r.metrics), Logprobs: logprobsOf(r.logprobs),
	}
	if r.model != "" && !sameModel(r.model, req.Model) {
		resp.OtherModel = bounded(r.model)
	}
	if !r.done {
		resp.Stop, resp.Unended = infer.StopRepeated, !loops(resp.Text) && !loops(resp.Thinking)
		return resp, nil
	}
	if err := asked(req, r.reason, resp.PromptTokens); err != nil {
		return infer.Response{}, err
	}
	switch r.reason {
	case "stop", "":
		if resp.OutputTokens == 0 && resp.Text == "" && resp.Thinking == "" { // even the token that ends an answer is one
			return infer.Response{}, retry(0, fmt.Errorf("%w: the server generated nothing", infer.ErrNothingSaid))
		}
		resp.Stop = infer.StopDone
	case "length":
		resp.Stop = infer.StopLength
	default:
		return infer.Response{}, retry(0, fmt.Errorf("the reply ended for an unknown reason, %q", bounded(r.reason)))
	}
	return resp, nil
}

// asked checks that the model saw the whole request.
func asked(req infer.Request, reason string, tokens int) error {
	task := func(hint string, err error) error {
		return &infer.Failure{Class: infer.ClassTask, Hint: hint, Err: err}
	}
	switch {
	case reason == "load" || reason == "unload":
		return task("", errors.New("the server took the request for one without a prompt"))
	case tokens < req.MinPromptTokens:
		return task("raise num_ctx, or use a server that honours truncate:false",
			fmt.Errorf("%w: %d prompt tokens where image and text cost %d or more", infer.ErrImageDropped, tokens, req.MinPromptTokens))
	case req.Options.NumCtx > 0 && tokens >= req.Options.NumCtx:
		return task("raise num_ctx", fmt.Errorf("%w: %d prompt tokens, num_ctx %d", infer.ErrContextFull, tokens, req.Options.NumCtx))
	}
	return nil
}

// durationsOf keeps the server's figures inside what can be: an engine that
// stops at a full context reports a generation of minus 292 years. A figure
// that cannot be is taken for none.
func durationsOf(m api.Metrics) infer.Durations {
	const most = 1000 * time.Hour
	sane := func(d time.Duration) time.Duration {
		if d < 0 || d > most {
			return 0
		}
		return d
	}
	d := infer.Durations{
		Load: sane(m.LoadDuration), Prompt: sane(m.PromptEvalDuration),
		Generate: sane(m.EvalDuration), Total: sane(m.TotalDuration),
	}
	d.Other = max(d.Total-d.Load-d.Prompt-d.Generate, 0)
	return d
}

func logprobsOf(in []api.Logprob) []infer.TokenLogprob {
	var out []infer.TokenLogprob
	for _, l := range in {
		t := infer.TokenLogprob{Token: l.Token, Logprob: finite(l.Logprob)}
		for _, a := range l.TopLogprobs {
			t.Top = append(t.Top, infer.Alternative{Token: a.Token, Logprob: finite(a.Logprob)})
		}
		out = append(out, t)
	}
	return out
}

// finite keeps JSON writable: an impossible token has probability 0.
func finite(x float64) float64 {
	if math.IsInf(x, -1) {
		return -math.MaxFloat64
	}
	return x
}
