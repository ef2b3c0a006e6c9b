package run

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"candor/infer"
)

// sights are the endpoints of which it is known whether they give the model the
// images, or that it cannot be known.
type sights struct {
	mu sync.Mutex
	of map[string]*sight
}

type sight struct {
	mu      sync.Mutex
	settled bool
}

func (s *sights) at(endpoint string) *sight {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.of == nil {
		s.of = map[string]*sight{}
	}
	if s.of[endpoint] == nil {
		s.of[endpoint] = &sight{}
	}
	return s.of[endpoint]
}

// sees refuses the first answer of an endpoint if the image was not part of its
// question. A prompt of many words hides that: where the preflight did not, the
// text is counted by itself, by one short request.
func (a *asking) sees(ctx context.Context, b infer.Backend, j job, resp infer.Response) error {
	endpoint := b.Endpoint()
	s := a.sights.at(endpoint)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.settled || a.plan.imageTokens(j) == 0 || resp.PromptTokens == 0 || a.run.textTokens(endpoint) > 0 {
		return nil
	}
	text, err := a.countText(ctx, b, "")
	blind := err == nil && resp.PromptTokens < a.plan.leastTokens(j, text)
	if blind {
		blind, err = a.counts(ctx, b, text)
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil && infer.ClassOf(err) == infer.ClassRetry && a.ended():
		return err // as if the task had not been asked
	case blind:
		return &infer.Failure{
			Class: infer.ClassTask, Hint: "use a server that passes the model its images",
			Err: fmt.Errorf("%w: %d prompt tokens, where the text alone costs %d and the image %d", infer.ErrImageDropped, resp.PromptTokens, text, a.plan.imageTokens(j)),
		}
	case err != nil:
		a.blame(endpoint, faultUncounted, "whether the images reach the model could not be checked: %v", err)
	default:
		// On disk before the answer is, so that no later session counts again.
		if err := a.run.count(endpoint, text); err != nil {
			a.stop(err)
		}
	}
	s.settled = true
	return nil
}

// counts tells whether the endpoint's counts of prompt tokens follow the
// prompt: those that do not say nothing of the image either.
func (a *asking) counts(ctx context.Context, b infer.Backend, text int) (bool, error) {
	const words = 64 // each a token or more
	more, err := a.countText(ctx, b, strings.Repeat(" one", words))
	if err == nil && more < text+words/2 {
		err = errors.New("it counts the same prompt tokens whatever it is asked")
	}
	return err == nil, err
}

// countText asks for the first task's text, and more, without the image and for
// one token.
func (a *asking) countText(ctx context.Context, b infer.Backend, more string) (int, error) {
	first := a.plan.Tasks[0]
	req := infer.Request{Model: a.plan.Config.Model, System: first.System, Prompt: first.User + more, Options: a.plan.Options, Seed: first.Seed}
	req.Options.NumPredict, req.Options.Think = 1, false
	resp, _, err := a.deps.Retry.Ask(ctx, b, req)
	return resp.PromptTokens, err
}

// textTokens is what the first task's text costs at an endpoint, 0 if that is
// not known.
func (r *openedRun) textTokens(endpoint string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.manifest.TextTokens[endpoint]
}

func (r *openedRun) count(endpoint string, text int) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.manifest.count(endpoint, text)
	return r.manifest.save(r.dir)
}

func (m *Manifest) count(endpoint string, text int) {
	if text <= 0 {
		return
	}
	if m.TextTokens == nil {
		m.TextTokens = map[string]int{}
	}
	m.TextTokens[endpoint] = text
}
