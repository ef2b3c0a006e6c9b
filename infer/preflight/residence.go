package preflight

import (
	"context"
	"fmt"
)

// residency asks the server where the model lives.
func residency(ctx context.Context, p *prober, r *Report) (Finding, error) {
	f := Finding{Check: CheckResidency, Question: "is the model on the GPU?"}
	res, err := p.backend.Residency(ctx, p.cfg.Model)
	if err != nil {
		return f, err
	}
	r.Residency = res
	f.Measures = map[string]float64{"size_bytes": float64(res.Size), "vram_bytes": float64(res.SizeVRAM)}
	switch {
	case !res.Loaded:
		f.Status, f.Severity, f.Detail = Unknown, Note, "the server does not list the model as loaded"
	case res.SizeVRAM == 0:
		f.Status, f.Severity, f.Detail = No, Note, "it runs on the CPU alone"
		f.Meaning = "the answers are the same in kind; throughput says nothing about a GPU"
		if p.cfg.Options.NumThread == 0 {
			f.Advice = "on a small or busy machine try --num-thread 1: the engine's threads wait for each other by spinning"
		}
	case res.SizeVRAM < res.Size:
		f.Status, f.Severity = Partly, Note
		f.Detail = fmt.Sprintf("%.0f %% of it is in GPU memory, the rest on the CPU", 100*float64(res.SizeVRAM)/float64(res.Size))
		f.Meaning = "throughput is that of a split model"
		f.Advice = "free GPU memory, or lower --num-ctx, or use a smaller model"
	default:
		f.Status, f.Severity, f.Detail = Yes, Fine, "all of it is in GPU memory"
	}
	return f, nil
}

// contextFits compares the context in effect with the one that was asked for.
func contextFits(_ context.Context, p *prober, r *Report) (Finding, error) {
	f := Finding{Check: CheckContext, Question: "is the context as large as asked?"}
	got, want := r.Residency.ContextLength, p.cfg.Options.NumCtx
	f.Measures = map[string]float64{"context_length": float64(got), "num_ctx": float64(want)}
	switch {
	case got == 0 || want == 0:
		f.Status, f.Severity, f.Detail = Unknown, Note, "the server does not tell"
	case got < want:
		f.Status, f.Severity = No, Serious
		f.Detail = fmt.Sprintf("%d tokens in effect, %d asked for", got, want)
		f.Meaning = "the server gives less context than was asked for: long prompts may lose their image"
		f.Advice = "use a model with a longer context, or smaller images"
	default:
		f.Status, f.Severity, f.Detail = Yes, Fine, fmt.Sprintf("%d tokens in effect", got)
	}
	return f, nil
}
