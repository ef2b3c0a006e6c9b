package claim

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// somewhere is a set of n images with two claims in each of two splits.
func somewhere(n int) *Set {
	set := &Set{Name: "somewhere"}
	for i := range 2 * n {
		for _, split := range []string{"random", "adversarial"} {
			id := fmt.Sprint(i + 1)
			set.Claims = append(set.Claims, Claim{ID: split + "/" + id, Split: split, QuestionID: id, ImageSource: fmt.Sprintf("img%d", i/2)})
		}
	}
	return set
}

// Values worked out apart, with sha256sum: they may never change, or runs stop
// pairing with those recorded before.
func TestInEvalAndSeedsAreFixed(t *testing.T) {
	tests := map[string]bool{"COCO_val2014_000000310196": false, "COCO_val2014_000000210789": false, "demo_000002": true, "demo_000001": false}
	for source, want := range tests {
		for _, name := range []string{source, source + ".jpg", source + ".JPG", "./" + source + ".png"} {
			if got := InEval(name); got != want {
				t.Errorf("InEval(%q) = %v; want %v", name, got, want)
			}
		}
	}
	seeds := []struct {
		seed            int64
		replicate, draw int
		split, id       string
		want            int32
	}{
		{0, 0, 0, "adversarial", "1", 1087061790},
		{-5, 1, 2, "random", "x", 85306018},
	}
	for _, s := range seeds {
		if got := SamplingSeed(s.seed, s.replicate, s.draw, s.split, s.id); got != s.want {
			t.Errorf("%+v: %d", s, got)
		}
	}
}

func TestSelectSample(t *testing.T) {
	set := somewhere(50)
	all, err := Select(set, Selection{})
	if err != nil || len(all) != 200 {
		t.Fatalf("%d claims, %v; want all 200", len(all), err)
	}
	sample, err := Select(set, Selection{NumTasks: 30, Seed: 4})
	if err != nil || len(sample) != 30 {
		t.Fatalf("%d claims, %v; want 30", len(sample), err)
	}
	// Whatever the order of the file.
	turned := &Set{Claims: slices.Clone(set.Claims)}
	rand.New(rand.NewPCG(1, 1)).Shuffle(len(turned.Claims), func(i, j int) {
		turned.Claims[i], turned.Claims[j] = turned.Claims[j], turned.Claims[i]
	})
	if again, _ := Select(turned, Selection{NumTasks: 30, Seed: 4}); !slices.Equal(again, sample) {
		t.Error("the order of the file changes the sample")
	}
	if other, _ := Select(set, Selection{NumTasks: 30, Seed: 5}); slices.Equal(byID(other), byID(sample)) {
		t.Error("two seeds, one sample")
	}
	// A larger sample holds the smaller one.
	more, _ := Select(set, Selection{NumTasks: 60, Seed: 4})
	for _, c := range sample {
		if !slices.Contains(more, c) {
			t.Errorf("%s fell out of the larger sample", c.ID)
		}
	}
	if rest, err := Select(set, Selection{NumTasks: 1000}); err != nil || len(rest) != 200 {
		t.Errorf("more than there are: %d, %v", len(rest), err)
	}
}

// All claims of an image come one after another.
func TestSelectGroupsByImage(t *testing.T) {
	for _, n := range []int{0, 37} {
		claims, err := Select(somewhere(40), Selection{NumTasks: n, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		seen, last := make(map[string]bool), ""
		for _, c := range claims {
			if c.ImageSource != last && seen[c.ImageSource] {
				t.Fatalf("%d tasks: %s comes back", n, c.ImageSource)
			}
			seen[c.ImageSource], last = true, c.ImageSource
		}
	}
}

func TestSelectPartition(t *testing.T) {
	set := somewhere(60)
	count := func(sel Selection) map[string]bool {
		claims, err := Select(set, sel)
		if err != nil {
			t.Fatal(err)
		}
		images := make(map[string]bool)
		for _, c := range claims {
			images[c.ImageSource] = true
		}
		return images
	}
	eval, train := count(Selection{Partition: Eval}), count(Selection{Partition: Train})
	if len(eval)+len(train) != 60 || len(eval) == 0 {
		t.Errorf("%d eval and %d train images of 60", len(eval), len(train))
	}
	for image := range eval {
		if train[image] || !InEval(image) {
			t.Errorf("%s is on the wrong side", image)
		}
	}
	ids := map[string]bool{"img3.jpg": true, "img7": true}
	if got := count(Selection{Partition: Eval, EvalIDs: ids}); !maps.Equal(got, map[string]bool{"img3": true, "img7": true}) {
		t.Errorf("listed: %v", got)
	}
	if got := count(Selection{Partition: Train, EvalIDs: ids, Splits: []string{"random"}}); len(got) != 58 || got["img3"] {
		t.Errorf("not listed: %d", len(got))
	}
}

func TestSelectRefuses(t *testing.T) {
	tests := []struct {
		sel  Selection
		want string
	}{
		{Selection{Splits: []string{"popular"}}, "it has adversarial, random"},
		{Selection{NumTasks: -1}, "negative"},
		{Selection{Partition: "test"}, `unknown partition "test"`},
		{Selection{Partition: Eval, EvalIDs: map[string]bool{"img1": true, "nowhere": true}}, "1 of the 2 eval images are not in somewhere: nowhere"},
		{Selection{Partition: Eval, EvalIDs: map[string]bool{}}, "no claims in partition eval"},
	}
	for _, tt := range tests {
		if _, err := Select(somewhere(5), tt.sel); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: %v; want %q", tt.sel, err, tt.want)
		}
	}
}

func TestReadEvalIDs(t *testing.T) {
	ids, err := ReadEvalIDs(strings.NewReader("\ufeff# held out\r\nCOCO_1.jpg\r\n\r\nCOCO_2  # a dog\nCOCO_1\n"))
	if err != nil || !maps.Equal(ids, map[string]bool{"COCO_1": true, "COCO_2": true}) {
		t.Errorf("%v, %v", ids, err)
	}
	for _, text := range []string{"", "# nothing\n", "../x\n"} {
		if ids, err := ReadEvalIDs(strings.NewReader(text)); err == nil {
			t.Errorf("%q gave %v", text, ids)
		}
	}
}

// Rank orders all claims as samples of any size are taken: the first N of it
// are the tasks of a sample of N.
func TestRankIsTheOrderOfSamples(t *testing.T) {
	set, err := Demo(0)
	if err != nil {
		t.Fatal(err)
	}
	for _, seed := range []int64{0, 7} {
		ranked := Rank(set.Claims, seed)
		if len(ranked) != len(set.Claims) {
			t.Fatalf("%d claims are ranked of %d", len(ranked), len(set.Claims))
		}
		for _, n := range []int{1, 10, 100} {
			sample, err := Select(set, Selection{NumTasks: n, Seed: seed})
			if err != nil {
				t.Fatal(err)
			}
			want := map[string]bool{}
			for _, c := range sample {
				want[c.ID] = true
			}
			for _, c := range ranked[:n] {
				if !want[c.ID] {
					t.Errorf("seed %d: %s is among the first %d, and not in the sample", seed, c.ID, n)
				}
			}
		}
	}
}
