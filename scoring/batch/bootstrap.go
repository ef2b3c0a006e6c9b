package batch

import (
	"context"
	"fmt"

	"gorgonia.org/tensor"

	"candor/scoring"
)

// Options says how runs are bootstrapped.
type Options struct {
	Replicates int    // of the bootstrap, 1 or more (10 000 is usual)
	Seed       uint64 // as in scoring.Options
	Bins       int    // of the ECEs; 0 = 15
	RatiosOnly bool   // only what the matrix product gives, not the metrics of order
}

const (
	blockSize = 256 // replicates to a matrix product
	stride    = 32  // replicates of one run measured in one go, while its layout is in the cache
)

// Bootstrap draws the replicates of every metric of every run. Undefined
// values are NaN there.
func (r *Runs) Bootstrap(ctx context.Context, pay scoring.Payment, opt Options) (*Result, error) {
	if opt.Replicates < 1 {
		return nil, fmt.Errorf("%d replicates: must be 1 or more", opt.Replicates)
	}
	v, err := newColumns(r, pay)
	if err != nil {
		return nil, err
	}
	out, err := newResult(r, pay, opt)
	if err != nil {
		return nil, err
	}
	b := &blocks{columns: v, out: out, seed: opt.Seed, order: !opt.RatiosOnly}
	b.prepare(r.Images)
	for first := 0; first < opt.Replicates; first += blockSize {
		if err := b.do(ctx, first, min(blockSize, opt.Replicates-first)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// blocks computes replicates, a block at a time, in memory that is reused.
type blocks struct {
	*columns
	out     *Result
	seed    uint64
	order   bool
	ratio   []ratio
	drawn   [][]int32 // [block][images]
	w, p    []float64 // [block × images], [block × columns]
	scratch []scoring.Measurer
}

func (b *blocks) prepare(images int) {
	width := min(blockSize, b.out.replicates)
	b.ratio = ratios()
	b.drawn = make([][]int32, width)
	for i := range b.drawn {
		b.drawn[i] = make([]int32, images)
	}
	b.w = make([]float64, width*images)
	b.p = make([]float64, width*b.v.Shape()[1])
	b.scratch = make([]scoring.Measurer, workers())
}

// do computes replicates first … first+count−1.
func (b *blocks) do(ctx context.Context, first, count int) error {
	images := b.v.Shape()[0]
	err := each(ctx, len(b.scratch), count, func(_, i int) {
		scoring.Resample(b.drawn[i], b.seed, first+i)
		row := b.w[i*images : (i+1)*images]
		for k, w := range b.drawn[i] {
			row[k] = float64(w)
		}
	})
	if err != nil {
		return err
	}
	if err := b.product(count); err != nil {
		return err
	}
	runs := len(b.at)
	err = each(ctx, len(b.scratch), runs, func(_, run int) { b.divide(run, first, count) })
	if err != nil || !b.order {
		return err
	}
	strides := (count + stride - 1) / stride
	return each(ctx, len(b.scratch), runs*strides, func(goroutine, i int) {
		run, from := i/strides, i%strides*stride
		for k := from; k < min(from+stride, count); k++ {
			b.measure(&b.scratch[goroutine], run, first, k)
		}
	})
}

// product is W·V for the block.
func (b *blocks) product(count int) error {
	images, width := b.v.Shape()[0], b.v.Shape()[1]
	w := tensor.New(tensor.WithShape(count, images), tensor.WithBacking(b.w[:count*images]))
	p := tensor.New(tensor.WithShape(count, width), tensor.WithBacking(b.p[:count*width]))
	if _, err := tensor.MatMul(w, b.v, tensor.WithReuse(p)); err != nil {
		return fmt.Errorf("multiplying weights [%d × %d] and sums [%d × %d]: %w", count, images, images, width, err)
	}
	return nil
}

// divide turns the sums of one run into its ratios.
func (b *blocks) divide(run, first, count int) {
	width, at := b.v.Shape()[1], &b.at[run]
	for _, m := range b.ratio {
		into := b.out.of(run, m.name)[first : first+count]
		above, below := at[m.plus[0]], at[m.per[0]]
		for i := range into {
			sums := b.p[i*width : (i+1)*width]
			sum := sums[above]
			for _, q := range m.minus {
				sum -= sums[at[q]]
			}
			into[i] = sum / sums[below]
		}
	}
}

// measure computes the metrics of order of one replicate of one run.
func (b *blocks) measure(m *scoring.Measurer, run, first, k int) {
	values := m.Measure(b.out.layout[run], b.drawn[k], first+k)
	for _, f := range b.out.ordered {
		b.out.row(run, f)[first+k] = values[f]
	}
}
