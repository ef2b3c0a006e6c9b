package bench

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gorgonia.org/tensor"

	"candor/scoring"
	"candor/scoring/batch"
)

const (
	manyRuns   = 64
	manyTasks  = 2000
	fewImages  = 334 // with six claims each, as in a split of POPE
	replicates = 10_000
	block      = 256
)

// answersTo draws a run's answers to tasks spread evenly over images.
func answersTo(tasks, images, grid int, model uint64) []scoring.Row {
	random := rand.New(rand.NewPCG(model, 5))
	rows := make([]scoring.Row, tasks)
	for i := range rows {
		c := 0.5 + 0.5*random.Float64()
		if grid > 0 {
			c = float64(random.IntN(grid+1)) / float64(grid)
		}
		rows[i] = scoring.Row{
			ID: fmt.Sprintf("%06d", i), Image: fmt.Sprintf("%06d", i%images), Outcome: scoring.Answered,
			Confidence: c, Correct: random.Float64() < 0.2+0.7*c, Supported: random.Float64() < 0.5,
		}
		switch u := random.Float64(); {
		case u < 0.05:
			rows[i].Outcome = scoring.Abstained
		case u < 0.08:
			rows[i].Outcome = scoring.Malformed
		}
	}
	return rows
}

// times takes the least of the seconds that each of several ways takes, tried
// in turn so that all meet the same load.
func times(tries int, ways ...func()) []float64 {
	least := slices.Repeat([]float64{math.Inf(1)}, len(ways))
	for range tries {
		for i, way := range ways {
			start := time.Now()
			way()
			least[i] = min(least[i], time.Since(start).Seconds())
		}
	}
	return least
}

// BenchmarkReplicates is every replicate of the eight ratio metrics of 64 runs.
func BenchmarkReplicates(b *testing.B) {
	for _, row := range []struct {
		name   string
		images int
		loop   int // replicates that the loops do; their time is scaled up
		tries  int
	}{
		{"images", fewImages, 500, 6},
		{"rows", manyTasks, 50, 2},
	} {
		b.Run(row.name, func(b *testing.B) {
			runs, pay := manyAnswers(b, row.images)
			v := sums(row.images, columnsOf(manyRuns))
			b.ReportAllocs()
			scale := replicates / float64(row.loop)
			for b.Loop() {
				took := times(row.tries,
					func() { bootstrap(b, runs, pay, replicates) },
					func() { bareProduct(b, v, replicates) },
					func() { sharedLoop(v, row.loop) },
					func() { textbookLoop(v, row.loop) })
				b.ReportMetric(took[0]/replicates*1e6, "µs/replicate")
				b.ReportMetric(took[0]/took[1], "x-product")
				b.ReportMetric(took[0]/(took[2]*scale), "x-shared-loop")
				b.ReportMetric(took[0]/(took[3]*scale), "x-textbook-loop")
			}
		})
	}
}

// BenchmarkImagesAgainstRows is what resampling images saves.
func BenchmarkImagesAgainstRows(b *testing.B) {
	few, pay := manyAnswers(b, fewImages)
	many, _ := manyAnswers(b, manyTasks)
	for b.Loop() {
		took := times(3, func() { bootstrap(b, few, pay, 1000) }, func() { bootstrap(b, many, pay, 1000) })
		b.ReportMetric(took[0]/took[1], "x-rows")
	}
}

// BenchmarkGraph pays 64 runs by the Gorgonia graph, beside a plain loop.
func BenchmarkGraph(b *testing.B) {
	runs, pay := manyAnswers(b, 334)
	rows := answersTo(manyTasks, 334, 100, 1)
	sink := 0.0
	for b.Loop() {
		took := times(5, func() {
			if _, err := runs.Rewards(pay); err != nil {
				b.Fatal(err)
			}
		}, func() {
			for range manyRuns {
				for _, r := range rows {
					sink += pay.Reward(r.Outcome, r.Confidence, r.Correct)
				}
			}
		})
		b.ReportMetric(took[0]/took[1], "x-loop")
	}
	_ = sink
}

