package batch

import (
	"encoding/binary"
	"math"

	"gorgonia.org/tensor"

	"candor/scoring"
)

// quantity is something summed over the tasks of an image.
type quantity int

const (
	present quantity = iota
	answered
	abstained
	repaired
	supported
	correct
	confidence
	squares // (c − y)² of the answered
	reward
	quantities              // those with a column; beyond, what follows from them
	malformed  = quantities // present but neither answered nor abstained
)

// totals are the sums of every quantity over a replicate.
type totals [quantities + 1]float64

// read takes one run's sums out of a row of the product.
func (t *totals) read(row []float64, at *[quantities]int) {
	for q, column := range at {
		t[q] = row[column]
	}
	t[malformed] = t[present] - t[answered] - t[abstained]
}

// ratio is a metric that is one sum over another.
type ratio struct {
	name     string
	sum, per quantity
}

// ratios are all of them.
func ratios() []ratio {
	return []ratio{
		{"accuracy", correct, answered},
		{"coverage", answered, present},
		{"abstain_rate", abstained, present},
		{"malformed_rate", malformed, present},
		{"needed_repair_rate", repaired, present},
		{"predicted_supported", supported, answered},
		{"mean_confidence", confidence, answered},
		{"brier", squares, answered},
		{"reward", reward, present},
	}
}

// columns is V: the sums over each image of each quantity of each run, with
// columns that are equal (tasks that all runs have, say) or all 0 kept once.
type columns struct {
	v  *tensor.Dense     // [images × columns]
	at [][quantities]int // column, by run and quantity
}

func newColumns(r *Runs, pay scoring.Payment) (*columns, error) {
	rewards, err := r.Rewards(pay)
	if err != nil {
		return nil, err
	}
	tensors := [quantities]*tensor.Dense{r.Present, r.Answered, r.Abstained, r.Repaired, r.Supported, r.Correct, r.Confidence, r.misses(), rewards}
	c := &columns{at: make([][quantities]int, r.Count())}
	known := map[string]int{}
	var sums [][]float64
	for run := range c.at {
		for q, t := range tensors {
			column := r.perImage(values(t)[run*len(r.Tasks) : (run+1)*len(r.Tasks)])
			key := string(bytesOf(column))
			if _, seen := known[key]; !seen {
				known[key] = len(sums)
				sums = append(sums, column)
			}
			c.at[run][q] = known[key]
		}
	}
	c.v = transposed(sums, r.Images)
	return c, nil
}

// misses is (c − y)² of each answered task, 0 elsewhere.
func (r *Runs) misses() *tensor.Dense {
	out := r.Confidence.Clone().(*tensor.Dense)
	miss, right := values(out), values(r.Correct)
	for i, c := range miss {
		miss[i] = (c - right[i]) * (c - right[i]) // both 0 unless answered
	}
	return out
}

// perImage adds up one run's tasks by image.
func (r *Runs) perImage(tasks []float64) []float64 {
	sums := make([]float64, r.Images)
	for t, value := range tasks {
		sums[r.Image[t]] += value
	}
	return sums
}

func bytesOf(column []float64) []byte {
	out := make([]byte, 0, 8*len(column))
	for _, v := range column {
		out = binary.LittleEndian.AppendUint64(out, math.Float64bits(v))
	}
	return out
}

// transposed makes [images × columns] of columns.
func transposed(sums [][]float64, images int) *tensor.Dense {
	flat := make([]float64, images*len(sums))
	for c, column := range sums {
		for i, v := range column {
			flat[i*len(sums)+c] = v
		}
	}
	return tensor.New(tensor.WithShape(images, len(sums)), tensor.WithBacking(flat))
}
