package preflight

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"candor/infer"

	"golang.org/x/sync/errgroup"
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

// parallel asks the same mixed set of requests one at a time, then two and
// four at a time, and compares both the answers and the time.
func parallel(ctx context.Context, p *prober, r *Report) (Finding, error) {
	f := Finding{Check: CheckParallel, Question: "do parallel requests help and leave the answers unchanged?", Measures: map[string]float64{}}
	set := p.mixedSet()
	alone, base, err := p.timed(ctx, set, 1)
	if err != nil {
		return f, err
	}
	if again, ok, err := p.unsteady(ctx, r, set, alone); err != nil || ok {
		f.Status, f.Severity, r.Parallel = Unknown, Note, 1
		f.Measures["changed_alone"] = float64(again)
		f.Detail = fmt.Sprintf("%d of %d answers change from one time to the next even when asked one at a time", again, len(set))
		f.Meaning = "whether parallel requests change answers cannot be told on a server that does not repeat itself"
		f.Advice = "ask one at a time (--parallel 1) unless you know better"
		return f, err
	}
	best, gain, worst, changed := 1, 1.0, 0.0, 0
	for _, c := range []int{2, 4} {
		got, secs, err := p.timed(ctx, set, c)
		if err != nil {
			return f, err
		}
		n, d := different(alone, got)
		changed, worst = max(changed, n), max(worst, d)
		speedup := base / secs
		if speedup > helps*gain && changed == 0 { // believed when it happens twice: clocks are noisy, and caches fill
			again, err := p.speedup(ctx, set, c)
			if err != nil {
				return f, err
			}
			speedup = min(speedup, again)
		}
		f.Measures[fmt.Sprintf("speedup_%d", c)] = speedup
		if speedup > helps*gain {
			best, gain = c, speedup
		}
	}
	f.Measures[Changed], f.Measures["logprob_difference"] = float64(changed), worst
	describeParallel(&f, r, best, gain, changed, worst, len(set))
	return f, nil
}

// helps is how many times as fast more requests at once must be to count as
// served together: a server that serialises gains a fifth or so too, since one
// request is on its way while another is served.
const helps = 1.3

// speedup asks the whole set one at a time and c at a time, and returns how many
// times as fast the latter is.
func (p *prober) speedup(ctx context.Context, set []question, c int) (float64, error) {
	_, base, err := p.timed(ctx, set, 1)
	if err != nil {
		return 0, err
	}
	_, secs, err := p.timed(ctx, set, c)
	return base / secs, err
}

// unsteady asks the set once more, one at a time, where the seed check found
// that answers do not repeat, and counts those that change all the same.
func (p *prober) unsteady(ctx context.Context, r *Report, set []question, before []infer.Response) (changed int, ok bool, err error) {
	if f, found := r.Find(CheckSeed); !found || f.Status != No {
		return 0, false, nil
	}
	again, _, err := p.timed(ctx, set, 1)
	if err != nil {
		return 0, false, err
	}
	changed, _ = different(before, again)
	return changed, changed > 0, nil
}

func describeParallel(f *Finding, r *Report, best int, gain float64, changed int, worst float64, n int) {
	switch {
	case changed > 0:
		f.Status, f.Severity = No, Serious
		r.Parallel = 1
		f.Detail = fmt.Sprintf("%d of %d answers change when requests run together (log-probabilities by up to %.2g)", changed, n, worst)
		f.Meaning = "a run with parallel requests would be wrong in a way that no seed repeats"
		f.Advice = "ask one at a time (--parallel 1), and set OLLAMA_NUM_PARALLEL=1 at the server"
	case best == 1:
		f.Status, f.Severity = No, Note
		r.Parallel = 2
		f.Detail = "the server serialises: two or four at a time are hardly faster than one; the answers are unchanged"
		f.Meaning = "one request served and one waiting is all that helps"
		f.Advice = "to fill a GPU, run several servers and name each with --host"
	default:
		f.Status, f.Severity = Yes, Fine
		r.Parallel = best + 1
		f.Detail = fmt.Sprintf("%d at a time are %.2f times as fast as one; the answers are unchanged", best, gain)
	}
}

// mixedSet varies the images' sizes and the claims' lengths, which is what
// exposes an engine whose slots share state.
func (p *prober) mixedSet() []question {
	w, h := p.cfg.Width, p.cfg.Height
	sizes := [][2]int{{w, h}, {max(64, w/2), h}, {w, max(64, h/2)}, {max(64, w/2), max(64, h/2)}}
	prompts := []string{
		fmt.Sprintf(claimPrompt, "cat"),
		"Claim: a person in a long blue coat stands to the left of a very small red car that is parked in front of a house. Is that so?",
	}
	var set []question
	for i, s := range sizes {
		set = append(set, question{
			prompt: prompts[i%2], image: p.drawSized(s[0], s[1]), tokens: 12, seed: int32(10 + i), temperature: 1, logprobs: 20,
		})
	}
	return set
}

// timed asks the whole set with at most c requests in flight, and returns the
// answers in its order and the seconds that all took together.
func (p *prober) timed(ctx context.Context, set []question, c int) ([]infer.Response, float64, error) {
	out := make([]infer.Response, len(set))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(c)
	start := time.Now()
	for i, q := range set {
		g.Go(func() error {
			var err error
			out[i], _, err = p.ask(ctx, q)
			return err
		})
	}
	err := g.Wait()
	return out, time.Since(start).Seconds(), err
}

// different counts the answers that changed, in text or by more than a
// twentieth of a nat at the first token, and returns the largest difference.
// Batched arithmetic rounds otherwise, but by far less than that.
func different(a, b []infer.Response) (n int, worst float64) {
	for i := range a {
		d, _ := apart(a[i], b[i])
		worst = math.Max(worst, d)
		if a[i].Text != b[i].Text || d > 0.05 {
			n++
		}
	}
	return n, worst
}
