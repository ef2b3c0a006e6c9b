package scoring

import (
	"context"
	"math/rand/v2"

	"candor/scoring/internal/parallel"
)

// Correctness tests whether one of two runs is right more often, over the
// tasks that both answered and over all, where what is not answered is not
// correct.
type Correctness struct {
	Both PairedTest `json:"both_answered"`
	All  PairedTest `json:"all"`
}

// PairedTest compares right and wrong task by task. Its p-values are two-sided
// and of the hypothesis that the runs differ by chance only.
type PairedTest struct {
	Tasks      int      `json:"tasks"`
	OnlyBase   int      `json:"only_base"`  // tasks that the base alone has right
	OnlyOther  int      `json:"only_other"` // that the other alone has right
	Difference *float64 `json:"difference"` // (only other − only base) / tasks
	// PSignFlip is the permutation test's that swaps the runs within whole
	// images, so that the claims of an image stay together (Winkler et al.
	// 2015). Flips were drawn, or all patterns counted where that is fewer.
	PSignFlip  float64 `json:"p_sign_flip"`
	Flips      int     `json:"flips"`
	Exhaustive bool    `json:"exhaustive"`
	McNemar    McNemar `json:"mcnemar"`
}

// McNemar is the exact test of 1947, the binomial test on the tasks that one
// run alone has right. It takes claims of one image for independent.
type McNemar struct {
	P    float64 `json:"p"`
	Note string  `json:"note"` // "ignores clustering"
}

const (
	signFlips   = 10_000
	signStream  = 0x7369676e666c6970 // keeps the flips apart from the bootstrap's draws
	mcNemarNote = "ignores clustering"
)

// correctness tests run r against the base.
func (p *pairing) correctness(ctx context.Context, r int, seed uint64) (out Correctness, err error) {
	of, rows := p.answeredByBoth(r)
	if out.Both, err = pairedTest(ctx, rows[0], rows[1], of, p.images, seed); err != nil {
		return out, err
	}
	out.All, err = pairedTest(ctx, p.rows[0], p.rows[r], p.of, p.images, seed)
	return out, err
}

// pairedTest compares rows of the same tasks, task i of image of[i].
func pairedTest(ctx context.Context, base, other []Row, of []int32, images int, seed uint64) (PairedTest, error) {
	t := PairedTest{Tasks: len(base)}
	byImage := make([]int, images)
	for i := range base {
		switch {
		case other[i].Correct && !base[i].Correct:
			t.OnlyOther++
			byImage[of[i]]++
		case base[i].Correct && !other[i].Correct:
			t.OnlyBase++
			byImage[of[i]]--
		}
	}
	if t.Tasks > 0 {
		t.Difference = defined(float64(t.OnlyOther-t.OnlyBase) / float64(t.Tasks))
	}
	t.McNemar = McNemar{P: mcNemar(t.OnlyBase, t.OnlyOther), Note: mcNemarNote}
	err := t.flip(ctx, byImage, seed)
	return t, err
}

// flip finds the share of sign patterns over the images whose sum is as far
// from 0 as the sum seen. Where patterns are drawn, the one seen counts too,
// so that p is never 0 and the test keeps its level (Phipson & Smyth 2010).
func (t *PairedTest) flip(ctx context.Context, byImage []int, seed uint64) error {
	sum, moved := 0, []int{}
	for _, d := range byImage {
		if sum += d; d != 0 {
			moved = append(moved, d)
		}
	}
	if len(moved) < 31 && 1<<len(moved) <= signFlips {
		t.Flips, t.Exhaustive = 1<<len(moved), true
		t.PSignFlip = float64(extremePatterns(moved, abs(sum))) / float64(t.Flips)
		return nil
	}
	far := make([]bool, signFlips)
	err := parallel.Do(ctx, signFlips, func() func(int) {
		return func(b int) { far[b] = abs(flipped(moved, seed, b)) >= abs(sum) }
	})
	count := 0
	for _, f := range far {
		count += one(f)
	}
	t.Flips, t.PSignFlip = signFlips, float64(1+count)/float64(1+signFlips)
	return err
}

// extremePatterns counts all sign patterns with a sum of least or more.
func extremePatterns(moved []int, least int) int {
	count := 0
	for pattern := range 1 << len(moved) {
		sum := 0
		for i, d := range moved {
			sum += d * (1 - 2*(pattern>>i&1))
		}
		count += one(abs(sum) >= least)
	}
	return count
}

// flipped is the sum under the signs drawn from PCG(seed ⊕ a constant, b).
func flipped(moved []int, seed uint64, b int) int {
	random := rand.NewPCG(seed^signStream, uint64(b))
	sum, signs := 0, uint64(0)
	for i, d := range moved {
		if i%64 == 0 {
			signs = random.Uint64()
		}
		sum += d * (1 - 2*int(signs&1))
		signs >>= 1
	}
	return sum
}

// mcNemar is twice the chance of at most min(b, c) heads in b + c fair tosses.
func mcNemar(b, c int) float64 {
	p := 0.0
	for k := range min(b, c) + 1 {
		p += 2 * binomialMass(b+c, k, 0.5)
	}
	return min(1, p)
}

func abs(x int) int { return max(x, -x) }
