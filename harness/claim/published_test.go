package claim

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// published returns the folder of POPE's own files, or skips the test.
func published(t *testing.T) string {
	dir := os.Getenv("CANDOR_POPE_DIR")
	if dir == "" {
		t.Skip("CANDOR_POPE_DIR is not set")
	}
	return dir
}

func loadPublished(t *testing.T) *Set {
	set, err := Load(published(t), "")
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// RePOPE's files beside POPE's: what is left, what is turned, and that every
// label is of a claim.
func TestPublishedLabels(t *testing.T) {
	dir := os.Getenv("CANDOR_REPOPE_DIR")
	if dir == "" {
		t.Skip("CANDOR_REPOPE_DIR is not set")
	}
	set := loadPublished(t)
	labels, err := ReadLabels("repope", dir)
	if err != nil {
		t.Fatal(err)
	}
	if strays, err := labels.Join(set); err != nil || len(strays) > 0 {
		t.Errorf("%d strays, %v", len(strays), err)
	}
	kept, yes, turned := map[string]int{}, map[string]int{}, map[string]int{}
	for _, c := range set.Claims {
		label, ok := labels.Of(c)
		if !ok {
			continue
		}
		kept[c.Split]++
		if label == Supported {
			yes[c.Split]++
		}
		if label != c.Label {
			turned[c.Split]++
		}
	}
	for split, want := range map[string][3]int{"random": {2774, 1159, 144}, "popular": {2727, 1193, 178}, "adversarial": {2684, 1187, 172}} {
		if got := [3]int{kept[split], yes[split], turned[split]}; got != want {
			t.Errorf("%s: kept, yes, turned %v; want %v", split, got, want)
		}
	}
	if l, ok := labels.Labels["random/5"]; l != Refuted || !ok {
		t.Errorf("random/5 is %s", l)
	}
	if _, ok := labels.Labels["random/23"]; ok {
		t.Error("random/23 has a label")
	}
}

func TestPublishedCounts(t *testing.T) {
	set := loadPublished(t)
	ids, images, bySplit := make(map[string]bool), make(map[string]bool), make(map[string]int)
	rows, evalImages := make(map[bool]int), make(map[string]bool)
	for _, c := range set.Claims {
		ids[c.ID], images[c.ImageSource] = true, true
		bySplit[c.Split]++
		rows[InEval(c.ImageSource)]++
		if InEval(c.ImageSource) {
			evalImages[c.ImageSource] = true
		}
	}
	if len(ids) != 9000 || len(images) != 500 || bySplit["random"] != 3000 || bySplit["popular"] != 3000 || bySplit["adversarial"] != 3000 {
		t.Errorf("%d ids, %d images, %v", len(ids), len(images), bySplit)
	}
	if len(evalImages) != 102 || rows[true] != 1836 || rows[false] != 7164 {
		t.Errorf("eval %d images, %d rows; train %d rows; want 102, 1836, 7164", len(evalImages), rows[true], rows[false])
	}
}

// All positives are shared between splits. An older file misspelt "imange" in
// 43 of the 44 adversarial positives with an "an" (an airplane was spared):
// with that put back in, 1457 raw questions are shared, and all 1500 keys.
func TestPublishedOverlap(t *testing.T) {
	set := loadPublished(t)
	if raw, keys := positives(set.Claims, "random", "adversarial"); raw != 1500 || keys != 1500 {
		t.Errorf("%d raw, %d by key; want 1500, 1500", raw, keys)
	}
	changed, spared := 0, false
	for i := range set.Claims {
		c := &set.Claims[i]
		if c.Split == "adversarial" && strings.HasPrefix(c.Question, "Is there an ") && c.Label == Supported {
			if c.Object == "airplane" && !spared {
				spared = true
				continue
			}
			c.Question = strings.Replace(c.Question, "image", "imange", 1)
			c.Text, c.Object, _ = Sentence(c.Question)
			changed++
		}
	}
	if raw, keys := positives(set.Claims, "random", "adversarial"); changed != 43 || raw != 1457 || keys != 1500 {
		t.Errorf("%d misspelt: %d raw, %d by key; want 43, 1457, 1500", changed, raw, keys)
	}
}

// positives counts the true claims two splits share, by question and by key.
func positives(claims []Claim, a, b string) (raw, keys int) {
	type sides struct{ a, b bool }
	byRaw, byKey := make(map[string]sides), make(map[string]sides)
	for _, c := range claims {
		if c.Label != Supported {
			continue
		}
		for m, k := range map[*map[string]sides]string{&byRaw: c.ImageSource + "\t" + c.Question, &byKey: c.Key()} {
			s := (*m)[k]
			(*m)[k] = sides{s.a || c.Split == a, s.b || c.Split == b}
		}
	}
	shared := func(m map[string]sides) (n int) {
		for _, s := range m {
			if s.a && s.b {
				n++
			}
		}
		return n
	}
	return shared(byRaw), shared(byKey)
}

func TestPublishedArrays(t *testing.T) {
	set, err := LoadPOPE([]string{filepath.Join(published(t), "gqa_pope_seem_random.json")}, "")
	if err != nil {
		t.Fatal(err)
	}
	if len(set.Claims) != 3000 || set.Claims[0].Split != "random" {
		t.Errorf("%d claims, the first of split %q; want 3000 of random", len(set.Claims), set.Claims[0].Split)
	}
}
