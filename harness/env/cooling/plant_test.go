package cooling

import (
	"math/big"
	"testing"
)

// What the package promises of every plant, over seeds of all kinds.
func TestPlantsCanBeKeptCoolButNotByChance(t *testing.T) {
	huge, _ := new(big.Int).SetString("-123456789012345678901234567890", 10)
	seeds := []*big.Int{huge}
	for s := range int64(500) {
		seeds = append(seeds, big.NewInt(s-100))
	}
	for _, seed := range seeds {
		p := draw(seed)
		if p != draw(seed) {
			t.Fatalf("seed %s is drawn two ways", seed)
		}
		if kept := play(p, mostUrgent); kept != 1 {
			t.Errorf("seed %s: watching keeps %v within limits", seed, kept)
		}
		if kept := play(p, wait); kept > .5 {
			t.Errorf("seed %s: waiting keeps %v within limits", seed, kept)
		}
		if kept := play(p, hottest); kept > .8 {
			t.Errorf("seed %s: cooling the hottest keeps %v within limits", seed, kept)
		}
	}
	if draw(big.NewInt(1)) == draw(big.NewInt(-1)) {
		t.Error("seeds 1 and -1 are one plant")
	}
}
