package scoring

import "math"

// bin is a run of neighbouring levels.
type bin struct {
	n, correct int
	confidence float64 // sum
}

func (b *bin) add(l Level) {
	b.n += l.N
	b.correct += l.Correct
	b.confidence += l.Confidence * float64(l.N)
}

// gap is |Σ confidence − Σ correct|, n times the bin's miscalibration.
func (b bin) gap() float64 { return math.Abs(b.confidence - float64(b.correct)) }

// equalMass cuts the levels into at most count bins of about m/count tasks
// each and never splits a level: a bin closes once the running number reaches
// the next multiple of m/count, in integers, and multiples passed on the way
// are skipped, so that there may be fewer bins than asked for. The bins are
// appended to buf[:0].
func equalMass(levels []Level, m, count int, buf []bin) []bin {
	bins, open := buf[:0], bin{}
	running, passed := 0, 0
	for _, l := range levels {
		open.add(l)
		running += l.N
		if running*count >= (passed+1)*m {
			bins, open = append(bins, open), bin{}
			passed = running * count / m
		}
	}
	return bins
}

// equalWidth cuts [0, 1] into count bins, the last one closed, and returns
// those that hold anything.
func equalWidth(levels []Level, count int, buf []bin) []bin {
	bins, at := buf[:0], -1
	for _, l := range levels {
		if i := min(count-1, int(l.Confidence*float64(count))); i != at {
			bins, at = append(bins, bin{}), i
		}
		bins[len(bins)-1].add(l)
	}
	return bins
}

// ece is the expected calibration error Σ m_b/m · |mean c − mean y| (Guo et
// al. 2017) over m tasks, NaN for none.
func ece(bins []bin, m int) float64 {
	sum := 0.0
	for _, b := range bins {
		sum += b.gap()
	}
	return sum / float64(m)
}

// debiasedECE is the ℓ2 calibration error with the noise of each bin's mean
// taken off (Kumar, Liang & Ma 2019). A bin of one task adds nothing; NaN if
// no bin has two.
func debiasedECE(bins []bin, m int) float64 {
	sum, usable := 0.0, false
	for _, b := range bins {
		if b.n < 2 {
			continue
		}
		usable = true
		n := float64(b.n)
		rate := float64(b.correct) / n
		gap := b.gap() / n
		sum += n / float64(m) * (gap*gap - rate*(1-rate)/(n-1))
	}
	if !usable {
		return math.NaN()
	}
	return math.Sqrt(max(0, sum))
}
