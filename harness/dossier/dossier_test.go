package dossier_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"image"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"candor/harness/dossier"
	"candor/harness/run"
	"candor/harness/stored"
	"candor/scoring"
)

// answers are so many tasks of which every 5th abstains, every 7th is malformed
// and every 3rd other is wrong; every second answer has a logprob as well.
func answers(name string, tasks int) *stored.Answers {
	r := &run.Stored{Dir: name}
	r.Manifest.Config = run.DefaultConfig()
	r.Manifest.Config.Dataset, r.Manifest.Tasks = "nowhere.jsonl", tasks
	for i := range tasks {
		verdict, confidence := "SUPPORTED", []float64{.7, .8, .9}[i%3]
		t := run.Trace{TaskID: fmt.Sprintf("random/%03d", i), Split: "random", ImageSource: fmt.Sprint("image", i/4), Claim: fmt.Sprintf("There is a thing%d in the image.", i%4),
			Label: "SUPPORTED", Verdict: &verdict, Confidence: &confidence, Outcome: scoring.Answered, Confidences: map[string]float64{"verbal": confidence}}
		switch {
		case i%5 == 0:
			t.Outcome, t.Confidence, t.Confidences, t.Reward = scoring.Abstained, nil, nil, .8
		case i%7 == 0:
			t.Outcome, t.Verdict, t.Confidence, t.Confidences = scoring.Malformed, nil, nil, nil
		default:
			if i%3 != 0 {
				t.Correct = 1
			} else {
				t.Label = "REFUTED"
			}
			if i%2 == 0 {
				t.Confidences["logprob"] = .5
			}
			t.Reward = scoring.Brier{}.Score(confidence, t.Correct > 0)
		}
		r.Traces = append(r.Traces, t)
	}
	return &stored.Answers{Name: name, Run: r, Rows: r.Rows()}
}

