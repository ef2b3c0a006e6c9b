package run_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"candor/harness/run"
	"candor/infer/ollama/faultserver"
)

// relabelling writes a label file for a bench's claims, in RePOPE's form: the
// first claim of each image is turned, the second one taken out.
func relabelling(t *testing.T) string {
	t.Helper()
	objects := []string{"dog", "car", "chair", "boat"}
	var rows strings.Builder
	for i := range pictures {
		for k := range perImage {
			turned := 0
			if k == 0 {
				turned = 1
			}
			if k != 1 {
				label := []string{"yes", "no"}[(i+k+turned)%2]
				fmt.Fprintf(&rows, `{"question_id": %d, "image": "picture%02d.png", "text": "Is there a %s in the image?", "label": %q}`+"\n", 10*i+k, i, objects[k], label)
			}
		}
	}
	file := filepath.Join(t.TempDir(), "coco_repope_adversarial.json")
	write(t, file, []byte(rows.String()))
	return file
}

// A run is scored under every label set, and asked once. A set that is given
// later needs no asking, and is no other configuration.
func TestLabels(t *testing.T) {
	b := newBench(t, faultserver.AbstainEvery(5))
	plain := b.run()
	before := len(asked(b.server))
	if len(plain.Summary.ByLabels) != 0 || len(plain.Manifest.Labels) != 0 {
		t.Errorf("label sets that nobody named: %v", plain.Manifest.Labels)
	}
	file := relabelling(t)
	b.cfg.Labels = []string{"re=" + file}
	res := b.resume()
	if n := len(asked(b.server)); n != before {
		t.Errorf("%d requests, then %d", before, n)
	}
	re := res.Summary.ByLabels["re"]
	if re == nil || re.N != 18 || re.LabelSet.Kept != 18 || re.LabelSet.Ambiguous != 6 || re.LabelSet.Relabelled != 6 || *re.LabelSet.Ceiling != 12./18 {
		t.Fatalf("%+v", re)
	}
	if *res.Summary.Accuracy != *plain.Summary.Accuracy || res.Manifest.ConfigHash != plain.Manifest.ConfigHash {
		t.Error("the run's own figures changed")
	}
	var stored run.Summary
	if err := json.Unmarshal(read(t, filepath.Join(b.dir, run.SummaryFile)), &stored); err != nil || stored.ByLabels["re"].LabelSet.Kept != 18 {
		t.Errorf("summary.json: %v", err)
	}
	if l := res.Manifest.Labels; len(l) != 1 || l[0].Name != "re" || !strings.HasPrefix(l[0].Revision, "sha256:") || res.Manifest.Config.Labels[0] != "re="+file {
		t.Errorf("manifest: %+v", l)
	}
}

// Each row is a label set that is refused before anything is asked, and how.
func TestLabelsRefused(t *testing.T) {
	good := relabelling(t)
	for _, row := range []struct {
		name   string
		labels []string
		want   string
		usage  bool
	}{
		{"no file", []string{"re=" + filepath.Join(t.TempDir(), "no.json")}, "--labels re: ", true},
		{"no name", []string{"=" + good}, "give NAME=FILE", true},
		{"nothing", []string{""}, "give NAME=FILE", true},
		{"no file named", []string{"re="}, "give NAME=FILE", true},
		{"a name alone", []string{"corrected"}, "no label set of that name comes with the data; give --labels corrected=FILE", true},
		{"twice", []string{"re=" + good, "re=" + good}, "is given twice", true},
		{"a label that is none", []string{"re=" + labelFile(t, `{"question_id":1,"label":"perhaps"}`)}, `line 1: unknown label "perhaps"`, true},
		{"another image", []string{"re=" + labelFile(t, `{"question_id":1,"label":"no","image":"z.png"}`)}, "is about image z, but claim adversarial/1 about picture00", false},
		{"nothing joins", []string{"re=" + labelFile(t, `{"question_id":1,"label":"no","split":"random"}`)}, "the data have split adversarial, the file split random", false},
	} {
		b := newBench(t)
		b.cfg.Labels = row.labels
		_, err := b.try(t.Context(), false)
		if err == nil || !strings.Contains(err.Error(), row.want) || errors.As(err, new(*run.UsageError)) != row.usage {
			t.Errorf("%s: %v; want %q", row.name, err, row.want)
		}
		if n := len(b.server.Requests()); n > 0 {
			t.Errorf("%s: %d requests", row.name, n)
		}
	}
}

func labelFile(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "re_adversarial.json")
	write(t, file, []byte(text))
	return file
}

