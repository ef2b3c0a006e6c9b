package preflight

import (
	"context"
	"fmt"
	"slices"
)

// prefixReused times the first claim about an image against the second. The
// shortest of several times is the least disturbed one.
func prefixReused(ctx context.Context, p *prober, _ *Report) (Finding, error) {
	f := Finding{Check: CheckPrefix, Question: "is the image's prompt prefix reused?"}
	const pairs = 4
	var first, second []float64
	for range pairs {
		img := p.draw()
		for i, object := range []string{"horse", "table"} {
			_, secs, err := p.ask(ctx, question{prompt: fmt.Sprintf(claimPrompt, object), image: img, tokens: 1, seed: 6})
			if err != nil {
				return f, err
			}
			if i == 0 {
				first = append(first, secs)
			} else {
				second = append(second, secs)
			}
		}
	}
	a, b := slices.Min(first), slices.Min(second)
	f.Measures = map[string]float64{"first_seconds": a, "second_seconds": b, "speedup": a / b}
	f.Detail = fmt.Sprintf("the first claim about an image takes %.3g s, the next %.3g s", a, b)
	switch {
	case b < 0.8*a:
		f.Status, f.Severity = Yes, Fine
	case b > 0.92*a:
		f.Status, f.Severity = No, Note
		f.Meaning = "each claim pays for its image again; the answers are the same"
		f.Advice = "for Qwen3.5, --prompt image-first puts the instructions after the image, which lets these engines keep it"
	default:
		f.Status, f.Severity = Unknown, Note
		f.Meaning = "the times are too close to tell"
	}
	return f, nil
}
