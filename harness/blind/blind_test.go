package blind_test

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"candor/harness/blind"
	"candor/harness/claim"
)

func ExampleFit() {
	claims := []claim.Claim{
		{ImageSource: "a", Text: "There is a dog in the image.", Label: claim.Supported},
		{ImageSource: "b", Text: "There is a dog in the image.", Label: claim.Supported},
		{ImageSource: "a", Text: "There is a ski in the image.", Label: claim.Refuted},
		{ImageSource: "b", Text: "There is a ski in the image.", Label: claim.Refuted},
	}
	c := blind.Fit(claims)
	fmt.Println(c.Supported("There is a dog in the image."), c.Supported("There is a ski in the image."), c.Supported("There is a cup in the image."))
	// Output: true false false
}

// said makes claims of "image text label" lines; y is SUPPORTED.
func said(lines ...string) []claim.Claim {
	var claims []claim.Claim
	for _, l := range lines {
		f := strings.Fields(l)
		label := claim.Refuted
		if f[2] == "y" {
			label = claim.Supported
		}
		claims = append(claims, claim.Claim{Split: "s", ImageSource: f[0], Text: strings.ReplaceAll(f[1], "_", " "), Label: label})
	}
	return claims
}

// Each row is train claims, the member of the family that fits them best, and
// what it says.
func TestFamily(t *testing.T) {
	for _, row := range []struct {
		name   string
		train  []string
		chosen string
		yes    []string
		no     []string
	}{
		{"nothing known", nil, "commonest label", nil, []string{"dog"}},
		{"a tie is REFUTED", []string{"a dog y", "b dog n"}, "commonest label", nil, []string{"dog", "cat"}},
		{"one label", []string{"a dog y", "b cat y"}, "commonest label", []string{"dog", "bird"}, nil},
		{"texts recur", []string{"a dog y", "b dog y", "a cat n", "b cat n"}, "text", []string{"dog", "Dog."}, []string{"cat", "bird"}},
		{
			"only words recur", []string{"a red_dog y", "b blue_dog y", "c old_dog y", "a red_cat n", "b blue_cat n", "c old_cat n"},
			"words", []string{"new dog"}, []string{"new cat"},
		},
		{
			// "bad dog" goes against its words, and recurs.
			"texts recur against their words", []string{
				"a bad_dog n", "b bad_dog n", "c bad_cat y", "d bad_cat y",
				"e red_dog y", "f blue_dog y", "g old_dog y", "h new_dog y", "i big_dog y", "j wet_dog y",
				"k red_cat n", "l blue_cat n", "m old_cat n", "n new_cat n", "o big_cat n", "p wet_cat n",
			}, "text, then words", []string{"bad cat", "tiny dog"}, []string{"bad dog", "tiny cat"},
		},
	} {
		c := blind.Fit(said(row.train...))
		if c.Name() != row.chosen {
			t.Errorf("%s: %s; want %s", row.name, c.Name(), row.chosen)
		}
		for _, text := range row.yes {
			if !c.Supported(text) {
				t.Errorf("%s: %q is refuted", row.name, text)
			}
		}
		for _, text := range row.no {
			if c.Supported(text) {
				t.Errorf("%s: %q is supported", row.name, text)
			}
		}
	}
}

// A label that goes with its image alone helps nobody: claims of an image must
// not speak for each other when the member is chosen.
func TestImagesAreLeftOutWhole(t *testing.T) {
	c := blind.Fit(said("a dog y", "a dog y", "a dog y", "b cat n", "b cat n", "c owl n", "c owl n"))
	if c.Name() != "commonest label" {
		t.Errorf("chose %s, by an image's own claims", c.Name())
	}
}

func TestAccuracy(t *testing.T) {
	train := said("a dog y", "b dog y", "a cat n", "b cat n")
	got, err := blind.Accuracy(train, said("x dog y", "x cat y", "y dog y", "y dog n"))
	if err != nil || got["s"] != .5 || len(got) != 1 {
		t.Errorf("%v, %v; want .5", got, err)
	}
	slices.Reverse(train)
	again, _ := blind.Accuracy(train, said("x dog y", "x cat y", "y dog y", "y dog n"))
	if again["s"] != got["s"] {
		t.Errorf("the order of claims matters: %v, %v", got, again)
	}
	if _, err := blind.Accuracy(train, said("a dog y")); err == nil || !strings.Contains(err.Error(), "image a is in train and eval") {
		t.Errorf("a shared image: %v", err)
	}
	if _, err := blind.Accuracy(nil, said("a dog y")); err == nil || !strings.Contains(err.Error(), "split s has eval claims but no train claims") {
		t.Errorf("nothing to fit on: %v", err)
	}
}

// POPE's own files. By the text alone: .67, .88 and .70.
func TestPublishedAccuracy(t *testing.T) {
	dir := os.Getenv("CANDOR_POPE_DIR")
	if dir == "" {
		t.Skip("CANDOR_POPE_DIR is not set")
	}
	set, err := claim.Load(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	var train, eval []claim.Claim
	for _, c := range set.Claims {
		if claim.InEval(c.ImageSource) {
			eval = append(eval, c)
		} else {
			train = append(train, c)
		}
	}
	got, err := blind.Accuracy(train, eval)
	if err != nil {
		t.Fatal(err)
	}
	for split, want := range map[string]float64{"random": .67, "popular": .88, "adversarial": .70} {
		if math.Abs(got[split]-want) > .005 {
			t.Errorf("%s: %.4f; want %.2f", split, got[split], want)
		}
	}
}