// columnsOf is how many columns the runs' sums have: answered, abstained,
// supported, correct, confidence, squares and reward of each, one for the
// tasks that all have and one of zeros.
func columnsOf(runs int) int { return 7*runs + 2 }

func manyAnswers(b *testing.B, images int) (*batch.Runs, scoring.Payment) {
	b.Helper()
	all := make([][]scoring.Row, manyRuns)
	for i := range all {
		all[i] = answersTo(manyTasks, images, 100, uint64(i))
	}
	runs, err := batch.New(all)
	if err != nil {
		b.Fatal(err)
	}
	return runs, payment(b)
}

func payment(b *testing.B) scoring.Payment {
	b.Helper()
	pay, err := scoring.NewPayment(scoring.Brier{}, nil)
	if err != nil {
		b.Fatal(err)
	}
	return pay
}

func bootstrap(b *testing.B, runs *batch.Runs, pay scoring.Payment, count int) {
	if _, err := runs.Bootstrap(b.Context(), pay, batch.Options{Replicates: count, RatiosOnly: true}); err != nil {
		b.Fatal(err)
	}
}

// sums is a V of random sums.
func sums(images, columns int) *tensor.Dense {
	random := rand.New(rand.NewPCG(3, 3))
	flat := make([]float64, images*columns)
	for i := range flat {
		flat[i] = random.Float64() * 6
	}
	return tensor.New(tensor.WithShape(images, columns), tensor.WithBacking(flat))
}

// bareProduct multiplies as many blocks of weights, drawn beforehand, by V, on
// as many cores.
func bareProduct(b *testing.B, v *tensor.Dense, count int) {
	images, columns := v.Shape()[0], v.Shape()[1]
	flat, weights := make([]float64, block*images), make([]int32, images)
	for i := range block {
		scoring.Resample(weights, 0, i)
		for k, w := range weights {
			flat[i*images+k] = float64(w)
		}
	}
	var next atomic.Int64
	var cores sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		cores.Go(func() {
			out := make([]float64, block*columns)
			for first := int(next.Add(block)) - block; first < count; first = int(next.Add(block)) - block {
				n := min(block, count-first)
				w := tensor.New(tensor.WithShape(n, images), tensor.WithBacking(flat[:n*images]))
				p := tensor.New(tensor.WithShape(n, columns), tensor.WithBacking(out[:n*columns]))
				if _, err := tensor.MatMul(w, v, tensor.WithReuse(p)); err != nil {
					b.Error(err)
				}
			}
		})
	}
	cores.Wait()
}

// sharedLoop draws each replicate once for all runs and adds up the rows of V
// that came up, on one core: a good plain loop.
func sharedLoop(v *tensor.Dense, count int) {
	images, columns := v.Shape()[0], v.Shape()[1]
	flat := v.Data().([]float64)
	weights, out := make([]int32, images), make([]float64, columns)
	for r := range count {
		scoring.Resample(weights, 0, r)
		clear(out)
		for i, w := range weights {
			if w == 0 {
				continue
			}
			for c, value := range flat[i*columns : (i+1)*columns] {
				out[c] += float64(w) * value
			}
		}
	}
}

// textbookLoop lets every run draw for itself and adds up its own columns for
// each image drawn, on one core.
func textbookLoop(v *tensor.Dense, count int) {
	images, columns := v.Shape()[0], v.Shape()[1]
	flat, random := v.Data().([]float64), rand.New(rand.NewPCG(1, 1))
	width := columns / manyRuns
	out := make([]float64, width)
	for first := 0; first+width <= columns; first += width {
		for range count {
			clear(out)
			for range images {
				at := random.IntN(images)*columns + first
				for c, value := range flat[at : at+width] {
					out[c] += value
				}
			}
		}
	}
}
