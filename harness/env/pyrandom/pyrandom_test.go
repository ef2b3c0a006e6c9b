package pyrandom

import (
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"slices"
	"testing"
)

func Example() {
	r := New(big.NewInt(42)) // random.Random(42)
	cards := []string{"a", "b", "c", "d", "e"}
	Shuffle(r, cards)
	fmt.Println(cards, r.Int(1, 6), r.Bits(40))
	// Output: [d b c e a] 2 151282538206
}

// draws are what one seed gives, in the order in which they were drawn.
type draws struct {
	Bits     []string
	Integers []int64
	Shuffled []int
	Late     int64 // the 2001st word
}

type recording[Seed any] []struct {
	Seed  Seed
	Draws draws
}

// TestDrawsAreThoseOfCPython holds every kind of draw against what
// scripts/record/pyrandom.py recorded: zero, negative seeds, seeds around and
// far above 2³², and seeds that are no integers.
func TestDrawsAreThoseOfCPython(t *testing.T) {
	data, err := os.ReadFile("testdata/random.json")
	if err != nil {
		t.Fatal(err)
	}
	var recorded struct {
		Bits     []int
		Ranges   [][2]int64
		Integers recording[string]
		Strings  recording[string]
		Floats   recording[float64]
	}
	if err := json.Unmarshal(data, &recorded); err != nil {
		t.Fatal(err)
	}
	check := func(name string, r, late *Random, want draws) {
		t.Helper()
		var got draws
		for _, k := range recorded.Bits {
			got.Bits = append(got.Bits, r.Bits(k).String())
		}
		for _, bounds := range recorded.Ranges {
			for range 3 {
				got.Integers = append(got.Integers, r.Int(bounds[0], bounds[1]))
			}
		}
		for i := range 60 {
			got.Shuffled = append(got.Shuffled, i)
		}
		Shuffle(r, got.Shuffled)
		for range 2000 {
			late.Bits(32)
		}
		got.Late = late.Bits(32).Int64()
		if !slices.Equal(got.Bits, want.Bits) || !slices.Equal(got.Integers, want.Integers) ||
			!slices.Equal(got.Shuffled, want.Shuffled) || got.Late != want.Late {
			t.Errorf("seed %s: drawn %v, recorded %v", name, got, want)
		}
	}
	for _, row := range recorded.Integers {
		seed, ok := new(big.Int).SetString(row.Seed, 10)
		if !ok {
			t.Fatalf("%s is no integer", row.Seed)
		}
		check(row.Seed, New(seed), New(seed), row.Draws)
	}
	for _, row := range recorded.Strings {
		check(row.Seed, FromString(row.Seed), FromString(row.Seed), row.Draws)
	}
	for _, row := range recorded.Floats {
		check(fmt.Sprint(row.Seed), FromFloat(row.Seed), FromFloat(row.Seed), row.Draws)
	}
	if n := len(recorded.Integers); n < 50 {
		t.Errorf("only %d integer seeds are recorded", n)
	}
}

func TestImpossibleDrawsPanic(t *testing.T) {
	r := New(new(big.Int))
	for name, draw := range map[string]func(){
		"-1 bits":     func() { r.Bits(-1) },
		"below 0":     func() { r.Below(0) },
		"from 2 to 1": func() { r.Int(2, 1) },
		"from 2 to 0": func() { r.Int(2, 0) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			draw()
		}()
	}
}
