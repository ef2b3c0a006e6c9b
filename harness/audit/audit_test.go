package audit_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"candor/harness/audit"
	"candor/harness/claim"
	"candor/imageproc"
	"candor/scoring"
)

// files puts files into a folder of the test's own.
func files(t *testing.T, of map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range of {
		if err := errors.Join(os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755), os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func load(t *testing.T, spec, images string) *claim.Set {
	t.Helper()
	set, err := claim.Load(spec, images)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func options(t *testing.T) audit.Options {
	t.Helper()
	f, err := imageproc.FamilyByName("qwen3.5")
	if err != nil {
		t.Fatal(err)
	}
	return audit.Options{Family: f}
}

func look(t *testing.T, set *claim.Set, opt audit.Options) *audit.Report {
	t.Helper()
	r, err := audit.Audit(t.Context(), set, opt)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func codes(ws []scoring.Warning) []string {
	var out []string
	for _, w := range ws {
		if !slices.Contains(out, w.Code) {
			out = append(out, w.Code)
		}
	}
	return out
}

func row(id int, image, object, label string) string {
	return fmt.Sprintf(`{"question_id": %d, "image": %q, "text": "Is there a %s in the image?", "label": %q}`+"\n", id, image, object, label)
}

// The keys are what scripts read.
func TestKeys(t *testing.T) {
	r := look(t, load(t, files(t, map[string]string{"a_random.json": row(1, "a.jpg", "dog", "yes")}), ""), options(t))
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(b, &keys); err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{
		"rows": "1", "images": "1", "labels": `{"SUPPORTED":1,"REFUTED":0}`, "splits": `{"random":{"rows":1,"images":1,"labels":{"SUPPORTED":1,"REFUTED":0}}}`,
		"distinct_claims": "1", "overlap": "{}", "duplicates": "{}", "conflicting_labels": "0", "id_collisions": "0", "oddities": "[]",
		"blind_accuracy": `{"random":null}`, "label_sets": "{}", "pictures": "null", "leakage": "null",
		"partition": `{"eval":{"rows":0,"images":0},"train":{"rows":1,"images":1}}`,
	} {
		if string(keys[key]) != want {
			t.Errorf("%s: %s; want %s", key, keys[key], want)
		}
	}
	if !bytes.Contains(b, []byte(`"warnings":[`)) {
		t.Error("no list of warnings")
	}
}

// Each row is a set and the codes of what is said about it, in order.
func TestWarnings(t *testing.T) {
	many := func(n int, object string) string { // balanced, on images of their own
		var b strings.Builder
		for i := range n {
			b.WriteString(row(100+i, fmt.Sprintf("m%d.jpg", i), object, []string{"yes", "no"}[i%2]))
		}
		return b.String()
	}
	for _, c := range []struct {
		name  string
		files map[string]string
		want  []string
	}{
		{"nothing odd", map[string]string{"x.json": many(40, "dog")}, nil},
		{"one label", map[string]string{"x.json": many(40, "dog"), "y.json": row(1, "m0.jpg", "cat", "no") + row(2, "m1.jpg", "cat", "no")}, []string{"single_label"}},
		{"unbalanced", map[string]string{"x.json": many(40, "dog") + row(1, "m0.jpg", "cat", "no") + row(2, "m1.jpg", "cat", "no") + row(3, "m2.jpg", "cat", "no") + row(4, "m3.jpg", "cat", "no") + row(5, "m4.jpg", "cat", "no")}, []string{"unbalanced"}},
		{"asked twice", map[string]string{"x.json": many(40, "dog") + row(1, "m0.jpg", "dog", "yes") + row(2, "m1.jpg", "Dog", "no")}, []string{"duplicates"}},
		{"two labels for one claim", map[string]string{"x.json": many(40, "dog") + row(1, "m0.jpg", "dog", "no") + row(2, "m0.jpg", "cat", "yes")}, []string{"conflicting_labels"}},
		{"splits share claims and ids", map[string]string{"x.json": many(40, "dog"), "y.json": many(40, "dog")}, []string{"id_collisions", "overlap"}},
		{"a slip", map[string]string{"x.json": many(60, "umbrella") + row(1, "m0.jpg", "umberlla", "yes") + row(2, "m1.jpg", "umbrela", "no")}, []string{"oddity_article", "oddity_spelling"}},
		{"a small word is no slip", map[string]string{"x.json": many(60, "cat") + row(1, "m0.jpg", "car", "yes") + row(2, "m1.jpg", "bat", "no")}, nil},
		{"a plural is no slip", map[string]string{"x.json": many(60, "horse") + row(1, "m0.jpg", "horses", "yes") + row(2, "m1.jpg", "ho rses", "no")}, []string{"oddity_plural"}},
		{"a blank too many", map[string]string{"x.json": many(40, "dog") + row(1, "m0.jpg", "hot  dog", "yes") + row(2, "m1.jpg", "wet\u00a0dog", "no") + row(3, "m2.jpg", "hot\u200bdog", "yes") + row(4, "m3.jpg", "de\u0301cor", "no")}, []string{"oddity_characters"}},
	} {
		dir := files(t, c.files)
		var paths []string
		for name := range c.files {
			paths = append(paths, filepath.Join(dir, name))
		}
		set, err := claim.LoadPOPE(paths, "")
		if err != nil {
			t.Fatal(err)
		}
		r := look(t, set, options(t))
		got := slices.DeleteFunc(codes(r.Warnings), func(code string) bool { return code == "blind" })
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v; want %v", c.name, r.Warnings, c.want)
		}
	}
}

// Articles go by letter, as POPE's do, but for those that are right by sound.
func TestArticles(t *testing.T) {
	odd := []string{"an traffic light", "a umbrella", "an dog", "a elephant", "a Apple", "an uniform", "an ski"}
	fine := []string{"a dog", "an umbrella", "a uniform", "an hour glass", "a European flag", "a one-way sign", "an apple"}
	var rows strings.Builder
	for i, phrase := range slices.Concat(odd, fine) {
		fmt.Fprintf(&rows, `{"question_id": %d, "image": "%d.jpg", "text": "Is there %s in the image?", "label": %q}`+"\n", i, i, phrase, []string{"yes", "no"}[i%2])
	}
	r := look(t, load(t, files(t, map[string]string{"x.json": rows.String()}), ""), options(t))
	var got []string
	for _, o := range r.Oddities {
		if o.Kind == "article" {
			got = append(got, strings.Trim(o.What, `"`))
		}
	}
	slices.Sort(odd)
	odd = slices.DeleteFunc(odd, func(s string) bool { return s == "an uniform" }) // by letter it is right
	if !slices.Equal(got, odd) {
		t.Errorf("%q; want %q", got, odd)
	}
}

// An explicit list decides the sides; one that names images the set lacks is
// refused.
func TestEvalIDs(t *testing.T) {
	set := load(t, files(t, map[string]string{"x.json": row(1, "a.jpg", "dog", "yes") + row(2, "b.jpg", "dog", "no") + row(3, "b.jpg", "cat", "no")}), "")
	opt := options(t)
	opt.EvalIDs = map[string]bool{"b": true}
	if p := look(t, set, opt).Partition; p.Eval != (audit.Side{Rows: 2, Images: 1}) || p.Train != (audit.Side{Rows: 1, Images: 1}) {
		t.Errorf("%+v", p)
	}
	opt.EvalIDs = map[string]bool{"c": true}
	if _, err := audit.Audit(t.Context(), set, opt); err == nil || !strings.Contains(err.Error(), "1 of the 1 eval images") {
		t.Errorf("%v", err)
	}
}

// The demo brings its right labels: what its own are worth is told.
func TestDemo(t *testing.T) {
	set := load(t, "demo", "")
	set.Images, set.Claims = nothing{}, set.Claims[:600]
	set.LabelSets[0] = claim.LabelSet{Name: "corrected", Labels: set.LabelSets[0].Labels}
	r := look(t, set, options(t))
	for _, of := range r.LabelSets["corrected"].Splits {
		if of.Ceiling == nil || *of.Ceiling < .8 || *of.Ceiling > 1 {
			t.Errorf("%+v", of)
		}
	}
}

// POPE's own files: what the peers' notes have.
func TestPublished(t *testing.T) {
	dir := os.Getenv("CANDOR_POPE_DIR")
	if dir == "" {
		t.Skip("CANDOR_POPE_DIR is not set")
	}
	r := look(t, load(t, dir, ""), options(t))
	if r.Rows != 9000 || r.Images != 500 || r.Labels != (audit.Labels{Supported: 4500, Refuted: 4500}) || r.DistinctClaims != 5127 || r.IDCollisions != 3000 || r.Conflicting != 0 || len(r.Duplicates) != 0 {
		t.Errorf("%d rows, %d images, %+v, %d distinct, %d collisions", r.Rows, r.Images, r.Labels, r.DistinctClaims, r.IDCollisions)
	}
	for name, s := range r.Splits {
		if s != (audit.Split{Rows: 3000, Images: 500, Labels: audit.Labels{Supported: 1500, Refuted: 1500}}) {
			t.Errorf("%s: %+v", name, s)
		}
	}
	for pair, negatives := range map[string]int{"adversarial∩popular": 788, "adversarial∩random": 57, "popular∩random": 63} {
		if r.Overlap[pair] != (audit.Overlap{Positives: 1500, PositivesNormalised: 1500, Negatives: negatives, NegativesNormalised: negatives}) {
			t.Errorf("%s: %+v", pair, r.Overlap[pair])
		}
	}
	if r.Partition.Eval != (audit.Side{Rows: 1836, Images: 102}) || r.Partition.Train != (audit.Side{Rows: 7164, Images: 398}) {
		t.Errorf("%+v", r.Partition)
	}
	for split, want := range map[string]float64{"random": .67, "popular": .88, "adversarial": .70} {
		if got := r.Blind[split]; got == nil || math.Abs(*got-want) > .005 {
			t.Errorf("blind on %s: %v", split, got)
		}
	}
	for _, f := range r.Files {
		if !strings.HasPrefix(f.Release, "RUCAIBox/POPE output/coco/") || !strings.HasSuffix(f.Release, "3df3ba1") {
			t.Errorf("%+v", f)
		}
	}
	if slices.ContainsFunc(r.Warnings, func(w scoring.Warning) bool {
		return strings.Contains(w.Code, "release") || strings.Contains(w.Code, "file")
	}) {
		t.Errorf("%v", r.Warnings)
	}
}

// The older release, in which 43 true and 14 false adversarial questions with
// an "an" read "imange": every one but the first about an airplane.
func TestOlderRelease(t *testing.T) {
	published := os.Getenv("CANDOR_POPE_DIR")
	if published == "" {
		t.Skip("CANDOR_POPE_DIR is not set")
	}
	of, spared := map[string]string{}, false
	for _, split := range []string{"random", "popular", "adversarial"} {
		name := "coco_pope_" + split + ".json"
		data, err := os.ReadFile(filepath.Join(published, name))
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		for line := range strings.Lines(string(data)) {
			if split == "adversarial" && strings.Contains(line, `"Is there an `) {
				if spared || !strings.Contains(line, "airplane") || !strings.Contains(line, `"yes"`) {
					line = strings.Replace(line, "in the image?", "in the imange?", 1)
				} else {
					spared = true
				}
			}
			b.WriteString(line)
		}
		of[name] = b.String()
	}
	r := look(t, load(t, files(t, of), ""), options(t))
	if o := r.Overlap["adversarial∩random"]; o.Positives != 1457 || o.PositivesNormalised != 1500 {
		t.Errorf("%+v", o)
	}
	i := slices.IndexFunc(r.Oddities, func(o audit.Oddity) bool { return o.Kind == "spelling" })
	if i < 0 || r.Oddities[i] != (audit.Oddity{Kind: "spelling", Split: "adversarial", What: `"imange", one letter from "image"`, Rows: 57, First: "adversarial/11"}) {
		t.Errorf("%+v", r.Oddities)
	}
	if r.DistinctClaims != 5127 || !slices.Contains(codes(r.Warnings), "unknown_file") {
		t.Errorf("%d distinct, %v", r.DistinctClaims, codes(r.Warnings))
	}
}

func overwrite(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Each row is a rare word and a common one, and whether the rare one is taken
// for a slip of it.
func TestSlips(t *testing.T) {
	for _, c := range []struct {
		rare, common string
		want         bool
	}{
		{"imange", "image", true}, {"imgae", "image", true}, {"imge", "image", false}, // short
		{"umbrela", "umbrella", true}, {"umberlla", "umbrella", true}, {"umbrellla", "umbrella", true}, {"umbralla", "umbrella", true},
		{"accroding", "according", true}, {"glass", "grass", false}, {"three", "there", false}, {"round", "ground", false},
		{"cloudy", "cloud", false}, {"horses", "horse", false}, {"table", "cable", false}, {"image", "umbrella", false}, {"truck", "trunk", false},
	} {
		var rows strings.Builder
		for i := range 44 {
			word := c.common
			if i < 2 {
				word = c.rare
			}
			fmt.Fprintf(&rows, `{"question_id": %d, "image": "%d.jpg", "claim": "See the %s here.", "label": %q}`+"\n", i, i, word, []string{"yes", "no"}[i%2])
		}
		r := look(t, load(t, files(t, map[string]string{"x.json": rows.String()}), ""), options(t))
		if got := len(r.Oddities) > 0; got != c.want || c.want && r.Oddities[0].Rows != 2 {
			t.Errorf("%s of %s: %+v", c.rare, c.common, r.Oddities)
		}
	}
}
