package ollama

import (
	"context"
	"encoding/json"
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
// A 200 reply is not yet an answer: one cut off by the connection or carrying
// an error is a failure to retry; one that is whole but not done is the
// engine's stop of a repeating model (infer.StopRepeated); one whose prompt
// cost fewer tokens than its image, or filled the context, was not asked what
// it should have been.
func (c *Client) Ask(ctx context.Context, req infer.Request) (infer.Response, error) {
	call, cancel := c.withDeadline(ctx)
	defer cancel()
	watch := &bodyWatch{}
	var r reply
	err := c.send(context.WithValue(call, bodyWatchKey{}, watch), req, &r)
	switch {
	case ctx.Err() != nil:
		return infer.Response{}, ctx.Err()
	case watch.err() != nil:
		return infer.Response{}, retry(0, fmt.Errorf("the reply was cut off: %w", watch.err()))
	case err != nil && isRepeatStop(err):
		return infer.Response{Stop: infer.StopRepeated}, nil
	case err != nil:
		return infer.Response{}, classify(req.Model, err)
	case r.chunks == 0:
		return infer.Response{}, retry(0, errors.New("the server sent an empty reply"))
	}
	return r.response(req)
}

// send uses the endpoint that honours the request's format (see the package
// comment).
func (c *Client) send(ctx context.Context, req infer.Request, r *reply) error {
	stream, no := false, false
	think := &api.ThinkValue{Value: req.Options.Think}
	keep := &api.Duration{Duration: c.keepAlive}
	images := imagesOf(req)
	if req.Options.Think {
		msgs := []api.Message{{Role: "user", Content: req.Prompt, Images: images}}
		if req.System != "" {
			msgs = append([]api.Message{{Role: "system", Content: req.System}}, msgs...)
		}
		return c.api.Chat(ctx, &api.ChatRequest{
			Model: req.Model, Messages: msgs, Stream: &stream, Format: req.Schema, KeepAlive: keep,
			Options: optionsOf(req), Think: think, Truncate: &no, Shift: &no,
			Logprobs: req.TopLogprobs > 0, TopLogprobs: req.TopLogprobs,
		}, r.addChat)
	}
	return c.api.Generate(ctx, &api.GenerateRequest{
		Model: req.Model, System: req.System, Prompt: req.Prompt, Images: images, Stream: &stream,
		Format: req.Schema, KeepAlive: keep, Options: optionsOf(req), Think: think, Truncate: &no, Shift: &no,
		Logprobs: req.TopLogprobs > 0, TopLogprobs: req.TopLogprobs,
	}, r.addGenerate)
}

func imagesOf(req infer.Request) []api.ImageData {
	if req.Image == nil {
		return nil
	}
	return []api.ImageData{req.Image}
}

// optionsOf lists every option by the server's names. num_batch and
// num_thread are left out unless set, as they reload a model that was loaded
// without them.
func optionsOf(req infer.Request) map[string]any {
	o := req.Options
	m := map[string]any{
		"temperature": o.Temperature, "top_p": o.TopP, "top_k": o.TopK, "min_p": o.MinP, "typical_p": 1.0,
		"presence_penalty": o.PresencePenalty, "frequency_penalty": o.FrequencyPenalty,
		"repeat_penalty": o.RepeatPenalty, "repeat_last_n": o.RepeatLastN,
		"num_predict": o.NumPredict, "num_ctx": o.NumCtx, "seed": int(req.Seed),
	}
	if o.NumBatch > 0 {
		m["num_batch"] = o.NumBatch
	}
	if o.NumThread > 0 {
		m["num_thread"] = o.NumThread
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
	metrics        api.Metrics
	logprobs       []api.Logprob
}

func (r *reply) addGenerate(g api.GenerateResponse) error {
	r.text.WriteString(g.Response)
	r.thinking.WriteString(g.Thinking)
	return r.add(g.Done, g.DoneReason, g.Metrics, g.Logprobs)
}

func (r *reply) addChat(g api.ChatResponse) error {
	r.text.WriteString(g.Message.Content)
	r.thinking.WriteString(g.Message.Thinking)
	return r.add(g.Done, g.DoneReason, g.Metrics, g.Logprobs)
}

func (r *reply) add(done bool, reason string, m api.Metrics, lp []api.Logprob) error {
	r.chunks++
	r.done, r.reason, r.metrics = done, reason, m
	r.logprobs = append(r.logprobs, lp...)
	return nil
}

func (r *reply) response(req infer.Request) (infer.Response, error) {
	resp := infer.Response{
		Text: r.text.String(), Thinking: r.thinking.String(),
		PromptTokens: r.metrics.PromptEvalCount, OutputTokens: r.metrics.EvalCount,
		Durations: durationsOf(r.metrics), Logprobs: logprobsOf(r.logprobs),
	}
	switch {
	case !r.done:
		resp.Stop = infer.StopRepeated
		return resp, nil
	case r.reason == "load" || r.reason == "unload":
		return resp, &infer.Failure{Class: infer.ClassTask, Err: errors.New("the server took the request for one without a prompt")}
	case resp.PromptTokens < req.MinPromptTokens:
		return resp, &infer.Failure{
			Class: infer.ClassTask, Hint: "raise num_ctx, or use a server that honours truncate:false",
			Err: fmt.Errorf("%w: %d prompt tokens where the image alone costs %d", infer.ErrImageDropped, resp.PromptTokens, req.MinPromptTokens),
		}
	case req.Options.NumCtx > 0 && resp.PromptTokens >= req.Options.NumCtx:
		return resp, &infer.Failure{
			Class: infer.ClassTask, Hint: "raise num_ctx",
			Err: fmt.Errorf("%w: %d prompt tokens, num_ctx %d", infer.ErrContextFull, resp.PromptTokens, req.Options.NumCtx),
		}
	}
	resp.Stop = infer.StopDone
	if r.reason == "length" {
		resp.Stop = infer.StopLength
	}
	return resp, nil
}

// durationsOf keeps the server's figures inside what can be: an engine that
// stops at a full context reports a generation of minus 292 years.
func durationsOf(m api.Metrics) infer.Durations {
	clamp := func(d time.Duration) time.Duration { return max(d, 0) }
	d := infer.Durations{
		Load: clamp(m.LoadDuration), Prompt: clamp(m.PromptEvalDuration),
		Generate: clamp(m.EvalDuration), Total: clamp(m.TotalDuration),
	}
	d.Other = clamp(d.Total - d.Load - d.Prompt - d.Generate)
	return d
}

func logprobsOf(in []api.Logprob) []infer.TokenLogprob {
	var out []infer.TokenLogprob
	for _, l := range in {
		t := infer.TokenLogprob{Token: l.Token, Logprob: l.Logprob}
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

// Render returns the exact prompt text that the server would make of req,
// without inference.
func (c *Client) Render(ctx context.Context, req infer.Request) (string, error) {
	stream := false
	var text string
	err := c.api.Generate(ctx, &api.GenerateRequest{
		Model: req.Model, System: req.System, Prompt: req.Prompt, Images: imagesOf(req), Stream: &stream,
		Think: &api.ThinkValue{Value: req.Options.Think}, Options: optionsOf(req), DebugRenderOnly: true,
	}, func(g api.GenerateResponse) error {
		if g.DebugInfo == nil {
			b, _ := json.Marshal(g)
			return fmt.Errorf("the server rendered nothing: %.200s", b)
		}
		text = g.DebugInfo.RenderedTemplate
		return nil
	})
	if err != nil {
		return "", classify(req.Model, err)
	}
	return text, nil
}
