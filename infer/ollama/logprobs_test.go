package ollama_test

import (
	"math"
	"testing"

	"candor/infer"
	"candor/infer/ollama"
	"candor/infer/ollama/micro"
)

// What the engine's log-probabilities are, measured: those of the raw model
// over its whole vocabulary. At the first token, which only the prompt decides,
// they are the same figures whatever the temperature, top_k, top_p, min_p and
// penalties, and whether or not a grammar forbids the likeliest tokens; and to
// ask for them changes no text.
func TestEngineLogprobsAreRaw(t *testing.T) {
	for _, arch := range []string{"qwen35", "qwen3vl", micro.Name} {
		t.Run(arch, func(t *testing.T) {
			c, s, req := real(t, "qwen35")
			if arch == micro.Name {
				req.Model = micro.Name
				if _, err := micro.Install(t.Context(), c.API()); err != nil {
					t.Fatal(err)
				}
			} else if arch != "qwen35" {
				req.Model = s.Install(arch)
			}
			req.Schema, req.TopLogprobs = []byte(verdictSchema), 20
			base := first(t, c, req)
			for _, row := range []struct {
				name   string
				change func(*infer.Request)
			}{
				{"the same again", func(*infer.Request) {}},
				{"temperature 0", func(r *infer.Request) { r.Options.Temperature = 0 }},
				{"temperature 1", func(r *infer.Request) { r.Options.Temperature = 1 }},
				{"temperature 2", func(r *infer.Request) { r.Options.Temperature = 2 }},
				{"top_k 1", func(r *infer.Request) { r.Options.TopK = 1 }},
				{"top_p .1", func(r *infer.Request) { r.Options.TopP = .1 }},
				{"min_p .9", func(r *infer.Request) { r.Options.MinP = .9 }},
				{"penalties", func(r *infer.Request) {
					r.Options.PresencePenalty, r.Options.FrequencyPenalty, r.Options.RepeatPenalty = 1.5, 1.5, 1.5
				}},
				{"another seed", func(r *infer.Request) { r.Seed++ }},
				{"no grammar", func(r *infer.Request) { r.Schema = nil }},
				{"no grammar, temperature 0", func(r *infer.Request) { r.Schema, r.Options.Temperature = nil, 0 }},
				{"no grammar, temperature 2", func(r *infer.Request) { r.Schema, r.Options.Temperature = nil, 2 }},
			} {
				changed := req
				row.change(&changed)
				if d := furthest(base, first(t, c, changed)); !(d < rounding) {
					t.Errorf("%s: log-probabilities differ by up to %v", row.name, d)
				}
			}
			sum := 0.0
			for _, alt := range base {
				sum += math.Exp(alt.Logprob)
			}
			if len(base) != 20 || !(sum > 0 && sum <= 1+1e-4) {
				t.Errorf("%d alternatives of %v in all", len(base), sum)
			}
			with, err := c.Ask(t.Context(), req)
			if err != nil {
				t.Fatal(err)
			}
			req.TopLogprobs = 0
			without, err := c.Ask(t.Context(), req)
			if err != nil {
				t.Fatal(err)
			}
			if with.Text != without.Text || len(without.Logprobs) != 0 {
				t.Errorf("%q with log-probabilities, %q without (%d told)", with.Text, without.Text, len(without.Logprobs))
			}
		})
	}
}

const verdictSchema = `{"type":"object","properties":{"verdict":{"type":"string","enum":["SUPPORTED","REFUTED","ABSTAIN"]},"confidence":{"type":"number"}},"required":["verdict","confidence"],"additionalProperties":false}`

// first is the list at the first token. The engine loses that of a token that
// is a piece of a character, until the rest comes: such a draw is drawn anew.
func first(t *testing.T, c *ollama.Client, req infer.Request) []infer.Alternative {
	t.Helper()
	req.Options.NumPredict = 1
	for range 50 {
		resp, err := c.Ask(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		if len(resp.Logprobs) == 1 {
			return resp.Logprobs[0].Top
		}
		req.Seed++
	}
	t.Fatal("no log-probabilities")
	return nil
}

// rounding is what one engine's figures of one prompt differ by, in nats: it
// computes the prompt in other batches when a part of it is in its cache.
const rounding = 1e-5

// furthest is the largest difference between two lists, place by place: tokens
// as near as rounding may change places.
func furthest(a, b []infer.Alternative) float64 {
	if len(a) != len(b) {
		return math.Inf(1)
	}
	d := 0.0
	for i := range a {
		d = max(d, math.Abs(a[i].Logprob-b[i].Logprob)) // in falling order
	}
	return d
}
