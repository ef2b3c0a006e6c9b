package progress

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// The sums that are kept give what the formula does, and tasks of one image that
// are paid alike count as one.
func TestTally(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var tally Tally
	rewards := map[string][]float64{}
	for i := range 200 {
		image, reward := fmt.Sprint(random.IntN(40)), random.Float64()
		rewards[image] = append(rewards[image], reward)
		tally.Add(image, reward, i%4 > 0)
	}
	mean, squares := 0.0, 0.0
	for _, of := range rewards {
		for _, r := range of {
			mean += r / 200
		}
	}
	for _, of := range rewards {
		off := 0.0
		for _, r := range of {
			off += r - mean
		}
		squares += off * off
	}
	k := float64(len(rewards))
	half := 1.96 * math.Sqrt(k/(k-1)*squares) / 200
	lo, hi, ok := tally.Interval()
	if !ok || math.Abs(lo-(mean-half)) > 1e-9 || math.Abs(hi-(mean+half)) > 1e-9 || math.Abs(tally.Reward()-mean) > 1e-12 || tally.Coverage() != .75 || tally.Tasks() != 200 {
		t.Errorf("%v in %v … %v, %v; want %v ± %v", tally.Reward(), lo, hi, tally.Coverage(), mean, half)
	}
	var once, thrice Tally
	for i := range 30 {
		once.Add(fmt.Sprint(i), float64(i%2), true)
		for range 3 {
			thrice.Add(fmt.Sprint(i), float64(i%2), true)
		}
	}
	lo1, hi1, _ := once.Interval()
	lo3, hi3, _ := thrice.Interval()
	if math.Abs(lo1-lo3) > 1e-12 || math.Abs(hi1-hi3) > 1e-12 || lo1 >= .5 {
		t.Errorf("%v … %v, and with every task three times %v … %v; want the same", lo1, hi1, lo3, hi3)
	}
}

// An interval takes some images, stays within what rewards can be, and nothing
// is nothing.
func TestTallyBounds(t *testing.T) {
	var tally Tally
	if tally.Reward() != 0 || tally.Coverage() != 0 {
		t.Error("the mean of nothing is something")
	}
	for i := range leastImages {
		if _, _, ok := tally.Interval(); ok {
			t.Errorf("an interval of %d images", i)
		}
		tally.Add(fmt.Sprint(i), float64(min(i, 1)), true)
	}
	if lo, hi, ok := tally.Interval(); !ok || lo < 0 || hi > 1 || lo >= hi {
		t.Errorf("%v … %v, %v", lo, hi, ok)
	}
}
