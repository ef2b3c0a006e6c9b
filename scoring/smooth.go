package scoring

import (
	"math"

	"gonum.org/v1/gonum/dsp/fourier"
)

const (
	bandwidths   = 1024 // the search looks at σ = k/1024 …
	narrowest    = 2    // … from k = 2
	coarsest     = 256  // cells of the coarsest grid
	sharp        = 1024 // cells where the cut at ½ shows, for it is only as sharp as a cell
	cellsInSigma = 16   // a bandwidth is at least so many cells wide

	// maxSmoothReplicates bounds the bootstrap of smooth ECE, which costs more
	// than all other figures together: a spread needs no more.
	maxSmoothReplicates = 1000
)

// smoother computes smooth ECE (Błasiok & Nakkiran 2023). With r(x) the sum of
// confidence − correct over the tasks at x and K_σ a Gaussian reflected at 0
// and 1,
//
//	smECE_σ = 1/m · ∫₀¹ |Σ_x r(x)·K_σ(t, x)| dt,
//
// and smooth ECE is the fixed point smECE_σ = σ: the miscalibration that shows
// at a resolution as coarse as itself. Like the authors' program relplot it
// cuts the Gaussian at a distance of ½ (which matters above σ ≈ 0.15 only) and
// looks for σ no nearer to 0 than 1/512. Unlike relplot 1.0.3, which counts
// what lies exactly on 0 or 1 by half and what lies in the last thousandth
// beside them in part, it counts every task alike.
//
// On an even grid a reflected convolution is a product of cosine transforms,
// so the work depends on the number of cells, not of levels. A smoother keeps
// grids and kernels for the next call.
type smoother struct {
	grids  map[int]*grid // by number of cells
	values [bandwidths + 1]float64
}

// ece is the fixed point for m ≥ 1 tasks: the search ends with neighbouring
// bandwidths k − 1, still below its smECE, and k; between them smECE is taken
// as straight.
func (s *smoother) ece(levels []Level, m int) float64 {
	for _, g := range s.grids {
		g.stale = true
	}
	var known [bandwidths + 1]bool
	at := func(k int) float64 {
		if !known[k] {
			known[k], s.values[k] = true, s.gridFor(k).smoothed(levels, k)/float64(m)
		}
		return s.values[k]
	}
	k := crossing(levels, m, at)
	if k == narrowest {
		return at(k)
	}
	above, below := at(k-1)-sigma(k-1), sigma(k)-at(k)
	if !(above+below > 0) {
		return at(k)
	}
	return min(1, sigma(k-1)+above/(above+below)/bandwidths)
}

// crossing is the k whose smECE is at most its σ while that of k − 1 is not.
// All smECE lie between the gap of the means and the mean gap of the levels;
// between these bounds the next k is where a straight line would cross, first
// with the slope of σ^−½ (that of mere noise), then through the last two; if
// that is slow, halfway.
func crossing(levels []Level, m int, at func(k int) float64) int {
	least, most := gaps(levels, m)
	low := max(narrowest-1, min(bandwidths-1, int(least*bandwidths)))
	high := min(bandwidths, max(low+1, int(most*bandwidths)+1))
	last, value, slope := 0.0, 0.0, 0.0
	for step := 0; high-low > 1; step++ {
		k := (low + high) / 2
		if step > 0 && step < 8 {
			x := last + (value-last)/(1-slope)
			k = max(low+1, min(high-1, int(math.Ceil(x*bandwidths))))
		}
		v := at(k)
		if step == 0 {
			slope = -v / sigma(k) / 2
		} else {
			slope = min(0, (v-value)/(sigma(k)-last))
		}
		last, value = sigma(k), v
		if v <= last {
			high = k
		} else {
			low = k
		}
	}
	return high
}

// gaps are |mean confidence − mean correct| over all tasks, and the mean of
// that over the levels.
func gaps(levels []Level, m int) (least, most float64) {
	for _, l := range levels {
		r := l.Confidence*float64(l.N) - float64(l.Correct)
		least += r
		most += math.Abs(r)
	}
	return math.Abs(least) / float64(m), most / float64(m)
}

func sigma(k int) float64 { return float64(k) / bandwidths }

// gridFor is the grid fine enough for bandwidth k.
func (s *smoother) gridFor(k int) *grid {
	cells := coarsest
	if k > bandwidths/8 { // ½ is less than four bandwidths away
		cells = sharp
	}
	for cells*k < cellsInSigma*bandwidths {
		cells *= 2
	}
	if s.grids == nil {
		s.grids = map[int]*grid{}
	}
	if s.grids[cells] == nil {
		s.grids[cells] = newGrid(cells)
	}
	return s.grids[cells]
}

// grid is [0, 1] in equal cells.
type grid struct {
	cells    int
	dct      *fourier.DCT
	kernels  map[int][]float64 // cosine transforms, by bandwidth
	residual []float64         // cosine transform of the levels at hand …
	stale    bool              // … unless they have changed
	work     []float64
}

func newGrid(cells int) *grid {
	return &grid{
		cells: cells, dct: fourier.NewDCT(cells + 1), kernels: map[int][]float64{},
		residual: make([]float64, cells+1), stale: true, work: make([]float64, cells+1),
	}
}

// smoothed is ∫|Σ r·K|: the integral by trapezoids, exact in total because the
// kernel's transform begins with 1.
func (g *grid) smoothed(levels []Level, k int) float64 {
	if g.stale {
		g.load(levels)
	}
	kernel := g.kernel(k)
	for i, r := range g.residual {
		g.work[i] = r * kernel[i]
	}
	g.dct.Transform(g.work, g.work)
	sum := (math.Abs(g.work[0]) + math.Abs(g.work[g.cells])) / 2
	for _, r := range g.work[1:g.cells] {
		sum += math.Abs(r)
	}
	return sum / float64(2*g.cells) // what two transforms multiply by
}

// load spreads each level's residual over the two nearest nodes. An end node
// is its own mirror image and so counts twice.
func (g *grid) load(levels []Level) {
	clear(g.residual)
	for _, l := range levels {
		at := l.Confidence * float64(g.cells)
		i := min(int(at), g.cells-1)
		r, right := l.Confidence*float64(l.N)-float64(l.Correct), at-float64(i)
		g.residual[i] += r * (1 - right)
		g.residual[i+1] += r * right
	}
	g.residual[0] *= 2
	g.residual[g.cells] *= 2
	g.dct.Transform(g.residual, g.residual)
	g.stale = false
}

// kernel is the transform of the Gaussian of bandwidth k, cut at ½, of mass 1.
func (g *grid) kernel(k int) []float64 {
	if known, ok := g.kernels[k]; ok {
		return known
	}
	kernel := make([]float64, g.cells+1)
	for i := range g.cells/2 + 1 {
		z := float64(i) / float64(g.cells) / sigma(k)
		kernel[i] = math.Exp(-z * z / 2)
	}
	kernel[g.cells/2] /= 2
	g.dct.Transform(kernel, kernel)
	mass := kernel[0]
	for i := range kernel {
		kernel[i] /= mass
	}
	g.kernels[k] = kernel
	return kernel
}
