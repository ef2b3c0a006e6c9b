package scoring

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sort"
	"testing"
)

// The reference computes every figure from its definition over single rows,
// with nothing shared with the package: ties by trying all their orders,
// isotonic regression by its min-max formula, AUROC by all pairs.
type item struct {
	c float64
	y float64
}

type reference struct{ ece, width, debiased, auroc, mcb, dsc, unc, brier float64 }

func refer(items []item, bins int) reference {
	sort.SliceStable(items, func(i, j int) bool { return items[i].c < items[j].c })
	var r reference
	m := float64(len(items))
	rate := 0.0
	for _, it := range items {
		r.brier += (it.c - it.y) * (it.c - it.y) / m
		rate += it.y / m
	}
	r.ece, r.debiased = referBins(massBins(items, bins), m)
	r.width, _ = referBins(widthBins(items, bins), m)
	r.auroc = referAUROC(items)
	r.unc = rate * (1 - rate)
	left := 0.0
	for i, fit := range minMax(items) {
		left += (fit - items[i].y) * (fit - items[i].y) / m
	}
	r.mcb, r.dsc = r.brier-left, r.unc-left
	return r
}

// massBins closes a bin at the end of a tie group once it holds its share.
func massBins(items []item, count int) [][]item {
	var bins [][]item
	var open []item
	next := 1
	for i, it := range items {
		open = append(open, it)
		if i+1 < len(items) && items[i+1].c == it.c {
			continue
		}
		if (i+1)*count >= next*len(items) {
			bins, open = append(bins, open), nil
			for (i+1)*count >= next*len(items) {
				next++
			}
		}
	}
	return bins
}

func widthBins(items []item, count int) [][]item {
	bins := make([][]item, count)
	for _, it := range items {
		k := int(math.Floor(it.c * float64(count)))
		if k > count-1 {
			k = count - 1
		}
		bins[k] = append(bins[k], it)
	}
	return bins
}

func referBins(bins [][]item, m float64) (ece, debiased float64) {
	square, usable := 0.0, false
	for _, bin := range bins {
		if len(bin) == 0 {
			continue
		}
		n, c, y := float64(len(bin)), 0.0, 0.0
		for _, it := range bin {
			c += it.c / n
			y += it.y / n
		}
		ece += n / m * math.Abs(c-y)
		if n > 1 {
			usable = true
			square += n / m * ((c-y)*(c-y) - y*(1-y)/(n-1))
		}
	}
	if !usable {
		return ece, math.NaN()
	}
	return ece, math.Sqrt(math.Max(0, square))
}

func referAUROC(items []item) float64 {
	wins, pairs := 0.0, 0.0
	for _, a := range items {
		for _, b := range items {
			if a.y == 1 && b.y == 0 {
				pairs++
				if a.c > b.c {
					wins++
				} else if a.c == b.c {
					wins += 0.5
				}
			}
		}
	}
	return wins / pairs
}

// minMax is isotonic regression as max over starts of min over ends of the
// mean between, with ties taken whole.
func minMax(items []item) []float64 {
	fit := make([]float64, len(items))
	for i := range items {
		fit[i] = math.Inf(-1)
		for from := 0; from <= i || (from < len(items) && items[from].c == items[i].c); from++ {
			if from > 0 && items[from-1].c == items[from].c {
				continue
			}
			least := math.Inf(1)
			sum := 0.0
			for to := from; to < len(items); to++ {
				sum += items[to].y
				if to < i || (to+1 < len(items) && items[to+1].c == items[to].c) {
					continue
				}
				least = math.Min(least, sum/float64(to-from+1))
			}
			fit[i] = math.Max(fit[i], least)
		}
	}
	return fit
}

// byMembers is the AURC member by member of each tie: (E + w·j/g)/k.
func byMembers(items []item) float64 {
	sum, wrong := 0.0, 0.0
	for end := len(items); end > 0; {
		start, w := end, 0.0
		for start > 0 && items[start-1].c == items[end-1].c {
			start--
			w += 1 - items[start].y
		}
		for j := 1; j <= end-start; j++ {
			sum += (wrong + w*float64(j)/float64(end-start)) / float64(len(items)-end+j)
		}
		wrong += w
		end = start
	}
	return sum / float64(len(items))
}

