package claim

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"candor/harness/claim/scene"
)

// What is asked about a scene depends on the seed, the scene and its number,
// and not on what was asked before: Demo's claims can be had for any scene.
func TestAskIsOfOneScene(t *testing.T) {
	scenes, err := DemoScenes(0)
	if err != nil {
		t.Fatal(err)
	}
	asker := NewAsker(0, scenes)
	first := asker.Ask(7, &scenes[7])
	asker.Ask(3, &scenes[3])
	if again := NewAsker(0, scenes).Ask(7, &scenes[7]); !reflect.DeepEqual(first, again) {
		t.Error("the same scene is asked about in two ways")
	}
	for i := range scenes {
		for _, a := range NewAsker(1, scenes).Ask(i, &scenes[i]) {
			if a.Ambiguous != (a.Truth == "") || !a.Ambiguous && (a.Truth == Supported) != scenes[i].Has(a.Object) {
				t.Errorf("%s: %q is %q of %v, ambiguous %v", a.ID, a.Text, a.Truth, scenes[i].Present(), a.Ambiguous)
			}
		}
		if i == 50 {
			break
		}
	}
}

// A scene with as few kinds as there may be, one of them doubtful besides, can
// still be asked about six times in each split, whatever the annotator errs in.
func TestAskAboutLittle(t *testing.T) {
	small := scene.Scene{Objects: []scene.Object{
		{Kind: "moon", Doubtful: true}, {Kind: "car"}, {Kind: "house"}, {Kind: "tree"}, {Kind: "tree"},
	}}
	asker := NewAsker(5, []scene.Scene{small})
	wrong, missed := 0, 0
	for i := range 300 {
		asked := asker.Ask(i, &small)
		var objects []string
		for _, a := range asked[:2*perLabel] {
			objects = append(objects, a.Object)
			if a.Truth != a.Label && !a.Ambiguous {
				wrong++
			}
			if a.Truth == Supported && a.Label == Refuted {
				missed++
			}
		}
		slices.Sort(objects)
		if len(asked) != 3*2*perLabel || len(slices.Compact(objects)) != 2*perLabel || !slices.Contains(objects, "moon") {
			t.Fatalf("scene %d: %d claims, in random about %v", i, len(asked), objects)
		}
	}
	if wrong < 20 || wrong > 80 || missed == 0 {
		t.Errorf("%d wrong labels in 300 scenes, %d of them of something missed; want about 45", wrong, missed)
	}
}

// Each object's absent look-alike is asked about one time in two; where there
// is none, what most often stands beside it.
func TestAdversarialAsksAboutLookAlikes(t *testing.T) {
	st := kindStats{map[string]int{}, map[[2]string]int{{"car", "tree"}: 9, {"house", "cloud"}: 8, {"chair", "table"}: 7}}
	present := []string{"car", "house", "chair", "stool"}
	seen := make(map[string]int)
	for i := range 400 {
		got := regimes()[2].absent(st, rand.New(rand.NewPCG(1, uint64(i))), present, []string{"car", "house", "chair"})
		seen[got[0]]++
		if got[1] != "cloud" || got[2] != "table" {
			t.Fatalf("beside house and chair: %v", got[1:])
		}
	}
	if len(seen) != 2 || seen["truck"] < 150 || seen["tree"] < 150 {
		t.Errorf("for the car: %v", seen)
	}
}