// Labels of no claim are told, by their rows, and the rest is used; also when
// they come after the last answer, and no longer when they are gone.
func TestLabelStrays(t *testing.T) {
	b := newBench(t)
	b.run()
	strays := func(res run.Result) (found []string) {
		for _, w := range res.Summary.Warnings {
			if w.Code == "label_strays" {
				found = append(found, w.Message)
			}
		}
		return found
	}
	file := labelFile(t, `{"question_id":1,"label":"no"}`+"\n"+`{"question_id":999,"label":"no"}`+"\n"+`{"question_id":1,"split":"advresarial","label":"no"}`)
	b.cfg.Labels = []string{"re=" + file}
	for range 2 { // told once, however often it is shown
		got := strays(b.resume())
		if len(got) != 1 || !strings.Contains(got[0], "labels re: 2 of 3 are of no claim of the data set: ") ||
			!strings.Contains(got[0], file+": line 2 (adversarial/999), "+file+": line 3 (advresarial/1)") {
			t.Errorf("%q", got)
		}
	}
	b.cfg.Labels = []string{"re=" + labelFile(t, `{"question_id":1,"label":"no"}`)} // in its place
	if got := strays(b.resume()); len(got) > 0 {
		t.Errorf("still told: %q", got)
	}
}

// messages are those of a summary's warnings of one kind.
func messages(res run.Result, code string) (found []string) {
	for _, w := range res.Summary.Warnings {
		if w.Code == code {
			found = append(found, w.Message)
		}
	}
	return found
}

// Sets that are given on resume are added to those of the run; a file that is
// another than before is said, once.
func TestLabelsAddedOnResume(t *testing.T) {
	b := newBench(t)
	first := relabelling(t)
	b.cfg.Labels = []string{"first=" + first}
	was := b.run().Manifest.Labels[0].Revision
	b.cfg.Labels = []string{"second=" + relabelling(t)}
	res := b.resume()
	if len(res.Summary.ByLabels) != 2 || len(res.Manifest.Labels) != 2 || len(res.Manifest.Config.Labels) != 2 || len(messages(res, "labels_changed")) != 0 {
		t.Fatalf("label sets %v, warnings %v", res.Manifest.Config.Labels, res.Summary.Warnings)
	}
	write(t, first, []byte(`{"question_id":1,"label":"no","split":"adversarial"}`))
	b.cfg.Labels = nil
	res = b.resume()
	got := messages(res, "labels_changed")
	if len(got) != 1 || !strings.Contains(got[0], "labels first are others") || !strings.Contains(got[0], was) || !strings.Contains(got[0], res.Manifest.Labels[0].Revision) {
		t.Errorf("%q; want both revisions", got)
	}
	if res.Summary.ByLabels["first"].N != 1 || res.Summary.ByLabels["second"].N != 18 {
		t.Error("not scored by the new labels")
	}
	if got := messages(b.resume(), "labels_changed"); len(got) > 0 {
		t.Errorf("still told: %q", got)
	}
}

// A finished run is shown again whatever became of its label files; one that
// lacks something, and a set that is given now, are not.
func TestLabelsGone(t *testing.T) {
	for name, spoil := range map[string]func(file string){
		"gone":    func(file string) { _ = os.Remove(file) },
		"damaged": func(file string) { _ = os.WriteFile(file, []byte("{"), 0o644) },
		"other": func(file string) {
			_ = os.WriteFile(file, []byte(`{"question_id":1,"label":"no","image":"z.png"}`), 0o644)
		},
	} {
		b := newBench(t)
		file := relabelling(t)
		b.cfg.Labels = []string{"re=" + file}
		before := b.run()
		spoil(file)
		for range 2 {
			res := b.resume()
			if re := res.Summary.ByLabels["re"]; re == nil || re.N != 18 || *re.Accuracy != *before.Summary.ByLabels["re"].Accuracy {
				t.Fatalf("%s: %+v; want the stored figures", name, re)
			}
			if got := messages(res, "labels_gone"); len(got) != 1 || !strings.Contains(got[0], "labels re: ") || !strings.Contains(got[0], before.Manifest.Labels[0].Revision) {
				t.Errorf("%s: %q", name, got)
			}
			if l := res.Manifest.Labels; len(l) != 1 || l[0] != before.Manifest.Labels[0] {
				t.Errorf("%s: manifest %v", name, l)
			}
		}
		b.cfg.Labels = []string{"again=" + file}
		if _, err := b.try(t.Context(), true); err == nil {
			t.Errorf("%s: no error for a set that is given now", name)
		}
	}
}
