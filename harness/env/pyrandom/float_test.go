package pyrandom

import (
	"math"
	"math/big"
	"testing"
)

// The hashes of what is not finite, as CPython 3.11 seeds with them:
// random.Random(seed).randint(1, 1000).
func TestInfiniteSeeds(t *testing.T) {
	for _, row := range []struct {
		seed float64
		want int64
	}{{math.Inf(1), 197}, {math.Inf(-1), 841}, {math.NaN(), New(new(big.Int)).Int(1, 1000)}} {
		if got := FromFloat(row.seed).Int(1, 1000); got != row.want {
			t.Errorf("%v gives %d, not %d", row.seed, got, row.want)
		}
	}
}
