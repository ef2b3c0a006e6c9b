package ollama

import (
	"context"
	"errors"

	"candor/infer"

	"github.com/ollama/ollama/api"
)

// Render returns the exact prompt text that the server would make of req,
// without inference. Servers that cannot do so are a failure.
func (c *Client) Render(ctx context.Context, req infer.Request) (string, error) {
	call, cancel := c.withDeadline(ctx)
	defer cancel()
	stream := false
	var text string
	err := c.api.Generate(call, &api.GenerateRequest{
		Model: req.Model, System: req.System, Prompt: req.Prompt, Images: imagesOf(req), Stream: &stream,
		Think: &api.ThinkValue{Value: req.Options.Think}, Options: optionsOf(req), DebugRenderOnly: true,
	}, func(g api.GenerateResponse) error {
		if g.DebugInfo != nil {
			text = g.DebugInfo.RenderedTemplate
		}
		return nil
	})
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err != nil:
		return "", classify(req.Model, err)
	case text == "":
		return "", &infer.Failure{Class: infer.ClassTask, Err: errors.New("the server rendered no prompt")}
	}
	return text, nil
}
