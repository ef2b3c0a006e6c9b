package preflight

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"time"

	"candor/infer"
)

// prober asks the checks' questions, under the run's own load-time options so
// that the model is loaded once.
type prober struct {
	backend infer.Backend
	cfg     Config
	images  int // drawn so far, so that no two are equal
}

// question is one request of a check; zero fields take the run's options.
type question struct {
	prompt      string
	image       []byte
	schema      []byte
	seed        int32
	tokens      int // most tokens of the answer
	temperature float64
	logprobs    int
	change      func(*infer.Options)
}

const claimPrompt = "Claim: there is a %s in the image. Is that so?"

// ask returns the answer and how long it took, in seconds.
func (p *prober) ask(ctx context.Context, q question) (infer.Response, float64, error) {
	o := p.cfg.Options
	o.Think = false
	o.NumPredict = q.tokens
	if q.temperature > 0 {
		o.Temperature, o.TopP, o.TopK, o.MinP = q.temperature, 1, 0, 0
	}
	if q.change != nil {
		q.change(&o)
	}
	req := infer.Request{
		Model: p.cfg.Model, System: p.cfg.System, Prompt: q.prompt, Image: q.image,
		Schema: q.schema, Options: o, Seed: q.seed, TopLogprobs: q.logprobs,
	}
	start := time.Now()
	resp, _, err := p.cfg.Retry.Ask(ctx, whole{p.backend}, req)
	if err == nil && p.cfg.Answered != nil {
		p.cfg.Answered()
	}
	return resp, time.Since(start).Seconds(), err
}

// whole takes a short answer without its end for a failure of the server. The
// engines leave out the end where a model repeats one token 31 times: an answer
// that may not have so many always has one.
type whole struct{ infer.Model }

func (w whole) Ask(ctx context.Context, req infer.Request) (infer.Response, error) {
	resp, err := w.Model.Ask(ctx, req)
	if err == nil && resp.Stop == infer.StopRepeated && req.Options.NumPredict <= 30 {
		err = &infer.Failure{
			Class: infer.ClassRetry, Hint: "does something between here and the server cut its replies?",
			Err: fmt.Errorf("%w: it is not done after %d tokens at most", infer.ErrUnended, req.Options.NumPredict),
		}
	}
	return resp, err
}

// draw returns a PNG unlike every other that this prober has drawn.
func (p *prober) draw() []byte { return p.drawSized(p.cfg.Width, p.cfg.Height) }

func (p *prober) drawSized(w, h int) []byte {
	p.images++
	return pattern(w, h, p.images)
}

// pattern draws waves whose direction, scale and colours follow n.
func pattern(w, h, n int) []byte {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	a, s := float64(n)*2.399963, 0.02+0.013*float64(n%7)
	for y := range h {
		for x := range w {
			v := math.Sin(s * (float64(x)*math.Cos(a) + float64(y)*math.Sin(a)))
			level := uint8(127 + 120*v)
			img.SetNRGBA(x, y, color.NRGBA{level, uint8(37 * n), 255 - level, 255})
		}
	}
	var buf bytes.Buffer
	enc := png.Encoder{CompressionLevel: png.BestSpeed}
	if err := enc.Encode(&buf, img); err != nil {
		panic(err) // a bytes.Buffer takes everything
	}
	return buf.Bytes()
}

// apart is the largest difference between two distributions over the tokens
// that both list at the first position, in nats; ok is false when they list
// none in common. Tokens that are no whole character all read U+FFFD, so a
// text that stands twice in one list is left out.
func apart(a, b infer.Response) (d float64, ok bool) {
	of, other := firstToken(a), firstToken(b)
	for text, l := range of {
		if m, both := other[text]; both {
			d, ok = max(d, math.Abs(l-m)), true
		}
	}
	return d, ok
}

func firstToken(r infer.Response) map[string]float64 {
	if len(r.Logprobs) == 0 {
		return nil
	}
	of, seen := map[string]float64{}, map[string]bool{}
	for _, alt := range r.Logprobs[0].Top {
		of[alt.Token] = alt.Logprob
		if seen[alt.Token] {
			delete(of, alt.Token)
		}
		seen[alt.Token] = true
	}
	return of
}
