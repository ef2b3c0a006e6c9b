package faultserver

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"
)

// Reply is an answer before it is written. Faults of the model or the engine
// change it (see Change); faults of the transport write something else.
type Reply struct {
	Text, Thinking string
	Done           bool
	DoneReason     string
	PromptTokens   int
	OutputTokens   int
	// Nanoseconds, as on the wire: an engine may send nonsense.
	Total, Load, Prompt, Generate int64
	// EncodeImage is the part of Total that no other figure holds.
	EncodeImage int64
	Logprobs    []map[string]any
	Rendered    string // the prompt, for a request that only wants it rendered
	Error       string // sent instead of an answer

	status int
}

// refusal is what a healthy server refuses, as code and text; code 0 is
// nothing.
func (c *config) refusal(r *Request) (int, string) {
	tokens, isImage := r.imageTokens()
	ctx, _ := r.Option("num_ctx")
	switch {
	case !c.has(r.Model):
		return 404, fmt.Sprintf("model '%s' not found", r.Model)
	case r.Think == true && !c.can("thinking"):
		return 400, fmt.Sprintf("%q does not support thinking", r.Model)
	case r.TopLogprobs < 0 || r.TopLogprobs > 20:
		return 400, "top_logprobs must be between 0 and 20"
	case !isImage && !r.RenderOnly:
		return 500, "Failed to create new sequence: failed to process inputs: image: unknown format"
	case r.Truncate != nil && !*r.Truncate && ctx > 0 && float64(tokens+textTokens(r)) > max(ctx, 2048):
		return 400, "the input length exceeds the context length"
	}
	return 0, ""
}

func textTokens(r *Request) int { return (len(r.System) + len(r.Prompt)) / 4 }

// reply forms the healthy reply. Times are those of a very small model.
func (s *Server) reply(c config, r *Request) *Reply {
	fresh, reload, nth := s.load(r)
	images, _ := r.imageTokens()
	draw := c.draw(r)
	if c.unrepeatable {
		draw += fmt.Sprint("\x00", nth)
	}
	if r.RenderOnly {
		return &Reply{Done: true, DoneReason: "stop", Rendered: rendered(r)}
	}
	rep := &Reply{Text: c.text(r, draw), Done: true, DoneReason: "stop", PromptTokens: images + textTokens(r)}
	if r.Think == true {
		rep.Thinking = "Let me look at the image."
	}
	rep.OutputTokens = len(tokens(rep.Text)) + 1
	if most, ok := r.Option("num_predict"); ok && most >= 1 && rep.OutputTokens > int(most) {
		rep.cut(int(most))
	}
	if r.Logprobs && !c.noLogprobs {
		raw := c.raw(r)
		if c.unrepeatable {
			raw = draw
		}
		rep.Logprobs = logprobs(rep.Text, raw, r.TopLogprobs)
	}
	rep.Load = 1000
	if reload {
		rep.Load = int64(2 * time.Millisecond)
	}
	rep.Prompt = int64(rep.PromptTokens) * 100
	rep.Generate = int64(rep.OutputTokens) * 1000
	if fresh {
		rep.EncodeImage = int64(c.imageCost)
	}
	rep.Total = rep.Load + rep.Prompt + rep.Generate + rep.EncodeImage + int64(c.latency) + 1000
	return rep
}

// load notes what the server now holds in memory, and reports whether the
// image is another than the last, whether the model was loaded anew, and the
// number of answers before this one.
func (s *Server) load(r *Request) (freshImage, reload bool, nth int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, _ := r.Option("num_ctx")
	ctx := max(int(n), 2048)
	if n == 0 {
		ctx = 4096
	}
	reload = s.loaded != r.Model || s.context != ctx
	freshImage = r.ImageSHA256 != "" && (reload || s.lastImage != r.ImageSHA256)
	s.loaded, s.context, s.lastImage = r.Model, ctx, r.ImageSHA256
	s.served++
	return freshImage, reload, s.served - 1
}

func (rep *Reply) cut(most int) {
	rep.Text = strings.Join(tokens(rep.Text)[:most], "")
	rep.OutputTokens, rep.DoneReason = most, "length"
}

