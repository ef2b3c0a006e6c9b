package claim

import (
	"bytes"
	"context"
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

// Every image has three true and three false claims in each split, true of
// the scene and false of it.
func TestDemoClaimsAreTrueOfTheScenes(t *testing.T) {
	set := demo(t, 0)
	scenes := set.Images.(demoPictures)
	where := make(map[string]*scene.Scene)
	for i := range scenes {
		where[demoName(i)] = &scenes[i]
	}
	type cell struct {
		image, split string
		label        Label
	}
	count, ids, asked := make(map[cell]int), make(map[string]bool), make(map[string]bool)
	for _, c := range set.Claims {
		count[cell{c.ImageSource, c.Split, c.Label}]++
		if where[c.ImageSource].Has(c.Object) != (c.Label == Supported) {
			t.Errorf("%s: %q is labelled %s of %v", c.ID, c.Text, c.Label, where[c.ImageSource].Present())
		}
		if text, object, ok := Sentence(c.Question); !ok || text != c.Text || object != c.Object {
			t.Errorf("%s: question %q, claim %q", c.ID, c.Question, c.Text)
		}
		if ids[c.ID] || asked[c.Split+c.Key()] {
			t.Errorf("%s: asked twice", c.ID)
		}
		ids[c.ID], asked[c.Split+c.Key()] = true, true
	}
	if len(count) != demoImages*3*2 {
		t.Errorf("%d cells of image, split and label", len(count))
	}
	for c, n := range count {
		if n != perLabel {
			t.Errorf("%+v: %d claims; want %d", c, n, perLabel)
		}
	}
	eval, err := Select(set, Selection{Splits: []string{"adversarial"}, Partition: Eval})
	if err != nil || len(eval) < 120 {
		t.Errorf("%d adversarial eval tasks, %v; want 120 at least", len(eval), err)
	}
}

// The regimes differ as POPE's do: popular objects are commoner than random
// ones, adversarial ones stand more often beside what is there.
func TestDemoRegimesDiffer(t *testing.T) {
	set := demo(t, 3)
	scenes := set.Images.(demoPictures)
	stats, present := countKinds(scenes), make(map[string][]string)
	for i := range scenes {
		present[demoName(i)] = scenes[i].Present()
	}
	common, beside := make(map[string]int), make(map[string]int)
	for _, c := range set.Claims {
		if c.Label == Supported {
			continue
		}
		common[c.Split] += stats.images[c.Object]
		for _, p := range present[c.ImageSource] {
			beside[c.Split] += stats.together[[2]string{p, c.Object}]
		}
	}
	if 2*common["popular"] < 3*common["random"] {
		t.Errorf("popular objects are in %d images, random ones in %d", common["popular"], common["random"])
	}
	if beside["adversarial"] < 2*beside["random"] || beside["adversarial"] <= beside["popular"] {
		t.Errorf("beside what is there: %v", beside)
	}
}

// One seed, the same claims and bytes; another seed, others.
func TestDemoIsDeterministic(t *testing.T) {
	a, b, other := demo(t, 1), demo(t, 1), demo(t, 2)
	if !slices.Equal(a.Claims, b.Claims) || slices.Equal(a.Claims, other.Claims) || a.Revision == other.Revision {
		t.Error("claims do not follow the seed")
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
	if _, _, err := a.Images.Open(context.Background(), "demo_999999"); err == nil {
		t.Error("opened an image that is not there")
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