// orders averages AURC and AUGRC over every order that sorts confidence
// downwards, and finds the best AURC over every order at all.
func orders(items []item) (aurc, augrc, best float64) {
	best = math.Inf(1)
	count := 0.0
	permute(len(items), func(order []int) {
		risk, joint, wrong, sorted := 0.0, 0.0, 0.0, true
		m := float64(len(order))
		for k, at := range order {
			before := wrong
			wrong += 1 - items[at].y
			risk += wrong / float64(k+1) / m
			joint += (before + wrong) / 2 / m / m
			sorted = sorted && (k == 0 || items[order[k-1]].c >= items[at].c)
		}
		best = math.Min(best, risk)
		if sorted {
			aurc += risk
			augrc += joint
			count++
		}
	})
	return aurc / count, augrc / count, best
}

func permute(n int, visit func([]int)) {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	var walk func(int)
	walk = func(k int) {
		if k == n {
			visit(order)
			return
		}
		for i := k; i < n; i++ {
			order[k], order[i] = order[i], order[k]
			walk(k + 1)
			order[k], order[i] = order[i], order[k]
		}
	}
	walk(0)
}

// Random, tied, one-class and tiny samples against the reference.
func TestAgainstReference(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for round := range 400 {
		n, grid, bins := 1+r.IntN(7), 1+r.IntN(12), 1+r.IntN(20)
		if round%4 == 0 {
			n = 1 + r.IntN(60) // too many to try all orders
		}
		rate := []float64{0, 0.3, 0.7, 1}[r.IntN(4)]
		c, y, items := make([]float64, n), make([]int, n), make([]item, n)
		for i := range c {
			c[i] = float64(r.IntN(grid+1)) / float64(grid)
			if round%3 == 0 {
				c[i] = r.Float64()
			}
			y[i] = one(r.Float64() < rate)
			items[i] = item{c[i], float64(y[i])}
		}
		s := summary(t, answersOf(c, y), Options{Bins: bins, FloorDraws: 1})
		want := refer(items, bins)
		name := fmt.Sprintf("round %d, c %v y %v bins %d: ", round, c, y, bins)
		near(t, name+"brier", s.Brier, want.brier, 1e-9)
		near(t, name+"ece", s.ECE, want.ece, 1e-9)
		near(t, name+"width", s.ECEEqualWidth, want.width, 1e-9)
		near(t, name+"mcb", s.CORP.MCB, want.mcb, 1e-9)
		near(t, name+"dsc", s.CORP.DSC, want.dsc, 1e-9)
		near(t, name+"unc", s.CORP.UNC, want.unc, 1e-9)
		nearOrNull(t, name+"auroc", s.AUROC, want.auroc)
		// The square root makes rounding at zero as large as 1e-8.
		if s.ECEDebiased != nil {
			near(t, name+"debiased²", new(*s.ECEDebiased**s.ECEDebiased), want.debiased*want.debiased, 1e-9)
		} else if !math.IsNaN(want.debiased) {
			t.Errorf("%sdebiased null, want %v", name, want.debiased)
		}
		near(t, name+"aurc by members", s.AURC, byMembers(items), 1e-9)
		if n <= 7 {
			aurc, augrc, best := orders(items)
			near(t, name+"aurc", s.AURC, aurc, 1e-9)
			near(t, name+"augrc", s.AUGRC, augrc, 1e-9)
			near(t, name+"e_aurc", s.EAURC, aurc-best, 1e-9)
			for _, percent := range coveragePercents {
				near(t, name+"selective", s.SelectiveAccuracy[percentKey(percent)], referSelective(items, percent), 1e-9)
			}
		}
	}
}

func nearOrNull(t *testing.T, what string, got *float64, want float64) {
	t.Helper()
	if math.IsNaN(want) {
		null(t, what, got)
		return
	}
	near(t, what, got, want, 1e-9)
}

// referSelective averages over all orders that sort confidence downwards.
func referSelective(items []item, percent int) float64 {
	take := (len(items)*percent + 99) / 100
	sum, count := 0.0, 0.0
	permute(len(items), func(order []int) {
		right := 0.0
		for k, at := range order {
			if k > 0 && items[order[k-1]].c < items[at].c {
				return
			}
			if k < take {
				right += items[at].y
			}
		}
		sum += right / float64(take)
		count++
	})
	return sum / count
}
