package agent

import (
	"context"
	"fmt"

	"candor/infer"
)

// Infer asks a model that infer reaches, one request at a time, and tries a
// failure of the infrastructure twice more. Thinking is kept apart by the server.
func Infer(m infer.Model, name string, options infer.Options, seed int32) Asker {
	return func(ctx context.Context, q Question) (string, string, error) {
		var failed []infer.Attempt
		for {
			response, now, err := infer.Once(ctx, m, infer.Request{Model: name, System: q.System, Prompt: q.Text, Image: q.Image, Options: options, Seed: seed}, failed, false)
			failed = append(failed, now...)
			switch {
			case err == nil: // cut or not, it is the model's own answer
				return response.Text, response.Thinking, nil
			case ctx.Err() != nil:
				return "", "", ctx.Err()
			case infer.ClassOf(err) != infer.ClassRetry || len(failed) > retries:
				return "", "", fmt.Errorf("model %s: %w", name, err)
			}
		}
	}
}

const retries = 2
