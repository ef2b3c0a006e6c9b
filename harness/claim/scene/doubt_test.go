package scene

import "testing"

// One scene in about 25 has an object that may be disputed: mostly hidden, cut
// off by the frame, or tiny; a kind that is not in the scene otherwise.
func TestDoubtfulObjects(t *testing.T) {
	const n = 2000
	found, ways := 0, make(map[string]int)
	for seed := range uint64(n) {
		s, err := Generate(seed, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for i, o := range s.Objects {
			if o.Doubtful != (o.Kind == s.Doubtful()) {
				t.Errorf("seed %d: %s is there twice, in doubt and not", seed, o.Kind)
			}
			if !o.Doubtful {
				continue
			}
			found++
			ways[wayOf(s, o)]++
			if i != 0 || s.Has(o.Kind) {
				t.Errorf("seed %d: doubtful %s stands at %d; the scene has %v", seed, o.Kind, i, s.Present())
			}
		}
	}
	if found < n*3/100 || found > n*5/100 {
		t.Errorf("%d of %d scenes have a doubtful object; want about 4 %%", found, n)
	}
	if ways["hidden"] < 5 || ways["cut"] < 5 || ways["tiny"] < 5 || len(ways) != 3 {
		t.Errorf("doubtful objects are %v", ways)
	}
}

// wayOf tells from the plan alone why an object is doubtful, "" for no reason.
func wayOf(s Scene, o Object) string {
	atEdge := o.Box.X <= 0 || o.Box.Y <= 0 || o.Box.X+o.Box.W >= s.Width-1 || o.Box.Y+o.Box.H >= s.Height-1
	switch {
	case o.Visible >= .85 && o.Pose.Height < .08*float64(min(s.Width, s.Height)):
		return "tiny"
	case o.Visible < .2 && atEdge:
		return "cut"
	case o.Visible < .2:
		return "hidden"
	}
	return ""
}

// A doubtful object is in the picture, but only just: taking it away changes
// some pixels and no more than a thirtieth of them.
func TestDoubtfulObjectsHardlyShow(t *testing.T) {
	checked := 0
	for seed := uint64(0); checked < 8; seed++ {
		s, err := Generate(seed, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if s.Doubtful() == "" {
			continue
		}
		checked++
		less := s
		less.Objects = s.Objects[1:]
		with, without, changed := drawn(t, s), drawn(t, less), 0
		for i := 0; i < len(with.Pix); i += 4 {
			if [3]uint8(with.Pix[i:i+3]) != [3]uint8(without.Pix[i:i+3]) {
				changed++
			}
		}
		if changed < 16 || changed > s.Width*s.Height/30 {
			t.Errorf("seed %d: doubtful %s shows in %d pixels of %d×%d", seed, s.Doubtful(), changed, s.Width, s.Height)
		}
	}
}
