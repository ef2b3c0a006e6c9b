package preflight

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"candor/infer"
)

// grammar asks for an answer that no model gives unless it is forced to.
func grammar(ctx context.Context, p *prober, _ *Report) (Finding, error) {
	f := Finding{Check: CheckGrammar, Question: "is the answer schema applied?"}
	const schema = `{"type":"object","properties":{"code":{"enum":["K7Q4","Z2X9"]}},"required":["code"]}`
	resp, _, err := p.ask(ctx, question{prompt: "Say hello.", schema: []byte(schema), tokens: 96, seed: 1})
	if err != nil {
		return f, err
	}
	var got struct{ Code string }
	if json.Unmarshal([]byte(resp.Text), &got) == nil && (got.Code == "K7Q4" || got.Code == "Z2X9") {
		f.Status, f.Severity, f.Detail = Yes, Fine, "an answer that only the schema allows came back"
		return f, nil
	}
	f.Status, f.Severity = No, Serious
	f.Detail = fmt.Sprintf("asked under a schema, the model answered %.60q", resp.Text)
	if p.cfg.Schema == nil {
		f.Severity = Note
	}
	f.Meaning = "answers are free text: malformed ones are the model's own and cost coverage"
	f.Advice = "use --format none and say so, or another server version"
	return f, nil
}

// imageMatters shows two different images with the same words.
func imageMatters(ctx context.Context, p *prober, _ *Report) (Finding, error) {
	f := Finding{Check: CheckImage, Question: "does the image matter?", Measures: map[string]float64{}}
	var seen []infer.Response
	for _, img := range [][]byte{p.draw(), p.draw(), nil} {
		resp, _, err := p.ask(ctx, question{
			prompt: fmt.Sprintf(claimPrompt, "dog"), image: img, tokens: 24, seed: 2, temperature: 1, logprobs: 20,
		})
		if err != nil {
			return f, err
		}
		seen = append(seen, resp)
	}
	cost := seen[0].PromptTokens - seen[2].PromptTokens
	f.Measures[ImageTokens] = float64(cost)
	d, ok := apart(seen[0], seen[1])
	f.Measures["logprob_difference"] = d
	differs := seen[0].Text != seen[1].Text || ok && d > 1e-4
	switch {
	case differs && cost > 0:
		f.Status, f.Severity = Yes, Fine
		f.Detail = fmt.Sprintf("two images change the first token's log-probabilities by up to %.3g; an image costs %d tokens", d, cost)
	case cost > 0 && !ok:
		f.Status, f.Severity = Unknown, Note
		f.Detail = fmt.Sprintf("two different images gave the same text, and the server tells no log-probabilities; an image costs %d tokens", cost)
		f.Meaning = "look at the share of SUPPORTED answers before believing the figures"
	default:
		f.Status, f.Severity = No, Serious
		f.Detail = fmt.Sprintf("two different images gave the same answer; an image costs %d tokens", cost)
		f.Meaning = "the model does not see the images: every figure is about the words alone"
		f.Advice = "use a model with vision and a server that passes it the image"
	}
	if err := countText(ctx, p, &f); err != nil || p.cfg.ImageTokens == nil {
		return f, err
	}
	want := p.cfg.ImageTokens(p.cfg.Width, p.cfg.Height)
	f.Measures["image_tokens_predicted"] = float64(want)
	// Two texts of one prompt, with and without an image, may be cut into
	// tokens one or two apart.
	if f.Status == Yes && math.Abs(float64(cost-want)) > 2 {
		f.Severity = Note
		f.Detail += fmt.Sprintf(", where %d were predicted", want)
		f.Meaning = "the server resizes images in a way of its own"
	}
	return f, nil
}

// countText counts the tokens of the run's own text, so that a reply to it
// without the image shows.
func countText(ctx context.Context, p *prober, f *Finding) error {
	if p.cfg.Prompt == "" {
		return nil
	}
	resp, _, err := p.ask(ctx, question{prompt: p.cfg.Prompt, tokens: 1})
	if err == nil {
		f.Measures[TextTokens] = float64(resp.PromptTokens)
	}
	return err
}

