package preflight

import (
	"context"
	"fmt"

	"candor/infer"
)

// logprobsTold asks whether an answer of several tokens comes with a list of
// alternatives to each, as long as the run wants it, and whether those figures
// are the raw model's: the same at another temperature.
func logprobsTold(ctx context.Context, p *prober, _ *Report) (Finding, error) {
	f := Finding{Check: CheckLogprobs, Question: "do log-probabilities come back?", Measures: map[string]float64{}}
	img := p.draw()
	var seen []infer.Response
	for _, temperature := range []float64{.5, 2} {
		resp, _, err := p.ask(ctx, question{
			prompt: fmt.Sprintf(claimPrompt, "dog"), image: img, schema: p.cfg.Schema,
			tokens: 24, seed: 6, temperature: temperature, logprobs: p.cfg.Logprobs,
		})
		if err != nil {
			return f, err
		}
		seen = append(seen, resp)
	}
	fewest := p.cfg.Logprobs
	for _, resp := range seen {
		if len(resp.Logprobs) == 0 {
			fewest = 0
		}
		for _, t := range resp.Logprobs {
			fewest = min(fewest, len(t.Top))
		}
	}
	d, same := apart(seen[0], seen[1])
	f.Measures["alternatives"], f.Measures["logprob_difference"] = float64(fewest), d
	switch {
	case fewest == 0:
		f.Status, f.Severity = No, Serious
		f.Detail = "asked for log-probabilities, the server tells none"
		f.Meaning = "there is no confidence from tokens"
		f.Advice = "leave logprob out of --confidence, or use a server that tells them"
	case !same || d > 1e-3:
		f.Status, f.Severity = Partly, Serious
		f.Detail = fmt.Sprintf("log-probabilities of the same token differ by up to %.3g between temperatures .5 and 2", d)
		f.Meaning = "they are not the raw model's: confidence from tokens depends on the sampling"
		f.Advice = "compare such confidences only with those of the same server and options"
	default:
		f.Status, f.Severity = Yes, Fine
		f.Detail = fmt.Sprintf("%d alternatives a token, the same at any temperature", fewest)
	}
	return f, nil
}
