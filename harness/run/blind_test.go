package run_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"candor/harness/blind"
	"candor/harness/claim"
	"candor/harness/run"
	disk "candor/harness/stored"
)

// blindOf is the figure that a run of the demo would have.
func blindOf(t *testing.T, change func(*run.Config)) run.Blind {
	t.Helper()
	cfg := run.DefaultConfig()
	cfg.Model, cfg.Split, cfg.NumTasks = "fake", "all", 0
	change(&cfg)
	p, err := run.NewPlan(t.Context(), cfg, claim.Loader{})
	if err != nil {
		t.Fatal(err)
	}
	return p.Blind
}

// On the eval partition the figure is that of classifiers fitted on all train
// claims, whatever part of the tasks is asked; over several splits it is the
// mean over tasks.
func TestBlind(t *testing.T) {
	set, err := claim.Demo(0)
	if err != nil {
		t.Fatal(err)
	}
	part := func(p claim.Partition) []claim.Claim {
		claims, err := claim.Select(set, claim.Selection{Partition: p})
		if err != nil {
			t.Fatal(err)
		}
		return claims
	}
	want, err := blind.Accuracy(part(claim.Train), part(claim.Eval))
	if err != nil {
		t.Fatal(err)
	}
	got := blindOf(t, func(*run.Config) {})
	mean := 0.0
	for split, w := range want {
		if g := got.BySplit[split]; math.Abs(g-w) > 1e-12 || g < .4 || g > .95 {
			t.Errorf("%s: %v, want %v", split, g, w)
		}
		mean += w / float64(len(want)) // splits of equal size
	}
	if len(got.BySplit) != len(want) || got.Accuracy == nil || math.Abs(*got.Accuracy-mean) > 1e-12 || got.Reason != "" {
		t.Errorf("%+v, want %v and %v", got, want, mean)
	}
	one := blindOf(t, func(cfg *run.Config) { cfg.Split = "random" })
	if len(one.BySplit) != 1 || *one.Accuracy != one.BySplit["random"] || math.Abs(*one.Accuracy-want["random"]) > 1e-12 {
		t.Errorf("%+v, want %v", one, want["random"])
	}
}

// Each row is claims in which the text tells the label or does not, and what
// is had without seeing on every partition: tasks on train images are not
// judged by what was fitted on them.
func TestBlindPartitions(t *testing.T) {
	for _, row := range []struct {
		name     string
		label    func(image, object int) bool
		min, max float64
	}{
		{"the text tells", func(_, object int) bool { return object%2 == 0 }, 1, 1},
		// Every text is of one image, so that nothing carries over: a classifier
		// that had seen its own tasks would be right on all.
		{"the text is new", func(image, object int) bool { return (image*7+object*3)%5 < 2 }, .3, .75},
	} {
		var lines strings.Builder
		for image := range 60 {
			for object := range 4 {
				name := fmt.Sprintf("thing%d", object)
				if row.max < 1 {
					name = fmt.Sprintf("thing%d", image*4+object)
				}
				fmt.Fprintf(&lines, `{"question_id":%d,"image":"p%d.png","text":"Is there a %s in the image?","label":%t}`+"\n", image*4+object, image, name, row.label(image, object))
			}
		}
		file := filepath.Join(t.TempDir(), "claims_random.json")
		if err := os.WriteFile(file, []byte(lines.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		for _, partition := range []string{"eval", "train", "all"} {
			got := blindOf(t, func(cfg *run.Config) { cfg.Dataset, cfg.Partition = file, partition })
			if got.Accuracy == nil || *got.Accuracy < row.min || *got.Accuracy > row.max || *got.Accuracy != got.BySplit["random"] {
				t.Errorf("%s, partition %s: %+v", row.name, partition, got)
			}
		}
	}
}

// Where every image is an eval image there is nothing to fit on, and that is
// said in the summary; so it is where only one image could be.
func TestBlindWithoutTrain(t *testing.T) {
	b := newBench(t)
	for _, row := range []struct {
		name, partition string
		ids             []string
		known           bool
	}{
		{"all are eval images", "all", []string{"picture00", "picture01", "picture02", "picture03", "picture04", "picture05"}, false},
		{"one train image, asked about itself", "train", []string{"picture00", "picture01", "picture02", "picture03", "picture04"}, false},
		{"one train image for the others", "eval", []string{"picture00", "picture01", "picture02", "picture03", "picture04"}, true},
	} {
		c := b.again()
		c.cfg.Partition, c.cfg.EvalIDs = row.partition, filepath.Join(t.TempDir(), "eval.txt")
		write(t, c.cfg.EvalIDs, []byte(strings.Join(row.ids, "\n")))
		s := c.run().Summary
		split := s.BySplit["adversarial"]
		if (s.BlindAccuracy != nil) != row.known || (s.BlindReason == "") != row.known || (split.BlindAccuracy != nil) != row.known || (split.BlindReason == "") != row.known {
			t.Errorf("%s: %v %q, split %v %q", row.name, s.BlindAccuracy, s.BlindReason, split.BlindAccuracy, split.BlindReason)
		}
	}
}

// The figure stays with the run: shown again, and scored anew from its files.
func TestBlindStays(t *testing.T) {
	b := newBench(t)
	want := b.run().Summary
	if want.BlindAccuracy == nil {
		t.Fatal("there is no figure")
	}
	if again := b.resume().Summary; *again.BlindAccuracy != *want.BlindAccuracy {
		t.Errorf("shown again: %v, want %v", *again.BlindAccuracy, *want.BlindAccuracy)
	}
	a, err := disk.Read(b.dir)
	if err != nil {
		t.Fatal(err)
	}
	s := want.Summary
	s.BlindAccuracy = nil
	if a.Inherit(&s); s.BlindAccuracy == nil || *s.BlindAccuracy != *want.BlindAccuracy {
		t.Errorf("from its files: %v", s.BlindAccuracy)
	}
}
