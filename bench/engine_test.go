package bench

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"candor/infer"
	"candor/infer/ollama/ollamatest"
)

// engine is real servers with the tiny model of one architecture, and what to
// ask them.
type engine struct {
	slots   []infer.Slot
	model   string
	options infer.Options
	photos  [][]byte
}

// newEngine starts so many servers on one model store.
func newEngine(b *testing.B, arch string, servers, photoCount int) engine {
	b.Helper()
	e := engine{options: option(b)}
	e.options.NumThread, e.options.NumPredict, e.options.NumBatch = 1, 8, infer.PrefixBatch(arch, 302)
	store := ollamatest.Env("OLLAMA_MODELS="+filepath.Join(b.TempDir(), "models"), "OLLAMA_NOPRUNE=1")
	for range servers {
		s := ollamatest.Start(b, store)
		e.model = s.Install(arch)
		e.slots = append(e.slots, infer.Slot{Model: client(b, s.URL), Limit: 2})
	}
	for i := range photoCount {
		e.photos = append(e.photos, photo(b, 640, 480, i))
	}
	for _, s := range e.slots { // loads the model
		if _, err := s.Model.Ask(b.Context(), e.request(0)); err != nil {
			b.Fatal(err)
		}
	}
	return e
}

// request is a claim about an image, which stands before every word.
func (e engine) request(task int) infer.Request {
	return infer.Request{
		Model: e.model, Prompt: fmt.Sprintf("Claim: there is a thing of kind %d in the image. Is that so?", task%claimsAnImage),
		Image: e.photos[task/claimsAnImage], Options: e.options, Seed: int32(task),
	}
}

// asked has the tasks done in that order by those servers, and returns the
// seconds that it took and the answers.
func (e engine) asked(b *testing.B, slots []infer.Slot, order [][]int) (float64, map[int]string) {
	b.Helper()
	var mu sync.Mutex
	answers := map[int]string{}
	q := &questions{b: b, order: order, ask: e.request, answer: func(task int, r infer.Response) {
		mu.Lock()
		defer mu.Unlock()
		answers[task] = r.Text
	}}
	start := time.Now()
	infer.Run(b.Context(), infer.Scheduler{Slots: slots, Retry: infer.DefaultRetry()}, nil, q)
	return time.Since(start).Seconds(), answers
}

// BenchmarkAffinity asks a real engine about images in the order of a run, claim
// after claim of one image, and in random order. x-random is the time beside
// that of the random order, x-whole-gain beside what the engine's cache offers
// at best: each image looked at once, its other claims as fast as one that has
// just been asked.
func BenchmarkAffinity(b *testing.B) {
	for _, arch := range []string{"qwen3vl", "qwen35"} {
		b.Run(arch, func(b *testing.B) {
			const seen = 6
			e := newEngine(b, arch, 1, seen)
			n := seen * claimsAnImage
			random := grouped(n)
			rand.New(rand.NewPCG(1, 1)).Shuffle(n, func(i, k int) {
				a, c := &random[i/claimsAnImage][i%claimsAnImage], &random[k/claimsAnImage][k%claimsAnImage]
				*a, *c = *c, *a
			})
			for b.Loop() {
				inOrder, answers := e.asked(b, e.slots, grouped(n))
				shuffled, others := e.asked(b, e.slots, random)
				for task, text := range answers {
					if others[task] != text {
						b.Errorf("task %d is answered %q in order, %q at random", task, text, others[task])
					}
				}
				first, next := e.costs(b)
				b.ReportMetric(inOrder/float64(n)*1e3, "ms/task")
				b.ReportMetric(inOrder/shuffled, "x-random")
				b.ReportMetric(inOrder/(float64(seen)*first+float64(n-seen)*next), "x-whole-gain")
			}
		})
	}
}

// costs are the median seconds of a claim about an image that was not asked
// about before, and of one that was just before it, each alone at the server.
func (e engine) costs(b *testing.B) (first, next float64) {
	b.Helper()
	var firsts, nexts []float64
	for image := range e.photos {
		for claim := range 3 {
			start := time.Now()
			if _, err := e.slots[0].Model.Ask(b.Context(), e.request(image*claimsAnImage+claim)); err != nil {
				b.Fatal(err)
			}
			if took := time.Since(start).Seconds(); claim == 0 {
				firsts = append(firsts, took)
			} else {
				nexts = append(nexts, took)
			}
		}
	}
	slices.Sort(firsts)
	slices.Sort(nexts)
	return firsts[len(firsts)/2], nexts[len(nexts)/2]
}

// BenchmarkReplicas asks one real server, then two on one model store, each
// with one thread, about the same. x-one is the time beside that of one; two
// cores that do nothing else would give .5. The answers must be the same.
func BenchmarkReplicas(b *testing.B) {
	for _, arch := range []string{"qwen3vl", "qwen35"} {
		b.Run(arch, func(b *testing.B) {
			const seen = 12
			e := newEngine(b, arch, 2, seen)
			for b.Loop() {
				one, answers := e.asked(b, e.slots[:1], grouped(seen*claimsAnImage))
				both, others := e.asked(b, e.slots, grouped(seen*claimsAnImage))
				for task, text := range answers {
					if others[task] != text {
						b.Errorf("task %d is answered %q by one, %q by two", task, text, others[task])
					}
				}
				b.ReportMetric(one/(seen*claimsAnImage)*1e3, "ms/task-one")
				b.ReportMetric(both/one, "x-one")
			}
		})
	}
}
