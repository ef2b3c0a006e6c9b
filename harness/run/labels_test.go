package run_test

import (
	"encoding/json"
	"errors"
	"fmt"
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
	b.cfg.Labels = nil
	if got := strays(b.resume()); len(got) > 0 {
		t.Errorf("still told: %q", got)
	}
}
