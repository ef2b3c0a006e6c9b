package scoring

// harmonics[i] is H_i = 1 + ½ + … + 1/i; it grows on demand.
type harmonics []float64

func (h *harmonics) upTo(n int) harmonics {
	if len(*h) == 0 {
		*h = append(*h, 0)
	}
	for i := len(*h); i <= n; i++ {
		*h = append(*h, (*h)[i-1]+1/float64(i))
	}
	return *h
}

// aurc is the area under the risk-coverage curve (Geifman & El-Yaniv 2017),
// the mean over k = 1…m of the error rate of the k most confident, expected
// over uniformly random order inside ties. A level of g tasks with w wrong,
// after K tasks with E wrong, adds
//
//	Σ_{j=1…g} (E + w·j/g)/(K + j) = w + (E − w·K/g)·(H_{K+g} − H_K).
func aurc(levels []Level, m int, table *harmonics) float64 {
	h := table.upTo(m)
	sum, seen, wrong := 0.0, 0, 0
	for i := len(levels) - 1; i >= 0; i-- {
		g, w := levels[i].N, levels[i].N-levels[i].Correct
		slope := float64(wrong) - float64(w)*float64(seen)/float64(g)
		sum += float64(w) + slope*(h[seen+g]-h[seen])
		seen += g
		wrong += w
	}
	return sum / float64(m)
}

// bestAURC is the AURC of the best order, all right before all wrong:
// Σ max(0, i − k)/i / m with k right of m. It is the exact finite sum, not the
// analytic limit, so that AURC − bestAURC is never negative.
func bestAURC(correct, m int, table *harmonics) float64 {
	h := table.upTo(m)
	return (float64(m-correct) - float64(correct)*(h[m]-h[correct])) / float64(m)
}

// augrc is the area under the generalised risk-coverage curve (Traub et al.
// 2024): errors so far/m against coverage, by trapezoids from (0, 0). The
// expected curve is straight inside a tie, so this is exact there.
func augrc(levels []Level, m int) float64 {
	twice, wrong := 0.0, 0
	for i := len(levels) - 1; i >= 0; i-- {
		after := wrong + levels[i].N - levels[i].Correct
		twice += float64(levels[i].N) * float64(wrong+after)
		wrong = after
	}
	return twice / 2 / float64(m) / float64(m)
}

// auroc is the chance that a right answer is more confident than a wrong one,
// ties counting ½. The count is exact; NaN (0/0) if all are right or all wrong.
func auroc(levels []Level, m, correct int) float64 {
	twice, wrong := 0, 0
	for _, l := range levels {
		w := l.N - l.Correct
		twice += l.Correct * (2*wrong + w)
		wrong += w
	}
	return float64(twice) / 2 / (float64(correct) * float64(m-correct))
}
