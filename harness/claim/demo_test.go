package claim

import (
	"bytes"
	"context"
	"reflect"
	"slices"
	"testing"

	"candor/harness/claim/scene"
	"candor/imageproc"
)

func demo(t testing.TB, seed uint64) *Set {
	t.Helper()
	set, err := Demo(seed)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// Every image has three claims held true and three held false in each split.
// The corrected labels are true of the scene, and leave out what is doubtful.
func TestDemoClaims(t *testing.T) {
	set := demo(t, 0)
	scenes, corrected := scenesOf(set), set.LabelSets[0]
	type cell struct {
		image, split string
		label        Label
	}
	count, ids, asked, objects := make(map[cell]int), make(map[string]bool), make(map[string]bool), make(map[string]bool)
	for _, c := range set.Claims {
		count[cell{c.ImageSource, c.Split, c.Label}]++
		s := scenes[c.ImageSource]
		truth, kept := corrected.Of(c)
		doubtful := s.Doubtful() == c.Object || s.Backdrop() == c.Object && !s.Has(c.Object)
		if kept == doubtful || kept && s.Has(c.Object) != (truth == Supported) {
			t.Errorf("%s: %q is corrected to %q, kept %v, of %v and in doubt %q", c.ID, c.Text, truth, kept, s.Present(), s.Doubtful())
		}
		if text, object, ok := Sentence(c.Question); !ok || text != c.Text || object != c.Object {
			t.Errorf("%s: question %q, claim %q", c.ID, c.Question, c.Text)
		}
		if ids[c.ID] || asked[c.Split+c.Key()] {
			t.Errorf("%s: asked twice", c.ID)
		}
		ids[c.ID], asked[c.Split+c.Key()], objects[c.Object] = true, true, true
	}
	if len(count) != len(scenes)*3*2 || len(scenes) < 700 || len(objects) < 20 {
		t.Errorf("%d cells of image, split and label; %d scenes, %d kinds", len(count), len(scenes), len(objects))
	}
	for c, n := range count {
		if n != perLabel {
			t.Errorf("%+v: %d claims; want %d", c, n, perLabel)
		}
	}
	eval, err := Select(set, Selection{Splits: []string{"adversarial"}, Partition: Eval})
	if err != nil || len(eval) < 120*2*perLabel {
		t.Errorf("%d adversarial eval tasks, %v; want those of 120 images at least", len(eval), err)
	}
}

func scenesOf(set *Set) map[string]*scene.Scene {
	where := make(map[string]*scene.Scene)
	for i := range set.Images.(demoPictures) {
		where[demoName(i)] = &set.Images.(demoPictures)[i]
	}
	return where
}

// Some labels are wrong and some claims ambiguous, as in POPE: few, of both
// kinds, in every set, and the same in all splits where the same is asked.
func TestDemoHasFaults(t *testing.T) {
	for seed := range uint64(3) {
		set := demo(t, seed)
		corrected := set.LabelSets[0]
		type fault struct{ split, what string }
		faults, published := make(map[fault]int), make(map[string]Label)
		for _, c := range set.Claims {
			if before, ok := published[c.Key()]; ok && before != c.Label {
				t.Errorf("seed %d: %s is %s, and %s in another split", seed, c.ID, c.Label, before)
			}
			published[c.Key()] = c.Label
			if truth, kept := corrected.Of(c); !kept {
				faults[fault{c.Split, "ambiguous " + string(c.Label)}]++
			} else if truth != c.Label {
				faults[fault{c.Split, "wrongly " + string(c.Label)}]++
			}
		}
		n := len(set.Claims) / 3
		for _, split := range set.Splits() {
			wrong := faults[fault{split, "wrongly SUPPORTED"}] + faults[fault{split, "wrongly REFUTED"}]
			if wrong < n*18/1000 || wrong > n*32/1000 {
				t.Errorf("seed %d: %d of %d labels of %s are wrong; want about 2.5 %%", seed, wrong, n, split)
			}
			for _, what := range []string{"ambiguous SUPPORTED", "ambiguous REFUTED", "wrongly SUPPORTED", "wrongly REFUTED"} {
				if faults[fault{split, what}] < 5 {
					t.Errorf("seed %d: %d claims of %s are %s", seed, faults[fault{split, what}], split, what)
				}
			}
		}
	}
}

// The regimes differ as POPE's do: popular objects are commoner than random
// ones, adversarial ones stand more often beside what is there, or look like it.
func TestDemoRegimesDiffer(t *testing.T) {
	set := demo(t, 3)
	stats, scenes := countKinds(set.Images.(demoPictures)), scenesOf(set)
	common, beside, alike := make(map[string]int), make(map[string]int), make(map[string]int)
	for _, c := range set.Claims {
		if c.Label == Supported {
			continue
		}
		present := scenes[c.ImageSource].Present()
		common[c.Split] += stats.images[c.Object]
		for _, p := range present {
			beside[c.Split] += stats.together[[2]string{p, c.Object}]
		}
		if slices.Contains(lookAlikes(present), c.Object) {
			alike[c.Split]++
		}
	}
	if 2*common["popular"] < 3*common["random"] {
		t.Errorf("popular objects are in %d images, random ones in %d", common["popular"], common["random"])
	}
	if 2*beside["adversarial"] < 3*beside["random"] {
		t.Errorf("beside what is there: %v", beside)
	}
	if alike["adversarial"] < 2*alike["random"] || alike["adversarial"] < 2*alike["popular"] || 4*alike["adversarial"] < len(set.Claims)/6 {
		t.Errorf("like what is there: %v", alike)
	}
	t.Log(common, beside, alike)
}

// One seed, the same claims and bytes; another seed, others.
func TestDemoIsDeterministic(t *testing.T) {
	a, b, other := demo(t, 1), demo(t, 1), demo(t, 2)
	if !slices.Equal(a.Claims, b.Claims) || !reflect.DeepEqual(a.LabelSets, b.LabelSets) || slices.Equal(a.Claims, other.Claims) || a.Revision == other.Revision {
		t.Error("claims do not follow the seed")
	}
	if scenes, err := DemoScenes(1); err != nil || revisionOf(1, scenes) != a.Revision || revisionOf(1, scenes[:700]) == a.Revision {
		t.Errorf("revision %q does not follow the scenes: %v", a.Revision, err)
	}
	open := func(s *Set, name string) []byte {
		data, file, err := s.Images.Open(context.Background(), name)
		if err != nil || file != "demo_000005.jpg" {
			t.Fatalf("%q: %v", file, err)
		}
		return data
	}
	if !bytes.Equal(open(a, "demo_000005"), open(b, "demo_000005.jpg")) || bytes.Equal(open(a, "demo_000005"), open(other, "demo_000005")) {
		t.Error("images do not follow the seed")
	}
	for _, name := range []string{"demo_999999", "demo_000000", "demo_5", "demo_000005x", "demo_", "other"} {
		if _, _, err := a.Images.Open(context.Background(), name); err == nil {
			t.Errorf("opened %s, which is not there", name)
		}
	}
}

// Every picture is one a model can be shown, some as they are.
func TestDemoImagesPrepare(t *testing.T) {
	set := demo(t, 0)
	family, err := imageproc.FamilyByName("qwen3.5")
	if err != nil {
		t.Fatal(err)
	}
	passed := 0
	for i := range 25 {
		name := demoName(i)
		data, _, err := set.Images.Open(context.Background(), name)
		if err != nil {
			t.Fatal(err)
		}
		p, err := imageproc.Prepare(data, family, imageproc.PolicyReference)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if p.PassedThrough {
			passed++
		}
	}
	if passed == 0 || passed == 25 {
		t.Errorf("%d of 25 images are on the grid; want some", passed)
	}
}

func BenchmarkDemo(b *testing.B) {
	for b.Loop() {
		demo(b, 0)
	}
}
