package batch

import (
	"context"
	"errors"
	"fmt"

	"gorgonia.org/tensor"

	"candor/scoring"
	"candor/scoring/internal/parallel"
)

// Options says how runs are bootstrapped.
type Options struct {
	Replicates int    // of the bootstrap, 1 to scoring.MaxBootstrap (10 000 is usual)
	Seed       uint64 // as in scoring.Options
	Bins       int    // of the ECEs; 0 = 15
	RatiosOnly bool   // only what the matrix product gives, not the metrics of order
}

const (
	blockSize = 256 // replicates to a matrix product
	lines     = 16  // rows of a product that are divided while they are in the cache
	stride    = 32  // replicates of one run measured while its layout is in the cache
)

// Bootstrap draws the replicates of every metric of every run, all paid by pay,
// whose rule must be Brier or log. Undefined values are NaN there. A refused
// payoff is a [*scoring.PayoffError]; the end of the context is an error too.
func (r *Runs) Bootstrap(ctx context.Context, pay scoring.Payment, opt Options) (*Result, error) {
	if opt.Replicates < 1 || opt.Replicates > scoring.MaxBootstrap {
		return nil, fmt.Errorf("%d replicates: must be between 1 and %d", opt.Replicates, scoring.MaxBootstrap)
	}
	c, err := newColumns(r, pay)
	if err != nil {
		return nil, err
	}
	out := newResult(r, pay, opt)
	if !opt.RatiosOnly {
		if err := out.lay(ctx); err != nil {
			return nil, err
		}
	}
	if err := out.divide(ctx, c, opt.Seed); err != nil {
		return nil, err
	}
	if !opt.RatiosOnly {
		if err := out.measure(ctx, opt.Seed); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// divide fills in the ratios, a block of replicates to a product and every
// core with blocks of its own.
func (r *Result) divide(ctx context.Context, c *columns, seed uint64) error {
	blocks := (r.replicates + blockSize - 1) / blockSize
	failed := make([]error, blocks)
	err := parallel.Do(ctx, blocks, func() func(int) {
		b := newBlock(c, min(blockSize, r.replicates))
		return func(i int) {
			first := i * blockSize
			failed[i] = b.fill(r, first, min(blockSize, r.replicates-first), seed)
		}
	})
	return errors.Join(append(failed, err)...)
}

// block is the memory of one product.
type block struct {
	*columns
	ratio []ratio
	drawn []int32
	w, p  []float64 // [replicates × images], [replicates × columns]
}

func newBlock(c *columns, replicates int) *block {
	images, width := c.v.Shape()[0], c.v.Shape()[1]
	return &block{
		columns: c, ratio: ratios(), drawn: make([]int32, images),
		w: make([]float64, replicates*images), p: make([]float64, replicates*width),
	}
}

// fill computes the ratios of replicates first … first+count−1 of every run.
func (b *block) fill(r *Result, first, count int, seed uint64) error {
	images := len(b.drawn)
	for i := range count {
		scoring.Resample(b.drawn, seed, first+i)
		row := b.w[i*images : (i+1)*images]
		for k, w := range b.drawn {
			row[k] = float64(w)
		}
	}
	if err := b.multiply(count); err != nil {
		return err
	}
	for from := 0; from < count; from += lines {
		for run := range b.at {
			b.divide(r, run, first, from, min(from+lines, count))
		}
	}
	return nil
}

// multiply is W·V.
func (b *block) multiply(count int) error {
	images, width := b.v.Shape()[0], b.v.Shape()[1]
	w := tensor.New(tensor.WithShape(count, images), tensor.WithBacking(b.w[:count*images]))
	p := tensor.New(tensor.WithShape(count, width), tensor.WithBacking(b.p[:count*width]))
	if _, err := tensor.MatMul(w, b.v, tensor.WithReuse(p)); err != nil {
		return fmt.Errorf("multiplying weights [%d × %d] and sums [%d × %d]: %w", count, images, images, width, err)
	}
	return nil
}

// divide turns rows from … to−1 of one run's sums into its ratios.
func (b *block) divide(r *Result, run, first, from, to int) {
	width, at := b.v.Shape()[1], &b.at[run]
	var sums [lines]totals
	for i := from; i < to; i++ {
		sums[i-from].read(b.p[i*width:(i+1)*width], at)
	}
	start := run*r.replicates + first + from
	for k, m := range b.ratio {
		into := r.values[r.ratios[k]][start : start+to-from]
		for i := range into {
			into[i] = sums[i][m.sum] / sums[i][m.per]
		}
	}
}

// measure fills in the metrics of order, a stride of replicates at a time for
// each run.
func (r *Result) measure(ctx context.Context, seed uint64) error {
	strides := (r.replicates + stride - 1) / stride
	return parallel.Do(ctx, strides, func() func(int) {
		var m scoring.Measurer
		drawn := make([][]int32, stride)
		for k := range drawn {
			drawn[k] = make([]int32, r.runs.Images)
		}
		return func(i int) {
			first := i * stride
			count := min(stride, r.replicates-first)
			for k := range count {
				scoring.Resample(drawn[k], seed, first+k)
			}
			for run, layout := range r.layout {
				for k, weights := range drawn[:count] {
					r.take(run, first+k, m.Measure(layout, weights, first+k))
				}
			}
		}
	})
}

// take keeps one replicate's metrics of order.
func (r *Result) take(run, b int, values []float64) {
	for _, f := range r.ordered {
		r.row(run, f)[b] = values[f]
	}
}
