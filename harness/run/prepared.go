package run

import (
	"context"

	"candor/harness/verify"
	"candor/imageproc"
	"candor/infer"
	"candor/scoring"
)

// Prepared is a run that has everything at hand and has not begun: servers
// that serve one model, and each task as a request. It has no directory and
// records nothing; whoever asks in ways of their own, as a benchmark does, asks
// what a run would.
type Prepared struct {
	Plan     *Plan
	Identity infer.Identity
	Backends []infer.Backend // those that answered
	Retry    infer.RetryPolicy
}

// Prepare does what Execute does before it opens the run's directory.
func Prepare(ctx context.Context, cfg Config, deps Dependencies) (*Prepared, error) {
	deps = deps.withDefaults()
	p, s, err := ready(ctx, cfg, "", deps)
	if err != nil {
		p.close()
		return nil, err
	}
	out := &Prepared{Plan: p, Identity: s.identity, Retry: deps.Retry}
	for _, b := range s.backends {
		if s.absent(b) == nil {
			out.Backends = append(out.Backends, b)
		}
	}
	return out, nil
}

// Request is a task as a run would ask it, with its image prepared.
func (p *Prepared) Request(ctx context.Context, t Task) (infer.Request, error) {
	img, err := p.Image(ctx, t)
	if err != nil {
		return infer.Request{}, err
	}
	return p.Plan.request(job{task: t, image: img}, 0), nil
}

// Image is a task's image as it is sent.
func (p *Prepared) Image(ctx context.Context, t Task) (*imageproc.Prepared, error) {
	return p.Plan.images.get(ctx, t.ImageSource)
}

// Parsed tells whether a response holds an answer to a task.
func Parsed(resp infer.Response) bool {
	a := verify.Parse(verify.Reply{Text: resp.Text, Thinking: resp.Thinking, DoneReason: string(resp.Stop)})
	return a.Outcome != scoring.Malformed
}

// Close gives back what the images take on disk.
func (p *Prepared) Close() { p.Plan.close() }
