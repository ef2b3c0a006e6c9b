package judge

import (
	"context"
	"fmt"

	"candor/infer"
)

// Model is a judge on any server that infer reaches, such as a local Ollama.
// What it thinks before its reply is not part of that. Sampled greedily it says
// the same twice by nature, and its repeatability tells nothing.
func Model(m infer.Model, name string, options infer.Options) Judge {
	return func(ctx context.Context, prompt string) (string, error) {
		response, _, err := infer.Once(ctx, m, infer.Request{Model: name, Prompt: prompt, Options: options}, nil, false)
		if err != nil {
			if ctx.Err() != nil {
				return "", ctx.Err()
			}
			return "", fmt.Errorf("judge %s: %w", name, err)
		}
		return response.Text, nil
	}
}