// seedRepeats asks one thing several times, with other things between.
func seedRepeats(ctx context.Context, p *prober, _ *Report) (Finding, error) {
	f := Finding{Check: CheckSeed, Question: "does a seed repeat an answer?", Measures: map[string]float64{}}
	img, other := p.draw(), p.draw()
	const times = 4
	var texts []string
	for i := range times {
		resp, _, err := p.ask(ctx, question{prompt: fmt.Sprintf(claimPrompt, "chair"), image: img, tokens: 32, seed: 3, temperature: 1})
		if err != nil {
			return f, err
		}
		texts = append(texts, resp.Text)
		if i%2 == 0 {
			if _, _, err := p.ask(ctx, question{prompt: fmt.Sprintf(claimPrompt, "boat"), image: other, tokens: 4, seed: 4, temperature: 1}); err != nil {
				return f, err
			}
		}
	}
	flips := 0
	for _, t := range texts[1:] {
		if t != texts[0] {
			flips++
		}
	}
	f.Measures["flip_rate"] = float64(flips) / (times - 1)
	f.Status, f.Severity = Yes, Fine
	f.Detail = fmt.Sprintf("the same request gave the same text %d times out of %d", times-flips, times)
	if flips > 0 {
		f.Status, f.Severity = No, Note
		f.Meaning = "a repeated run gives other answers; intervals cover the choice of images, not this"
		f.Advice = "report several replicates (--replicate 0, 1, …)"
	}
	return f, nil
}

// penalties raises each one so far that no honest sampler could give the same
// text.
func penalties(ctx context.Context, p *prober, _ *Report) (Finding, error) {
	f := Finding{Check: CheckPenalties, Question: "are repetition penalties honoured?", Measures: map[string]float64{}}
	neutral := func(o *infer.Options) { o.PresencePenalty, o.FrequencyPenalty, o.RepeatPenalty = 0, 0, 1 }
	tests := []struct {
		name string
		set  func(*infer.Options)
	}{
		{"", func(*infer.Options) {}},
		{"presence_penalty", func(o *infer.Options) { o.PresencePenalty = 100 }},
		{"frequency_penalty", func(o *infer.Options) { o.FrequencyPenalty = 100 }},
		{"repeat_penalty", func(o *infer.Options) { o.RepeatPenalty = 100 }},
	}
	var base infer.Response
	var honoured, ignored []string
	for _, t := range tests {
		resp, _, err := p.ask(ctx, question{
			prompt: "Count from 1 to 20, separated by commas.", tokens: 40, seed: 5, temperature: 0.7,
			change: func(o *infer.Options) { neutral(o); t.set(o) },
		})
		if err != nil {
			return f, err
		}
		switch {
		case t.name == "":
			base = resp
		case resp.Text != base.Text:
			honoured = append(honoured, t.name)
			f.Measures[t.name] = 1
		default:
			ignored = append(ignored, t.name)
			f.Measures[t.name] = 0
		}
	}
	describePenalties(&f, p.cfg.Options, base, honoured, ignored)
	return f, nil
}

func describePenalties(f *Finding, run infer.Options, base infer.Response, honoured, ignored []string) {
	lost := askedPenalties(run, ignored)
	switch {
	case base.OutputTokens < 4 && len(honoured) == 0:
		f.Status, f.Severity = Unknown, Note
		f.Detail = fmt.Sprintf("the model answered with %d tokens only: nothing to penalise", base.OutputTokens)
		return
	case len(ignored) == 0:
		f.Status, f.Severity, f.Detail = Yes, Fine, "each penalty changes the text"
		f.Meaning = "some engines count the prompt's last tokens too, unlike the published definition: compare with care"
		return
	case len(honoured) == 0:
		f.Status, f.Detail = No, "extreme penalties leave the text as it is"
	default:
		f.Status, f.Detail = Partly, "no effect on this server: "+strings.Join(ignored, ", ")
	}
	f.Severity = Note
	if len(lost) > 0 {
		f.Severity = Serious
		was, them := "was", "it"
		if len(lost) > 1 {
			was, them = "were", "them"
		}
		f.Meaning = fmt.Sprintf("%s %s asked for, and this server ignores %s: the figures are those of neutral penalties", strings.Join(lost, ", "), was, them)
		f.Advice = "say so beside the figures, or use a server that honours them"
	}
}

// askedPenalties are those of the names that a run sets, with their values.
func askedPenalties(o infer.Options, names []string) []string {
	values := map[string]struct{ is, neutral float64 }{
		"presence_penalty": {o.PresencePenalty, 0}, "frequency_penalty": {o.FrequencyPenalty, 0}, "repeat_penalty": {o.RepeatPenalty, 1},
	}
	var out []string
	for _, name := range names {
		if v := values[name]; math.Abs(v.is-v.neutral) > 1e-12 {
			out = append(out, fmt.Sprintf("%s %v", name, v.is))
		}
	}
	return out
}