func gather(t *testing.T, a *stored.Answers, opt dossier.Options) *dossier.Dossier {
	t.Helper()
	opt.Scoring.FloorDraws = 100
	d, err := dossier.Of(context.Background(), a, opt)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// Every source stands beside the others over the answers that it knows, the
// paid one first, with its own figures and intervals.
func TestSources(t *testing.T) {
	a := answers("runs/a", 120)
	d := gather(t, a, dossier.Options{Scoring: scoring.Options{Bootstrap: 50, Source: "verbal", Sources: []string{"logprob", "consistency:3"}}})
	if len(d.Sources) != 3 || d.Sources[0].Name != "verbal" || !d.Sources[0].Paid || d.Sources[1].Paid {
		t.Fatalf("sources %+v; want verbal, paid, and two others", d.Sources)
	}
	for _, s := range d.Sources {
		want := d.Result.Sources[s.Name]
		if s.Summary.Answered != want.N || s.Missing != want.Missing || !same(s.Summary.Brier, want.Brier) || !same(s.Summary.AUROC, want.AUROC) {
			t.Errorf("%s: %d answers, %d missing, Brier %v; the summary has %+v", s.Name, s.Summary.Answered, s.Missing, s.Summary.Brier, want)
		}
		if n := len(s.Figures); n != 2 && want.N > 0 || n != 0 && want.N == 0 {
			t.Errorf("%s of %d answers has %d figures", s.Name, want.N, n)
		}
	}
	if d.Sources[2].Name != "logprob" || d.Sources[2].Summary.CI["brier"] == nil || d.Sources[2].Figures[0].Name != "reliability-logprob" {
		t.Errorf("logprob is %+v", d.Sources[2])
	}
	if one := gather(t, answers("runs/b", 20), dossier.Options{}); one.Sources[0].Name != "verbal" {
		t.Errorf("the paid source is %q", one.Sources[0].Name)
	}
}

func same(a, b *float64) bool {
	if a == nil || b == nil {
		return a == b
	}
	return math.Abs(*a-*b) < 1e-12
}

// The costliest come first, each kind has its share, and all are counted.
func TestCostliest(t *testing.T) {
	d := gather(t, answers("runs/a", 200), dossier.Options{Traces: 24})
	if len(d.Costliest) != 24 || d.Tasks != 200 {
		t.Fatalf("%d of %d tasks", len(d.Costliest), d.Tasks)
	}
	seen, all := map[string]int{}, 0
	for i, c := range d.Costliest {
		seen[c.Kind]++
		if i > 0 && c.Cost > d.Costliest[i-1].Cost {
			t.Errorf("task %d costs more than the one before", i)
		}
	}
	for kind, n := range d.Outcomes {
		all += n
		if seen[kind] < 3 {
			t.Errorf("%d tasks of kind %s are shown; want an eighth at least", seen[kind], kind)
		}
	}
	if all != 200 || len(d.Outcomes) != 4 {
		t.Errorf("outcomes %v; want 200 of four kinds", d.Outcomes)
	}
}

// A task whose label another set contradicts tells what that says, and no other
// task does.
func TestContradicted(t *testing.T) {
	a := answers("runs/a", 20)
	pay, err := a.Payment("", nil)
	if err != nil {
		t.Fatal(err)
	}
	sum, err := scoring.Summarize(context.Background(), a.Rows, pay, scoring.Options{FloorDraws: 100})
	if err != nil {
		t.Fatal(err)
	}
	// random/001 is SUPPORTED, random/003 REFUTED, random/000 abstained.
	sum.ByLabels = map[string]*scoring.Summary{
		"b":    {LabelSet: &scoring.LabelSetFigures{RelabelledTasks: []string{"random/001", "random/003"}}},
		"a":    {LabelSet: &scoring.LabelSetFigures{AmbiguousTasks: []string{"random/000", "random/003"}}},
		"bare": {},
	}
	want := map[string]string{"random/000": "a: ambiguous", "random/001": "b: REFUTED", "random/003": "a: ambiguous, b: SUPPORTED"}
	d := gather(t, a, dossier.Options{Summary: sum})
	for _, c := range d.Costliest {
		if got := strings.Join(c.Other, ", "); got != want[c.TaskID] {
			t.Errorf("%s: %q; want %q", c.TaskID, got, want[c.TaskID])
		}
	}
	if len(d.Costliest) != 20 {
		t.Errorf("%d tasks", len(d.Costliest))
	}
}

// Objects are those of claims of POPE's form, and add up to the run.
func TestObjects(t *testing.T) {
	a := answers("runs/a", 200)
	a.Run.Traces[1].Claim = "Two dogs play chess."
	d := gather(t, a, dossier.Options{})
	n, answered, reward := 0, 0, 0.0
	for _, g := range d.Objects {
		n, answered, reward = n+g.N, answered+g.Answered, reward+g.Reward
	}
	if len(d.Objects) != 4 || n != 199 || answered != d.Result.Answered-1 || d.Objects[0].Name != "thing0" {
		t.Errorf("%d objects of %d tasks, %d answered: %+v", len(d.Objects), n, answered, d.Objects)
	}
	whole := *d.Result.Reward*200 - a.Run.Traces[1].Reward
	if math.Abs(reward-whole) > 1e-9 {
		t.Errorf("their rewards add up to %v; want %v", reward, whole)
	}
	if (dossier.Group{N: 1}).Accuracy() != nil {
		t.Error("an object without an answer has an accuracy")
	}
}

// Tasks that two runs ended otherwise, the greatest difference first; a file
// has no replies to show.
func TestBetween(t *testing.T) {
	a, b := answers("runs/a", 60), answers("runs/b", 60)
	one, two := &b.Run.Traces[1], &b.Run.Traces[2] // both right
	one.Outcome, one.Confidence, one.Correct, one.Reward = scoring.Abstained, nil, 0, .8
	two.Outcome, two.Verdict, two.Confidence, two.Correct, two.Reward = scoring.Malformed, nil, nil, 0, 0
	c := dossier.Between(context.Background(), a, b, dossier.Options{})
	if c.All != 2 || len(c.Kept) != 2 || c.Kept[0].Kind() != "right → malformed" || c.Kept[1].Kind() != "right → abstained" {
		t.Errorf("changes %+v", c)
	}
	if c := dossier.Between(context.Background(), a, b, dossier.Options{Traces: 1}); c.All != 2 || len(c.Kept) != 1 {
		t.Errorf("%d of %d kept; want 1 of 2", len(c.Kept), c.All)
	}
	if c := dossier.Between(context.Background(), &stored.Answers{Rows: a.Rows}, b, dossier.Options{}); !c.Untold || c.All != 0 {
		t.Errorf("of a file: %+v", c)
	}
}

// Pictures are those that were asked about: one that is there, one that is
// another by now, one that is gone, and one too many for the budget.
func TestPictures(t *testing.T) {
	dir := t.TempDir()
	list := ""
	sums := map[string]string{}
	for i, name := range []string{"image0", "image1", "image2"} {
		file := filepath.Join(dir, name+".png")
		img := image.NewRGBA(image.Rect(0, 0, 300, 100+20*i))
		f, err := os.Create(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := png.Encode(f, img); err != nil {
			t.Fatal(err)
		}
		f.Close()
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(b)
		sums[name] = hex.EncodeToString(sum[:])
		list += fmt.Sprintf("{\"image\": \"%s.png\", \"claim\": \"There is a dog in the image.\", \"label\": \"SUPPORTED\"}\n", name)
	}
	if err := os.WriteFile(filepath.Join(dir, "set.jsonl"), []byte(list), 0o644); err != nil {
		t.Fatal(err)
	}
	a := answers("runs/a", 16)
	a.Run.Manifest.Config.Dataset, a.Run.Manifest.Config.Images = filepath.Join(dir, "set.jsonl"), dir
	for i := range a.Run.Traces {
		x := &a.Run.Traces[i]
		x.Image.SourceSHA256 = sums[x.ImageSource]
		if x.ImageSource == "image1" {
			x.Image.SourceSHA256 = "another"
		}
	}
	d := gather(t, a, dossier.Options{})
	for _, c := range d.Costliest {
		if (c.Image != nil) != (c.ImageSource == "image0" || c.ImageSource == "image2") {
			t.Errorf("%s has a picture of %d bytes", c.ImageSource, len(c.Image))
		}
	}
	for _, want := range []string{"1 image is no longer what was asked about", "1 image is not to be read again"} {
		if !strings.Contains(d.Pictures, want) {
			t.Errorf("%q does not say %q", d.Pictures, want)
		}
	}
	if d := gather(t, a, dossier.Options{Images: 1}); d.Costliest[0].Image != nil || !strings.Contains(d.Pictures, "to keep the page small") {
		t.Errorf("beyond the budget: %q", d.Pictures)
	}
	if d := gather(t, a, dossier.Options{Images: -1}); d.Pictures != "" || d.Costliest[0].Image != nil {
		t.Error("pictures although none were wanted")
	}
}

// Where nothing was answered there is no figure, and no mistake either.
func TestNothing(t *testing.T) {
	a := answers("runs/a", 1) // abstains
	if d := gather(t, a, dossier.Options{Scoring: scoring.Options{Bootstrap: 20}}); len(d.Figures) != 0 || len(d.Costliest) != 1 {
		t.Errorf("%d figures, %d tasks", len(d.Figures), len(d.Costliest))
	}
	if d := gather(t, &stored.Answers{Name: "none.jsonl"}, dossier.Options{}); len(d.Figures) != 0 || d.Summary().N != 0 {
		t.Errorf("of nothing: %d figures", len(d.Figures))
	}
}