func rendered(r *Request) string {
	var b strings.Builder
	if r.System != "" {
		fmt.Fprintf(&b, "<|im_start|>system\n%s<|im_end|>\n", r.System)
	}
	b.WriteString("<|im_start|>user\n")
	for i := range r.Images {
		fmt.Fprintf(&b, "[img-%d]", i)
	}
	fmt.Fprintf(&b, "%s<|im_end|>\n<|im_start|>assistant\n", r.Prompt)
	if r.Think == false {
		b.WriteString("<think>\n\n</think>\n\n")
	}
	return b.String()
}

// tokens cuts text into short pieces that join to it again.
func tokens(text string) []string {
	var out []string
	runes := []rune(text)
	for i := 0; i < len(runes); i += 4 {
		out = append(out, string(runes[i:min(i+4, len(runes))]))
	}
	return out
}

// logprobs lists each token of the text first, with a share of ½ to 1. Where a
// verdict begins, the other one is next.
func logprobs(text, draw string, top int) []map[string]any {
	rivals := map[string]string{"SUPP": "REFU", "REFU": "SUPP", "ABST": "SUPP"}
	var out []map[string]any
	for i, tok := range tokens(text) {
		own := math.Log(0.5 + 0.5*unit(draw, fmt.Sprint("logprob", i)))
		entry := map[string]any{"token": tok, "logprob": own}
		var alternatives []map[string]any
		for k := range top {
			name, lp := tok, own
			if k > 0 { // what is left, halved again and again
				name = fmt.Sprintf("alternative-%d", k)
				if k == 1 && rivals[tok] != "" {
					name = rivals[tok]
				}
				lp = math.Log((1 - math.Exp(own) + 1e-9) / math.Pow(2, float64(k)))
			}
			alternatives = append(alternatives, map[string]any{"token": name, "logprob": lp})
		}
		if top > 0 {
			entry["top_logprobs"] = alternatives
		}
		out = append(out, entry)
	}
	return out
}

// lines is the reply as the endpoint writes it: one JSON object, or with
// stream one a token and a last one with the figures.
func (rep *Reply) lines(r *Request) []json.RawMessage {
	if rep.Error != "" {
		return []json.RawMessage{encode(map[string]any{"error": rep.Error})}
	}
	if r.Stream != nil && !*r.Stream || rep.Rendered != "" {
		last := rep.last(r, rep.Text, rep.Thinking)
		if rep.Logprobs != nil {
			last["logprobs"] = rep.Logprobs
		}
		return []json.RawMessage{encode(last)}
	}
	var out []json.RawMessage
	if rep.Thinking != "" {
		out = append(out, encode(part(r, "", rep.Thinking)))
	}
	for i, tok := range tokens(rep.Text) {
		p := part(r, tok, "")
		if i < len(rep.Logprobs) {
			p["logprobs"] = rep.Logprobs[i : i+1]
		}
		out = append(out, encode(p))
	}
	if rep.Done {
		out = append(out, encode(rep.last(r, "", "")))
	}
	return out
}

func part(r *Request, text, thinking string) map[string]any {
	p := map[string]any{"model": r.Model, "created_at": r.Time.UTC().Format(time.RFC3339Nano), "done": false}
	if r.Endpoint == "chat" {
		m := map[string]any{"role": "assistant", "content": text}
		if thinking != "" {
			m["thinking"] = thinking
		}
		p["message"] = m
		return p
	}
	p["response"] = text
	if thinking != "" {
		p["thinking"] = thinking
	}
	return p
}

func (rep *Reply) last(r *Request, text, thinking string) map[string]any {
	p := part(r, text, thinking)
	if rep.Rendered != "" {
		p["done"] = true
		p["_debug_info"] = map[string]any{"rendered_template": rep.Rendered, "image_count": len(r.Images)}
		return p
	}
	if !rep.Done { // as servers do: no reason and no figures
		return p
	}
	p["done"] = true
	for key, v := range map[string]int64{
		"total_duration": rep.Total, "load_duration": rep.Load, "prompt_eval_count": int64(rep.PromptTokens),
		"prompt_eval_duration": rep.Prompt, "eval_count": int64(rep.OutputTokens), "eval_duration": rep.Generate,
	} {
		if v != 0 {
			p[key] = v
		}
	}
	if rep.DoneReason != "" {
		p["done_reason"] = rep.DoneReason
	}
	return p
}

func encode(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // maps of plain values: a mistake in this package
	}
	return b
}
